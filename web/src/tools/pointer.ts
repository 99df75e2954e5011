/**
 * The pointer on the picture: who gets it. Rings first, then brushes on the surface, then clicks, then the
 * camera.
 */
import type { Stage } from "../model/stage";
import type { Session } from "../session";
import type { Figure } from "../viewer/figure";
import { pick } from "../viewer/pick";
import type { Viewer } from "../viewer/viewer";
import type { BrushTool } from "./brush";
import type { TurnGizmo } from "./turn";

/** A pointer that moved less, in points, clicked. */
const CLICK = 5;
/** A joint is hit within so many points. */
const NEAR_JOINT = 16;

export class PointerTool {
  private down: { x: number; y: number } | null = null;
  private brushing = false;

  constructor(
    private readonly session: Session,
    private readonly viewer: Viewer,
    private readonly stage: Stage,
    private readonly brush: BrushTool,
    private readonly gizmo: TurnGizmo,
  ) {
    const { canvas } = viewer;
    // In the capturing phase of the parent, before the camera's own listeners.
    const holder = canvas.parentElement!;
    holder.addEventListener("pointerdown", (event) => this.press(event), true);
    holder.addEventListener("pointermove", (event) => this.move(event), true);
    addEventListener("pointerup", (event) => this.release(event), true);
    addEventListener("pointercancel", (event) => this.release(event), true);
  }

  private press(event: PointerEvent): void {
    if (event.target !== this.viewer.canvas || event.button !== 0) return;
    this.down = { x: event.clientX, y: event.clientY };
    if (this.gizmo.hovered) {
      this.down = null;
      return;
    }
    if (event.shiftKey || event.altKey || !this.brush.begin(event)) return;
    this.brushing = true;
    this.viewer.controls.enabled = false;
    event.stopPropagation();
  }

  private move(event: PointerEvent): void {
    if (this.brushing) this.brush.move(event);
    else if (event.buttons === 0) this.brush.hover(event);
  }

  private release(event: PointerEvent): void {
    const { down } = this;
    this.down = null;
    if (this.brushing) {
      this.brushing = false;
      this.viewer.controls.enabled = true;
      void this.brush.end();
      return;
    }
    if (down && Math.hypot(event.clientX - down.x, event.clientY - down.y) < CLICK) this.click(event);
  }

  /** Gives up what the hand is in the middle of; whether there was anything. */
  cancel(): boolean {
    if (this.gizmo.cancel()) return true;
    if (!this.brushing) return false;
    this.brushing = false;
    this.down = null;
    this.viewer.controls.enabled = true;
    void this.brush.cancel();
    return true;
  }

  private click(event: PointerEvent): void {
    const { store } = this.session;
    const { tool } = store.now;
    if (tool === "motion" && this.viewer.motion.group.visible) {
      const joint = this.jointUnder(event, this.viewer.motion);
      if (joint !== null) return store.set({ joint });
    }
    if (tool === "skeleton" && this.viewer.skeleton.group.visible) {
      const joint = this.jointUnder(event, this.viewer.skeleton);
      if (joint !== null) return store.set({ joint });
    }
    const bone = this.boneUnder(event);
    if (tool === "motion" && bone !== null && store.now.joint !== null) {
      void this.session.ask({ do: "map", joint: store.now.joint, bone });
      store.set({ bone });
      return;
    }
    if (bone !== null || tool === "bone") store.set({ bone });
  }

  private boneUnder(event: PointerEvent): number | null {
    const positions = this.stage.positions();
    if (!positions || !this.stage.mesh || !this.stage.rig || this.session.store.now.view === "original")
      return null;
    const hit = pick(this.viewer.ray(event), positions, this.stage.corners());
    return hit ? this.stage.rig.strongest(hit.vertex) : null;
  }

  private jointUnder(event: PointerEvent, figure: Figure): number | null {
    let best: number | null = null;
    let least = NEAR_JOINT;
    for (let joint = 0; joint * 3 < figure.places.length; joint++) {
      const { x, y } = this.viewer.onPage(figure.place(joint));
      const far = Math.hypot(x - event.clientX, y - event.clientY);
      if (far < least) {
        least = far;
        best = joint;
      }
    }
    return best;
  }
}

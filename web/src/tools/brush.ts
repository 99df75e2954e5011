/** Brushes: grab and smooth a pose or the rest pose, and paint the handles of joints. */
import { BufferGeometry, LineBasicMaterial, LineLoop, Vector3 } from "three";
import type { Stage } from "../model/stage";
import type { ActionOf } from "../net/protocol";
import type { Session } from "../session";
import { type Look, current } from "../store";
import type { Overlays } from "../viewer/overlays";
import { pick, within } from "../viewer/pick";
import type { Viewer } from "../viewer/viewer";
import { Live } from "./live";

const RING = Array.from(
  { length: 64 },
  (_, i) => new Vector3(Math.cos((i * Math.PI) / 32), Math.sin((i * Math.PI) / 32), 0),
);

/** A stroke but for where it is. */
type Fields = Omit<ActionOf<"brush">, "center" | "offset" | "phase">;

interface Stroke {
  fields: Fields;
  start: Vector3;
  last: Vector3;
  /** Positions when the stroke began: the brush reads its places from these. */
  positions: Float32Array;
  painted: Set<number>;
  /** Whose handle each vertex was before. */
  marks: Uint16Array | null;
}

export class BrushTool {
  readonly live: Live<"brush">;
  private readonly ring = new LineLoop(
    new BufferGeometry().setFromPoints(RING),
    new LineBasicMaterial({ color: 0xf5f6f7, depthTest: false, transparent: true }),
  );
  private stroke: Stroke | null = null;

  constructor(
    private readonly session: Session,
    private readonly viewer: Viewer,
    private readonly stage: Stage,
    private readonly overlays: Overlays,
  ) {
    this.live = new Live(session);
    this.ring.renderOrder = 20;
    this.ring.visible = false;
    viewer.extras.add(this.ring);
    session.store.on(
      (look) => [look.tool, look.paint, look.view],
      () => this.hideRing(),
    );
  }

  /** Whether dragging on the surface is this tool's. */
  active(look: Look = this.session.store.now): boolean {
    if (look.view === "original" || current(look) === null) return false;
    return look.tool === "sculpt" || this.paints(look);
  }

  private paints(look: Look): boolean {
    return (
      look.tool === "skeleton" && look.paint !== "off" && look.server?.deform !== null && look.joint !== null
    );
  }

  private radius(look: Look): number {
    const part = this.paints(look) ? look.paintRadius : look.brush.radius;
    return part * (look.server?.diagonal ?? 1);
  }

  private hideRing(): void {
    this.ring.visible = false;
    this.viewer.invalidate();
  }

  hover(event: PointerEvent): void {
    const look = this.session.store.now;
    const positions = this.stage.positions();
    if (!this.active(look) || !positions || !this.stage.mesh) return this.hideRing();
    const hit = pick(this.viewer.ray(event), positions, this.stage.corners());
    this.showRing(hit ? new Vector3(...hit.point) : null, look);
  }

  private showRing(place: Vector3 | null, look: Look): void {
    this.ring.visible = place !== null;
    if (place) {
      this.ring.position.copy(place);
      this.ring.quaternion.copy(this.viewer.camera.quaternion);
      this.ring.scale.setScalar(this.radius(look));
    }
    this.viewer.invalidate();
  }

  /** Starts a stroke if there is surface under the pointer. */
  begin(event: PointerEvent): boolean {
    const look = this.session.store.now;
    const positions = this.stage.positions();
    if (!this.active(look) || !positions || !this.stage.mesh) return false;
    const hit = pick(this.viewer.ray(event), positions, this.stage.corners());
    if (!hit) return false;
    const start = new Vector3(...hit.point);
    this.stroke = {
      fields: this.fields(look),
      start,
      last: start,
      positions: positions.slice(),
      painted: new Set(),
      marks: this.overlays.marks(),
    };
    if (this.paints(look)) this.paint(start);
    else
      void this.live.send({
        ...this.stroke.fields,
        center: start.toArray(),
        offset: [0, 0, 0],
        phase: "begin",
      });
    return true;
  }

  private fields(look: Look): Fields {
    const { target, mode, strength, carry } = look.brush;
    const frames = carry === "range" ? look.range : carry;
    return {
      do: "brush",
      version: current(look)?.id ?? 0,
      frame: look.frame,
      target,
      mode,
      radius: this.radius(look),
      // What is grabbed stays under the hand.
      strength: mode === "grab" ? 1 : strength,
      // Where a clip ends there is nothing to fade into, unless it loops.
      carry: { frames, ease: look.ease },
    };
  }

  move(event: PointerEvent): void {
    const { stroke } = this;
    const look = this.session.store.now;
    if (!stroke || !this.stage.mesh) return;
    const grab = !this.paints(look) && look.brush.mode === "grab";
    const hit = grab ? null : pick(this.viewer.ray(event), stroke.positions, this.stage.corners());
    const place = grab ? this.viewer.onPlane(event, stroke.start) : hit && new Vector3(...hit.point);
    this.showRing(place, look);
    if (!place) return;
    stroke.last = place;
    if (this.paints(look)) this.paint(place);
    else this.live.move({ ...this.message(stroke, grab), phase: "move" });
  }

  private message(stroke: Stroke, grab: boolean): Omit<ActionOf<"brush">, "phase"> {
    const center = grab ? stroke.start : stroke.last;
    const offset = grab ? stroke.last.clone().sub(stroke.start) : new Vector3();
    return { ...stroke.fields, center: center.toArray(), offset: offset.toArray() };
  }

  async end(): Promise<void> {
    const { stroke } = this;
    const look = this.session.store.now;
    this.stroke = null;
    if (!stroke) return;
    if (this.paints(look)) {
      await this.session.ask({
        do: "paint",
        joint: look.joint ?? 0,
        vertices: [...stroke.painted],
        on: look.paint === "add",
      });
      return;
    }
    const done = await this.live.send({ ...this.message(stroke, look.brush.mode === "grab"), phase: "end" });
    if (!done) this.stage.dropLive();
  }

  /** Puts everything back as it was before the stroke. */
  async cancel(): Promise<void> {
    const { stroke } = this;
    const look = this.session.store.now;
    this.stroke = null;
    if (!stroke) return;
    if (this.paints(look)) {
      this.overlays.setMarks(stroke.marks);
      return;
    }
    await this.live.send({ ...this.message(stroke, look.brush.mode === "grab"), phase: "cancel" });
    this.stage.dropLive();
  }

  private paint(place: Vector3): void {
    const look = this.session.store.now;
    if (!this.stroke || look.joint === null) return;
    const vertices = within(this.stroke.positions, place.toArray(), this.radius(look));
    vertices.forEach((vertex) => this.stroke!.painted.add(vertex));
    this.overlays.mark(vertices, look.paint === "add" ? look.joint + 1 : 0);
  }
}

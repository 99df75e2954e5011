/** Editing a bone: pick it on the surface, turn it with the rings; the server solves where it goes. */
import { Quaternion } from "three";
import type { Stage } from "../model/stage";
import type { ActionOf } from "../net/protocol";
import type { Session } from "../session";
import { current, reachOf } from "../store";
import { Live } from "./live";
import type { TurnGizmo, Turning } from "./turn";

/** A turn but for how far it goes. */
type Fields = Omit<ActionOf<"turn">, "rotation" | "phase">;

const quaternion = ({ x, y, z, w }: Quaternion): [number, number, number, number] => [x, y, z, w];

export class BoneTool {
  readonly live: Live<"turn">;

  constructor(
    private readonly session: Session,
    private readonly stage: Stage,
    private readonly gizmo: TurnGizmo,
  ) {
    this.live = new Live(session);
    session.store.on(
      (look) => [look.tool, look.bone, look.view, look.playing],
      () => this.place(),
    );
    stage.onShow(() => this.place());
  }

  /** Puts the rings where the picked bone is now. */
  private place(): void {
    const look = this.session.store.now;
    const palette = this.stage.palette();
    if (this.gizmo.dragging || look.tool !== "bone") {
      if (look.tool !== "bone" && look.tool !== "skeleton") this.gizmo.hide();
      return;
    }
    if (look.bone === null || !this.stage.rig || !palette || look.view === "original" || look.playing)
      this.gizmo.hide();
    else this.gizmo.show(this.stage.rig.posedMiddle(look.bone, palette), this.turning());
  }

  private turning(): Turning {
    let fields = this.fields();
    return {
      begin: () => {
        fields = this.fields();
        void this.live.send({ ...fields, rotation: [0, 0, 0, 1], phase: "begin" });
      },
      move: (turn) => this.live.move({ ...fields, rotation: quaternion(turn), phase: "move" }),
      end: (turn) => void this.end(fields, turn),
      cancel: () => void this.cancel(fields),
    };
  }

  private fields(): Fields {
    const look = this.session.store.now;
    const [from, to] = look.range;
    return {
      do: "turn",
      // Nothing is turned, or asked for, without either.
      version: current(look)?.id ?? 0,
      frame: look.frame,
      bone: look.bone ?? 0,
      from: Math.min(from, look.frame),
      to: Math.max(to, look.frame),
      ease: look.ease,
      reach: reachOf(look),
    };
  }

  private async end(fields: Fields, turn: Quaternion): Promise<void> {
    const done = await this.live.send({ ...fields, rotation: quaternion(turn), phase: "end" });
    if (!done) this.stage.dropLive();
    this.place();
  }

  /** After the moves that are under way, whose palettes would be shown still. */
  private async cancel(fields: Fields): Promise<void> {
    await this.live.send({ ...fields, rotation: [0, 0, 0, 1], phase: "cancel" });
    this.stage.dropLive();
    this.place();
  }

  ringOnPage(): { x: number; y: number; radius: number } {
    return this.gizmo.ringOnPage();
  }

  /** Turns the picked bone by degrees about an axis of the world: the same edit without a mouse. */
  async turnBy(axis: "x" | "y" | "z", degrees: number): Promise<void> {
    if (this.session.store.now.bone === null) return;
    const half = (degrees * Math.PI) / 360;
    const turn = new Quaternion(
      axis === "x" ? Math.sin(half) : 0,
      axis === "y" ? Math.sin(half) : 0,
      axis === "z" ? Math.sin(half) : 0,
      Math.cos(half),
    );
    const turning = this.turning();
    turning.begin();
    turning.end(turn);
  }
}

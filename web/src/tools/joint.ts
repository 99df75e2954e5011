/** Posing joints: rings at the picked joint, the surface follows. */
import { Quaternion } from "three";
import type { Stage } from "../model/stage";
import type { Session } from "../session";
import type { Look } from "../store";
import { degreesOf, turnOf } from "../viewer/kinematics";
import type { Viewer } from "../viewer/viewer";
import { Live } from "./live";
import type { TurnGizmo, Turning } from "./turn";

type Pose = [number, number, number][];

export class JointTool {
  readonly live: Live<"pose">;
  /** Where the rings are, in words: they move only when this changes. */
  private shownAt = "";

  constructor(
    private readonly session: Session,
    private readonly viewer: Viewer,
    private readonly stage: Stage,
    private readonly gizmo: TurnGizmo,
  ) {
    this.live = new Live(session);
    viewer.onDraw(() => this.place());
  }

  private place(): void {
    const look = this.session.store.now;
    if (this.gizmo.dragging) return;
    if (look.tool !== "skeleton") {
      this.shownAt = "elsewhere";
      return;
    }
    const at = this.jointPlace(look);
    const key = at ? `${look.joint} ${at.join(" ")}` : "";
    if (key === this.shownAt) return;
    this.shownAt = key;
    if (at) this.gizmo.show(at, this.turning(look.joint!));
    else this.gizmo.hide();
  }

  private jointPlace(look: Look): number[] | null {
    const { skeleton } = this.viewer;
    if (!look.server?.deform || look.joint === null || look.paint !== "off" || !skeleton.group.visible)
      return null;
    return look.joint * 3 < skeleton.places.length ? skeleton.place(look.joint).toArray() : null;
  }

  private turning(joint: number): Turning {
    let before: Pose = [];
    let above = new Quaternion();
    const posed = (turn: Quaternion): Pose => {
      // The rings turn about the world's axes; a pose is against the parent.
      const own = above.clone().invert().multiply(turn).multiply(above).multiply(turnOf(before[joint]));
      return before.map((old, i) => (i === joint ? degreesOf(own) : old));
    };
    return {
      begin: () => {
        const deform = this.session.store.now.server!.deform!;
        before = deform.pose.map((old) => [...old]);
        above = turnAbove(joint, before, deform.joints);
      },
      move: (turn) => this.move(posed(turn)),
      end: (turn) => void this.end(posed(turn), "end"),
      cancel: () => void this.end(before, "cancel"),
    };
  }

  private move(pose: Pose): void {
    this.session.store.set({ pose });
    this.live.move({ do: "pose", joints: pose, phase: "move" });
  }

  private async end(joints: Pose, phase: "end" | "cancel"): Promise<void> {
    const done = await this.live.send({ do: "pose", joints, phase });
    if (!done || phase === "cancel") this.stage.dropLive();
    this.session.store.set({ pose: null });
  }
}

/** How all joints above turn a joint. */
function turnAbove(joint: number, pose: Pose, joints: { parent: number | null }[]): Quaternion {
  const chain: number[] = [];
  for (let at = joints[joint].parent; at !== null && at >= 0; at = joints[at].parent) chain.unshift(at);
  return chain.reduce((turn, at) => turn.multiply(turnOf(pose[at])), new Quaternion());
}

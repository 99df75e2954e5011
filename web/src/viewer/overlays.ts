/**
 * What is drawn on and beside the surface: colours, wireframe, bones, skeleton, the motion that is
 * transplanted.
 */
import { loadHandles, loadMotion, loadSkeleton } from "../net/data";
import type { SkeletonData } from "../net/types";
import type { Rig } from "../model/rig";
import type { Stage } from "../model/stage";
import type { Session } from "../session";
import { type Look, comparable, current, isOpen } from "../store";
import { UNMAPPED, distinct } from "./colours";
import { posedJoints } from "./kinematics";
import type { Viewer } from "./viewer";

/** How far from the mesh the motion's figure stands, in diagonals of the mesh. */
const MOTION_PLACE = 0.65;

const JOINT_SIZE = 0.008;
const BONE: [number, number, number] = [0.93, 0.72, 0.42];

export class Overlays {
  private skeletonData: SkeletonData | null = null;
  private motion: SkeletonData | null = null;
  private handles: Uint16Array | null = null;
  private motionFramed = false;
  /** The version that the handles are of, and its pose when they were fetched. */
  private handlesOf: number | null = null;
  private pose = "";
  private coloursKey = "";
  private colouredRig: Rig | null = null;

  constructor(
    private readonly session: Session,
    private readonly viewer: Viewer,
    private readonly stage: Stage,
  ) {
    const { store } = session;
    store.on(
      (look) => [this.versionKey(look), look.skeleton || look.tool === "skeleton"],
      () => void this.takeSkeleton(),
    );
    store.on(
      ({ server }) => [
        server?.transplant?.name,
        server?.transplant?.frames,
        server?.transplant?.mirror,
        JSON.stringify(server?.transplant?.align),
      ],
      () => void this.takeMotion(),
    );
    store.on(
      (look) => [look.server?.deform, look.server?.revision],
      () => void this.takeHandles(),
    );
    store.on(
      (look) => [
        look.wireframe,
        look.bones,
        look.skeleton,
        look.weights,
        look.bone,
        look.hidden,
        look.joint,
        look.tool,
        look.view,
        look.paint,
        look.scale,
        look.errors,
        look.server,
        look.grid,
        look.textures,
        look.pose,
        look.coloured,
      ],
      () => this.draw(),
    );
    stage.onShow(() => this.draw());
  }

  /** Top of the heat map's scale, percent of the diagonal. */
  static top(look: Look): number {
    const largest = look.errors ? Math.max(...look.errors.largest, 0) : 0;
    return look.scale ?? (largest > 0 ? largest : 1);
  }

  private versionKey(look: Look): string {
    const version = current(look);
    return look.server && version?.skeleton ? `${look.server.open}:${version.key}` : "";
  }

  private async takeSkeleton(): Promise<void> {
    const look = this.session.store.now;
    const version = current(look);
    const key = this.versionKey(look);
    this.skeletonData = null;
    if (look.server && version?.skeleton) {
      const data = await loadSkeleton(version).catch(() => null);
      if (key === this.versionKey(this.session.store.now)) this.skeletonData = data;
    }
    this.draw();
  }

  private async takeMotion(): Promise<void> {
    const motion = this.session.store.now.server?.transplant;
    this.motion = motion ? await loadMotion().catch(() => null) : null;
    this.draw();
  }

  /** Handles may change with any revision of a character, but not where only its pose did. */
  private async takeHandles(): Promise<void> {
    const deform = this.session.store.now.server?.deform ?? null;
    const pose = JSON.stringify(deform?.pose);
    const posed = this.handles !== null && deform?.version === this.handlesOf && pose !== this.pose;
    this.pose = pose;
    if (posed) return;
    this.handlesOf = deform?.version ?? null;
    this.handles = deform ? await loadHandles().catch(() => null) : null;
    if (this.handles) this.viewer.result.setMarks(this.handles);
    this.draw();
  }

  /** Marks vertices before the server has answered, so that paint follows the hand. */
  mark(vertices: number[], value: number): void {
    const count = this.stage.mesh?.vertices ?? 0;
    this.handles ??= new Uint16Array(count);
    for (const vertex of vertices) this.handles[vertex] = value;
    this.viewer.result.setMarks(this.handles);
    this.viewer.invalidate();
  }

  /** Whose handle each vertex is, as it is now. */
  marks(): Uint16Array | null {
    return this.handles?.slice() ?? null;
  }

  setMarks(marks: Uint16Array | null): void {
    this.handles = marks;
    this.viewer.result.setMarks(marks ?? new Uint16Array(this.stage.mesh?.vertices ?? 0));
    this.viewer.invalidate();
  }

  private draw(): void {
    const look = this.session.store.now;
    const xray = this.skeletonShown(look);
    for (const surface of [this.viewer.result, this.viewer.original]) {
      surface.wireframe = look.wireframe;
      surface.painted = look.textures && look.tool !== "sculpt";
    }
    this.viewer.result.xray = xray;
    this.viewer.gridShown = look.grid && isOpen(look);
    this.colour(look);
    this.drawBones(look);
    this.drawSkeleton(look);
    this.drawMotion(look);
    this.viewer.invalidate();
  }

  private skeletonShown(look: Look): boolean {
    if (look.view === "original" || look.view === "difference") return false;
    if (posing(look)) return look.paint === "off";
    return (look.skeleton || look.tool === "skeleton") && this.skeletonData !== null;
  }

  private colour(look: Look): void {
    const { result } = this.viewer;
    const colours = this.boneColours(look);
    const key = colours.join(" ");
    if (colours.length > 0 && (key !== this.coloursKey || this.colouredRig !== this.stage.rig)) {
      this.coloursKey = key;
      this.colouredRig = this.stage.rig;
      result.setBoneColours(colours);
    }
    const top = (Overlays.top(look) / 100) * (look.server?.diagonal ?? 1);
    result.setColouring(this.colouring(look), look.bone ?? -1, top);
  }

  /** Bones in the colours of the joints that they follow, where a motion is put to them. */
  private boneColours(look: Look): (readonly number[])[] {
    const { deform, transplant } = look.server ?? { deform: null, transplant: null };
    if (posing(look) && deform) return deform.joints.map((_, joint) => distinct(joint));
    const bones = Array.from({ length: this.stage.rig?.arrays.bones ?? 0 }, (_, bone) => bone);
    if (look.tool !== "motion" || !transplant)
      return bones.map((bone) => [...distinct(bone), look.hidden.has(bone) ? 0 : 1]);
    const followed = new Map(transplant.map.map(({ joint, bone }) => [bone, joint]));
    return bones.map((bone) => {
      const joint = followed.get(bone) ?? null;
      return joint === null ? UNMAPPED : distinct(joint);
    });
  }

  private colouring(look: Look): "plain" | "difference" | "bones" | "weights" | "marks" | "chosen" {
    if (look.view === "difference" && comparable(look)) return "difference";
    if (posing(look)) return "marks";
    if (look.tool === "motion" && look.server?.transplant) return "bones";
    if (look.weights && look.bone !== null) return "weights";
    if (look.bones) return "bones";
    return look.tool === "bone" && look.bone !== null ? "chosen" : "plain";
  }

  private drawBones(look: Look): void {
    const { rig } = this.stage;
    const palette = this.stage.palette();
    const shown = look.bones && !!rig && !!palette && look.view !== "original";
    this.viewer.bones.group.visible = shown;
    if (!shown || !rig || !palette) return;
    const places = new Float32Array(rig.arrays.bones * 3);
    for (let bone = 0; bone < rig.arrays.bones; bone++) places.set(rig.posedMiddle(bone, palette), bone * 3);
    this.viewer.bones.set(places, null, 0.006 * (look.server?.diagonal ?? 1), distinct, look.bone);
  }

  private drawSkeleton(look: Look): void {
    const shown = this.skeletonShown(look);
    this.viewer.skeleton.group.visible = shown;
    if (!shown) return;
    const size = JOINT_SIZE * (look.server?.diagonal ?? 1);
    const deform = look.server?.deform;
    if (posing(look) && deform) {
      const parents = deform.joints.map((joint) => joint.parent);
      const posed = { ...deform, pose: look.pose ?? deform.pose };
      this.viewer.skeleton.set(posedJoints(posed), parents, size, distinct, look.joint);
    } else if (this.skeletonData) {
      const { joints, places } = this.skeletonData;
      const now = new Float32Array(places[Math.min(look.frame, places.length - 1)]);
      const parents = joints.map((joint) => joint.parent);
      this.viewer.skeleton.set(now, parents, size, () => BONE, null);
    }
  }

  /** The motion stands beside the mesh, in the mesh's size, in the colours of its joints. */
  private drawMotion(look: Look): void {
    const state = look.server;
    const transplant = state?.transplant;
    const shown = look.tool === "motion" && !!transplant && !!this.motion;
    this.viewer.motion.group.visible = shown;
    if (!transplant) this.motionFramed = false;
    if (!state || !transplant || !this.motion || !shown) return;
    const frame = (transplant.start_frame + look.frame) % Math.max(1, this.motion.places.length);
    const shift = this.viewer
      .sideways()
      .multiplyScalar(-MOTION_PLACE * state.diagonal)
      .toArray();
    const places = beside(
      Float32Array.from(this.motion.places[frame] ?? []),
      this.viewer.center.toArray(),
      shift,
    );
    const parents = this.motion.joints.map((joint) => joint.parent);
    this.viewer.motion.set(places, parents, 0.009 * state.diagonal, distinct, look.joint);
    if (!this.motionFramed) this.frameBoth(places);
    this.motionFramed = true;
  }

  /** Mesh and motion together in the picture. */
  private frameBoth(places: Float32Array): void {
    const mesh = this.stage.positions();
    if (!mesh) return;
    const all = new Float32Array(mesh.length + places.length);
    all.set(mesh);
    all.set(places, mesh.length);
    this.viewer.frame(all);
  }
}

/** Whether a character is posed by its joints. */
export const posing = (look: Look): boolean =>
  look.tool === "skeleton" && look.server?.deform?.version === look.server?.current && !!look.server?.deform;

/** A figure moved, so that its middle is `shift` from the mesh's. */
function beside(places: Float32Array, center: readonly number[], shift: number[]): Float32Array {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  places.forEach((value, i) => {
    low[i % 3] = Math.min(low[i % 3], value);
    high[i % 3] = Math.max(high[i % 3], value);
  });
  return places.map((value, i) => value - (low[i % 3] + high[i % 3]) / 2 + center[i % 3] + shift[i % 3]);
}

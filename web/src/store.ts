/**
 * What this tab shows: the server's state and its own choices. Parts of the page subscribe to the values they
 * draw and are called when one of these changes.
 */
import type { Job } from "./net/protocol";
import type {
  BoneData,
  BrushMode,
  BrushTarget,
  Clip,
  CarryName,
  Reach,
  State,
  Tables,
  Version,
} from "./net/types";

export type Tool = "open" | "fit" | "bone" | "sculpt" | "motion" | "skeleton" | "save";
export type View = "result" | "original" | "both" | "difference";

export interface Brush {
  target: BrushTarget;
  mode: BrushMode;
  /** Part of the mesh's diagonal. */
  radius: number;
  strength: number;
  carry: CarryName | "range";
}

export interface Look {
  server: State | null;
  /** What the server can read, write and do; here before any state. */
  tables: Tables | null;
  connected: boolean;
  /** Whether there ever was a connection, so that the first moments are no alarm. */
  wasConnected: boolean;
  /** Whether another studio answers where this page's was. */
  refused: boolean;
  jobs: Job[];
  tool: Tool;
  view: View;
  frame: number;
  playing: boolean;
  wireframe: boolean;
  bones: boolean;
  skeleton: boolean;
  weights: boolean;
  corrections: boolean;
  grid: boolean;
  /** Whether colours and images of materials are drawn. */
  textures: boolean;
  /** Whether the mesh has any, and how many images are on the GPU. */
  coloured: boolean;
  textured: number;
  /** The bones of the current version; those of which nothing is drawn, and those that a refit leaves as they are. */
  tree: BoneData[];
  hidden: ReadonlySet<number>;
  locked: ReadonlySet<number>;
  /** Bone picked on the surface. */
  bone: number | null;
  /** Joint picked in the motion (transplant) or in the skeleton (deform). */
  joint: number | null;
  /** Frames that an edit reaches, both included, and frames over which it fades at each end. */
  range: [number, number];
  ease: number;
  /** Whether what hangs on a bone turns along; null until it is chosen, see `reachOf`. */
  reach: Reach | null;
  /** How a hand holds the joints at the moment; null where the session's own pose is shown. */
  pose: [number, number, number][] | null;
  brush: Brush;
  /** Whether dragging on the surface paints handles or takes paint away. */
  paint: "off" | "add" | "remove";
  paintRadius: number;
  /** Top of the heat map's scale, percent of the diagonal; null: the largest error of the version. */
  scale: number | null;
  /** Errors of the current version, percent of the diagonal. */
  errors: { per_frame: number[]; largest: number[] } | null;
  loading: string | null;
  help: boolean;
}

const START: Look = {
  server: null,
  tables: null,
  connected: false,
  wasConnected: false,
  refused: false,
  jobs: [],
  tool: "open",
  view: "result",
  frame: 0,
  playing: false,
  wireframe: false,
  bones: false,
  skeleton: false,
  weights: false,
  corrections: true,
  grid: true,
  textures: true,
  coloured: false,
  textured: 0,
  tree: [],
  hidden: new Set(),
  locked: new Set(),
  bone: null,
  joint: null,
  range: [0, 0],
  ease: 4,
  reach: null,
  pose: null,
  brush: { target: "pose", mode: "grab", radius: 0.08, strength: 0.5, carry: "later" },
  paint: "off",
  paintRadius: 0.05,
  scale: null,
  errors: null,
  loading: null,
  help: false,
};

interface Subscription {
  select(look: Look): unknown[];
  act(look: Look): void;
  last: unknown[];
}

export class Store {
  private look: Look = { ...START };
  private subscriptions: Subscription[] = [];

  get now(): Look {
    return this.look;
  }

  set(change: Partial<Look>): void {
    this.look = { ...this.look, ...change };
    for (const subscription of this.subscriptions) {
      const values = subscription.select(this.look);
      if (same(values, subscription.last)) continue;
      subscription.last = values;
      subscription.act(this.look);
    }
  }

  /** Calls `act` now and whenever one of the selected values changes. */
  on(select: (look: Look) => unknown[], act: (look: Look) => void): void {
    this.subscriptions.push({ select, act, last: select(this.look) });
    act(this.look);
  }
}

const same = (a: unknown[], b: unknown[]) =>
  a.length === b.length && a.every((value, i) => Object.is(value, b[i]));

/** The version that is looked at. */
export function current(look: Look): Version | null {
  return look.server?.versions.find((version) => version.id === look.server?.current) ?? null;
}

/**
 * Whether what hangs on a bone turns along. A skeleton says what hangs on what. Bones that were fitted to a surface only seem to
 * hang on each other, and stay unless someone wants them to turn.
 */
export const reachOf = (look: Look): Reach => look.reach ?? (current(look)?.skeleton ? "hanging" : "alone");

/** The view that is drawn: without a result there is only the original. */
export const viewOf = (look: Look): View =>
  current(look) === null && look.server?.has_original ? "original" : look.view;

/** Frames that can be shown: those of the current version or of the original. */
export function frameCount(look: Look): number {
  const state = look.server;
  if (!state) return 0;
  const version = current(look);
  return look.view === "original" || !version ? state.frames : version.frames;
}

/** Clips of what is shown: those of the version, or of the file where it is poses of the same frames. */
function allClips(look: Look): Clip[] {
  const state = look.server;
  const version = current(look);
  if (version?.clips.length && viewOf(look) !== "original") return version.clips;
  const frames = frameCount(look);
  if (state?.clips.length && frames === state.frames) return state.clips;
  return [{ name: "", start: 0, frames, fps: fpsOf(look), loops: false }];
}

/** The same where there are several to tell apart. */
export function clipsOf(look: Look): Clip[] {
  const clips = allClips(look);
  return clips.length > 1 ? clips : [];
}

/** The clip that a frame is in. */
export const clipAt = (clips: Clip[], frame: number): Clip | null =>
  clips.find((clip) => frame >= clip.start && frame < clip.start + clip.frames) ?? null;

/** Frames of the clip that a frame is in, both included; all where there is one clip. */
export function clipRange(look: Look, frame = look.frame): [number, number] {
  const clip = clipAt(clipsOf(look), frame);
  return clip ? [clip.start, clip.start + clip.frames - 1] : [0, Math.max(0, frameCount(look) - 1)];
}

/** The clips that an edit of the current version knows of; all frames are one where there are no more. */
export const editedClips = (look: Look): Clip[] => allClips({ ...look, view: "result" });

export const fpsOf = (look: Look): number => current(look)?.fps || look.server?.fps || 24;

/** Whether the current version can be held against the original frame for frame. */
export function comparable(look: Look): boolean {
  return look.server?.has_original === true && (current(look)?.errors_key ?? null) !== null;
}

/** What a bone is called. */
export const boneName = (look: Look, bone: number): string => look.tree[bone]?.name ?? `bone ${bone}`;

/** Whether a file is open. */
export const isOpen = (look: Look): boolean => (look.server?.vertices ?? 0) > 0;

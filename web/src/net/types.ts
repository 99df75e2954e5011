/** What the server says: the shapes of its messages. The words are those of the library. */

export type VersionKind = "fit" | "file" | "edit" | "skeleton" | "transplant" | "deform";

/** One result that can be looked at: a rig, a chain, a deformation. */
export interface Version {
  id: number;
  name: string;
  kind: VersionKind;
  method: string;
  bones: number;
  rigid_bones: number;
  influences: number;
  rank: number;
  bytes: number | null;
  percent: number | null;
  largest: number | null;
  /** There is one where the version is comparable with the original, frame for frame. */
  errors_key: string | null;
  skeleton: boolean;
  /** Poses made from the pose before: no palette, positions are streamed. */
  chain: boolean;
  parent: number | null;
  worst_frame: number | null;
  worst_vertex: number | null;
  /** Changes when the version's data change; what is fetched by it never does. */
  key: string;
  /** Whether it has bones to be skinned by; otherwise positions are fetched. */
  rig: boolean;
  frames: number;
  fps: number;
}

export interface Clip {
  name: string;
  start: number;
  frames: number;
}

export interface CurvePoint {
  bytes: number;
  bones: number;
  percent: number;
  version: number | null;
}

export interface Joint {
  name: string;
  parent: number | null;
}

export interface Mapping {
  /** None where a bone follows no joint. */
  joint: number | null;
  bone: number;
  because: string;
}

export interface Transplant {
  name: string;
  frames: number;
  fps: number;
  joints: Joint[];
  map: Mapping[];
  start_frame: number;
  /** Version of the preview. */
  preview: number | null;
  /** Poses that are the same; none for the bind pose and the rest pose. */
  align: { motion_frame: number | null; rig_frame: number | null; angle: number | null };
}

export interface Deform {
  /** The version that shows it. */
  version: number;
  /** Joints, with their places in the rest pose. */
  joints: (Joint & { place: [number, number, number] })[];
  painted: boolean;
  examples: string[];
  anchors: number | null;
  bytes: number | null;
  /** For every joint an axis times degrees, against its parent. */
  pose: [number, number, number][];
  /** Whether the shape was sculpted over its pose. */
  sculpted: boolean;
}

export interface Job {
  id: number;
  kind: string;
  stage: string;
  done: number;
  seconds?: number;
  ended?: "done" | "cancelled" | "failed";
  error?: string;
  /** What the work gave, when it is done. */
  result?: Record<string, unknown>;
}

export interface State {
  revision: number;
  name: string;
  fps: number;
  frames: number;
  vertices: number;
  triangles: number;
  diagonal: number;
  center: [number, number, number];
  up: "y" | "z";
  clips: Clip[];
  has_original: boolean;
  versions: Version[];
  current: number | null;
  undo: string | null;
  redo: string | null;
  curve: CurvePoint[];
  transplant: Transplant | null;
  deform: Deform | null;
  folders: string[];
  jobs: Job[];
  saved: string | null;
  warnings: string[];
  autosave: { name: string; when: number } | null;
  /** Grows with every open and close. */
  open: number;
}

export interface FileEntry {
  name: string;
  bytes: number;
  kind: string;
}

export interface Listing {
  folder: string;
  parent: string | null;
  folders: string[];
  files: FileEntry[];
}

/** Kinds of binary messages. */
export const PALETTE = 1;
export const POSITIONS = 2;

/** One binary message: a palette or positions of one frame of one version. */
export interface Packet {
  kind: number;
  version: number;
  frame: number;
  count: number;
  values: Float32Array;
}

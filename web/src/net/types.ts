// What the server tells and what it can be asked. Made from the types of crates/sinew-studio: do not edit.
// Made anew by web/types.sh, and CI checks that it was.

/** An action, as it comes over the socket. */
export type Action =
  | { do: "open"; paths: Array<string>; rest?: string | null; fps?: number | null }
  | { do: "open_sample" }
  | { do: "close" }
  | ({ do: "fit" } & FitOrder)
  | { do: "curve" }
  | { do: "cancel"; job: number }
  | { do: "select"; version: number }
  | { do: "rename"; version: number; name: string }
  | { do: "rename_bone"; version: number; bone: number; name: string }
  | { do: "delete"; version: number }
  | { do: "pick"; version: number; frame?: number; vertex: number }
  | ({ do: "turn" } & TurnOrder)
  | ({ do: "brush" } & BrushOrder)
  | { do: "undo" }
  | { do: "redo" }
  | { do: "motion"; paths: Array<string>; up?: Axis | null }
  | { do: "map"; joint: number; bone: number | null }
  | ({ do: "align" } & AlignOrder)
  | ({ do: "adjust" } & AdjustOrder)
  | { do: "preview"; start?: number; frames?: number | null }
  | { do: "accept" }
  | { do: "drop_motion" }
  | { do: "skeleton"; bones?: number | null; segmenter?: string | null }
  | { do: "handles" }
  | { do: "paint"; joint: number; vertices: Array<number>; on: boolean }
  | {
      do: "pose";
      joints: Array<[number, number, number]>;
      /** Begin and move show, end does it. */
      phase?: Phase;
    }
  | ({ do: "example" } & ExampleOrder)
  | { do: "drop_example"; name: string }
  | { do: "drop_handles" }
  | { do: "anchors"; percent?: number | null }
  | { do: "save"; version: number; path: string; options?: SaveOptions }
  | {
      do: "picture";
      version: number;
      frame: number;
      path: string;
      /** What the page drew and sent as PNG; without, the frame is drawn here, seen from the front. */
      drawn?: string | null;
    }
  | {
      do: "report";
      path: string;
      /** How the page shows it; without, pictures are taken from the front. */
      seen?: Seen | null;
    }
  | { do: "restore" }
  | { do: "discard" };

/** How a motion is taken over. */
export type AdjustOrder = {
  /** The axis that the rig faces along in its rest pose, or how that is told. */
  facing: Facing;
  /** Exchanges left and right. */
  mirror?: boolean;
  /** What becomes of feet that stand. */
  plant: Plant;
  /** Takes the way over the ground out. */
  in_place?: boolean;
};

/** Which poses of a motion and of a rig are the same. */
export type AlignOrder = {
  /** Finds them. */
  auto?: boolean;
  /** Frame of the motion; none for its bind pose. */
  motion_frame?: number | null;
  /** Frame of the rig; none for its rest pose. */
  rig_frame?: number | null;
};

export type Alignment = {
  /** Poses that are the same; none for the bind pose and the rest pose. */
  motion_frame: number | null;
  rig_frame: number | null;
  /** Mean angle between limbs, in degrees. */
  angle: number | null;
  /** What tells how far the motion is turned. Where names do, it does not matter which way the rig is said to face. */
  faced_by: "names" | "feet and sides" | "shape";
};

/** What each action is answered with when it is done, by the action's name. */
export type Answers = {
  open: Done;
  open_sample: Done;
  close: Done;
  cancel: Done;
  select: Done;
  rename: Done;
  rename_bone: Edited;
  delete: Done;
  pick: Picked;
  turn: Edited;
  brush: Edited;
  undo: Undone;
  redo: Undone;
  motion: Laid;
  map: Done;
  align: Done;
  adjust: Done;
  accept: Made;
  drop_motion: Done;
  handles: Made;
  paint: Done;
  pose: Edited;
  example: SetUp;
  drop_example: SetUp;
  drop_handles: Done;
  anchors: SetUp;
  picture: Written;
  report: Written;
  restore: Done;
  discard: Done;
};

/** What a job gave, by its kind. */
export type AnyResult = Results[keyof Results] | Answers[keyof Answers];

/** The axis of a file that is up. */
export type Axis = "x" | "y" | "z";

/** It goes on in the background. */
export type Began = {
  /** The number of the job. */
  job: number;
};

export type BoneData = {
  name: string;
  /** What it hangs on, in a skeleton. */
  parent: number | null;
};

export type BoneKind = "rigid" | "flexible";

/** The bones of a version. */
export type BonesData = { bones: Array<BoneData> };

/** What a brush does. */
export type BrushMode = "grab" | "smooth";

/** A stroke of a brush. */
export type BrushOrder = {
  /** The version. */
  version: number;
  /** The frame that the brush works in; none for the rest pose as it stands. */
  frame?: number | null;
  /** What is sculpted. */
  target: BrushTarget;
  /** What the brush does. */
  mode: BrushMode;
  /** Where it is. */
  center: [number, number, number];
  /** How far it reaches. */
  radius: number;
  /** Grabbing: how far the hand has gone since it began. */
  offset?: [number, number, number];
  /** From 0 to 1. */
  strength?: number;
  /** Frames that follow. */
  carry?: CarryOrder;
  /** Begin and move show, end does it, cancel leaves everything as it was. */
  phase: Phase;
};

/** What a brush sculpts. */
export type BrushTarget = "pose" | "rest";

/** Later frames, all, or up to one. */
export type CarryFrames = CarryName | [number, number];

/** Words for frames. */
export type CarryName = "later" | "all";

/** Which frames follow a sculpted pose. */
export type CarryOrder = {
  /** Later ones without. */
  frames?: CarryFrames;
  /** Frames up to the last over which the edit fades. */
  ease?: number;
};

export type Clip = {
  name: string;
  start: number;
  frames: number;
  fps: number;
  /** Whether it ends as it begins. Edits keep it so. */
  loops: boolean;
};

/** A rig that was fitted, or what is told of one that was not. */
export type CurvePoint = {
  /** Its size. */
  bytes: number;
  /** Its bones. */
  bones: number;
  /** Its error. */
  percent: number;
  /** The version it is, if it was kept. */
  version: number | null;
};

/** What all tabs know of it. */
export type Deform = {
  /** The version that shows it. */
  version: number;
  joints: Array<DeformJoint>;
  painted: boolean;
  examples: Array<string>;
  anchors: number | null;
  bytes: number | null;
  /** For every joint an axis times degrees, against its parent. */
  pose: Array<[number, number, number]>;
  /** Whether the shape was sculpted over its pose. */
  sculpted: boolean;
};

export type DeformJoint = {
  name: string;
  parent: number | null;
  /** In the rest pose. */
  place: [number, number, number];
};

/** It is done. */
export type Done = Record<symbol, never>;

/** A hand is in the middle of it, or an edit came of it. */
export type Edited = {
  /** The version that was edited; none while the hand moves, and when it gave up. */
  version?: number;
};

/** How a job ended. */
export type Ended = "done" | "cancelled" | "failed";

/** How far a version is from the original in each frame, in percent of the diagonal. */
export type ErrorsData = {
  /** Mean over the vertices. */
  per_frame: Array<number>;
  /** The farthest vertex. */
  largest: Array<number>;
};

/** A shape that a pose should have. */
export type ExampleOrder = {
  /** What it is called. */
  name: string;
  /** A version and frame whose shape it is; the shape as it is posed and sculpted now without. */
  version?: number | null;
  /** The frame of that version. */
  frame?: number;
};

export type Facing = "auto" | "+z" | "-z" | "+x" | "-x";

export type FileEntry = { name: string; bytes: number; kind: string };

/** Files of a format. */
export type FileKind = {
  /** What they are called in lists. */
  labels: Array<string>;
  /** Endings, in small letters, without the dot. */
  endings: Array<string>;
  /** Whether they hold something to look at. */
  opens: boolean;
  /** Whether they hold joints that move. */
  motion: boolean;
  /** Whether they hold points alone, and a mesh goes with them. */
  needs_mesh: boolean;
  /** Whether they are the mesh that goes with points. */
  rest: boolean;
};

/** One of these, or none. */
export type FitGoal = {
  /** Exactly so many bones. */
  bones?: number | null;
  /** At most this error, in percent. */
  error?: number | null;
  /** At most so many bytes. */
  bytes?: number | null;
};

/** A rig to be fitted. */
export type FitOrder = {
  /** How. */
  method: Method;
  /** What bones may do. With a goal, both without. */
  kind: BoneKind | null;
  /** What is wanted of it. */
  goal?: FitGoal;
  /** What bones are made of at first; for "best". */
  start?: string | null;
  /** The most influences on a vertex. */
  influences?: number | null;
  /** Number of correction shapes. */
  rank?: number | null;
  /** The version that is improved, whose bones are kept and whose weights are begun with; none begins anew. */
  improve?: number | null;
  /** Bones of it that keep their motion. */
  lock?: Array<number>;
};

/** What all tabs know of a job. */
export type JobState = {
  id: number;
  /** What it does, in a word. */
  kind: string;
  /** What it is at. */
  stage: string;
  /** Share of the stage that is done, 0 to 1. */
  done: number;
  /** Whether the tab that asked waits for it and is told of its failure. */
  waited: boolean;
};

export type Joint = { name: string; parent: number | null };

export type JointData = { name: string; parent: number | null; bone: number };

/** A motion was laid over a rig. */
export type Laid = {
  /** The version it goes onto. */
  onto: number;
};

/** What is in a folder. */
export type Listing = {
  folder: string;
  parent: string | null;
  folders: Array<string>;
  files: Array<FileEntry>;
};

/** A version came of it. */
export type Made = {
  /** Its number. */
  version: number;
};

export type Mapping = { joint: number; bone: number; because: string };

export type Method = "best" | "sma" | "sad" | "fesam" | "pps";

/** News of a job. */
export type News = {
  /** Since it began. */
  seconds: number;
  /** How it ended; not there as long as it goes on. */
  ended?: Ended;
  /** Why it failed. */
  error?: string;
  /** What it gave. */
  result?: AnyResult;
  id: number;
  /** What it does, in a word. */
  kind: string;
  /** What it is at. */
  stage: string;
  /** Share of the stage that is done, 0 to 1. */
  done: number;
  /** Whether the tab that asked waits for it and is told of its failure. */
  waited: boolean;
};

/** A session that another server left behind. */
export type Offer = {
  /** What was open. */
  name: string;
  /** When, in seconds since 1970. */
  when: number;
};

/** Where a hand is in its movement. */
export type Phase = "begin" | "move" | "end" | "cancel";

/** The bones of a vertex. */
export type Picked = {
  /** The strongest. */
  bone: number | null;
  /** All, with their weights. */
  weights: Array<[number, number]>;
};

export type Plant = "feet" | "none";

/** What turns along. */
export type Reach = "alone" | "hanging";

/** What the jobs of all other actions end with: those are answered at once with `Began`. */
export type Results = { fit: Made; curve: Done; preview: Made; skeleton: Made; save: Written };

/** Something that versions can be saved as. */
export type SaveFormat = {
  ending: string;
  label: string;
  /** What files of it do not hold. */
  loses: string | null;
  /** Whether less can be stored where nobody sees it. */
  compact: boolean;
};

/** How a version is saved. */
export type SaveOptions = {
  /** Store less, with no vertex off by more than this many percent of the diagonal. */
  compact?: number | null;
  /** Store numbers of few bits, packed. */
  pack?: boolean;
};

/** How a page shows what is open. */
export type Seen = {
  /** The picture that the page drew and sent as PNG. */
  drawn?: string | null;
  /** The frame that is shown. */
  frame: number;
  /** Where the camera is, in degrees around the upright axis; 0 looks from +Z, 90 from +X. */
  azimuth: number;
  /** Degrees above the horizon. */
  elevation: number;
};

/** A character was set up anew. */
export type SetUp = {
  /** Memory that its examples take. */
  bytes: number;
  /** The version that shows it. */
  version: number;
};

/** A joint tree and where it goes. */
export type SkeletonData = {
  joints: Array<JointData>;
  /** Per frame, x y z of every joint. */
  places: Array<Array<number>>;
};

/** What all tabs know. */
export type State = {
  jobs: Array<JobState>;
  revision: number;
  /** Grows with every open and close. */
  open: number;
  name: string;
  fps: number;
  frames: number;
  vertices: number;
  triangles: number;
  diagonal: number;
  center: [number, number, number];
  up: "y" | "z";
  clips: Array<Clip>;
  has_original: boolean;
  versions: Array<Version>;
  current: number | null;
  undo: string | null;
  redo: string | null;
  curve: Array<CurvePoint>;
  transplant: Transplant | null;
  deform: Deform | null;
  folders: Array<string>;
  saved: string | null;
  warnings: Array<string>;
  autosave: Offer | null;
};

/** What a page lists its choices from. The same as long as a server lives. */
export type Tables = {
  /** Files that can be opened. */
  files: Array<FileKind>;
  /** What versions can be saved as, best first; each version says which of them it can be. */
  saves: Array<SaveFormat>;
  /** How rigs are fitted. */
  methods: Array<Word>;
  /** What bones may do. */
  bone_kinds: Array<Word>;
  /** What the bones of a fit are made of at first, the usual one first. */
  starts: Array<Word>;
  /** What the parts of a skeleton come from, the usual one first. */
  segmenters: Array<Word>;
  /** Which way a rig may face, the usual one first. */
  facings: Array<Word>;
  /** What may become of feet that stand in a motion, the usual one first. */
  plants: Array<Word>;
  /** The most bones that can be asked for. */
  most_bones: number;
  /** The most influences on a vertex that can be asked for. */
  most_influences: number;
  /** The most correction shapes that can be asked for. */
  most_rank: number;
};

/** What all tabs know of a motion on its way. */
export type Transplant = {
  name: string;
  onto: number;
  frames: number;
  fps: number;
  joints: Array<Joint>;
  map: Array<Mapping>;
  start_frame: number;
  /** Version of the preview. */
  preview: number | null;
  align: Alignment;
  /** The axis that the rig faces along, or how that is told. */
  facing: Facing;
  /** Whether left and right are exchanged. */
  mirror: boolean;
  /** What becomes of feet that stand. */
  plant: Plant;
  /** Whether the way over the ground is taken out. */
  in_place: boolean;
  /** What may be wrong about it. */
  warnings: Array<string>;
};

/** A bone that is turned by hand. */
export type TurnOrder = {
  /** The version. */
  version: number;
  /** The frame that the hand turns it in. */
  frame: number;
  /** The bone. */
  bone: number;
  /** The rotation since the hand took hold, as a quaternion x y z w in the axes of the world. */
  rotation: [number, number, number, number];
  /** First frame that changes; `frame` without. */
  from?: number | null;
  /** Last frame that changes; `frame` without. */
  to?: number | null;
  /** Frames over which the turn grows before `frame` and fades after it. */
  ease?: number;
  /** Whether bones that hang on it turn along. */
  reach?: Reach;
  /** The bone that stays where it is. */
  hold?: number | null;
  /** Begin and move show, end does it, cancel leaves everything as it was. */
  phase: Phase;
};

/** What was undone or redone. */
export type Undone = {
  /** In words. */
  what: string;
};

/** A file that came. */
export type Uploaded = {
  /** Where it is kept. */
  path: string;
};

/** One result that can be looked at: a rig, a chain, a deformation. */
export type Version = {
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
  worst_frame: number | null;
  worst_vertex: number | null;
  /** There is one where the version is comparable with the original, frame for frame. */
  errors_key: string | null;
  /** Changes when the version's data change; what is fetched by it never does. */
  key: string;
  skeleton: boolean;
  /** Poses made from the pose before: no palette, positions are streamed. */
  chain: boolean;
  /** Whether it has bones to be skinned by; otherwise positions are fetched. */
  rig: boolean;
  parent: number | null;
  frames: number;
  fps: number;
  /** Its clips; all frames are one where nobody told others apart. */
  clips: Array<Clip>;
  /** Endings of files that it can be saved as. */
  saves: Array<string>;
};

/** Where a version came from. */
export type VersionKind = "fit" | "file" | "edit" | "skeleton" | "transplant" | "deform";

/** A choice by its word. */
export type Word = {
  name: string;
  /** What it means, in a line. */
  about: string;
};

/** A file was written. */
export type Written = {
  /** Where. */
  path: string;
  /** What it does not hold as it was. */
  warnings: Array<string>;
};

/** Kinds of binary messages. */
export const PALETTE = 1;
export const POSITIONS = 2;

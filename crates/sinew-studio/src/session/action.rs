//! What a page can ask for.

use std::path::PathBuf;

use serde::Deserialize;
use sinew::motion::{Facing, Plant};
use sinew::segment::{SkeletonSegmenter, StartSegmenter};
use sinew::skin::{BoneKind, MethodName};

/// An action, as it comes over the socket.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "do", rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum Action {
    Open {
        paths: Vec<PathBuf>,
        #[cfg_attr(test, ts(optional = nullable))]
        rest: Option<PathBuf>,
        #[cfg_attr(test, ts(optional = nullable))]
        fps: Option<f64>,
    },
    OpenSample {},
    Close {},
    Fit(FitOrder),
    Curve {},
    Cancel {
        job: u32,
    },
    Select {
        version: u32,
    },
    Rename {
        version: u32,
        name: String,
    },
    RenameBone {
        version: u32,
        bone: usize,
        name: String,
    },
    Delete {
        version: u32,
    },
    Pick {
        version: u32,
        #[serde(default)]
        #[cfg_attr(test, ts(optional, as = "Option<usize>"))]
        frame: usize,
        vertex: usize,
    },
    Turn(TurnOrder),
    Brush(BrushOrder),
    Undo {},
    Redo {},
    Motion {
        paths: Vec<PathBuf>,
        #[cfg_attr(test, ts(optional = nullable))]
        up: Option<Axis>,
    },
    Map {
        joint: usize,
        bone: Option<usize>,
    },
    Align(AlignOrder),
    Adjust(AdjustOrder),
    Preview {
        #[serde(default)]
        #[cfg_attr(test, ts(optional, as = "Option<usize>"))]
        start: usize,
        #[cfg_attr(test, ts(optional = nullable))]
        frames: Option<usize>,
    },
    Accept {},
    DropMotion {},
    Skeleton {
        #[cfg_attr(test, ts(optional = nullable))]
        bones: Option<usize>,
        #[cfg_attr(test, ts(optional = nullable, as = "Option<String>"))]
        segmenter: Option<SkeletonSegmenter>,
    },
    Handles {},
    Paint {
        joint: usize,
        vertices: Vec<u32>,
        on: bool,
    },
    Pose {
        joints: Vec<[f64; 3]>,
        /// Begin and move show, end does it.
        #[serde(default = "at_once")]
        #[cfg_attr(test, ts(optional, as = "Option<Phase>"))]
        phase: Phase,
    },
    Example(ExampleOrder),
    DropExample {
        name: String,
    },
    /// Lets go of the character that is posed.
    DropHandles {},
    Anchors {
        #[cfg_attr(test, ts(optional = nullable))]
        percent: Option<f64>,
    },
    Save {
        version: u32,
        path: PathBuf,
        #[serde(default)]
        #[cfg_attr(test, ts(optional, as = "Option<SaveOptions>"))]
        options: SaveOptions,
    },
    Picture {
        version: u32,
        frame: usize,
        path: PathBuf,
        /// What the page drew and sent as PNG; without, the frame is drawn here, seen from the front.
        #[cfg_attr(test, ts(optional = nullable))]
        drawn: Option<PathBuf>,
    },
    Report {
        path: PathBuf,
        /// How the page shows it; without, pictures are taken from the front.
        #[cfg_attr(test, ts(optional = nullable))]
        seen: Option<Seen>,
    },
    Restore {},
    Discard {},
}

fn at_once() -> Phase {
    Phase::End
}

/// A rig to be fitted.
#[derive(Clone, Debug, Default, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct FitOrder {
    /// How.
    #[serde(default)]
    #[cfg_attr(test, ts(type = "Method"))]
    pub method: MethodName,
    /// What bones may do. With a goal, both without.
    #[cfg_attr(test, ts(type = "BoneKind | null"))]
    pub kind: Option<BoneKind>,
    /// What is wanted of it.
    #[serde(default)]
    #[cfg_attr(test, ts(optional, as = "Option<FitGoal>"))]
    pub goal: FitGoal,
    /// What bones are made of at first; for "best".
    #[cfg_attr(test, ts(as = "Option<String>"))]
    pub start: Option<StartSegmenter>,
    /// The most influences on a vertex.
    pub influences: Option<usize>,
    /// Number of correction shapes.
    pub rank: Option<usize>,
    /// The version that is improved, whose bones are kept and whose weights are begun with; none begins anew.
    pub improve: Option<u32>,
    /// Bones of it that keep their motion.
    #[serde(default)]
    #[cfg_attr(test, ts(optional, as = "Option<Vec<usize>>"))]
    pub lock: Vec<usize>,
}

/// One of these, or none.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct FitGoal {
    /// Exactly so many bones.
    pub bones: Option<usize>,
    /// At most this error, in percent.
    pub error: Option<f64>,
    /// At most so many bytes.
    pub bytes: Option<u64>,
}

/// Where a hand is in its movement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum Phase {
    Begin,
    Move,
    End,
    Cancel,
}

/// A bone that is turned by hand.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct TurnOrder {
    /// The version.
    pub version: u32,
    /// The frame that the hand turns it in.
    pub frame: usize,
    /// The bone.
    pub bone: usize,
    /// The rotation since the hand took hold, as a quaternion x y z w in the axes of the world.
    pub rotation: [f64; 4],
    /// First frame that changes; `frame` without.
    pub from: Option<usize>,
    /// Last frame that changes; `frame` without.
    pub to: Option<usize>,
    /// Frames over which the turn grows before `frame` and fades after it.
    #[serde(default)]
    #[cfg_attr(test, ts(optional, as = "Option<usize>"))]
    pub ease: usize,
    /// Whether bones that hang on it turn along.
    #[serde(default)]
    #[cfg_attr(test, ts(optional, as = "Option<Reach>"))]
    pub reach: Reach,
    /// The bone that stays where it is.
    pub hold: Option<usize>,
    /// Begin and move show, end does it, cancel leaves everything as it was.
    pub phase: Phase,
}

/// What turns along.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum Reach {
    Alone,
    #[default]
    Hanging,
}

/// A stroke of a brush.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct BrushOrder {
    /// The version.
    pub version: u32,
    /// The frame that the brush works in; none for the rest pose as it stands.
    pub frame: Option<usize>,
    /// What is sculpted.
    pub target: BrushTarget,
    /// What the brush does.
    pub mode: BrushMode,
    /// Where it is.
    pub center: [f32; 3],
    /// How far it reaches.
    pub radius: f32,
    /// Grabbing: how far the hand has gone since it began.
    #[serde(default)]
    #[cfg_attr(test, ts(optional, as = "Option<[f32; 3]>"))]
    pub offset: [f32; 3],
    /// From 0 to 1.
    #[serde(default = "full")]
    #[cfg_attr(test, ts(optional, as = "Option<f32>"))]
    pub strength: f32,
    /// Frames that follow.
    #[serde(default)]
    #[cfg_attr(test, ts(optional, as = "Option<CarryOrder>"))]
    pub carry: CarryOrder,
    /// Begin and move show, end does it, cancel leaves everything as it was.
    pub phase: Phase,
}

fn full() -> f32 {
    1.0
}

/// What a brush sculpts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum BrushTarget {
    Pose,
    Rest,
}

/// What a brush does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum BrushMode {
    Grab,
    Smooth,
}

/// Which frames follow a sculpted pose.
#[derive(Clone, Debug, Default, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct CarryOrder {
    /// Later ones without.
    #[serde(default)]
    #[cfg_attr(test, ts(optional, as = "Option<CarryFrames>"))]
    pub frames: CarryFrames,
    /// Frames up to the last over which the edit fades.
    #[serde(default)]
    #[cfg_attr(test, ts(optional, as = "Option<usize>"))]
    pub ease: usize,
}

/// Later frames, all, or up to one.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(untagged)]
#[allow(missing_docs)]
pub enum CarryFrames {
    Named(CarryName),
    Range([usize; 2]),
}

impl Default for CarryFrames {
    fn default() -> Self {
        Self::Named(CarryName::Later)
    }
}

/// Words for frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum CarryName {
    Later,
    All,
}

/// Which poses of a motion and of a rig are the same.
#[derive(Clone, Debug, Default, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct AlignOrder {
    /// Finds them.
    #[serde(default)]
    #[cfg_attr(test, ts(optional, as = "Option<bool>"))]
    pub auto: bool,
    /// Frame of the motion; none for its bind pose.
    pub motion_frame: Option<usize>,
    /// Frame of the rig; none for its rest pose.
    pub rig_frame: Option<usize>,
}

/// How a motion is taken over.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct AdjustOrder {
    /// The axis that the rig faces along in its rest pose, or how that is told.
    #[serde(default)]
    #[cfg_attr(test, ts(type = "Facing"))]
    pub facing: Facing,
    /// Exchanges left and right.
    #[serde(default)]
    #[cfg_attr(test, ts(optional, as = "Option<bool>"))]
    pub mirror: bool,
    /// What becomes of feet that stand.
    #[serde(default)]
    #[cfg_attr(test, ts(type = "Plant"))]
    pub plant: Plant,
    /// Takes the way over the ground out.
    #[serde(default)]
    #[cfg_attr(test, ts(optional, as = "Option<bool>"))]
    pub in_place: bool,
}

/// A shape that a pose should have.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct ExampleOrder {
    /// What it is called.
    pub name: String,
    /// A version and frame whose shape it is; the shape as it is posed and sculpted now without.
    pub version: Option<u32>,
    /// The frame of that version.
    #[serde(default)]
    #[cfg_attr(test, ts(optional, as = "Option<usize>"))]
    pub frame: usize,
}

/// The axis of a file that is up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum Axis {
    X,
    Y,
    Z,
}

/// How a page shows what is open.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct Seen {
    /// The picture that the page drew and sent as PNG.
    pub drawn: Option<PathBuf>,
    /// The frame that is shown.
    pub frame: usize,
    /// Where the camera is, in degrees around the upright axis; 0 looks from +Z, 90 from +X.
    pub azimuth: f32,
    /// Degrees above the horizon.
    pub elevation: f32,
}

/// How a version is saved.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct SaveOptions {
    /// Store less, with no vertex off by more than this many percent of the diagonal.
    pub compact: Option<f64>,
    /// Store numbers of few bits, packed.
    #[serde(default)]
    #[cfg_attr(test, ts(optional, as = "Option<bool>"))]
    pub pack: bool,
}

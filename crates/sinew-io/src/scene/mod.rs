//! What any rig file holds, whatever its format: names, nodes, bones, weights, shapes, motion.
//!
//! ```text
//! file ──> names, hierarchy, joints ──> skin, repairs, shapes, size ──> SampledRig
//! Rig  ──> written ──> layout, skinning, morphs ──> motion, tree, frames (bones, between, stretch, compact) ──> file
//! ```
//!
//! Formats read into these and write out of these; nothing here knows a format.

pub(crate) mod assembled;
pub(crate) mod between;
pub(crate) mod bones;
pub(crate) mod choice;
pub(crate) mod color;
pub(crate) mod compact;
mod facts;
pub(crate) mod frames;
pub(crate) mod hierarchy;
pub(crate) mod hung;
pub(crate) mod images;
pub(crate) mod joints;
pub(crate) mod layout;
pub(crate) mod morphs;
pub(crate) mod motion;
pub(crate) mod moving;
pub(crate) mod names;
mod opened;
mod opened_motion;
pub(crate) mod point_cache;
pub(crate) mod repairs;
mod sampled;
pub(crate) mod shapes;
pub(crate) mod size;
pub(crate) mod skin;
pub(crate) mod skinning;
pub(crate) mod static_mesh;
mod stream;
pub(crate) mod stretch;
pub(crate) mod tree;
pub(crate) mod turns;
pub(crate) mod way;
pub(crate) mod within;
pub(crate) mod written;

pub use compact::DEFAULT_COMPACT_ERROR;
pub use facts::{Facts, Said};
pub use frames::{JointFrame, joint_frames};
pub use opened::{DEFAULT_FPS, OpenOptions, Opened};
pub(crate) use opened::{bare, check_fps};
pub use opened_motion::{FirstFrame, MotionOptions, OpenedMotion};
pub use point_cache::{CacheStream, PointCache};
pub use sampled::{SampleOptions, SampledRig};
pub use static_mesh::StaticMesh;
pub use stream::{PoseStream, Poses};
pub use written::WriteReport;

pub use crate::up::Up;
pub use crate::warning::length;

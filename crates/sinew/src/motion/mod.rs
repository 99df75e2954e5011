//! Other motion for a rig: moved over from elsewhere, or edited.

mod source;

pub use source::{Motion, MotionError, SourceJoint};

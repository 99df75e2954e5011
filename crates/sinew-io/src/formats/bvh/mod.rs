//! BVH: the motion of a skeleton without its skin, as motion capture and animation programs exchange it.
//!
//! The format has no standard; this follows what Biovision's files look like, and what common programs write
//! and take. `HIERARCHY` holds the joints at rest, each with its offset from its parent, and which numbers
//! move it. `MOTION` holds one line a frame: those numbers for one joint after the other, lengths and angles
//! in degrees.

mod entry;
mod first_frame;
mod hierarchy;
mod read;
mod write;

pub use entry::BVH;
pub use read::{parse, read};
pub use write::{to_text, write};

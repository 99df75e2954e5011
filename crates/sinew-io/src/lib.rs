//! Files in and out.
//!
//! ```text
//! containers   bytes in boxes: chunks, blocks, records, archives, codecs
//! source       where a file comes from, and what it may lead to
//! scene        what any rig file holds: names, nodes, bones, weights, shapes, motion; format-free
//! formats      a table, one folder a format
//! sequence, motion, open   from whatever a user names to an animation, a rig or the motion of joints
//! ```
//!
//! Each uses only what is above it.
//!
//! Readers check everything: a file that comes from outside can be wrong in any way and is answered with
//! an [`Error`] that says where, never with a panic. Writers never leave half a file: they write beside
//! the target and rename.

mod containers;
mod error;
mod natural;
mod parts;
mod room;
mod save;
mod target;
mod text;
mod up;

pub mod account;
pub mod deform_file;
pub mod flesh_file;
pub mod formats;
pub mod joints_file;
pub mod map_file;
pub mod motion;
pub mod open;
pub mod scene;
pub mod sequence;
pub mod source;
pub mod toml_file;
pub mod warning;

pub use error::{Error, Result, SkeletonProblem};
pub use motion::open_motion;
pub use parts::PartFolder;
pub use save::{Saving, check_target, put, save};
pub use scene::{CacheStream, PointCache, StaticMesh};
pub use source::{Access, Source};
pub use target::{InMemory, Target, WriteSeek, save_target, to_memory};
pub use warning::Warning;

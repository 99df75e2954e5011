//! Files in and out, one module a format.
//!
//! Readers check everything: a file that comes from outside can be wrong in any way and is answered with
//! an [`Error`] that says where, never with a panic. Writers never leave half a file: they write beside
//! the target and rename.

mod choice;
mod error;
mod joints;
mod mapped;
mod point_cache;
mod room;
mod save;
mod static_mesh;
mod text;

pub mod acclaim;
pub mod alembic;
pub mod bvh;
pub mod deform_file;
pub mod fbx;
pub mod formats;
pub mod glb;
pub mod links;
pub mod map_file;
pub mod maya_cache;
pub mod mdd;
pub mod meshopt;
pub mod motion;
pub mod mtl;
pub mod numpy;
pub mod obj;
pub mod open;
pub mod pc2;
pub mod ply;
pub mod sequence;
pub mod sinew_file;
pub mod stl;
pub mod toml_file;
pub mod usd;

pub use error::{Error, Result};
pub use motion::open_motion;
pub use point_cache::{CacheStream, PointCache};
pub use save::{Saving, check_target, save};
pub use static_mesh::StaticMesh;

//! Files in and out, one module a format.
//!
//! Readers check everything: a file that comes from outside can be wrong in any way and is answered with
//! an [`Error`] that says where, never with a panic. Writers never leave half a file: they write beside
//! the target and rename.

mod error;
mod save;

pub mod glb;
pub mod mdd;
pub mod obj;
pub mod pc2;
pub mod ply;

pub use error::{Error, Result};
pub use save::save;

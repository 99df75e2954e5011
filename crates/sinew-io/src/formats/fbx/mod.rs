//! FBX: skinned, animated meshes in and out.
//!
//! There is no public specification. Files are read by `ufbx`, which knows twenty years of exporters, and
//! written as binary files of version 7.5, whose layout is described where their node tree is written.
//!
//! ```text
//! file ──> open, nurbs ──> instances, timeline, carry ──> meshes, look ──> sample ──> shapes, rig ──> Rig
//!          ufbx            nodes, frames                  corners, skins   motion     bones
//!                                                                              └────> cache ──> poses
//!
//! Rig ──> skeleton, geometry, deformers, curves, materials ──> document ──> tree ──> file
//!         objects and connections                                           bytes
//! ```
//!
//! | I have                          | I want                             | use                          |
//! | ------------------------------- | ---------------------------------- | ---------------------------- |
//! | a file                          | what is in it                      | [`open`], [`Fbx::info`]      |
//! | a file                          | some of its clips as a rig         | [`open`], [`Fbx::rig`]       |
//! | a file, with point caches or not | the poses of its meshes           | [`open`], [`Fbx::animation`] |
//! | bytes that nobody trusts        | the same, without the disk         | [`parse_alone`]              |
//! | a rig                           | a file                             | [`write()`]                  |
//! | a rig                           | a file's bytes                     | [`to_bytes`]                 |
//!
//! # Space
//!
//! Positions are the numbers of the file, in its units, which [`Info::metres_per_unit`] states. Files that
//! are not y up are turned, exactly: z up becomes (x, z, −y). Texture coordinates have their origin at the
//! upper left, as in the rest of Sinew, and not at the lower left, as in the file.
//!
//! # Example
//!
//! ```no_run
//! # fn main() -> sinew_io::Result<()> {
//! use std::path::Path;
//!
//! let file = sinew_io::formats::fbx::open(Path::new("walk.fbx"))?;
//! println!("{} clips", file.info().clips.len());
//! let rig = file.rig(&Default::default())?.rig;
//! sinew_io::formats::fbx::write(Path::new("copy.fbx"), &rig, &Default::default())?;
//! # Ok(())
//! # }
//! ```

mod angles;
mod aside;
mod attributes;
mod cache;
mod carry;
mod convert;
mod curves;
mod deformers;
mod document;
mod dual;
mod entry;
mod geometry;
mod instances;
mod joints;
mod layers;
mod look;
mod materials;
mod memory;
mod meshes;
mod nurbs;
mod open;
mod other_nodes;
mod other_nodes_out;
mod rig;
mod sample;
mod shapes;
mod skeleton;
mod timeline;
mod unkept;
mod write;

pub use cache::Animation;
pub use entry::FBX;
pub use open::{ClipInfo, Fbx, Info, open, parse_alone};
pub use write::{WriteOptions, to_bytes, write};

/// What the creator of files written by Sinew starts with.
const GENERATOR: &str = "Sinew";

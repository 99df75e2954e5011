//! USD: meshes, skeletons, blend shapes and point caches in, as `.usda`, `.usdc` and `.usdz`; out as `.usda`
//! and `.usdz`.
//!
//! Follows OpenUSD's schemas (UsdGeom, UsdSkel, UsdShade) and its file formats as their sources describe
//! them; the readers are our own, as files that nobody trusts have to be answered with a sentence.
//!
//! ```text
//! file ──> package ──> text: scan           ──> layer ──> compose, stage ──> query, xform, skeleton, shapes
//!          bytes       binary: packed, specs    prims     one tree           values at a time
//!      ──> surface, bind ──> import, columns, hierarchy ──> Rig;  animation ──> poses
//!
//! Rig ──> joints_out, mesh_out, write ──> prose ──> container, package ──> file;  poses ──> cache ──> …
//! ```
//!
//! | I have                   | I want                        | use                                |
//! | ------------------------ | ----------------------------- | ---------------------------------- |
//! | a file                   | what is in it                 | [`open`], [`UsdFile::info`]        |
//! | a file                   | some of its clips as a rig    | [`open`], [`UsdFile::rig`]         |
//! | a file                   | poses, whatever makes them    | [`open`], [`UsdFile::animation`]   |
//! | bytes that nobody trusts | the same, without the disk    | [`parse_alone`]                    |
//! | a rig                    | a file                        | [`write_rig`]                      |
//! | poses                    | a file                        | [`write_animation`]                |
//!
//! Positions keep the file's unit; `metersPerUnit` is stated by [`Info`] and not applied. Files with z up are
//! turned to y up: (x, z, −y). UVs have their origin at the upper left, as glTF's do.

mod animation;
mod assets;
mod attributes;
mod attributes_out;
mod bind;
mod bones_in;
mod cache;
mod columns;
mod compose;
mod container;
mod entry;
mod file;
mod hierarchy;
mod import;
mod info;
mod joints_in;
mod joints_out;
mod layer;
mod load;
mod look;
mod mesh_out;
mod other_prims;
mod other_prims_out;
mod prose;
mod query;
mod scan;
mod shapes;
mod shapes_out;
mod site;
mod skeleton;
mod specs;
mod stage;
mod surface;
mod text;
mod text_values;
mod timing;
mod unkept;
mod write;
mod xform;

pub use animation::{UsdAnimation, UsdPlayer};
pub use cache::{CacheOptions, write_animation};
pub use entry::USD;
pub use file::{Kind, UsdFile, open, parse_alone};
pub use info::Info;
pub use timing::Clip;
pub use write::{WriteOptions, write_rig};

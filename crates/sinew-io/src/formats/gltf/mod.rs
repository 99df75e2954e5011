//! glTF 2.0: skinned, animated meshes in and out, as `.glb` and `.gltf`.
//!
//! Follows the glTF 2.0 specification (Khronos Group, 2021; ISO/IEC 12113).
//!
//! ```text
//! Rig ──> scene: layout, skinning, motion, tree, morphs ──> nodes, clip, materials ──> document
//!         what files of joints can hold                     JSON                       bytes
//!     ──> containers: glb ──> file
//!         chunks
//!
//! file ──> containers: glb ──> read, accessors ──> chosen, sample ──> primitives, appearance ──> weld
//!          chunks              checks              motion             meshes                     seams
//!      ──> import, scene: hierarchy ──> Rig
//! ```
//!
//! | I have                   | I want                        | use                       |
//! | ------------------------ | ----------------------------- | ------------------------- |
//! | a rig                    | a file                        | [`write()`]               |
//! | a rig                    | a file's bytes                | [`to_bytes`]              |
//! | a rig and levels of it   | a file's bytes                | [`to_bytes_with_levels`]  |
//! | a file                   | what is in it                 | [`open`], [`Gltf::info`]  |
//! | a file                   | some of its clips as a rig    | [`open`], [`Gltf::rig`]   |
//! | a file with levels       | its rig and the levels        | [`open`], [`Gltf::rig_and_levels`] |
//! | a file                   | the motion of its joints      | [`open`], [`Gltf::joint_motion`] |
//! | bytes that nobody trusts | the same, without the disk    | [`parse_alone`]           |

mod accessors;
mod appearance;
mod attributes;
mod attributes_out;
mod bytes;
mod carried;
mod chosen;
mod clip;
mod document;
mod entry;
mod extensions;
mod import;
mod levels;
mod light;
mod materials;
mod meshes;
mod nodes;
mod options;
mod order;
mod other_nodes;
mod other_nodes_out;
mod pack;
mod packed;
mod packing;
mod primitives;
mod quantised;
mod read;
mod sample;
mod schema;
mod skeletal;
mod targets;
mod unkept;
mod uri;
mod weld;
mod write;
mod writer;

pub use bytes::{Encoded, encode, to_bytes, to_bytes_with_levels, write};
pub use entry::GLTF;
pub use options::WriteOptions;
pub use read::{Clip, Gltf, Info, open, parse_alone};

/// Application-specific vertex attribute of files written by Sinew: which vertex of the rig a vertex of
/// the file came from. Present where UV seams, hard edges or materials made copies.
const SOURCE_VERTEX: &str = "_SOURCE_VERTEX";

/// What attributes that hold light are called, before their numbers.
const LIGHT: &str = "_LIGHT_";
/// How long a unit is in all files.
pub const METRES_PER_UNIT: f64 = 1.0;

/// What `asset.generator` starts with in files written by Sinew.
const GENERATOR: &str = "Sinew";

//! glTF 2.0: skinned, animated meshes in and out, as `.glb` and `.gltf`.
//!
//! Follows the glTF 2.0 specification (Khronos Group, 2021; ISO/IEC 12113).
//!
//! ```text
//! Rig ──> layout, skinning, motion, tree, morphs ──> nodes, clip, materials ──> document ──> container
//!         what glTF can hold                         JSON                       bytes        chunks
//!     ──> file
//!
//! file ──> container ──> read, accessors ──> chosen, sample ──> primitives, appearance ──> weld
//!          chunks        checks              motion             meshes                     seams
//!      ──> import, hierarchy ──> Rig
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
pub(crate) mod between;
pub(crate) mod bones;
mod carried;
mod chosen;
mod clip;
mod compact;
mod container;
mod document;
mod frames;
pub(crate) mod hierarchy;
pub(crate) mod import;
pub(crate) mod layout;
mod levels;
mod light;
mod materials;
mod meshes;
pub(crate) mod morphs;
pub(crate) mod motion;
mod names;
mod nodes;
mod order;
mod pack;
mod packed;
pub(crate) mod primitives;
mod read;
mod sample;
mod schema;
mod size;
mod skeletal;
pub(crate) mod skinning;
mod stretch;
mod targets;
pub(crate) mod tree;
mod weld;
pub(crate) mod write;

pub(crate) use bones::{RIGID_ROTATION, is_rotation};
pub use compact::DEFAULT_COMPACT_ERROR;
pub(crate) use frames::{JointFrame, JointRig, joint_rig};
pub(crate) use hierarchy::{BIND_POSE, STRAYS};
pub use import::{SampleOptions, SampledRig};
pub(crate) use names::Names;
pub use read::{Clip, Gltf, Info, open, parse, parse_alone};
pub(crate) use sample::slerp;
pub use write::{WriteOptions, WriteReport, to_bytes, to_bytes_with_levels, write};

/// Application-specific vertex attribute of files written by Sinew: which vertex of the rig a vertex of
/// the file came from. Present where UV seams, hard edges or materials made copies.
const SOURCE_VERTEX: &str = "_SOURCE_VERTEX";

/// What `asset.generator` starts with in files written by Sinew.
const GENERATOR: &str = "Sinew";

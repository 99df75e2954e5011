//! `.sinew`: rigs in full, written and played frame by frame.
//!
//! Holds what glTF cannot: weights below zero, bones that carry each pose to the next, and every number at
//! the precision it was solved in. A writer only ever appends, so that a file can grow while frames come in
//! and can go through a pipe; a file that is cut anywhere plays up to its last whole frame.
//!
//! # Layout
//!
//! Little-endian throughout. The file starts with the 8 bytes `8B 53 49 4E 45 57 0D 0A` ("‹SINEW", carriage
//! return, line feed: a transfer that mangles text spoils it visibly) and the version, a u32 (1). Then come
//! records:
//!
//! ```text
//! kind      4 letters; when the first is lower case, readers that do not know the kind skip the record
//! length    u64, bytes of contents
//! contents
//! checksum  u32, CRC-32 (as in PNG) of kind, length and contents
//! ```
//!
//! | kind   | contents                                                                                 |
//! | ------ | ---------------------------------------------------------------------------------------- |
//! | `MESH` | vertices (u64); list of face starts (u32, one more than faces, or none); list of corners  |
//! |        | (u32); UVs and normals, each a flag (u8), list of values (2 or 3 f32), list of indices    |
//! |        | (u32); list of face materials (u32); list of parts: name, first face, end of faces, first |
//! |        | vertex, end of vertices (u64)                                                            |
//! | `MATL` | list of materials: name, base colour (4 f32), metallic, roughness (f32), emissive         |
//! |        | (3 f32), alpha mode (text), alpha cutoff (f32), double-sided (u8), list of textures: slot |
//! |        | (u8: 0 base colour, 1 metallic-roughness, 2 normal, 3 occlusion, 4 emissive), image (u32) |
//! | `IMAG` | one image: name, media type, list of bytes; one record each, in order                     |
//! | `REST` | list of rest positions (3 f32)                                                           |
//! | `BONE` | list of bones: name, centre (3 f64), rigid (u8)                                          |
//! | `skel` | the joint tree: list of parents (u32, all bits set for a root), one for each bone; each     |
//! |        | bone's centre is its joint                                                               |
//! | `slid` | what roots slide on: list of joints (u32, all bits set for none), one for each bone        |
//! | `axes` | list of the axes that bones are bound by (4 f64 each, x, y, z, w of a quaternion; zeros for none) |
//! | `shps` | of each correction shape its name and the weight that the rest pose shows (f32)             |
//! | `WGHT` | slots a vertex (u32), list of bones (u32), list of weights (f32), vertex after vertex     |
//! | `attr` | list of attributes of vertices or corners: name, kind (u8: 0 UVs, 1 linear colour, 2 other), what   |
//! |        | they hang on (u8: 0 vertices, 1 corners), numbers of a value (u32), list of numbers (f32), list of   |
//! |        | indices (u32), one for each vertex or corner                                             |
//! | `txuv` | textures on other UVs than the first: list of material, texture of it, UV set (u32: 1 for the first |
//! |        | of `attr`)                                                                               |
//! | `node` | what moves no vertex: list of nodes: name, parent (u8: 0 none, 1 a bone, 2 an earlier node) and its  |
//! |        | number (u32), kind (u8: 0 empty, 1 group, 2 camera, 3 light), of a camera whether it is orthographic |
//! |        | (u8), angle or height (f64), aspect, near, far (f64, not a number where none is given), of a light   |
//! |        | its shape (u8: 0 point, 1 sun, 2 spot, 3 area), inner and outer angle or width and height (f64),  |
//! |        | colour (3 f32), intensity, range (f64), then whether it moves (u8) and a list of places (12 f64):  |
//! |        | one, or those of all frames of all clips; on a bone, a place in the rest pose            |
//! | `armt` | name (text) of the object that holds the bones                                           |
//! | `CORR` | rank (u32), list of displacements (3 f32), list of normal changes (3 f32, may be empty),  |
//! |        | shape after shape                                                                        |
//! | `unit` | how many metres a unit is (f64), where that is known                                    |
//! | `CLIP` | motion (u8: 0 from the rest pose, 1 from the pose before), frames a second (f64), name,   |
//! |        | frames expected (u64, all bits set when unknown)                                          |
//! | `FRAM` | number (u64, from 0), for each bone the three columns of its matrix and its translation   |
//! |        | (12 f64), for each correction shape its coefficient (f32)                                 |
//! | `KEYF` | the same as `FRAM`, of a frame that starts from the rest pose in a clip whose others      |
//! |        | start from the pose before                                                               |
//! | `WGHT` | after `CLIP`: the weights from the next frame on, in a clip whose frames start from the pose    |
//! |        | before                                                                                   |
//! | `WSHT` | the same in short: slots a vertex (u32), list of bones (u8), list of weights (u16, in      |
//! |        | 65535ths)                                                                                |
//! | `MOVE` | before a frame, in a clip whose frames start from the pose before: displacements that are    |
//! |        | added to its pose after its bones did their part, and that later frames start from: list  |
//! |        | of vertices (u32, ascending), list of displacements (3 f64)                              |
//! | `more` | nothing: another clip follows this one                                                    |
//! | `DONE` | frames of the clip (u64)                                                                 |
//!
//! Readers that do not know `slid`, `axes`, `shps`, `attr`, `txuv`, `node` or `armt` pass over them: they play the same rig
//! without those.
//!
//! A list is a count (u64) and the entries; a name or text is a list of UTF-8 bytes. `MESH`, `REST`, `BONE`
//! and `WGHT` are there once before `CLIP`, the others before `CLIP` where needed, in any order; `CLIP` comes after them,
//! then its frames, then `DONE`. A clip without `DONE` was cut. Further clips follow in the same way, `CLIP`
//! to `DONE`, their frames counted from 0 again, their transforms acting on the same as in the first and their weights
//! those before the first `CLIP`. The
//! clip before says so with `more`, so that it shows when they are lost; readers that play one clip take the
//! first.
//!
//! | I have                      | I want                          | use                         |
//! | --------------------------- | ------------------------------- | --------------------------- |
//! | a rig, a chain of poses     | a file                          | [`write_rig`], [`write_chain`] |
//! | frames that come one by one | a file, or a pipe               | [`Writer`]                  |
//! | a file                      | all of it                       | [`read`]                    |
//! |                             | names and lengths of its clips  | [`clips`]                   |
//! | a file longer than memory   | one frame after the other       | [`open`], [`Reader`]        |
//! |                             | one pose after the other        | [`open`], [`Poses`]         |

mod cargo;
mod chosen;
mod entry;
mod head;
mod mesh;
mod play;
mod reader;
mod skin;
mod whole;
mod writer;

use glam::{DAffine3, Vec3};
use sinew::geometry::Mesh;
use sinew::nodes::Node;
use sinew::rig::{Bone, Corrections, Moves, Skeleton, SkinWeights};

pub use entry::SINEW;
pub use play::Poses;
pub use reader::{FileReader, Reader, open, open_clip};
pub use whole::{
    Contents, Label, Stored, chain_to_bytes, clips, parse, read, rig_to_bytes, write_chain, write_rig,
};
pub use writer::Writer;

use crate::scene::Facts;

/// What a file starts with.
pub const MAGIC: [u8; 8] = *b"\x8BSINEW\r\n";

/// The version this module writes and reads.
pub const VERSION: u32 = 1;

mod kind {
    pub const MESH: [u8; 4] = *b"MESH";
    pub const MATERIALS: [u8; 4] = *b"MATL";
    pub const IMAGE: [u8; 4] = *b"IMAG";
    pub const REST: [u8; 4] = *b"REST";
    pub const BONES: [u8; 4] = *b"BONE";
    pub const SKELETON: [u8; 4] = *b"skel";
    pub const SLIDES: [u8; 4] = *b"slid";
    pub const AXES: [u8; 4] = *b"axes";
    pub const SHAPE_NAMES: [u8; 4] = *b"shps";
    pub const ATTRIBUTES: [u8; 4] = *b"attr";
    pub const UV_SETS: [u8; 4] = *b"txuv";
    pub const NODES: [u8; 4] = *b"node";
    pub const ARMATURE: [u8; 4] = *b"armt";
    pub const WEIGHTS: [u8; 4] = *b"WGHT";
    pub const SHORT_WEIGHTS: [u8; 4] = *b"WSHT";
    pub const CORRECTIONS: [u8; 4] = *b"CORR";
    pub const UNIT: [u8; 4] = *b"unit";
    pub const CLIP: [u8; 4] = *b"CLIP";
    pub const FRAME: [u8; 4] = *b"FRAM";
    pub const KEY_FRAME: [u8; 4] = *b"KEYF";
    pub const MOVES: [u8; 4] = *b"MOVE";
    pub const MORE: [u8; 4] = *b"more";
    pub const DONE: [u8; 4] = *b"DONE";
}

/// What a frame's transforms act on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    /// The rest pose, as in a [`Rig`](sinew::rig::Rig).
    FromRest,
    /// The pose of the frame before, but for key frames, as in a
    /// [`PoseChain`](sinew::rig::PoseChain).
    FromLast,
}

/// What is known of a clip before its frames.
#[derive(Clone, Debug, PartialEq)]
pub struct Clip {
    /// Name, may be empty.
    pub name: String,
    /// Frames per second.
    pub fps: f64,
    /// What transforms act on.
    pub motion: Motion,
    /// How many frames the writer meant to write, where it knew.
    pub frames: Option<u64>,
}

/// Everything of a file but its frames.
#[derive(Clone, Debug, PartialEq)]
pub struct Head {
    /// Faces, UVs, materials.
    pub mesh: Mesh,
    /// The rest pose.
    pub rest: Vec<Vec3>,
    /// Which bones move which vertices, until a frame brings others.
    pub weights: SkinWeights,
    /// The bones.
    pub bones: Vec<Bone>,
    /// The joint tree, if the bones hang together.
    pub skeleton: Option<Skeleton>,
    /// Correction shapes. Their coefficients are in the frames.
    pub corrections: Option<Corrections>,
    /// What moves no vertex, in all frames of all clips.
    pub nodes: Vec<Node>,
    /// Name of the object that holds the bones, may be empty.
    pub armature: String,
    /// The clip whose frames follow.
    pub clip: Clip,
    /// How many metres a unit is, where that is known.
    pub metres_per_unit: Option<f64>,
}

/// A [`Head`] to be written, borrowed from wherever its parts are.
#[derive(Clone, Copy, Debug)]
pub struct HeadRef<'a> {
    /// Faces, UVs, materials.
    pub mesh: &'a Mesh,
    /// The rest pose.
    pub rest: &'a [Vec3],
    /// Which bones move which vertices.
    pub weights: &'a SkinWeights,
    /// The bones.
    pub bones: &'a [Bone],
    /// The joint tree, if the bones hang together.
    pub skeleton: Option<&'a Skeleton>,
    /// Correction shapes.
    pub corrections: Option<&'a Corrections>,
    /// What moves no vertex. Those that move must do so in all frames that will be written.
    pub nodes: &'a [Node],
    /// Name of the object that holds the bones, may be empty.
    pub armature: &'a str,
    /// The clip that follows.
    pub clip: &'a Clip,
    /// How many metres a unit is, where that is known.
    pub metres_per_unit: Option<f64>,
}

impl Head {
    /// The same, borrowed.
    pub fn as_ref(&self) -> HeadRef<'_> {
        let Self { mesh, rest, weights, bones, nodes, armature, clip, .. } = self;
        let (skeleton, corrections) = (self.skeleton.as_ref(), self.corrections.as_ref());
        let metres_per_unit = self.metres_per_unit;
        HeadRef { mesh, rest, weights, bones, skeleton, corrections, nodes, armature, clip, metres_per_unit }
    }

    /// What the file says about its numbers.
    pub fn facts(&self) -> Facts {
        Facts { metres_per_unit: self.metres_per_unit, ..Facts::default() }
    }

    /// Number of correction shapes.
    pub fn rank(&self) -> usize {
        self.corrections.as_ref().map_or(0, |c| c.rank)
    }
}

/// One frame of a clip.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// Whether the transforms act on the rest pose in a clip where others act on the pose before.
    pub key: bool,
    /// The weights from this frame on, where they are others than before.
    pub new_weights: Option<SkinWeights>,
    /// Transform of every bone.
    pub transforms: Vec<DAffine3>,
    /// Vertices that are moved on after that, in a clip whose frames start from the pose before.
    pub moves: Moves,
    /// Coefficient of every correction shape.
    pub coefficients: Vec<f32>,
}

impl HeadRef<'_> {
    /// Number of correction shapes.
    pub fn rank(&self) -> usize {
        self.corrections.map_or(0, |c| c.rank)
    }
}

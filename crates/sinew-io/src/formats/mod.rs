//! The table of formats: what Sinew reads and writes, one folder a format.
//!
//! | to do                                | use                                             |
//! | ------------------------------------ | ----------------------------------------------- |
//! | tell the format of a file            | [`tell`]                                        |
//! | tell the format of a file to be made | [`by_ending`], [`to_write`]                     |
//! | read it                              | [`Format::open`], or [`crate::open`] over it    |
//! | write it                             | [`Format::save`], [`Format::to_bytes`]          |
//! | know what gets lost                  | [`Format::keeps`]                               |
//! | show people what there is            | [`table()`]                                     |
//!
//! A new format is a folder here with one [`Format`], a [`Document`] and a [`Writer`], and a line in [`ALL`].
//! Sentences that list formats, `sinew convert`, `sinew info` and the table of docs/formats follow from that.

pub mod acclaim;
pub mod alembic;
pub mod bvh;
mod document;
pub mod fbx;
pub mod gltf;
pub mod maya;
pub mod mdd;
pub mod numpy;
pub mod obj;
pub mod pc2;
pub mod ply;
pub mod sinew_file;
pub mod stl;
mod table;
mod tell;
pub mod usd;
mod write;

use std::fmt;
use std::path::Path;

use crate::source::Source;
use crate::{Error, InMemory, Result, Warning, save_target, to_memory};

pub use crate::scene::{Facts, Said, length};
pub use acclaim::{AMC, ASF};
pub use alembic::ALEMBIC;
pub use bvh::BVH;
pub use document::{Document, unread};
pub use fbx::FBX;
pub use gltf::GLTF;
pub use maya::MAYA;
pub use mdd::MDD;
pub use numpy::{NPY, NPZ};
pub use obj::OBJ;
pub use pc2::PC2;
pub use ply::PLY;
pub use sinew_file::SINEW;
pub use stl::STL;
pub use table::{list, table};
pub use tell::{Start, by_ending, tell, to_write};
pub use usd::USD;
pub use write::{Content, NextPose, PoseSet, RigOptions, Unwritten, Writer, Written};

/// All formats. Where the contents of a file fit several, the first counts.
pub static ALL: [&Format; 16] =
    [&GLTF, &SINEW, &ALEMBIC, &FBX, &USD, &PC2, &MDD, &MAYA, &NPZ, &NPY, &OBJ, &PLY, &STL, &BVH, &ASF, &AMC];

/// A format: what files of it hold, how they are told, read and written.
pub struct Format {
    /// Name for people, in the singular: "PC2 point cache".
    pub name: &'static str,
    /// The article of the name: "a" or "an".
    pub article: &'static str,
    /// What files are called in lists: "PC2". More than one where the format has several faces.
    pub labels: &'static [&'static str],
    /// Endings of files that are read, in small letters, without the dot.
    pub endings: &'static [&'static str],
    /// Endings of files that are written; none where the format is only read.
    pub written: &'static [&'static str],
    /// What files can hold that Sinew reads.
    pub reads: Holds,
    /// What it can write into files.
    pub writes: Holds,
    /// What a file that is written keeps, besides positions.
    pub keeps: Keeps,
    /// Whether motion is a function of time, which is sampled at any rate that is asked for. Other files have
    /// frames, and a rate only says how long each lasts.
    pub sampled: bool,
    /// How long units are in files of the format.
    pub unit: UnitRule,
    /// For the table of formats; no full stop.
    pub notes: &'static str,
    /// Whether a file starts as only files of this format do.
    pub signature: fn(&Start) -> bool,
    /// Whether a file that has no signature, and no ending that is known, may be one.
    pub shape: fn(&Start) -> bool,
    /// Opens files; [`Format::open`] calls it.
    pub document: fn(&Source) -> Result<Box<dyn Document>>,
    /// Writes files; [`Format::save`] and [`Format::to_bytes`] call it.
    pub writer: &'static dyn Writer,
}

/// How long units are in files of a format.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum UnitRule {
    /// There is no place for it: numbers are those of whatever was written.
    Untold,
    /// So many metres in every file.
    Fixed(f64),
    /// Every file says it. With metres that a file gets which is written of something that tells none; without any it is
    /// left out.
    Told(Option<f64>),
}

impl UnitRule {
    /// How many metres a unit is in all files, where it is the same in all.
    pub fn fixed(self) -> Option<f64> {
        match self {
            Self::Fixed(metres) => Some(metres),
            Self::Untold | Self::Told(_) => None,
        }
    }

    /// How many metres a unit is in a file that is written of something in units of so many.
    pub fn written(self, metres: Option<f64>) -> Option<f64> {
        match self {
            Self::Untold => None,
            Self::Fixed(fixed) => Some(fixed),
            Self::Told(otherwise) => metres.or(otherwise),
        }
    }
}

/// Kinds of content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Holds {
    /// Faces over the vertices.
    pub faces: bool,
    /// Any number of poses in a file. Of a format with faces but no poses, each file is one pose.
    pub poses: bool,
    /// Bones that move the vertices of a mesh.
    pub rig: bool,
    /// Joints that move, with or without a mesh.
    pub joints: bool,
}

impl Holds {
    /// Nothing.
    pub const NOTHING: Self = Self { faces: false, poses: false, rig: false, joints: false };
    /// A mesh in one pose.
    pub const MESH: Self = Self { faces: true, ..Self::NOTHING };
    /// Poses without faces.
    pub const CACHE: Self = Self { poses: true, ..Self::NOTHING };
    /// A mesh in many poses.
    pub const ANIMATION: Self = Self { faces: true, poses: true, ..Self::NOTHING };
    /// A mesh with bones, which is a mesh in many poses as well.
    pub const RIG: Self = Self { faces: true, poses: true, rig: true, joints: true };
    /// Joints without a mesh.
    pub const JOINTS: Self = Self { joints: true, ..Self::NOTHING };

    /// Whether files are single meshes, of which several make a sequence.
    pub fn is_frame(self) -> bool {
        self.faces && !self.poses && !self.rig
    }

    /// Whether there are poses but no faces.
    pub fn is_cache(self) -> bool {
        self.poses && !self.faces
    }

    /// Whether there are joints but no mesh.
    pub fn is_motion(self) -> bool {
        self.joints && !self.poses && !self.rig
    }
}

/// What a written file keeps besides positions. What it does not keep is told when there is any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Keeps {
    /// Texture coordinates.
    pub uvs: bool,
    /// UV sets after the first.
    pub uv_sets: bool,
    /// Colours of vertices, the first of a mesh.
    pub colors: bool,
    /// Colours after the first, and such that differ between the corners of a vertex.
    pub more_colors: bool,
    /// Attributes of vertices that are neither UVs nor colours.
    pub attributes: bool,
    /// Shading normals, and with them which edges are hard.
    pub normals: bool,
    /// Materials: names and colours, and textures where `textures` says so.
    pub materials: bool,
    /// Images of materials.
    pub textures: bool,
    /// Names of the objects a mesh consists of.
    pub parts: bool,
    /// The frame rate.
    pub fps: bool,
    /// Which frames are of which clip, and the clips' names.
    pub clips: bool,
    /// A rest pose beside the frames.
    pub rest: bool,
    /// Of a rig, what moves no vertex: empties, cameras, lights, and the armature's name.
    pub nodes: bool,
}

impl Keeps {
    /// Nothing.
    pub const NOTHING: Self = Self {
        uvs: false,
        uv_sets: false,
        colors: false,
        more_colors: false,
        attributes: false,
        normals: false,
        materials: false,
        textures: false,
        parts: false,
        fps: false,
        clips: false,
        rest: false,
        nodes: false,
    };
    /// Everything.
    pub const ALL: Self = Self {
        uvs: true,
        uv_sets: true,
        colors: true,
        more_colors: true,
        attributes: true,
        normals: true,
        materials: true,
        textures: true,
        parts: true,
        fps: true,
        clips: true,
        rest: true,
        nodes: true,
    };
}

impl Format {
    /// Opens a file of this format and parses it.
    pub fn open(&self, source: &Source) -> Result<Box<dyn Document>> {
        (self.document)(source).map_err(|error| {
            match source.is_file() && source.length().is_ok_and(|n| n == 0) {
                // Each would say in its own way what is missing.
                true => Error::malformed(source.path(), "the file is empty"),
                false => error,
            }
        })
    }

    /// Writes a file, and those that belong beside it: whole, or an error leaves what was there before.
    pub fn save(&self, path: &Path, content: Content) -> Result<Written> {
        let (bytes, (warnings, joints)) = save_target(path, |to| {
            let warnings = write::put(self.writer, to, content)?;
            Ok((warnings, to.joints()))
        })?;
        Ok(Written { bytes, warnings, joints })
    }

    /// Writes into memory. The name is for messages, and its ending tells variants of the format apart. Returns
    /// what could not be stored as it is as well.
    pub fn to_bytes(&self, name: &Path, content: Content) -> Result<(InMemory, Vec<Warning>)> {
        to_memory(name, |to| write::put(self.writer, to, content))
    }

    /// The name with its article.
    pub fn one(&self) -> String {
        format!("{} {}", self.article, self.name)
    }

    /// Whether files of this format hold rigs.
    pub fn is_rig(&self) -> bool {
        self.reads.rig
    }

    /// Whether files of this format hold joints and no mesh.
    pub fn is_motion(&self) -> bool {
        self.reads.is_motion()
    }

    /// Whether files of this format hold poses but no faces.
    pub fn is_cache(&self) -> bool {
        self.reads.is_cache()
    }
}

impl PartialEq for Format {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Format {}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_do_not_contradict_themselves_or_each_other() {
        for format in ALL {
            let others = ALL.iter().filter(|other| **other != format);
            assert!(!format.endings.is_empty() && !format.labels.is_empty(), "{format:?}");
            for other in others {
                assert!(!format.endings.iter().any(|e| other.endings.contains(e)), "{format:?} {other:?}");
                assert!(!format.written.iter().any(|e| other.written.contains(e)), "{format:?} {other:?}");
            }
            assert_eq!(format.written.is_empty(), format.writes == Holds::NOTHING, "{format:?}");
            assert!(!format.reads.rig || format.reads == Holds::RIG, "a rig is an animation: {format:?}");
            let small = |ending: &&str| ending.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
            assert!(format.endings.iter().chain(format.written).all(small), "{format:?}");
        }
        assert_eq!(ALL.iter().filter(|a| ALL.iter().filter(|b| a == b).count() == 1).count(), ALL.len());
    }
}

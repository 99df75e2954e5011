//! Everything that somebody should know about a file that was read or written all the same.
//!
//! A warning holds what it is about, and its sentence is for people. Sentences name no option of a command and no button of
//! a page: each door adds its own remedy by matching on the variant, with [`Warning::told`].

mod counted;
mod remark;
mod said;
mod unkept;
mod words;

use std::fmt;
use std::path::{Path, PathBuf};

pub use self::counted::Counted;
pub use self::remark::Remark;
pub use self::unkept::Unkept;
pub(crate) use self::words::count;
pub use self::words::length;
use crate::up::Up;

/// What somebody should know about a file, a sentence without its full stop.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Warning {
    /// One about a file, or a line of it.
    At {
        /// The file.
        path: PathBuf,
        /// Line, from 1, in text formats.
        line: Option<usize>,
        /// What is the matter.
        warning: Box<Self>,
    },
    /// One about a thing in a file.
    Of {
        /// What it is called.
        name: String,
        /// What is the matter.
        warning: Box<Self>,
    },
    /// Something that needs no more to be said.
    Remark(Remark),
    /// Something that the file holds is not read.
    NotKept(Unkept),
    /// Some things of a kind were repaired, left out or not understood.
    Count {
        /// How many.
        count: usize,
        /// Which, and what became of them.
        of: Counted,
    },
    /// One clip of several was taken, as nobody said which.
    ClipTaken {
        /// The clip.
        taken: String,
        /// Those before it, in which nothing moves.
        still: Vec<String>,
        /// How many there are, where that is known.
        clips: Option<usize>,
    },
    /// Nothing moves in clips.
    NothingMoves {
        /// Their names.
        names: Vec<String>,
        /// How many the file has.
        clips: usize,
    },
    /// Nothing moves in what was read from files without clips.
    NothingMovesIn(String),
    /// A figure seems to stand along another axis than the one that is up.
    StandsAlong {
        /// The axis it seems to stand along.
        seems: Up,
        /// The axis that is taken to be up.
        taken: Up,
    },
    /// No frame moves a bone that could move.
    BoneStill(String),
    /// A bone changes its length, which is left out.
    BoneStretches(String),
    /// A bone stretches, so that all are side by side, without the tree that the file has them in.
    TreeLost(String),
    /// Joints of a file of turns are not where their parents hold them.
    JointsStray {
        /// By how much, in percent of the size.
        percent: f64,
    },
    /// Other axes are up in two files.
    UpDiffers {
        /// What the files are called.
        names: [String; 2],
        /// The axes.
        up: [Up; 2],
    },
    /// One of two files is left-handed.
    HandsDiffer {
        /// What the files are called.
        names: [String; 2],
        /// Which is.
        left_handed: [bool; 2],
    },
    /// Two files have other frame rates.
    RatesDiffer {
        /// What the files are called.
        names: [String; 2],
        /// Frames per second.
        fps: [f64; 2],
    },
    /// Two files have other units.
    UnitsDiffer {
        /// What the files are called.
        names: [String; 2],
        /// Metres of a unit.
        metres: [f64; 2],
        /// Whether the second was brought to the unit of the first. Otherwise both are of one size as they stand.
        scaled: bool,
    },
    /// The name of a rate has a value that is none.
    NoRate {
        /// The name.
        name: String,
        /// The value.
        value: f64,
    },
    /// The first frame of a file has another number than 0 or 1.
    FirstFrame {
        /// Its number.
        number: f64,
    },
    /// Attributes of vertices are written with more numbers than they have.
    AttributesWidened {
        /// What they are called there.
        names: Vec<String>,
        /// How many numbers they have there.
        width: usize,
    },
    /// Several samples belong to each frame.
    OpenShutter {
        /// How many.
        samples: usize,
    },
    /// Samples do not follow each other evenly.
    NoBeat {
        /// Poses a second that were taken.
        fps: f64,
    },
    /// Several channels of a cache are one mesh.
    Channels(Vec<String>),
    /// A file ends before it should.
    Ended {
        /// Whether it is damaged there; otherwise it is cut short.
        damaged: bool,
        /// Frames that are whole.
        frames: u64,
        /// Frames that it should have, where it says so.
        all: Option<u64>,
        /// The clip that is meant, of several.
        clip: Option<String>,
    },
    /// A statement of a text file is not understood, and passed over.
    Statement {
        /// What is wrong with it.
        detail: String,
    },
    /// A file that a file names could not be read.
    Unread {
        /// What it should hold.
        what: Linked,
        /// How it is named.
        name: String,
        /// What the system said.
        why: String,
    },
    /// No library defines these materials.
    MaterialsUndefined(Vec<String>),
    /// A material is of a kind that is not known.
    MaterialUnknown(String),
    /// A texture is neither in a file nor beside it.
    TextureMissing(String),
    /// A texture is of a kind that is not carried.
    TextureKind(String),
    /// An image that a file names was not found.
    ImageMissing(String),
    /// An image that a file names is of a kind that is not carried.
    ImageKind(String),
    /// An image of a glTF file was left out.
    ImageLeftOut {
        /// Its number.
        image: usize,
        /// Why.
        why: String,
    },
    /// A layer over the corners of a mesh was left out.
    LayerLeftOut {
        /// Which.
        layer: Layer,
        /// Why.
        why: String,
    },
    /// A layer over the corners of a mesh was left out for a value that is no number.
    LayerNotFinite {
        /// Which.
        layer: Layer,
        /// The vertex with the value.
        vertex: usize,
    },
    /// Attributes of a mesh were left out.
    AttributesLeftOut(Vec<String>),
    /// Extensions that a glTF file requires, which say nothing of shape or motion, were passed over.
    ExtensionsPassedOver(Vec<String>),
    /// Objects of a kind that no reader knows were left out.
    ObjectsOfKind {
        /// How many.
        count: usize,
        /// The kind.
        kind: String,
    },
    /// Objects that are no meshes were left out: their kinds, and how many of each.
    NoMeshes(Vec<(String, usize)>),
    /// Prims that are no meshes were left out.
    PrimsLeftOut {
        /// How many.
        count: usize,
        /// Their types.
        kinds: Vec<String>,
    },
    /// An object is hidden at times, and always there now.
    Blinks(String),
    /// A mesh has several skins.
    SeveralSkins(String),
    /// A mesh has a skin and a point cache, of which the cache was left out.
    SkinAndCache(String),
    /// A mesh does not follow its point cache.
    CacheUnread {
        /// The mesh.
        name: String,
        /// Why.
        why: String,
    },
    /// A file asks for dual quaternions, and a rig is linear.
    LinearNotDual {
        /// The first object that asks.
        name: String,
        /// How many others do.
        others: usize,
        /// How far the rig is from what the file shows, in percent of the size.
        percent: f64,
    },
    /// Points of a mesh change over time, so that its joints were left out.
    PointsChange(String),
    /// What a file refers to was not found.
    AssetMissing(String),
    /// A layer has no default prim.
    NoDefaultPrim(String),
    /// A prim that another refers to does not exist.
    NoTarget {
        /// The prim.
        target: String,
        /// What refers to it.
        by: String,
    },
    /// A skeleton has no bind pose; its rest pose is taken.
    NoBindPose(String),
    /// The skeleton of a mesh with weights does not exist.
    NoSkeleton(String),
    /// Vertices of a mesh have no weights.
    LooseVertices {
        /// How many.
        count: usize,
        /// The mesh.
        mesh: String,
    },
    /// Nodes that hold no vertices shear, which a format cannot hold.
    Sheared {
        /// How many.
        count: usize,
        /// The format.
        format: &'static str,
    },
    /// A light shines from an area, which the format cannot hold.
    AreaLight(String),
    /// A light shines from an area, of which the format cannot say how large it is.
    AreaUnsized {
        /// The light.
        name: String,
        /// Width and height of the area.
        size: [f64; 2],
    },
    /// Lights reach only so far, which a format cannot hold.
    LightRanges {
        /// How many.
        count: usize,
        /// The format.
        format: &'static str,
    },
    /// A format has no place for light over the vertices.
    LightLeftOut {
        /// The format.
        format: &'static str,
    },
    /// Files of a format are not made smaller than they are.
    NotMadeSmaller {
        /// The format.
        format: &'static str,
    },
    /// The first clip is in a USD file, the others in one beside it.
    OneClipPlayed(String),
}

/// What a file that another names should hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Linked {
    /// A library of materials.
    MaterialLibrary,
    /// A texture.
    Texture,
}

/// A layer over the corners of a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Layer {
    /// Places on a texture.
    Uvs,
    /// Normals.
    Normals,
}

impl Warning {
    /// The same, about a file.
    #[must_use]
    pub fn at(self, path: impl Into<PathBuf>) -> Self {
        Self::At { path: path.into(), line: None, warning: Box::new(self) }
    }

    /// The same, about a line of a file, from 1.
    #[must_use]
    pub fn at_line(self, path: impl Into<PathBuf>, line: usize) -> Self {
        Self::At { path: path.into(), line: Some(line), warning: Box::new(self) }
    }

    /// The same, about something in a file.
    #[must_use]
    pub fn of(self, name: impl Into<String>) -> Self {
        Self::Of { name: name.into(), warning: Box::new(self) }
    }

    /// What it says that the file holds and that is not read.
    pub fn unkept(&self) -> Option<&Unkept> {
        match self {
            Self::At { warning, .. } | Self::Of { warning, .. } => warning.unkept(),
            Self::NotKept(unkept) => Some(unkept),
            _ => None,
        }
    }

    /// One for each kind of things of which there are any.
    pub(crate) fn counts(found: impl IntoIterator<Item = (usize, Counted)>) -> impl Iterator<Item = Self> {
        found.into_iter().filter(|found| found.0 > 0).map(|(count, of)| Self::Count { count, of })
    }

    /// The same about a file, unless it says so itself.
    #[must_use]
    pub fn located(self, file: &Path) -> Self {
        match &self {
            Self::At { path, .. } if path == file => self,
            _ => self.at(file),
        }
    }

    /// The sentence, with that of what is the matter as `say` has it: the sentence of the warning itself with a remedy.
    pub fn told(&self, say: &dyn Fn(&Self) -> String) -> String {
        match self {
            Self::At { path, line: None, warning } => format!("{}: {}", path.display(), warning.told(say)),
            Self::At { path, line: Some(line), warning } => {
                format!("{}, line {line}: {}", path.display(), warning.told(say))
            }
            Self::Of { name, warning } => format!("{name}: {}", warning.told(say)),
            other => say(other),
        }
    }
}

/// Warnings as people read them.
#[cfg(test)]
pub(crate) fn sentences(warnings: &[Warning]) -> Vec<String> {
    warnings.iter().map(ToString::to_string).collect()
}

impl From<Remark> for Warning {
    fn from(remark: Remark) -> Self {
        Self::Remark(remark)
    }
}

impl From<Unkept> for Warning {
    fn from(unkept: Unkept) -> Self {
        Self::NotKept(unkept)
    }
}

impl fmt::Display for Linked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::MaterialLibrary => "material library",
            Self::Texture => "texture",
        })
    }
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Uvs => "UVs",
            Self::Normals => "normals",
        })
    }
}

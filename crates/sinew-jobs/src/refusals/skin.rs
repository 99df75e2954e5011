//! Why an animation is not skinned.

use std::path::PathBuf;

use sinew::skin::{MethodName, SkinError};

use crate::search::SearchError;
use crate::words::{count, number, size};

/// Choices that do not go together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FitRefusal {
    /// A field that the method does not know.
    #[error("method {method}{} knows no {field}; it goes with method {with}", asked_by(because))]
    Unknown {
        /// The method.
        method: MethodName,
        /// The field, with its value where that matters.
        field: &'static str,
        /// The method that knows it.
        with: MethodName,
        /// The field that asks for the method, where nobody named it.
        because: Option<&'static str>,
    },
    /// A field that solving weights for given bones does not know.
    #[error("bones_from and {0} do not go together; use start_rig")]
    BonesFromWith(&'static str),
    /// A field that says what stays of a rig, without one.
    #[error("{0} says what stays of a rig: name it as start_rig")]
    NeedsRig(&'static str),
    /// A number of bones beside a rig.
    #[error("{0} brings its bones along; leave out bones")]
    RigBringsBones(&'static str),
    /// A goal beside a rig.
    #[error("{0} searches for bones and influences, which a given rig brings along; leave out the rig")]
    GoalWithRig(&'static str),
    /// Correction shapes from pose to pose.
    #[error("method pps has no correction shapes")]
    NoShapes,
}

fn asked_by(field: &Option<&'static str>) -> String {
    field.map(|field| format!(" ({field} asks for it)")).unwrap_or_default()
}

/// Why there is no rig.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FitError {
    /// The animation cannot be skinned so.
    #[error(transparent)]
    Skin(SkinError),
    /// No rig meets the goal.
    #[error(transparent)]
    Search(SearchError),
    /// Bones lead from pose to pose in one clip only.
    #[error("method pps leads from each pose to the next in one clip, and these are {clips}")]
    SeveralClips {
        /// How many there are.
        clips: usize,
    },
    /// The listener ended it.
    #[error("cancelled")]
    Cancelled,
}

impl From<SkinError> for FitError {
    fn from(error: SkinError) -> Self {
        match error {
            SkinError::Cancelled => Self::Cancelled,
            error => Self::Skin(error),
        }
    }
}

impl From<SearchError> for FitError {
    fn from(error: SearchError) -> Self {
        match error {
            SearchError::Skin(error) => error.into(),
            error => Self::Search(error),
        }
    }
}

/// Why an animation is not skinned so.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SkinRefusal {
    /// A plot of what nobody tries.
    #[error("plot draws what was tried for a goal; give one")]
    PlotWithoutGoal,
    /// A length of an animation that tells no unit.
    #[error(
        "{source_name} tells no unit that {bound} could be measured in; give it in percent, or in its own units"
    )]
    NoUnit {
        /// What was read.
        source_name: String,
        /// The largest error that was to be.
        bound: String,
    },
    /// Weights that GLB files cannot store.
    #[error("{field} negative weights, which glTF cannot store; write a *.sinew file, which can")]
    NegativeWeights {
        /// The field that makes or allows them, with that word.
        field: &'static str,
    },
    /// Bones that GLB files cannot store.
    #[error("{}: GLB cannot store bones that lead from pose to pose; name the file *.sinew", .0.display())]
    ChainFile(PathBuf),
    /// The method needs all frames at once.
    #[error(
        "{source_name}: its frames take {}, more than the working set of {}; goals, given rigs \
         of which more than transforms are solved, and other methods than best and sma need them all at once: a memory of {} MB",
        size(*bytes), size(*memory), bytes.div_ceil(1_000_000)
    )]
    AllFramesNeeded {
        /// What was read.
        source_name: String,
        /// What its frames take.
        bytes: u64,
        /// The working set.
        memory: u64,
    },
    /// A part is asked for of what is fitted whole.
    #[error(
        "parts are of an animation that is read frame by frame and larger than the working set; this one is fitted as a whole"
    )]
    NothingToPart,
    /// A part without any frame.
    #[error("{parts} parts of {frames} frames: some would have none")]
    MorePartsThanFrames {
        /// How many parts.
        parts: usize,
        /// How many frames.
        frames: usize,
    },
    /// Parts that no rig is made of.
    #[error("parts are kept beside the rig that they become; name an output")]
    PartsOfNothing,
    /// The working set is too small for any fit.
    #[error(
        "{source_name}: a fit of {vertices} vertices takes more than the working set of {}; a memory of {} MB is enough",
        size(*memory), least.div_ceil(1_000_000)
    )]
    MemoryTooSmall {
        /// What was read.
        source_name: String,
        /// How many vertices it has.
        vertices: u64,
        /// The working set.
        memory: u64,
        /// What would do.
        least: u64,
    },
}

/// Why a rig cannot be begun with.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GivenRefusal {
    /// It has other vertices or frames than the animation.
    #[error("{0}")]
    Differs(RigDiffers),
    /// There is no such bone.
    #[error(
        "{}: there is no bone {bone}; bones have numbers 0 to {last} and names such as {}",
        path.display(), some.join(", ")
    )]
    NoBone {
        /// The rig.
        path: PathBuf,
        /// What was asked for.
        bone: String,
        /// The last bone.
        last: usize,
        /// Names of some bones.
        some: Vec<String>,
    },
    /// A file of vertices cannot be read.
    #[error("{}: the file cannot be read: {error}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        error: String,
    },
    /// A word in a file of vertices is no vertex.
    #[error(
        "{}: line {line}: {word} is no vertex number or range; vertices have numbers 0 to {last}", path.display()
    )]
    NoVertex {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The word.
        word: String,
        /// The last vertex.
        last: usize,
    },
}

/// Why the shapes of a mesh are not skinned.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ShapeRefusal {
    /// A file without any.
    #[error("{}: there are no shapes (morph targets, blend shapes) in this file", .0.display())]
    None(PathBuf),
    /// Several files, or none.
    #[error("shapes are those of one file")]
    OneFile,
    /// There is no such shape.
    #[error("{}: there is no shape {name}; there are such as {}", path.display(), some.join(", "))]
    NoShape {
        /// The file.
        path: PathBuf,
        /// What was asked for.
        name: String,
        /// Names of some shapes.
        some: Vec<String>,
    },
    /// A table of shapes where there are none.
    #[error("a table is of shapes, and this is an animation")]
    TableOfMotion,
}

/// Why nobody knows how much vertices count.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ImportanceRefusal {
    /// Neither a file nor an attribute of the mesh.
    #[error("{name} is neither a file nor an attribute of the mesh{}", has(known))]
    NoMap {
        /// What was named.
        name: String,
        /// Attributes of the mesh.
        known: Vec<String>,
    },
    /// A file cannot be read.
    #[error("{}: the file cannot be read: {error}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        error: String,
    },
    /// A picture for a mesh that none can be laid on.
    #[error("{}: the mesh has no UVs to lay a picture on", .0.display())]
    NoUvs(PathBuf),
    /// A word that is no number, or one below zero.
    #[error("{}: line {line}: {word} is no number from 0 on", path.display())]
    NoNumber {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The word.
        word: String,
    },
    /// More or fewer numbers than vertices.
    #[error("{}: {found} numbers for {expected} vertices", path.display())]
    Count {
        /// The file.
        path: PathBuf,
        /// Numbers found.
        found: usize,
        /// Vertices there are.
        expected: usize,
    },
}

fn has(known: &[String]) -> String {
    if known.is_empty() { ", which has none".into() } else { format!(", which has {}", known.join(", ")) }
}

/// A rig that has other vertices or frames than the animation.
#[derive(Clone, Debug, PartialEq)]
pub struct RigDiffers {
    /// The rig.
    pub path: PathBuf,
    /// Whether it differs in frames; otherwise in vertices.
    pub in_frames: bool,
    /// How many it has.
    pub found: usize,
    /// The rate at which it was played, where that has to be as it is.
    pub at_fps: Option<f64>,
    /// The animation.
    pub source_name: String,
    /// How many that has.
    pub expected: usize,
}

impl std::fmt::Display for RigDiffers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { path, in_frames, found, at_fps, source_name, expected } = self;
        let (one, many) = if *in_frames { ("frame", "frames") } else { ("vertex", "vertices") };
        let has = match at_fps {
            Some(fps) => format!("{found} {many} at {} frames per second", number(*fps)),
            None => count(*found, one, many),
        };
        write!(f, "{}: the rig has {has}, but {source_name} has {expected}", path.display())
    }
}

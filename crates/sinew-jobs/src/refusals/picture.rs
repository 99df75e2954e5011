//! Pictures.

use std::path::PathBuf;

use crate::words::count;

/// Why something cannot be drawn so.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PictureRefusal {
    /// Errors of nothing.
    #[error("color error needs the original animation in against")]
    ErrorOfNothing,
    /// A bone where no weights are shown.
    #[error("bone shows the weights of one bone and goes only with color weights")]
    BoneWithoutWeights,
    /// What only the CPU draws.
    #[error(
        "gpu draws surfaces in their own colours, weights or errors; without it there are bones and edges too"
    )]
    OnlyOnCpu,
    /// There is no such bone.
    #[error("{source_name}: there is no bone {wanted}; the bones are 0 to {}: {}",
            bones.len().saturating_sub(1), first_names(bones))]
    NoBone {
        /// What was read.
        source_name: String,
        /// The bone that was asked for.
        wanted: String,
        /// The names of those there are.
        bones: Vec<String>,
    },
    /// There is no such level of detail.
    #[error("{}: there is no level {level}; the file has {}",
            file.display(), count(*levels, "level of detail", "levels of detail"))]
    NoLevel {
        /// What was read.
        file: PathBuf,
        /// The level that was asked for.
        level: usize,
        /// How many there are.
        levels: usize,
    },
    /// There is no skeleton.
    #[error("{}: there is no skeleton to draw", .0.display())]
    NoSkeleton(PathBuf),
    /// The skeleton moves for longer or shorter than the body.
    #[error("{}: the skeleton moves for {skeleton} frames and the body for {body}", file.display())]
    SkeletonFrames {
        /// What was read.
        file: PathBuf,
        /// Frames of the skeleton.
        skeleton: usize,
        /// Frames of the body.
        body: usize,
    },
    /// There are no faces.
    #[error("{0} holds no faces to draw")]
    NoFaces(String),
    /// The rig and what it is measured from do not fit.
    #[error("{}: the rig has other vertices or frames than what it is measured from", .0.display())]
    OtherRig(PathBuf),
}

/// Names that a sentence lists.
const MOST_NAMES: usize = 12;

fn first_names(bones: &[String]) -> String {
    let names = bones[..bones.len().min(MOST_NAMES)].join(", ");
    if bones.len() > MOST_NAMES { names + ", …" } else { names }
}

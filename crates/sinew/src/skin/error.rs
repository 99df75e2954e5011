//! Why there is no skin, and what the user should know about one.

use super::MethodName;
use crate::animation::{AnimationError, AnimationWarning};
use crate::progress::cancels;
use crate::solve::bounded::MOST_INFLUENCES;

/// Why an animation could not be skinned.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SkinError {
    /// The animation itself is unusable.
    #[error(transparent)]
    Animation(#[from] AnimationError),
    /// No triangle has an area.
    #[error("all {count} triangles of the rest pose are degenerate (they have no area)")]
    AllDegenerate {
        /// How many there are.
        count: usize,
    },
    /// More bones than triangles, or none.
    #[error("{asked} bones were asked for; there can be 1 to {most}, one per triangle that has an area")]
    BoneCount {
        /// How many were asked for.
        asked: usize,
        /// How many are possible.
        most: usize,
    },
    /// More bones than vertices they can stand on, or none.
    #[error("{asked} bones were asked for; there can be 1 to {most}, one per vertex that belongs to a face")]
    PointCount {
        /// How many were asked for.
        asked: usize,
        /// How many are possible.
        most: usize,
    },
    /// A number of influences that no vertex can have.
    #[error("{asked} influences were asked for; there can be 1 to {MOST_INFLUENCES}")]
    InfluenceCount {
        /// How many were asked for.
        asked: usize,
    },
    /// Rigid bones of a method that has none.
    #[error("bones of method {method} cannot be kept rigid")]
    NoRigidBones {
        /// The method.
        method: MethodName,
    },
    /// ε is not a positive number.
    #[error("epsilon must be a positive number, not {0}")]
    Epsilon(f64),
    /// δ is negative or not a number.
    #[error("the bound on negative weights must be zero or a positive number, not {0}")]
    NegativeBound(f64),
    /// The smoothness is negative or not a number.
    #[error("the smoothness must be zero or a positive number, not {0}")]
    Smoothness(f64),
    /// The share of motions that are to be none is no share, or leaves nothing.
    #[error("the share of bones that stand still must be zero or more and less than one, not {0}")]
    Sparse(f64),
    /// A method that counts all vertices alike.
    #[error("method {method} counts all vertices alike; best does not")]
    NoImportance {
        /// The method.
        method: MethodName,
    },
    /// More or fewer vertices were said to count than there are.
    #[error("{found} vertices were said to count, but the animation has {expected}")]
    ImportanceCount {
        /// How many.
        found: usize,
        /// How many there are.
        expected: usize,
    },
    /// A vertex counts a negative number, or none at all.
    #[error("vertex {vertex} cannot count {value}: it has to be zero or a positive number")]
    Importance {
        /// The vertex.
        vertex: usize,
        /// What was given.
        value: f32,
    },
    /// All vertices count zero.
    #[error("no vertex counts anything")]
    NothingImportant,
    /// A frame that does not exist was asked to be the rest pose.
    #[error("frame {frame} cannot be the rest pose: the animation has frames 0 to {last}")]
    NoSuchFrame {
        /// The frame asked for.
        frame: usize,
        /// The last one there is.
        last: usize,
    },
    /// The rest pose was to be the mesh's own, but none was given.
    #[error("the rest pose was to be the one given with the mesh, but none was given")]
    NoGivenRest,
    /// A given skin and the animation disagree.
    #[error("the given bones have {found} {what}, but the animation has {expected}")]
    Given {
        /// In what.
        what: GivenPart,
        /// How many they have.
        found: usize,
        /// How many the animation has.
        expected: usize,
    },
    /// The listener cancelled.
    #[error("cancelled")]
    Cancelled,
}

cancels!(SkinError);

/// Parts of a given skin that are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GivenPart {
    /// Frames.
    Frames,
    /// Vertices.
    Vertices,
    /// Names of bones.
    Names,
    /// Bones whose motion or vertices are known.
    UsableBones,
}

impl std::fmt::Display for GivenPart {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(match self {
            Self::Frames => "frames",
            Self::Vertices => "vertices",
            Self::Names => "names",
            Self::UsableBones => "bones that could be used",
        })
    }
}

/// What the user should know about a skin.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SkinWarning {
    /// The animation makes one doubt.
    #[error("{0}")]
    Animation(AnimationWarning),
    /// The mesh is so far from the origin that single precision loses detail.
    #[error(
        "the mesh is so far from the origin that single precision, in its file as in every player, loses detail; move \
         it closer"
    )]
    FarFromOrigin,
    /// Some bones move nothing.
    #[error(
        "{unused} of {bones} bones {} nothing: the animation does not need {}",
        if *unused == 1 { "moves" } else { "move" }, if *unused == 1 { "it" } else { "them" }
    )]
    UnusedBones {
        /// How many.
        unused: usize,
        /// Of so many.
        bones: usize,
    },
    /// Triangles without an area had no say.
    #[error(
        "{degenerate} of {triangles} triangles have no area in the rest pose and were left out of the segmentation"
    )]
    DegenerateTriangles {
        /// How many.
        degenerate: usize,
        /// Of so many.
        triangles: usize,
    },
    /// Few triangles move together with others: bones suit the animation badly.
    #[error(
        "only {:.0} % of the triangles move together with others (near-rigid fraction): bones suit this animation \
         badly; corrections (a rank above 0) help",
        100.0 * near_rigid_fraction
    )]
    HardlyRigid {
        /// The share that does, the paper's η.
        near_rigid_fraction: f64,
    },
    /// Another number of bones than was asked for.
    #[error("{asked} bones were asked for, {found} were found")]
    OtherBoneCount {
        /// How many were asked for.
        asked: usize,
        /// How many were found.
        found: usize,
    },
    /// More correction shapes than frames, which need no more than as many.
    #[error("rank {rank} was asked for; {frames} frames need no more than as many")]
    RankAboveFrames {
        /// How many were asked for.
        rank: usize,
        /// How many frames there are.
        frames: usize,
    },
}

//! Why motion cannot be moved over, solved for or edited.

use super::{MappingError, MotionError};
use crate::progress::cancels;
use crate::rig::RigError;

/// Why a motion cannot be moved onto a rig.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TransplantError {
    /// The rig contradicts itself.
    #[error(transparent)]
    Rig(#[from] RigError),
    /// The motion contradicts itself.
    #[error(transparent)]
    Motion(#[from] MotionError),
    /// Translations cannot be solved.
    #[error(transparent)]
    Translations(TranslationError),
    /// The mapping does not fit.
    #[error(transparent)]
    Mapping(#[from] MappingError),
    /// A frame of the source that is not there.
    #[error("the source has no frame {frame} to align; its {count} frames are counted from 0")]
    NoSourceFrame {
        /// What was given.
        frame: usize,
        /// How many there are.
        count: usize,
    },
    /// A frame of the rig that is not there.
    #[error("the rig has no frame {frame} to align; its {count} frames are counted from 0")]
    NoRigFrame {
        /// What was given.
        frame: usize,
        /// How many there are.
        count: usize,
    },
    /// No pose of the source has an extent to compare.
    #[error("the source and the rig cannot be laid over each other: one of them is a single point")]
    NoAlignment,
    /// The listener ended the work.
    #[error("cancelled")]
    Cancelled,
}

/// Why translations cannot be solved for a rig.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TranslationError {
    /// The rig contradicts itself.
    #[error(transparent)]
    Rig(#[from] RigError),
    /// The skeleton was asked for and is not there.
    #[error("the rig has no skeleton for its bones to follow")]
    NoSkeleton,
    /// The equations have no answer.
    #[error("the rig's bones leave their translations undetermined")]
    Undetermined,
    /// The listener ended the work.
    #[error("cancelled")]
    Cancelled,
}

/// Why a rig cannot be edited so.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EditError {
    /// There is no such bone.
    #[error("there is no bone {bone}: the rig has {count}, counted from 0")]
    NoSuchBone {
        /// The bone asked for.
        bone: usize,
        /// How many there are.
        count: usize,
    },
    /// Bones that lead from pose to pose take an edit to later frames, not to earlier ones.
    #[error("each pose is made of the one before it, so frames before the sculpted one cannot follow it")]
    OnlyLater,
    /// There are no such frames.
    #[error("frames {frame} to {through} are not there: the rig has {count}, counted from 0")]
    NoSuchFrames {
        /// First frame asked for.
        frame: usize,
        /// Last frame asked for.
        through: usize,
        /// How many there are.
        count: usize,
    },
    /// A shape of another mesh.
    #[error("the shape has {found} vertices, but the rig has {expected}")]
    Vertices {
        /// Vertices of the shape.
        found: usize,
        /// Vertices of the rig.
        expected: usize,
    },
    /// NaN or infinity in a shape.
    #[error("vertex {vertex} of the shape is not at a finite place")]
    Shape {
        /// The first such vertex.
        vertex: usize,
    },
    /// The rotation is none.
    #[error("the rotation is zero or not finite")]
    Rotation,
    /// The rig has other bones than the editor was made for.
    #[error("the rig has {found} bones, but the editor was made for one with {expected}")]
    OtherRig {
        /// Bones of the rig.
        found: usize,
        /// Bones of the editor's rig.
        expected: usize,
    },
    /// Bones cannot be held together.
    #[error(transparent)]
    Translations(TranslationError),
    /// The listener ended the work; what was to be edited is as it was.
    #[error("cancelled")]
    Cancelled,
}

/// What may not be as it was meant after an edit.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EditWarning {
    /// The edited frame is off its shape: bones fold some vertices flat, and no displacement takes them out of there.
    #[error(
        "the edited frame is off its shape by up to {:.2} % of the diagonal: bones fold some vertices flat, and no \
         displacement takes them out of there",
        100.0 * share
    )]
    Missed {
        /// By up to this share of the diagonal.
        share: f64,
    },
    /// Vertices that were sculpted in the rest pose have negative weights: their displacements may come out long or
    /// askew in other poses.
    #[error(
        "vertices that were sculpted have weights down to {least:.2}: their displacements may come out long or askew in \
         other poses"
    )]
    NegativeWeights {
        /// The most negative.
        least: f32,
    },
}

cancels!(TranslationError);
cancels!(TransplantError, of TranslationError as Translations);
cancels!(EditError, of TranslationError as Translations);

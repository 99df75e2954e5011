//! Why flesh cannot be learnt or moved.

use crate::progress::cancels;

/// Why flesh cannot be learnt or moved.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FleshError {
    /// Two motions, or a motion and a mesh, have other numbers of vertices.
    #[error("{found} vertices where the body has {expected}")]
    Vertices {
        /// What was found.
        found: usize,
        /// What the body has.
        expected: usize,
    },
    /// Two motions have other numbers of frames.
    #[error("{without} frames without flesh and {with} with it; they must be the same frames")]
    Frames {
        /// Frames without flesh.
        without: usize,
        /// Frames with it.
        with: usize,
    },
    /// Frames that follow too few others to tell how anything swings.
    #[error("{found} frames in the longest clip, where {needed} are needed to tell how anything swings")]
    TooShort {
        /// Frames of the longest clip.
        found: usize,
        /// Fewest that are enough.
        needed: usize,
    },
    /// Both motions are the same.
    #[error("both motions are the same: nothing moves by itself")]
    NothingFree,
    /// A frame rate that is none.
    #[error("a frame rate is above 0, not {found}")]
    FrameRate {
        /// What was given.
        found: f64,
    },
    /// A coordinate that is no number.
    #[error("vertex {vertex} of frame {frame} is not at finite coordinates")]
    NotFinite {
        /// The frame.
        frame: usize,
        /// The vertex.
        vertex: usize,
    },
    /// Numbers that were stored do not fit together or the mesh.
    #[error("the numbers of the flesh do not fit the mesh")]
    Stored,
    /// The listener ended the call.
    #[error("cancelled")]
    Cancelled,
}

cancels!(FleshError);

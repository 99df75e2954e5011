//! Why a rig is not edited.

use std::path::PathBuf;

use sinew::motion::EditError;

use crate::words::number;

/// Why a rig was not edited.
#[derive(Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EditRefusal {
    /// The axis has no direction.
    #[error("an axis is three numbers that are not all zero")]
    Axis,
    /// There is no frame before which an edit could fade.
    #[error("ease lets the edit fade before a frame; give that frame as through")]
    EaseWithoutEnd,
    /// The last frame comes before the first.
    #[error("through {last} comes before frame {frame}")]
    Backwards {
        /// The first.
        frame: usize,
        /// The last.
        last: usize,
    },
    /// There is no such bone.
    #[error("{}: there is no bone {bone}; give the name of one or a number from 0 to {last}", path.display())]
    NoBone {
        /// The rig.
        path: PathBuf,
        /// What was asked for.
        bone: String,
        /// The last bone.
        last: usize,
    },
    /// There is no such clip.
    #[error("{}: there is no clip {clip}; the clips are {}", path.display(), clips.join(", "))]
    NoClip {
        /// The rig.
        path: PathBuf,
        /// What was asked for.
        clip: String,
        /// Those there are.
        clips: Vec<String>,
    },
    /// The shape is not one of the rig's mesh.
    #[error(
        "{}: the shape has {found} vertices, but the rig {} has {expected}; sinew bake writes meshes that fit",
        shape.display(), rig.display()
    )]
    OtherMesh {
        /// The sculpted mesh.
        shape: PathBuf,
        /// The rig.
        rig: PathBuf,
        /// Vertices of the shape.
        found: usize,
        /// Vertices of the rig.
        expected: usize,
    },
    /// The shape is in another unit than the rig.
    #[error(
        "{}: the shape is {} times the size of the rig {}: they seem to be in different units (such as metres and \
         centimetres); scale the shape by {}",
        shape.display(), number(*ratio), rig.display(), number(1.0 / ratio)
    )]
    OtherSize {
        /// The sculpted mesh.
        shape: PathBuf,
        /// The rig.
        rig: PathBuf,
        /// How many times as large the shape is.
        ratio: f64,
    },
    /// Bones that carry each pose to the next cannot be stored there.
    #[error(
        "{}: bones that carry each pose to the next fit no GLB file; name the edited rig *.sinew", .0.display()
    )]
    ChainFile(PathBuf),
    /// The library refuses.
    #[error("{}: {error}", path.display())]
    Edit {
        /// The rig.
        path: PathBuf,
        /// Why.
        error: EditError,
    },
}

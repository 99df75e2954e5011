//! Files that do not go together, or cannot be written so.

use std::path::PathBuf;

use crate::words::{count, endings, first_to_last};

/// What is wrong with a file, or with two.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FileRefusal {
    /// A position is no number.
    #[error("{source_name}: frame {frame}, vertex {vertex}: the position is not a finite number")]
    NotFinite {
        /// What was read.
        source_name: String,
        /// The frame.
        frame: usize,
        /// The vertex.
        vertex: usize,
    },
    /// A rig that was to be played elsewhere is another than the one that was sampled.
    #[error("{}: the rig has other vertices or frames", .0.display())]
    OtherRig(PathBuf),
    /// A name that no format of meshes has.
    #[error("{}: meshes are written as {}", .0.display(), endings("or", |f| f.writes.is_frame()))]
    NoMeshFormat(PathBuf),
    /// A name that no format of poses or rigs has.
    #[error(
        "{}: poses are written to {}, or a folder (frames/) for one mesh a frame, rigs to {}",
        .0.display(), endings("or", |f| f.writes.poses), endings("or", |f| f.writes.rig)
    )]
    NoPoseFormat(PathBuf),
    /// Meshes in a folder that would be taken for more of the frames written there.
    #[error(
        "{}: {} here already would be left and read along with the new frames ({}); remove them, or name another folder",
        folder.display(), count(left.len(), "mesh that is", "meshes that are"), first_to_last(left)
    )]
    MeshesLeft {
        /// The folder.
        folder: PathBuf,
        /// Names of the meshes.
        left: Vec<String>,
    },
    /// A clip is chosen of something that has none.
    #[error("{source_name}: there are no clips to choose {clip} from")]
    NoClips {
        /// What was to be read.
        source_name: String,
        /// What was asked for.
        clip: String,
    },
    /// A file ended before the frames that it promised.
    #[error("{}: the file became shorter while it was read", .0.display())]
    Shortened(PathBuf),
    /// A path that ends in no name.
    #[error("{}: is no name of a file", .0.display())]
    NoName(PathBuf),
    /// A file that was written holds something else than it was given.
    #[error(
        "{}: the written rig has {} frames of {} vertices instead of {} of {}",
        path.display(), found[0], found[1], wanted[0], wanted[1]
    )]
    WrittenOtherwise {
        /// The file.
        path: PathBuf,
        /// Its frames and vertices.
        found: [usize; 2],
        /// Those that were written.
        wanted: [usize; 2],
    },
    /// A mesh does not go with an animation.
    #[error("{}: the mesh has {vertices} vertices, but {source_name} has {wanted}", path.display())]
    OtherMesh {
        /// The mesh.
        path: PathBuf,
        /// How many vertices it has.
        vertices: usize,
        /// The animation.
        source_name: String,
        /// How many that has.
        wanted: usize,
    },
    /// Two animations do not go together.
    #[error("{} has {} {what}, but {} has {}", sources[0], counts[0], sources[1], counts[1])]
    Differ {
        /// What they have not as many of: "vertices" or "frames".
        what: &'static str,
        /// The two.
        sources: [String; 2],
        /// How many each has.
        counts: [usize; 2],
    },
}

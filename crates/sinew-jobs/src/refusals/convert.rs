//! Files that become others.

use std::path::PathBuf;

use crate::words::{count, endings};

/// What a file holds or takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Content {
    /// A rig.
    #[error("a rig")]
    Rig,
    /// Poses of a mesh.
    #[error("an animation")]
    Animation,
    /// Poses of vertices.
    #[error("poses without faces")]
    Poses,
    /// A mesh in one pose.
    #[error("a mesh")]
    Mesh,
    /// Joints and their motion.
    #[error("joints without a mesh")]
    Joints,
}

/// What a file would have to be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Takes {
    /// A folder of meshes.
    #[error("a mesh in every frame")]
    MeshEachFrame,
    /// A file of one mesh.
    #[error("a mesh")]
    Mesh,
    /// Joints.
    #[error("joints")]
    Joints,
    /// A mesh, with joints that move it or without.
    #[error("a mesh with what moves it")]
    Rig,
    /// Poses.
    #[error("poses")]
    Poses,
}

/// Why a file cannot become another so.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ConvertRefusal {
    /// Nothing is written to files of this name.
    #[error("{}: files are written as {}, or into a folder (frames/) for one mesh a frame",
            .0.display(), endings("or", |f| !f.written.is_empty()))]
    Unknown(PathBuf),
    /// Only GLB files are made smaller.
    #[error("compact and pack are for GLB files")]
    NotGlb,
    /// Joints have no rest mesh.
    #[error("rest_out writes a mesh, and there is none in a file of joints")]
    RestOfJoints,
    /// Poses for a file that takes a rig.
    #[error("{}: in this file, {is}, there is {holds} and no rig, and {takes} is written from a rig", input.display())]
    NeedsRig {
        /// What was read.
        input: PathBuf,
        /// The kind of file that it is.
        is: String,
        /// What it holds.
        holds: Content,
        /// The kind of file that was to be written.
        takes: String,
        /// The file that was to be written.
        output: PathBuf,
    },
    /// What a file holds is not what the other takes.
    #[error("{}: this holds {holds}, and {} takes {takes}", input.display(), output.display())]
    NoWay {
        /// What was read.
        input: PathBuf,
        /// What it holds.
        holds: Content,
        /// The file that was to be written.
        output: PathBuf,
        /// What it takes.
        takes: Takes,
    },
    /// Several frames for a file of one mesh.
    #[error("{}: {} do not go into one mesh; name a folder for one a frame, such as frames/",
            input.display(), count(*frames, "frame", "frames"))]
    ManyFrames {
        /// What was read.
        input: PathBuf,
        /// How many there are.
        frames: usize,
    },
}

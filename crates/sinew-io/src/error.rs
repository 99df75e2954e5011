//! Everything that can be wrong with a file, each with the place.
//!
//! What a door can mend in its own words, by an option or a button, is a variant with data; the sentences here name neither.

use std::io;
use std::path::{Path, PathBuf};

/// Short for results of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a file could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The operating system said no.
    #[error("{}: {}", path.display(), in_words(source))]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file ends before its contents do.
    #[error("{}: the file is cut short: {what} need {}, but only {available} are there", path.display(), bytes(*needed))]
    Truncated {
        /// The file.
        path: PathBuf,
        /// What was being read, in the plural ("400 frames of 3030 vertices").
        what: String,
        /// Bytes needed.
        needed: u64,
        /// Bytes there.
        available: u64,
    },
    /// The contents do not follow the format.
    #[error("{}{}: {message}", path.display(), line.map(|l| format!(", line {l}")).unwrap_or_default())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Line, from 1, in text formats.
        line: Option<usize>,
        /// What is wrong, as a sentence without its full stop.
        message: String,
    },
    /// A valid file that Sinew cannot use.
    #[error("{}: {message}", path.display())]
    Unsupported {
        /// The file.
        path: PathBuf,
        /// What is missing, as a sentence without its full stop.
        message: String,
    },
    /// A point cache without its mesh.
    #[error("{}: a point cache holds no faces; the mesh that goes with it is needed too ({meshes})", path.display())]
    NeedsMesh {
        /// The cache.
        path: PathBuf,
        /// What meshes can be: "OBJ, PLY or STL files".
        meshes: String,
    },
    /// A folder of a mesh and its point cache, where one of frames is meant.
    #[error(
        "{}: a point cache and its mesh are there, not a sequence of meshes: {} and {}",
        path.display(), cache.display(), mesh.display()
    )]
    CacheNotFrames {
        /// The folder or pattern.
        path: PathBuf,
        /// The cache.
        cache: PathBuf,
        /// The mesh.
        mesh: PathBuf,
    },
    /// A mesh, which is a frame, among clips.
    #[error(
        "{}: one mesh is a frame, but {} is a clip: the frames of a clip are named by their folder or a pattern",
        path.display(), clip.display()
    )]
    FrameAmongClips {
        /// The mesh.
        path: PathBuf,
        /// A clip.
        clip: PathBuf,
    },
    /// A weight that files of rigs cannot hold.
    #[error(
        "{}: vertex {vertex} has the weight {weight}, and files of rigs hold no negative weights: write the poses as a \
         point cache (.pc2, .mdd) instead", path.display()
    )]
    NegativeWeight {
        /// The file that was to be written.
        path: PathBuf,
        /// The vertex.
        vertex: usize,
        /// Its weight.
        weight: f32,
    },
    /// The skeleton of an AMC file was not found.
    #[error(
        "{}: an AMC file needs the ASF file of its skeleton, and {problem}; it would be called {wanted}", path.display()
    )]
    NoSkeletonBeside {
        /// The motion.
        path: PathBuf,
        /// What it would be called.
        wanted: String,
        /// Why there is none.
        problem: SkeletonProblem,
    },
    /// A frame of a sequence has another number of vertices or faces than the first.
    #[error("{}: frame {frame} has {found} {what}, but the first frame has {expected}", path.display())]
    FrameMismatch {
        /// The frame's file.
        path: PathBuf,
        /// Frame, from 0.
        frame: usize,
        /// "vertices" or "faces".
        what: &'static str,
        /// How many it has.
        found: usize,
        /// How many the first frame has.
        expected: usize,
    },
}

/// Why the skeleton of a file of motion was not found beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SkeletonProblem {
    /// There are no skeletons.
    #[error("there is none beside it")]
    None,
    /// There are several.
    #[error("none of those beside it is clearly its own")]
    Unclear,
    /// Access is denied.
    #[error("it may not be read from here")]
    Forbidden,
}

impl Error {
    /// An [`Error::Io`] at `path`, for `map_err`.
    pub fn io(path: &Path) -> impl FnOnce(std::io::Error) -> Self + '_ {
        move |source| Self::Io { path: path.into(), source }
    }

    /// An [`Error::Malformed`] without a line.
    pub fn malformed(path: &Path, message: impl Into<String>) -> Self {
        Self::Malformed { path: path.into(), line: None, message: message.into() }
    }

    /// An [`Error::Malformed`] at a line counted from 1.
    pub fn at_line(path: &Path, line: usize, message: impl Into<String>) -> Self {
        Self::Malformed { path: path.into(), line: Some(line), message: message.into() }
    }

    /// An [`Error::Unsupported`].
    pub fn unsupported(path: &Path, message: impl Into<String>) -> Self {
        Self::Unsupported { path: path.into(), message: message.into() }
    }
}

/// How the standard library goes on after what the system said.
const OF_SYSTEM: &str = " (os error";

/// What the system said, in words that need no table of numbers.
pub(crate) fn in_words(error: &io::Error) -> String {
    let text = error.to_string();
    // Sentences of our own, or of others, stay; what the system said counts even where `tempfile` adds its path.
    if error.get_ref().is_some() && !text.contains(OF_SYSTEM) {
        return text;
    }
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file or folder".into(),
        io::ErrorKind::PermissionDenied => "permission denied".into(),
        io::ErrorKind::IsADirectory => "is a folder, not a file".into(),
        io::ErrorKind::NotADirectory => "its folder is a file".into(),
        io::ErrorKind::StorageFull => "the disk is full".into(),
        // Counts in heads are held against the length of a file before anything else is read.
        io::ErrorKind::UnexpectedEof => "the file became shorter while it was read".into(),
        io::ErrorKind::QuotaExceeded => "the disk quota is used up".into(),
        io::ErrorKind::ReadOnlyFilesystem => "the disk cannot be written to".into(),
        _ => text.split(OF_SYSTEM).next().unwrap_or(&text).to_lowercase(),
    }
}

/// Bytes of something; more than can be counted are too many for any file.
fn bytes(needed: u64) -> String {
    match needed {
        u64::MAX => "more bytes than any file has".into(),
        needed => format!("{needed} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_says_is_said_in_words() {
        let full = || io::Error::from_raw_os_error(28);
        assert_eq!(in_words(&full()), "the disk is full");
        // As files that `tempfile` made say it.
        let around = io::Error::new(full().kind(), format!("{} at path \"/a/.sinew-x.part\"", full()));
        assert_eq!(in_words(&around), "the disk is full");
        assert_eq!(in_words(&io::Error::other("is no mesh")), "is no mesh");
    }
}

//! Standard streams that cannot be used so.

use std::path::PathBuf;

/// Why a job does not read from or write to standard streams.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StandardRefusal {
    /// Two files are read from standard input.
    #[error("standard input (-) is one file, and two were to be read from it")]
    ReadTwice,
    /// Two results go to standard output.
    #[error("standard output (-) is one file, and two results were to go to it")]
    WrittenTwice,
    /// Standard output is to have a result, and nothing says in which format.
    #[error("standard output (-) has no name to tell a format by; add an ending, as in -.glb")]
    NoFormat,
    /// What was to be read is no file.
    #[error("{}: is a device, and no file that could be read to its end", .0.display())]
    Device(PathBuf),
    /// What was made is more than one file.
    #[error(
        "what was made is {files} files, such as a mesh and its materials, and standard output is one; name a file"
    )]
    SeveralFiles {
        /// How many.
        files: usize,
    },
}

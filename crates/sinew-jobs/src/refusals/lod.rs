//! Levels of detail.

use std::path::PathBuf;

use crate::words::count;

/// Why a rig does not get such levels.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LodRefusal {
    /// Levels of bones in one file.
    #[error("{}: levels of bones are files of their own; name a folder", .0.display())]
    NotAFolder(PathBuf),
    /// Triangles and bones of other numbers of levels.
    #[error(
        "{} of triangles and {bones} of bones: give as many of one as of the other, or only one",
        count(*levels, "level", "levels")
    )]
    Unpaired {
        /// Levels that say how many triangles.
        levels: usize,
        /// Levels that say how many bones.
        bones: usize,
    },
    /// A format for levels that go into one GLB file.
    #[error("format is for levels of bones, which are files of their own")]
    FormatOfOne,
}

//! Files that are described.

use std::path::PathBuf;

use sinew_io::formats;

use crate::facts::broken_in_words;

/// Why a file is not described so, or what is wrong with it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InfoRefusal {
    /// Only motion of joints is turned.
    #[error("{}: up is for {} files; what is in others is told as it stands",
            .0.display(), formats::list("and", |f| f.reads.is_motion()))]
    Up(PathBuf),
    /// There are coordinates that are no numbers.
    #[error("{}: {}", file.display(), broken_in_words(*coordinates))]
    Broken {
        /// The file.
        file: PathBuf,
        /// How many.
        coordinates: usize,
    },
}

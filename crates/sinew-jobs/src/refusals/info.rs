//! Files that are described.

use std::path::PathBuf;

use crate::facts::broken_in_words;

/// Why a file is not described so, or what is wrong with it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InfoRefusal {
    /// There are coordinates that are no numbers.
    #[error("{}: {}", file.display(), broken_in_words(*coordinates))]
    Broken {
        /// The file.
        file: PathBuf,
        /// How many.
        coordinates: usize,
    },
}

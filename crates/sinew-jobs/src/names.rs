//! Names of files.

use std::path::Path;

/// Whether a file is named so.
pub fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case(extension))
}

//! Which files a file may lead to.
//!
//! A file from a stranger can name any file of the machine, by `..`, an absolute path or a link. So access is part of
//! what is read ([`super::Source`]) and goes wherever that goes, to other threads as well: there is no file that
//! is opened without being asked about.

use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What may be opened: a file itself, and those it names, such as buffers, images, layers, material libraries
/// and caches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access(Option<Arc<[PathBuf]>>);

impl Access {
    /// Everything, as for a file of one's own.
    pub fn everything() -> Self {
        Self(None)
    }

    /// No file at all: bytes that stand alone.
    pub fn nothing() -> Self {
        Self::within(&[] as &[PathBuf])
    }

    /// Files in these folders and below, wherever links and `..` lead. A folder that is not there opens nothing.
    pub fn within(folders: &[impl AsRef<Path>]) -> Self {
        Self(Some(folders.iter().filter_map(|folder| folder.as_ref().canonicalize().ok()).collect()))
    }

    /// Whether a file may be opened. What is not there may not, unless everything may.
    pub fn allows(&self, path: &Path) -> bool {
        let Some(folders) = &self.0 else { return true };
        path.canonicalize().is_ok_and(|path| folders.iter().any(|folder| path.starts_with(folder)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_below_the_folders_is_open() {
        let (inside, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for folder in [&inside, &outside] {
            std::fs::write(folder.path().join("a"), "").unwrap();
        }
        let (near, far) = (inside.path().join("a"), outside.path().join("a"));
        let climbing = inside.path().join("..").join(outside.path().file_name().unwrap()).join("a");
        let access = Access::within(&[inside.path()]);
        assert!(access.allows(&near));
        assert!(
            !access.allows(&far) && !access.allows(&climbing) && !access.allows(&inside.path().join("no"))
        );
        assert!(Access::everything().allows(&far) && !Access::nothing().allows(&near));
        assert!(!Access::within(&[inside.path().join("no")]).allows(&near));
    }
}

//! Files that files name: buffers, images, layers, material libraries, caches.
//!
//! A file from a stranger can name any file of the machine, by `..`, an absolute path or a link. Whoever reads such
//! files says which folders are open to them; without a word all are, as for a file of one's own.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;

thread_local! {
    /// The folders that are open to what is read on this thread.
    static OPEN: RefCell<Option<Rc<[PathBuf]>>> = const { RefCell::new(None) };
}

/// Puts the folders back that were open before, also when a reader panics.
struct Back(Option<Rc<[PathBuf]>>);

impl Drop for Back {
    fn drop(&mut self) {
        OPEN.replace(self.0.take());
    }
}

/// Reads something while files may name others below these folders alone. Names are followed on the thread that
/// reads, never on others.
pub fn within<T>(folders: &[PathBuf], read: impl FnOnce() -> T) -> T {
    let open: Rc<[PathBuf]> = folders.iter().filter_map(|folder| folder.canonicalize().ok()).collect();
    let _back = Back(OPEN.replace(Some(open)));
    read()
}

/// Whether a file that another names may be read, wherever links and `..` lead.
pub(crate) fn allowed(path: &Path) -> bool {
    let Some(open) = OPEN.with_borrow(Clone::clone) else { return true };
    path.canonicalize().is_ok_and(|path| open.iter().any(|folder| path.starts_with(folder)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_open_as_long_as_something_is_read() {
        let (inside, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for folder in [&inside, &outside] {
            std::fs::write(folder.path().join("a"), "").unwrap();
        }
        let (near, far) = (inside.path().join("a"), outside.path().join("a"));
        let climbing = inside.path().join("..").join(outside.path().file_name().unwrap()).join("a");
        assert!(allowed(&near) && allowed(&far));
        within(&[inside.path().to_owned()], || {
            assert!(allowed(&near));
            assert!(!allowed(&far) && !allowed(&climbing) && !allowed(&inside.path().join("missing")));
        });
        assert!(allowed(&far));
        let panicked = std::panic::catch_unwind(|| within(&[], || panic!("a reader")));
        assert!(panicked.is_err() && allowed(&far));
    }
}

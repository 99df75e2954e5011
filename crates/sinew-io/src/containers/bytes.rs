//! Bytes of a file: mapped, a piece of it, or memory.

use std::fs::File;
use std::io::{Read, Seek};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use memmap2::Mmap;

use crate::{Error, Result};

/// Where bytes are read from one after the other.
pub trait ReadSeek: Read + Seek + Send {}

impl<T: Read + Seek + Send> ReadSeek for T {}

/// Where bytes lie.
enum Storage {
    Mapped { map: Mmap, _listed: Listed },
    Owned(Vec<u8>),
}

/// What is mapped just now: names and lengths of files.
static MAPPED: Mutex<Vec<Arc<(PathBuf, u64)>>> = Mutex::new(Vec::new());

/// A file in the list of those that are mapped, until it is dropped.
struct Listed(Arc<(PathBuf, u64)>);

impl Listed {
    fn new(path: &Path, length: u64) -> Self {
        let file = Arc::new((path.to_owned(), length));
        MAPPED.lock().unwrap_or_else(PoisonError::into_inner).push(file.clone());
        Self(file)
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        let mut all = MAPPED.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|file| !Arc::ptr_eq(file, &self.0));
    }
}

/// A file that is mapped and that somebody has cut short since. Bytes of it that are gone end the process by SIGBUS, so
/// that handlers of that signal may ask; they are told nothing while the list changes.
pub fn cut_short() -> Option<PathBuf> {
    let all = MAPPED.try_lock().ok()?;
    let is_shorter =
        |(path, length): &(PathBuf, u64)| std::fs::metadata(path).is_ok_and(|about| about.len() < *length);
    all.iter().find(|file| is_shorter(file)).map(|file| file.0.clone())
}

/// A shared stretch of bytes.
#[derive(Clone)]
pub struct Bytes {
    storage: Arc<Storage>,
    range: Range<usize>,
}

impl Bytes {
    /// Maps a file; what is not looked at is not read.
    pub(crate) fn map(file: &File, path: &Path) -> Result<Self> {
        // Empty files cannot be mapped.
        if file.metadata().map_err(Error::io(path))?.len() == 0 {
            return Ok(Self::owned(Vec::new()));
        }
        // SAFETY: the map is private to this process and only read. Another process that changes the file
        // changes what readers check anew at every access, or plain numbers; one that cuts it short ends this
        // process, as documented.
        let map = unsafe { Mmap::map(file) }.map_err(Error::io(path))?;
        let listed = Listed::new(path, map.len() as u64);
        Ok(Self { range: 0..map.len(), storage: Arc::new(Storage::Mapped { map, _listed: listed }) })
    }

    /// Bytes in memory.
    pub fn owned(bytes: Vec<u8>) -> Self {
        Self { range: 0..bytes.len(), storage: Arc::new(Storage::Owned(bytes)) }
    }

    /// A stretch of these bytes; nothing where it does not lie within them.
    pub(crate) fn part(&self, range: Range<usize>) -> Option<Self> {
        self.get(range.clone())?;
        let start = self.range.start;
        Some(Self { storage: self.storage.clone(), range: start + range.start..start + range.end })
    }

    /// All bytes.
    pub(crate) fn all(&self) -> &[u8] {
        let whole: &[u8] = match &*self.storage {
            Storage::Mapped { map, .. } => map,
            Storage::Owned(bytes) => bytes,
        };
        &whole[self.range.clone()]
    }

    /// Gives memory back that mapped bytes were read into; they are read again when they are asked for.
    pub(crate) fn forget(&self) {
        #[cfg(unix)]
        if let Storage::Mapped { map, .. } = &*self.storage {
            // SAFETY: the map is of a file and never written to, so that what is dropped is in the file.
            // Where the system does not do it, it will when memory runs short.
            let _ = unsafe { map.unchecked_advise(memmap2::UncheckedAdvice::DontNeed) };
        }
    }
}

impl std::ops::Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.all()
    }
}

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        self.all()
    }
}

impl PartialEq for Bytes {
    fn eq(&self, other: &Self) -> bool {
        self.all() == other.all()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_cut_short_is_known_while_it_is_mapped() {
        let around = tempfile::tempdir().unwrap();
        let path = around.path().join("cache");
        std::fs::write(&path, [7; 100]).unwrap();
        let bytes = Bytes::map(&File::open(&path).unwrap(), &path).unwrap();
        assert_eq!(cut_short(), None);
        File::options().write(true).open(&path).unwrap().set_len(50).unwrap();
        assert_eq!(cut_short(), Some(path));
        drop(bytes);
        assert_eq!(cut_short(), None);
    }
}

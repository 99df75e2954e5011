//! The bytes of a layer: a mapped file, a piece of one, or memory.

use std::fs::File;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use memmap2::Mmap;

use crate::{Error, Result};

/// Where bytes lie.
enum Storage {
    Mapped(Mmap),
    Owned(Vec<u8>),
}

/// A shared stretch of bytes.
#[derive(Clone)]
pub(crate) struct Bytes {
    storage: Arc<Storage>,
    range: Range<usize>,
}

impl Bytes {
    /// Maps a file; what is not looked at is not read.
    pub fn map(path: &Path) -> Result<Self> {
        let file = File::open(path).map_err(Error::io(path))?;
        let facts = file.metadata().map_err(Error::io(path))?;
        if facts.is_dir() {
            return Err(Error::io(path)(std::io::ErrorKind::IsADirectory.into()));
        }
        // Empty files cannot be mapped.
        if facts.len() == 0 {
            return Ok(Self::owned(Vec::new()));
        }
        // SAFETY: the map is private to this process and only read. Another process that changes the file
        // changes what readers check anew at every access; one that cuts it short kills this process.
        let map = unsafe { Mmap::map(&file) }.map_err(Error::io(path))?;
        Ok(Self { range: 0..map.len(), storage: Arc::new(Storage::Mapped(map)) })
    }

    /// Bytes in memory.
    pub fn owned(bytes: Vec<u8>) -> Self {
        Self { range: 0..bytes.len(), storage: Arc::new(Storage::Owned(bytes)) }
    }

    /// A stretch of these bytes; nothing where it does not lie within them.
    pub fn part(&self, range: Range<usize>) -> Option<Self> {
        self.get(range.clone())?;
        let start = self.range.start;
        Some(Self { storage: self.storage.clone(), range: start + range.start..start + range.end })
    }

    /// Some of the bytes, where there are that many.
    pub fn get(&self, range: Range<usize>) -> Option<&[u8]> {
        self.all().get(range)
    }

    /// All bytes.
    pub fn all(&self) -> &[u8] {
        let whole: &[u8] = match &*self.storage {
            Storage::Mapped(map) => map,
            Storage::Owned(bytes) => bytes,
        };
        &whole[self.range.clone()]
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.range.len()
    }
}

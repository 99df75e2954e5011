//! Files in memory without being read: caches may be larger than memory.

use std::fs::File;
use std::path::Path;

use memmap2::Mmap;

use crate::{Error, Result};

/// Maps a file, which must not be empty, and must not be cut short by another program while it is in use.
pub(crate) fn map(file: &File, path: &Path) -> Result<Mmap> {
    // SAFETY: the map is private to this process and only read. Another process that changes the file
    // changes values, which are checked or plain numbers; one that cuts it short kills this process, as
    // documented.
    unsafe { Mmap::map(file) }.map_err(Error::io(path))
}

/// Little-endian floats in the middle of a mapped file.
pub(crate) struct Floats {
    map: Mmap,
    start: usize,
    count: usize,
}

impl Floats {
    /// The values, unless they are out of alignment or in another byte order. The caller has checked that they
    /// are there.
    pub fn new(map: Mmap, start: usize, count: usize) -> std::result::Result<Self, Mmap> {
        let bytes = &map[start..start + 4 * count];
        if cfg!(target_endian = "big") || bytemuck::try_cast_slice::<u8, f32>(bytes).is_err() {
            return Err(map);
        }
        Ok(Self { map, start, count })
    }
}

impl AsRef<[f32]> for Floats {
    fn as_ref(&self) -> &[f32] {
        bytemuck::cast_slice(&self.map[self.start..self.start + 4 * self.count])
    }
}

//! Where files are written: to disk, whole or not at all, or into memory.
//!
//! Formats write into a [`Target`] and know nothing of disks. A file on disk is written beside its place and renamed
//! when it is whole ([`Saving`]); the files that go with it, such as materials and images, are there before.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek, Write};
use std::path::{Path, PathBuf};

use crate::{Error, Result, Saving, save};

/// Bytes that can be written anywhere, for formats whose beginning says where the end is.
pub trait WriteSeek: Write + Seek {}

impl<T: Write + Seek> WriteSeek for T {}

/// What is written for a while and read again.
pub(crate) trait Scratch: Read + Write + Seek {}

impl<T: Read + Write + Seek> Scratch for T {}

/// So much of what is written for a while stays in memory where there is no folder for it.
const MOST_SCRATCH: usize = 1 << 26;

/// A file that is being written.
pub struct Target<'a> {
    path: &'a Path,
    out: &'a mut dyn WriteSeek,
    beside: Vec<(String, Vec<u8>)>,
    joints: Option<usize>,
    on_disk: bool,
}

impl<'a> Target<'a> {
    /// The path of the file, or its name where it is only bytes: for messages, and the ending tells a format's
    /// variants apart.
    pub fn path(&self) -> &'a Path {
        self.path
    }

    /// The name without folders and ending, or another where there is none.
    pub fn stem_or(&self, other: &str) -> String {
        self.path.file_stem().map_or(other.into(), |stem| stem.to_string_lossy().into_owned())
    }

    /// Writes through `fill`. What the system says is said of this file.
    pub fn write<T>(&mut self, fill: impl FnOnce(&mut dyn WriteSeek) -> io::Result<T>) -> Result<T> {
        fill(&mut *self.out).map_err(Error::io(self.path))
    }

    /// Adds a file that lies beside this one.
    pub fn add_beside(&mut self, name: String, bytes: Vec<u8>) {
        self.beside.push((name, bytes));
    }

    /// Notes how many joints the file has: more than the rig has bones where one takes several.
    pub(crate) fn note_joints(&mut self, joints: usize) {
        self.joints = Some(joints);
    }

    /// How many joints it has; none where that was not noted.
    pub(crate) fn joints(&self) -> Option<usize> {
        self.joints
    }

    /// Room for what has to be written in another order than it comes: on the disk of the file, or else in memory
    /// as far as there is much.
    pub(crate) fn scratch(&self) -> Result<Box<dyn Scratch>> {
        if !self.on_disk {
            return Ok(Box::new(tempfile::SpooledTempFile::new(MOST_SCRATCH)));
        }
        let folder = self.path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let file: File = tempfile::tempfile_in(folder).map_err(Error::io(self.path))?;
        Ok(Box::new(file))
    }
}

/// A file in memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InMemory {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Names and bytes of files that belong beside it.
    pub beside: Vec<(String, Vec<u8>)>,
    /// How many joints it has, of formats in which a bone can take several.
    pub joints: Option<usize>,
}

/// Writes a file through `fill`, and those beside it. An error leaves what was there before. Returns the number of
/// bytes of all files, and what `fill` returned.
pub fn save_target<T>(path: &Path, fill: impl FnOnce(&mut Target) -> Result<T>) -> Result<(u64, T)> {
    let mut file = Saving::new(path)?;
    let mut target = Target { path, out: &mut file, beside: Vec::new(), joints: None, on_disk: true };
    let filled = fill(&mut target)?;
    let beside: Vec<(PathBuf, Vec<u8>)> =
        target.beside.into_iter().map(|(name, bytes)| (path.with_file_name(name), bytes)).collect();
    let mut total = 0;
    // The file itself comes last, so that it never names one that is not there.
    for (other, bytes) in beside {
        total += save(&other, |out| out.write_all(&bytes))?;
    }
    Ok((total + file.commit()?, filled))
}

/// Writes a file into memory through `fill`. The name is for messages, and its ending tells variants apart.
pub fn to_memory<T>(name: &Path, fill: impl FnOnce(&mut Target) -> Result<T>) -> Result<(InMemory, T)> {
    let mut out = Cursor::new(Vec::new());
    let mut target = Target { path: name, out: &mut out, beside: Vec::new(), joints: None, on_disk: false };
    let filled = fill(&mut target)?;
    let (beside, joints) = (target.beside, target.joints);
    Ok((InMemory { bytes: out.into_inner(), beside, joints }, filled))
}

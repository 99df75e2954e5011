//! The container: groups of offsets, and blocks of bytes.

use std::path::{Path, PathBuf};

use super::bytes::Bytes;
use crate::{Error, Result};

/// Set in an offset that leads to a block of bytes; offsets of groups have it clear.
pub(crate) const DATA: u64 = 1 << 63;
/// What a file starts with. The next byte is [`WHOLE`].
pub(crate) const MAGIC: &[u8; 5] = b"Ogawa";
/// Of a file that was closed by its writer; zero before.
pub(crate) const WHOLE: u8 = 0xFF;
/// Version of the container, high byte first.
pub(crate) const VERSION: [u8; 2] = [0, 1];
/// Up to and with the offset of the first group.
pub(crate) const HEADER: usize = 16;
/// What archives of the older kind start with.
const HDF5: &[u8] = b"\x89HDF";

/// A file, mapped or in memory. All reading is checked against its length.
pub(crate) struct Ogawa {
    bytes: Bytes,
    path: PathBuf,
}

/// A list of offsets that lies within the file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Group {
    /// Where its offsets start.
    at: usize,
    /// How many there are.
    pub len: usize,
}

impl Group {
    /// What offset 0 stands for.
    const EMPTY: Self = Self { at: 0, len: 0 };
}

impl Ogawa {
    /// A file. `path` is for messages.
    pub fn new(bytes: Bytes, path: &Path) -> Result<Self> {
        let file = Self { bytes, path: path.into() };
        file.check_start()?;
        Ok(file)
    }

    fn check_start(&self) -> Result<()> {
        let bytes = self.bytes();
        if bytes.starts_with(HDF5) {
            let message = "this is an Alembic archive of the older kind, in HDF5, which Sinew does not read; \
                           write it anew as Ogawa, the kind that programs have written since 2013";
            return Err(Error::unsupported(&self.path, message));
        }
        if !bytes.starts_with(MAGIC) {
            return Err(self.malformed("this is not an Alembic file: it does not start with Ogawa"));
        }
        if bytes.len() < HEADER {
            let (needed, available) = (HEADER as u64, bytes.len() as u64);
            let what = "headers".into();
            return Err(Error::Truncated { path: self.path.clone(), what, needed, available });
        }
        if bytes[5] != WHOLE {
            return Err(self.malformed("the file is not whole: its writer never closed it"));
        }
        if bytes[6..8] != VERSION {
            let version = u16::from_be_bytes([bytes[6], bytes[7]]);
            let message = format!("Ogawa version {version} is not known, only 1");
            return Err(Error::unsupported(&self.path, message));
        }
        Ok(())
    }

    pub fn bytes(&self) -> &[u8] {
        self.bytes.all()
    }

    /// Gives memory back that mapped bytes were read into; they are read again when they are asked for.
    pub fn forget(&self) {
        self.bytes.forget();
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn malformed(&self, message: impl Into<String>) -> Error {
        Error::malformed(&self.path, message)
    }

    /// The group that leads to everything. Writers put it at the end, so that a file that is cut short
    /// lacks it.
    pub fn root(&self) -> Result<Group> {
        let at = self.word(8)?;
        let available = self.bytes().len() as u64;
        if at & DATA == 0 && at.saturating_add(8) > available {
            let what = "the groups that its header leads to".into();
            return Err(Error::Truncated { path: self.path.clone(), what, needed: at + 8, available });
        }
        self.group(at)
    }

    /// The 64-bit word at a place.
    fn word(&self, at: usize) -> Result<u64> {
        let word = self.bytes().get(at..).and_then(|b| b.first_chunk());
        word.map(|b| u64::from_le_bytes(*b)).ok_or_else(|| self.beyond(at as u64))
    }

    /// The group at an offset.
    pub fn group(&self, offset: u64) -> Result<Group> {
        if offset == 0 {
            return Ok(Group::EMPTY);
        }
        if offset & DATA != 0 {
            return Err(self.malformed("the index has data where a group belongs"));
        }
        let at = usize::try_from(offset).map_err(|_| self.beyond(offset))?;
        let (len, room) = (self.word(at)?, (self.bytes().len() - at - 8) / 8);
        match usize::try_from(len) {
            Ok(len) if len <= room => Ok(Group { at: at + 8, len }),
            _ => Err(self.malformed(format!(
                "the group at byte {at} says that it has {len} entries, but the file has room for {room}"
            ))),
        }
    }

    /// The block of bytes at an offset.
    pub fn data(&self, offset: u64) -> Result<&[u8]> {
        if offset & DATA == 0 {
            return Err(self.malformed("the index has a group where data belong"));
        }
        let at = offset & !DATA;
        if at == 0 {
            return Ok(&[]);
        }
        let at = usize::try_from(at).map_err(|_| self.beyond(at))?;
        let (len, rest) = (self.word(at)?, &self.bytes()[at + 8..]);
        usize::try_from(len).ok().and_then(|len| rest.get(..len)).ok_or_else(|| {
            self.malformed(format!(
                "the data at byte {at} say that they are {len} bytes, but only {} are there",
                rest.len()
            ))
        })
    }

    /// Offset of an entry of a group.
    pub fn child(&self, group: Group, index: usize) -> Result<u64> {
        if index >= group.len {
            return Err(
                self.malformed(format!("the index asks for entry {index} of a group that has {}", group.len))
            );
        }
        self.word(group.at + 8 * index)
    }

    pub fn child_group(&self, group: Group, index: usize) -> Result<Group> {
        self.group(self.child(group, index)?)
    }

    pub fn child_data(&self, group: Group, index: usize) -> Result<&[u8]> {
        self.data(self.child(group, index)?)
    }

    /// The last entry, where it is data: headers of what the others hold.
    pub fn last_data(&self, group: Group) -> Result<Option<&[u8]>> {
        let Some(last) = group.len.checked_sub(1) else { return Ok(None) };
        let offset = self.child(group, last)?;
        if offset & DATA == 0 { Ok(None) } else { self.data(offset).map(Some) }
    }

    fn beyond(&self, at: u64) -> Error {
        self.malformed(format!(
            "the index leads to byte {at}, but the file has only {} bytes",
            self.bytes().len()
        ))
    }
}

//! Files that a layer refers to: members of its package, or files beside it.

use std::path::{Path, PathBuf};

use crate::Result;
use crate::containers::bytes::Bytes;
use crate::containers::usdz;
use crate::containers::usdz::Member;

/// Where other files come from.
pub(super) enum Assets {
    /// Nowhere: the bytes stand alone.
    Nowhere,
    /// The disk. Names are relative to the file that has them.
    Disk,
    /// A package, whose members have paths as if it were a folder.
    Package(PathBuf, Vec<Member>),
}

impl Assets {
    /// The path of `name` as said by the file at `from`.
    pub fn resolve(from: &Path, name: &str) -> PathBuf {
        let mut path = from.parent().map(Path::to_path_buf).unwrap_or_default();
        for part in name.split(['/', '\\']) {
            match part {
                "." | "" => {}
                ".." => {
                    path.pop();
                }
                part => path.push(part),
            }
        }
        if Path::new(name).is_absolute() { PathBuf::from(name) } else { path }
    }

    /// The bytes of a file, if it is there.
    pub fn get(&self, path: &Path) -> Result<Option<Bytes>> {
        match self {
            Self::Nowhere => Ok(None),
            Self::Disk if path.is_file() && crate::links::allowed(path) => Bytes::map(path).map(Some),
            Self::Disk => Ok(None),
            Self::Package(package, members) => {
                Ok(members.iter().find(|m| package.join(&m.name) == path).map(|m| m.bytes.clone()))
            }
        }
    }

    /// Those of a file: its members, where it is a package, and the first layer in it. The layer's path is
    /// for messages and for what it refers to.
    pub fn of(bytes: Bytes, path: &Path, alone: bool) -> Result<(Self, Bytes, PathBuf)> {
        if !bytes.all().starts_with(usdz::MAGIC) {
            return Ok((if alone { Self::Nowhere } else { Self::Disk }, bytes, path.into()));
        }
        let members = usdz::members(&bytes, path)?;
        let first = members.first().ok_or_else(|| crate::Error::malformed(path, "the package is empty"))?;
        let (bytes, layer) = (first.bytes.clone(), path.join(&first.name));
        Ok((Self::Package(path.into(), members), bytes, layer))
    }
}

//! Files that a layer refers to: members of its package, or files beside it.

use std::path::{Path, PathBuf};

use crate::Result;
use crate::containers::bytes::Bytes;
use crate::containers::usdz::{self, Member};
use crate::source::Source;

/// Where other files come from.
pub(super) enum Assets {
    /// The disk, as far as the file may lead there. Names are relative to the file that has them.
    Disk(Source),
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
            Self::Disk(source) => {
                source.link(path).filter(Source::is_file).map(|file| file.map()).transpose()
            }
            Self::Package(package, members) => {
                Ok(members.iter().find(|m| package.join(&m.name) == path).map(|m| m.bytes.clone()))
            }
        }
    }

    /// Those of a file: its members, where it is a package, and the first layer in it. The layer's path is
    /// for messages and for what it refers to.
    pub fn of(source: &Source, bytes: Bytes) -> Result<(Self, Bytes, PathBuf)> {
        let path = source.path();
        if !bytes.starts_with(usdz::MAGIC) {
            return Ok((Self::Disk(source.clone()), bytes, path.into()));
        }
        let members = usdz::members(&bytes, path)?;
        let first = members.first().ok_or_else(|| crate::Error::malformed(path, "the package is empty"))?;
        let (bytes, layer) = (first.bytes.clone(), path.join(&first.name));
        Ok((Self::Package(path.into(), members), bytes, layer))
    }
}

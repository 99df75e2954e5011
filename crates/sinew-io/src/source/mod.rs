//! Where a file comes from: a path or bytes, what it may lead to, and how much it may ask for.
//!
//! | I have                                  | use                                                    |
//! | --------------------------------------- | ------------------------------------------------------ |
//! | a file of my own                        | [`Source::file`]                                       |
//! | a file of a stranger                    | [`Source::file`], [`Source::with_access`]              |
//! | bytes, such as those of standard input  | [`Source::bytes`]                                      |
//! | a file that a file names                | [`Source::link`]                                       |

mod access;

use std::fs::File;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};

pub use access::Access;

pub use crate::containers::bytes::{Bytes, ReadSeek, cut_short};
use crate::{Error, Result, account};

/// How much a file may ask for, however small it is. Beyond that it is refused with a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bone transforms: frames times bones.
    pub transforms: usize,
    /// Node transforms that it takes to find them: frames times nodes.
    pub node_visits: usize,
    /// Displacements of morph targets: targets times vertices.
    pub displacements: usize,
    /// Bytes of memory that nodes, curves and geometry may take while a scene is put together.
    pub memory: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { transforms: 1 << 22, node_visits: 1 << 26, displacements: 1 << 26, memory: 1 << 35 }
    }
}

/// What is read: a file, or bytes in memory. Clones share the bytes.
#[derive(Clone, PartialEq)]
pub struct Source {
    path: PathBuf,
    memory: Option<Bytes>,
    access: Access,
    limits: Limits,
    /// Whether another file named it.
    linked: bool,
}

impl Source {
    /// A file, with access to everything: one of one's own.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        let (path, access) = (path.into(), Access::everything());
        Self { path, memory: None, access, limits: Limits::default(), linked: false }
    }

    /// One source for each of these, which are paths or sources.
    pub fn each<S>(inputs: &[S]) -> Vec<Self>
    where
        for<'a> &'a S: Into<Self>,
    {
        inputs.iter().map(Into::into).collect()
    }

    /// Bytes in memory, without access to any file. The name is for messages, its ending tells the format
    /// where the bytes do not, and what the bytes name is looked for from its folder.
    pub fn bytes(name: impl Into<PathBuf>, bytes: impl Into<Vec<u8>>) -> Self {
        let memory = Some(Bytes::owned(bytes.into()));
        let (path, access) = (name.into(), Access::nothing());
        Self { path, memory, access, limits: Limits::default(), linked: false }
    }

    /// The same with other access, of which the file itself must be part.
    #[must_use]
    pub fn with_access(self, access: Access) -> Self {
        Self { access, ..self }
    }

    /// The same within other limits.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// The path of the file, or the name of the bytes.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The name without folders.
    pub fn name(&self) -> String {
        self.path.file_name().unwrap_or(self.path.as_os_str()).to_string_lossy().into_owned()
    }

    /// The name without folders and ending.
    pub fn stem(&self) -> String {
        self.path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// What may be opened.
    pub fn access(&self) -> &Access {
        &self.access
    }

    /// How much may be asked for.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Whether this is one file, or bytes; otherwise a folder, a pattern or nothing.
    pub fn is_file(&self) -> bool {
        self.memory.is_some() || self.path.is_file()
    }

    /// Whether the bytes are in memory.
    pub fn is_memory(&self) -> bool {
        self.memory.is_some()
    }

    /// A file that this one names, or that lies beside it; none where it may not be opened. It has the same access
    /// and limits.
    pub fn link(&self, path: impl Into<PathBuf>) -> Option<Self> {
        let path = path.into();
        self.access.allows(&path).then(|| Self { path, memory: None, linked: true, ..self.clone() })
    }

    /// The bytes of a file that this one names.
    pub(crate) fn linked_bytes(&self, path: &Path) -> std::io::Result<Vec<u8>> {
        let Some(file) = self.link(path) else { return Err(std::io::ErrorKind::PermissionDenied.into()) };
        match file.read() {
            Ok(bytes) => Ok(bytes.to_vec()),
            Err(Error::Io { source, .. }) => Err(source),
            Err(other) => Err(std::io::Error::other(other)),
        }
    }

    /// How many bytes there are.
    pub fn length(&self) -> Result<u64> {
        match &self.memory {
            Some(bytes) => Ok(bytes.len() as u64),
            None => Ok(self.opened()?.metadata().map_err(Error::io(&self.path))?.len()),
        }
    }

    /// The first so many bytes, or all there are.
    pub fn start(&self, count: usize) -> Result<Vec<u8>> {
        let mut bytes = Vec::with_capacity(count);
        self.reader()?.take(count as u64).read_to_end(&mut bytes).map_err(Error::io(&self.path))?;
        Ok(bytes)
    }

    /// All bytes, in memory.
    pub fn read(&self) -> Result<Bytes> {
        if let Some(bytes) = &self.memory {
            return Ok(bytes.clone());
        }
        let mut bytes = Vec::new();
        self.regular()?.read_to_end(&mut bytes).map_err(Error::io(&self.path))?;
        Ok(Bytes::owned(bytes))
    }

    /// All bytes, of a file mapped: what is not looked at is not read. The file must not be cut short by another
    /// program while it is in use: see [`cut_short`].
    pub fn map(&self) -> Result<Bytes> {
        if let Some(bytes) = &self.memory {
            return Ok(bytes.clone());
        }
        let file = self.regular()?;
        // Pipes can only be read.
        if !file.metadata().map_err(Error::io(&self.path))?.is_file() {
            return self.read();
        }
        Bytes::map(&file, &self.path)
    }

    /// The bytes one after the other, not buffered.
    pub fn reader(&self) -> Result<Box<dyn ReadSeek>> {
        match &self.memory {
            Some(bytes) => Ok(Box::new(Cursor::new(bytes.clone()))),
            None => Ok(Box::new(self.opened()?)),
        }
    }

    /// Names of the files in the folder of this one that may be opened, in no order.
    pub fn beside(&self) -> Result<Vec<PathBuf>> {
        let folder = self.path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        if !self.access.allows(folder) {
            return Ok(Vec::new());
        }
        let mut found = Vec::new();
        for entry in std::fs::read_dir(folder).map_err(Error::io(folder))? {
            found.push(entry.map_err(Error::io(folder))?.path());
        }
        found.retain(|path| self.access.allows(path));
        Ok(found)
    }

    /// The file itself. The only place where one is opened.
    pub(crate) fn opened(&self) -> Result<File> {
        if !self.access.allows(&self.path) {
            // What is not there is said to be so.
            let source = match self.path.exists() {
                true => {
                    std::io::Error::new(std::io::ErrorKind::PermissionDenied, "may not be read from here")
                }
                false => std::io::ErrorKind::NotFound.into(),
            };
            return Err(Error::Io { path: self.path.clone(), source });
        }
        account::reads(&self.path);
        File::open(&self.path).map_err(Error::io(&self.path))
    }

    /// The file, where it is one. Devices and pipes that a hostile file names would never end.
    fn regular(&self) -> Result<File> {
        let file = self.opened()?;
        let about = file.metadata().map_err(Error::io(&self.path))?;
        if about.is_dir() {
            return Err(Error::io(&self.path)(std::io::ErrorKind::IsADirectory.into()));
        }
        if self.linked && !about.is_file() {
            let source = std::io::Error::new(std::io::ErrorKind::InvalidInput, "not a regular file");
            return Err(Error::Io { path: self.path.clone(), source });
        }
        Ok(file)
    }
}

impl From<&Path> for Source {
    fn from(path: &Path) -> Self {
        Self::file(path)
    }
}

impl From<&PathBuf> for Source {
    fn from(path: &PathBuf) -> Self {
        Self::file(path)
    }
}

impl From<PathBuf> for Source {
    fn from(path: PathBuf) -> Self {
        Self::file(path)
    }
}

impl From<&Self> for Source {
    fn from(source: &Self) -> Self {
        source.clone()
    }
}

impl std::fmt::Debug for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let held = if self.is_memory() { "bytes" } else { "file" };
        f.debug_tuple(held).field(&self.path).field(&self.access).finish()
    }
}

//! Where files may be: below folders that were named, whatever links and `..` say.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Refusal;

/// Folders that a session may read and write below, and one for what pages send.
#[derive(Clone, Default)]
pub struct Folders {
    named: Vec<PathBuf>,
    uploads: Option<Arc<tempfile::TempDir>>,
}

impl Folders {
    /// Adds a folder.
    pub fn add(&mut self, folder: &Path) -> Result<(), Refusal> {
        let folder = canonical(folder)?;
        if !folder.is_dir() {
            return Refusal::say(format!("{}: is no folder", folder.display()));
        }
        if !self.named.contains(&folder) {
            self.named.push(folder);
        }
        Ok(())
    }

    /// Adds the folder of a file, or the folder itself.
    pub fn add_of(&mut self, path: &Path) -> Result<(), Refusal> {
        if path.is_dir() {
            return self.add(path);
        }
        let parent = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        self.add(parent)
    }

    /// The folders that were named.
    pub fn named(&self) -> &[PathBuf] {
        &self.named
    }

    /// The folder for what pages send, made when it is first asked for and gone with the session.
    pub fn uploads(&mut self) -> Result<PathBuf, Refusal> {
        if self.uploads.is_none() {
            let made = tempfile::Builder::new().prefix("sinew-studio-").tempdir();
            let made = made.map_err(|e| Refusal(format!("there is no room for files: {e}")))?;
            self.uploads = Some(Arc::new(made));
        }
        let folder = self.uploads.as_ref().map(|u| u.path().to_owned()).unwrap_or_default();
        canonical(&folder)
    }

    /// Where a folder really is that may be looked into.
    pub fn to_list(&self, path: &Path) -> Result<PathBuf, Refusal> {
        let found = resolved(path)?;
        let uploads = self.uploads.as_ref().and_then(|u| u.path().canonicalize().ok());
        let allowed = self.is_below(&found) || uploads.is_some_and(|uploads| found.starts_with(uploads));
        if allowed { Ok(found) } else { Refusal::say(outside(path)) }
    }

    /// Where a file really is, or a folder of frames, that may be read.
    pub fn to_read(&self, path: &Path) -> Result<PathBuf, Refusal> {
        let found = self.to_list(path)?;
        // A folder of frames may hold links to anywhere.
        for entry in std::fs::read_dir(&found).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_symlink()) {
                self.to_list(&entry.path())?;
            }
        }
        Ok(found)
    }

    /// Where a file would really be that may be written.
    pub fn to_write(&self, path: &Path) -> Result<PathBuf, Refusal> {
        let found = resolved(path)?;
        if self.is_below(&found) { Ok(found) } else { Refusal::say(outside(path)) }
    }

    /// Whether a path without links is in one of the folders.
    pub fn is_below(&self, path: &Path) -> bool {
        self.named.iter().any(|folder| path.starts_with(folder))
    }
}

fn outside(path: &Path) -> String {
    format!("{}: is outside of the folders this studio was given", path.display())
}

/// A path without links and `..`. Its last part need not exist: it may be a pattern, or a file to be made.
fn resolved(path: &Path) -> Result<PathBuf, Refusal> {
    if let Ok(found) = path.canonicalize() {
        return Ok(found);
    }
    // A link to nowhere would be written through, or replaced: neither is what it says.
    if path.is_symlink() {
        return Refusal::say(outside(path));
    }
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Refusal::say(format!("{}: is no name of a file", path.display()));
    };
    if !path.is_absolute() {
        return Refusal::say(format!("{}: give the whole path", path.display()));
    }
    Ok(canonical(parent)?.join(name))
}

fn canonical(path: &Path) -> Result<PathBuf, Refusal> {
    path.canonicalize().map_err(|e| Refusal(sinew_io::Error::io(path)(e).to_string()))
}

//! Where files may be: below folders that were named, whatever links and `..` say.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Refusal;
use crate::lock::{hold, is_left};

/// How folders for what pages send begin, where there is no better place than that for temporary files.
const PREFIX: &str = "sinew-studio-";
/// What makes such a folder one of Sinew's, and tells whether its server lives.
const LOCK: &str = "sinew-uploads.lock";
/// The folder for what pages send in that of the session.
const UPLOADS: &str = "uploads";

/// Folders that a session may read and write below, and one for what pages send.
#[derive(Clone, Default)]
pub struct Folders {
    named: Vec<PathBuf>,
    uploads: Option<Arc<Uploads>>,
    /// The folder that the session is kept in.
    kept: Option<PathBuf>,
}

/// Where what pages send goes.
enum Uploads {
    /// A folder that goes with the session, and the lock in it.
    Passing { folder: tempfile::TempDir, _lock: File },
    /// One that is kept with the session.
    Kept(PathBuf),
}

impl Uploads {
    fn path(&self) -> &Path {
        match self {
            Self::Passing { folder, .. } => folder.path(),
            Self::Kept(folder) => folder,
        }
    }
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

    /// What pages send is kept in a session's own folder, for the time after a kill.
    pub(crate) fn keep_uploads_in(&mut self, folder: &Path) {
        self.kept = Some(folder.to_owned());
    }

    /// Goes on with the folder for what pages send of a copy.
    pub(crate) fn take_uploads(&mut self, copy: &Self) {
        self.uploads = self.uploads.take().or_else(|| copy.uploads.clone());
    }

    /// The folder for what pages send, made when it is first asked for.
    pub fn uploads(&mut self) -> Result<PathBuf, Refusal> {
        let uploads = match &self.uploads {
            Some(uploads) => uploads.clone(),
            None => {
                let made = self.make_uploads();
                Arc::new(made.map_err(|e| Refusal(format!("there is no room for files: {e}")))?)
            }
        };
        self.uploads = Some(uploads.clone());
        canonical(uploads.path())
    }

    fn make_uploads(&self) -> std::io::Result<Uploads> {
        if let Some(kept) = &self.kept {
            let folder = kept.join(UPLOADS);
            std::fs::create_dir_all(&folder)?;
            return Ok(Uploads::Kept(folder));
        }
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir()?;
        let lock = hold(folder.path(), LOCK)?;
        Ok(Uploads::Passing { folder, _lock: lock })
    }

    /// All folders that may be read.
    pub fn to_read_below(&self) -> Vec<PathBuf> {
        self.named.iter().cloned().chain(self.sent_to()).collect()
    }

    /// Where what pages sent is, under all names that the folder has.
    pub fn sent_to(&self) -> Vec<PathBuf> {
        let Some(uploads) = &self.uploads else { return Vec::new() };
        let path = uploads.path().to_owned();
        path.canonicalize().into_iter().chain([path]).collect()
    }

    /// A path as a session's own folder may be moved with: what pages sent is named from there.
    pub(crate) fn to_keep(&self, path: &Path) -> PathBuf {
        let inside =
            self.sent_to().iter().find_map(|folder| path.strip_prefix(folder).ok().map(Path::to_owned));
        match inside {
            Some(inside) if self.kept.is_some() => Path::new(UPLOADS).join(inside),
            _ => path.to_owned(),
        }
    }

    /// Takes a file that was sent to a session that is gone on with. Others stay where they are.
    pub(crate) fn adopt(&mut self, path: &Path, from: &Path) -> Result<PathBuf, Refusal> {
        let (false, Ok(inside)) = (path.is_absolute(), path.strip_prefix(UPLOADS)) else {
            return Ok(path.to_owned());
        };
        let plain = inside.components().all(|part| matches!(part, std::path::Component::Normal(_)));
        if !plain {
            return Refusal::say(outside(path));
        }
        let (from, to) = (from.join(path), self.uploads()?.join(inside));
        let copied = std::fs::hard_link(&from, &to).or_else(|_| std::fs::copy(&from, &to).map(|_| ()));
        copied.map_err(sinew_io::Error::io(&from))?;
        Ok(to)
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

/// Removes folders for what pages sent of servers that are no longer there.
pub(crate) fn remove_left_uploads(place: &Path) {
    for entry in std::fs::read_dir(place).into_iter().flatten().flatten() {
        let named = entry.file_name().to_string_lossy().starts_with(PREFIX);
        let folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if named && folder && is_left(&entry.path(), LOCK) {
            // Those of other people cannot be removed, and need not be.
            _ = std::fs::remove_dir_all(entry.path());
        }
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

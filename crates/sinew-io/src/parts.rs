//! Files and folders that are not whole yet: beside their target, under names of their own.
//!
//! `.sinew-….part` goes away with the process that writes it, unless that is killed. What is left then, the next one
//! that writes into the folder removes. A lock tells what is left from what somebody else is writing just now: the
//! system lets go of it when a process ends, however it does.

use std::collections::BTreeSet;
use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tempfile::{Builder, NamedTempFile, TempDir};

const PREFIX: &str = ".sinew-";
const SUFFIX: &str = ".part";
/// The file in a folder that its lock is on.
const LOCK: &str = ".lock";
/// How often a file is begun anew that others take for one that was left.
const TRIES: usize = 8;

/// A file in a folder that is gone unless it is renamed.
pub(crate) fn file_in(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    builder.prefix(PREFIX).suffix(SUFFIX);
    #[cfg(unix)]
    {
        // Temporary files are private by default; the result should be as readable as any other file.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    for _ in 0..TRIES {
        let file = builder.tempfile_in(folder)?;
        if is_ours(file.as_file(), file.path()) {
            return Ok(file);
        }
    }
    builder.tempfile_in(folder)
}

/// A folder within another that is gone unless what is in it is moved elsewhere.
pub struct PartFolder {
    // Before the folder, so that its file is closed when that goes away.
    _lock: File,
    folder: TempDir,
}

impl PartFolder {
    /// Begins a folder, and removes what was left in the other by processes that were killed.
    ///
    /// # Errors
    /// Where there can be no folder.
    pub fn new(within: &Path) -> io::Result<Self> {
        remove_strays(within);
        let begin = || {
            let folder = Builder::new().prefix(PREFIX).suffix(SUFFIX).tempdir_in(within)?;
            let lock = File::create(folder.path().join(LOCK))?;
            Ok(Self { _lock: lock, folder })
        };
        for _ in 0..TRIES {
            let begun: io::Result<Self> = begin();
            let begun = begun?;
            if is_ours(&begun._lock, begun.path()) {
                return Ok(begun);
            }
        }
        begin()
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Names of all that was put into it.
    ///
    /// # Errors
    /// Where it cannot be looked into.
    pub fn names(&self) -> io::Result<Vec<std::ffi::OsString>> {
        let all = std::fs::read_dir(self.path())?.map(|entry| Ok(entry?.file_name()));
        let all: io::Result<Vec<_>> = all.collect();
        Ok(all?.into_iter().filter(|name| name != LOCK).collect())
    }
}

/// Locks what was just made. Whether it is still there: another process may have taken it for something that was left,
/// before the lock was on it.
fn is_ours(lock: &File, made: &Path) -> bool {
    match lock.try_lock() {
        Ok(()) => made.exists(),
        Err(TryLockError::WouldBlock) => false,
        // Without locks nobody can tell what was left, and nobody removes it.
        Err(TryLockError::Error(_)) => true,
    }
}

/// [`remove_strays`] for the first file that this process puts into a folder: a folder of ten thousand is not listed for each
/// of them.
pub(crate) fn remove_strays_once(folder: &Path) {
    static SEEN: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    let mut seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    if seen.insert(folder.into()) {
        remove_strays(folder);
    }
}

/// Removes what processes left that were killed. What cannot be removed stays.
pub(crate) fn remove_strays(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let is_part = name.to_str().is_some_and(|name| name.starts_with(PREFIX) && name.ends_with(SUFFIX));
        let (Ok(kind), true) = (entry.file_type(), is_part) else { continue };
        let path = entry.path();
        let lock = if kind.is_dir() { path.join(LOCK) } else { path.clone() };
        // Held until it is gone, so that whoever made it just now notices.
        let Ok(lock) = File::open(lock) else { continue };
        if lock.try_lock().is_ok() {
            // Somebody else may be quicker, or may have to do it.
            let _ = if kind.is_dir() { std::fs::remove_dir_all(&path) } else { std::fs::remove_file(&path) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(folder: &Path) -> usize {
        std::fs::read_dir(folder).unwrap().count()
    }

    #[test]
    fn only_what_nobody_writes_is_removed() {
        let around = tempfile::tempdir().unwrap();
        let within = around.path();
        // As a process leaves them that is killed.
        std::fs::write(within.join(".sinew-abc.part"), "half").unwrap();
        std::fs::create_dir(within.join(".sinew-def.part")).unwrap();
        std::fs::write(within.join(".sinew-def.part/.lock"), "").unwrap();
        std::fs::write(within.join(".sinew-def.part/frame.obj"), "v 0").unwrap();
        // Of others.
        std::fs::write(within.join(".sinew.part"), "").unwrap();
        std::fs::write(within.join("rig.part"), "").unwrap();
        let (file, folder) = (file_in(within).unwrap(), PartFolder::new(within).unwrap());
        assert_eq!(left(within), 4);
        remove_strays(within);
        assert_eq!(left(within), 4, "both are being written");
        std::fs::write(folder.path().join("x"), "1").unwrap();
        assert_eq!(folder.names().unwrap(), ["x"]);
        drop((file, folder));
        assert_eq!(left(within), 2);
    }
}

//! Whole files or none.

use std::fs::{File, OpenOptions};
use std::io::{BufWriter, ErrorKind, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::error::in_words;
use crate::parts::{file_in, remove_strays_once};
use crate::{Error, Result, account};

/// Symbolic links in a row that are followed.
const MOST_LINKS: usize = 40;

/// Writes a file through `fill`. It is written beside its target and renamed at the end, so that an error
/// or a kill leaves what was there before. Returns the number of bytes.
///
/// What a symbolic link leads to is replaced, and the link stays; a file that is replaced keeps its mode. A device or a
/// pipe is written to as it is, once all is there.
pub fn save(path: &Path, fill: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<u64> {
    let mut file = Saving::new(path)?;
    fill(&mut file).map_err(Error::io(path))?;
    file.commit()
}

/// A file that is written beside its target, for those who cannot write it in one go. Dropped, it leaves
/// what was there before.
pub struct Saving {
    /// As it was named.
    path: PathBuf,
    writer: BufWriter<NamedTempFile>,
}

impl Saving {
    /// Begins a file.
    pub fn new(path: &Path) -> Result<Self> {
        Ok(Self { path: path.into(), writer: BufWriter::new(beside(path)?) })
    }

    /// Puts the file where it belongs. Returns the number of bytes.
    pub fn commit(self) -> Result<u64> {
        let path = &self.path;
        let part = self.writer.into_inner().map_err(|e| Error::io(path)(e.into_error()))?;
        let bytes = part.as_file().metadata().map_err(Error::io(path))?.len();
        match Place::of(path)? {
            Place::Stream(target) => pour(part, &target).map_err(Error::io(path))?,
            Place::File(target) => {
                keep_mode(part.as_file(), &target).map_err(Error::io(path))?;
                account::writes(&target);
                part.persist(target).map_err(|e| Error::io(path)(e.error))?;
            }
        }
        Ok(bytes)
    }
}

impl Write for Saving {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.writer.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.writer.flush()
    }
}

/// For formats whose beginning says where the end is.
impl Seek for Saving {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        self.writer.seek(to)
    }
}

/// Checks that [`save`] could write here, for those who work long before they do. Leaves nothing behind, and removes what
/// was left here by processes that were killed, the first time that this one asks about a folder.
pub fn check_target(path: &Path) -> Result<()> {
    if let Place::File(target) = Place::of(path)? {
        remove_strays_once(folder_of(&target));
    }
    beside(path).map(drop)
}

/// Moves a file that is whole to where it belongs, as [`save`] puts one there.
pub fn put(whole: &Path, path: &Path) -> Result<()> {
    let Place::File(target) = Place::of(path)? else { return copy(whole, path) };
    let file = File::open(whole).map_err(Error::io(whole))?;
    keep_mode(&file, &target).map_err(Error::io(path))?;
    account::writes(&target);
    match std::fs::rename(whole, &target) {
        // A link may lead to another disk.
        Err(e) if e.kind() == ErrorKind::CrossesDevices => copy(whole, path),
        moved => moved.map_err(Error::io(path)),
    }
}

fn copy(whole: &Path, path: &Path) -> Result<()> {
    let mut file = File::open(whole).map_err(Error::io(whole))?;
    save(path, |out| std::io::copy(&mut file, out).map(|_| ()))?;
    Ok(())
}

/// What a name stands for.
enum Place {
    /// A file that is there or will be.
    File(PathBuf),
    /// A device or a pipe, which nothing can take the place of.
    Stream(PathBuf),
}

impl Place {
    /// Follows symbolic links, whether there is something at their end or not.
    fn of(path: &Path) -> Result<Self> {
        let mut target = path.to_owned();
        for _ in 0..MOST_LINKS {
            let Ok(found) = std::fs::symlink_metadata(&target) else { return Ok(Self::File(target)) };
            let kind = found.file_type();
            if !kind.is_symlink() {
                let is_stream = !kind.is_file() && !kind.is_dir();
                return Ok(if is_stream { Self::Stream(target) } else { Self::File(target) });
            }
            let link = std::fs::read_link(&target).map_err(Error::io(path))?;
            target = folder_of(&target).join(link);
        }
        let source = std::io::Error::other("cannot be written: its symbolic links lead nowhere");
        Err(Error::Io { path: path.into(), source })
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A file beside the target that is gone unless it is renamed; of a stream's, in the folder for such files.
fn beside(path: &Path) -> Result<NamedTempFile> {
    // Checked early: renaming onto a folder fails only after all the work is done.
    if path.is_dir() {
        let source = std::io::Error::new(ErrorKind::IsADirectory, "is a folder, not a file");
        return Err(Error::Io { path: path.into(), source });
    }
    let made = match Place::of(path)? {
        Place::File(target) => file_in(folder_of(&target)),
        Place::Stream(_) => file_in(&std::env::temp_dir()),
    };
    made.map_err(|e| {
        // The temporary name would only confuse.
        let source = std::io::Error::new(e.kind(), format!("cannot be written: {}", plain(&e)));
        Error::Io { path: path.into(), source }
    })
}

/// Gives a file the mode of the one it will take the place of.
fn keep_mode(file: &File, target: &Path) -> std::io::Result<()> {
    match std::fs::metadata(target) {
        Ok(before) if cfg!(unix) => file.set_permissions(before.permissions()),
        _ => Ok(()),
    }
}

/// Writes all of a file into a device or pipe.
fn pour(mut part: NamedTempFile, target: &Path) -> std::io::Result<()> {
    part.as_file_mut().rewind()?;
    let mut out = OpenOptions::new().write(true).open(target)?;
    std::io::copy(part.as_file_mut(), &mut out)?;
    out.flush()
}

/// Why a file could not be made, without the path that the temporary file adds.
fn plain(e: &std::io::Error) -> String {
    match e.kind() {
        ErrorKind::NotFound => "the folder does not exist".into(),
        kind => in_words(&kind.into()),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn mode(path: &Path) -> u32 {
        std::fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    fn write(path: &Path, text: &str) {
        save(path, |out| out.write_all(text.as_bytes())).unwrap();
    }

    #[test]
    fn links_stay_and_modes_are_kept() {
        let around = tempfile::tempdir().unwrap();
        let at = |name: &str| around.path().join(name);
        std::fs::create_dir(at("far")).unwrap();
        write(&at("far/rig"), "1");
        std::fs::set_permissions(at("far/rig"), std::fs::Permissions::from_mode(0o640)).unwrap();
        symlink("far/rig", at("near")).unwrap();
        symlink("near", at("nearer")).unwrap();
        write(&at("nearer"), "2");
        assert_eq!(std::fs::read_to_string(at("far/rig")).unwrap(), "2");
        assert_eq!(mode(&at("far/rig")), 0o640);
        assert!(at("near").is_symlink() && at("nearer").is_symlink());
        // One that leads to where nothing is yet.
        symlink("far/new", at("new")).unwrap();
        write(&at("new"), "3");
        assert!(at("new").is_symlink() && at("far/new").is_file());
        std::fs::write(at("whole"), "4").unwrap();
        put(&at("whole"), &at("nearer")).unwrap();
        assert_eq!(std::fs::read_to_string(at("far/rig")).unwrap(), "4");
        assert!(at("nearer").is_symlink() && !at("whole").exists() && mode(&at("far/rig")) == 0o640);
        symlink("round", at("round")).unwrap();
        assert!(check_target(&at("round")).unwrap_err().to_string().contains("symbolic links"));
    }

    #[test]
    fn devices_are_written_to() {
        let around = tempfile::tempdir().unwrap();
        let link = around.path().join("nothing");
        symlink("/dev/null", &link).unwrap();
        assert_eq!(save(&link, |out| out.write_all(b"12345")).unwrap(), 5);
        let null = std::fs::metadata("/dev/null").unwrap();
        assert!(!null.is_file() && link.is_symlink());
    }

    #[test]
    fn what_killed_runs_left_is_removed() {
        let around = tempfile::tempdir().unwrap();
        std::fs::write(around.path().join(".sinew-x1.part"), "half").unwrap();
        check_target(&around.path().join("rig.glb")).unwrap();
        assert_eq!(std::fs::read_dir(around.path()).unwrap().count(), 0);
    }
}

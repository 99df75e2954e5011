//! Whole files or none.

use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::error::in_words;
use crate::{Error, Result};

/// Writes a file through `fill`. It is written beside its target and renamed at the end, so that an error
/// or a kill leaves what was there before. Returns the number of bytes.
pub fn save(path: &Path, fill: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<u64> {
    let mut file = Saving::new(path)?;
    fill(&mut file).map_err(Error::io(path))?;
    file.commit()
}

/// A file that is written beside its target, for those who cannot write it in one go. Dropped, it leaves
/// what was there before.
pub struct Saving {
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
        let file = self.writer.into_inner().map_err(|e| Error::io(path)(e.into_error()))?;
        let bytes = file.as_file().metadata().map_err(Error::io(path))?.len();
        file.persist(path).map_err(|e| Error::io(path)(e.error))?;
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

/// Checks that [`save`] could write here, for those who work long before they do. Leaves nothing behind.
pub fn check_target(path: &Path) -> Result<()> {
    beside(path).map(drop)
}

/// A file beside the target that is gone unless it is renamed.
fn beside(path: &Path) -> Result<NamedTempFile> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Checked early: renaming onto a folder fails only after all the work is done.
    if path.is_dir() {
        let source = std::io::Error::new(std::io::ErrorKind::IsADirectory, "is a folder, not a file");
        return Err(Error::Io { path: path.into(), source });
    }
    let mut builder = tempfile::Builder::new();
    builder.prefix(".sinew-").suffix(".part");
    #[cfg(unix)]
    {
        // Temporary files are private by default; the result should be as readable as any other file.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder).map_err(|e| {
        // The temporary name would only confuse.
        let source = std::io::Error::new(e.kind(), format!("cannot be written: {}", plain(&e)));
        Error::Io { path: path.into(), source }
    })
}

/// Why a file could not be made, without the path that the temporary file adds.
fn plain(e: &std::io::Error) -> String {
    match e.kind() {
        std::io::ErrorKind::NotFound => "the folder does not exist".into(),
        kind => in_words(&kind.into()),
    }
}

//! Whole files or none.

use std::io::{BufWriter, Write};
use std::path::Path;

use crate::{Error, Result};

/// Writes a file through `fill`. It is written beside its target and renamed at the end, so that an error
/// or a kill leaves what was there before. Returns the number of bytes.
pub fn save(path: &Path, fill: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<u64> {
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
    let file = builder.tempfile_in(folder).map_err(Error::io(path))?;
    let mut writer = BufWriter::new(file);
    fill(&mut writer).map_err(Error::io(path))?;
    let file = writer.into_inner().map_err(|e| Error::io(path)(e.into_error()))?;
    let bytes = file.as_file().metadata().map_err(Error::io(path))?.len();
    file.persist(path).map_err(|e| Error::io(path)(e.error))?;
    Ok(bytes)
}

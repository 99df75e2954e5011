//! Folders that belong to a server as long as it lives. It holds a lock on a file in each; a folder whose file
//! nobody holds was left behind.

use std::fs::File;
use std::path::Path;

/// Takes a folder. It is held until the file is dropped, or the process ends in whatever way.
pub(crate) fn hold(folder: &Path, name: &str) -> std::io::Result<File> {
    // Under its name only when it is locked: nobody finds it free before.
    let new = folder.join(format!("{name}.new"));
    let file = File::create(&new)?;
    file.try_lock()?;
    std::fs::rename(new, folder.join(name))?;
    Ok(file)
}

/// Whether a folder was held once and is no longer.
pub(crate) fn is_left(folder: &Path, name: &str) -> bool {
    File::open(folder.join(name)).is_ok_and(|file| file.try_lock().is_ok())
}

//! Characters that are read, and refusals by the names of files.

use std::path::Path;

use sinew::deform::DeformError;
use sinew_io::deform_file::{self, Setup};
use sinew_io::flesh_file;

use crate::error::{JobError, Outcome};

/// Reads a character with joints.
pub(super) fn character(path: &Path) -> Outcome<Setup> {
    if flesh_file::is_flesh(path)? {
        return Err(JobError::HoldsFlesh(path.into()));
    }
    Ok(deform_file::read(path)?)
}

/// Refuses a file by what is wrong with it.
pub(super) fn refuse<T>(path: &Path, message: impl std::fmt::Display) -> Outcome<T> {
    Err(sinew_io::Error::unsupported(path, message.to_string()).into())
}

/// Refuses a file that cannot be set up, unless the work was cancelled.
pub(super) fn refuse_setup<T>(path: &Path, error: DeformError) -> Outcome<T> {
    match error {
        DeformError::Cancelled => Err(JobError::Cancelled),
        error => Err(JobError::Deform { path: path.into(), error }),
    }
}

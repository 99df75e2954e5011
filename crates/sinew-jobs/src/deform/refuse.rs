//! Files that a step reads and writes, and refusals by their names.

use std::path::{Path, PathBuf};

use sinew::deform::DeformError;
use sinew_io::deform_file::{self, Setup};
use sinew_io::flesh_file;

use crate::error::{JobError, Outcome};

/// The file that a step writes, if it is one, and those that it reads; once the step is checked.
pub(super) type Files<'a> = (Option<&'a Path>, Vec<&'a PathBuf>);

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

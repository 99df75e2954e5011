//! What every job is.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sinew::progress::Progress;

use crate::error::JobError;
use crate::report::write_json;

/// Something people ask for: plain data that is checked, run with progress, and reported on.
///
/// Paths are as the process finds them: relative ones begin at its working folder.
pub trait Job: Clone + Default + Serialize + DeserializeOwned + JsonSchema + Send + Sync {
    /// Its name in files of jobs and on the command line.
    const NAME: &'static str;
    /// What there is to say when it is done: the same facts for programs and for people.
    type Report: Serialize;

    /// Checks all that can be known without reading a file.
    ///
    /// # Errors
    /// What is wrong, by the names of the fields.
    fn validate(&self) -> Result<(), JobError>;

    /// Reads, works and writes, for [`Job::run`], which has validated.
    ///
    /// # Errors
    /// Anything that ends it early.
    fn perform(&self, progress: &dyn Progress) -> Result<Self::Report, JobError>;

    /// The file that the report goes to.
    fn report_to(&self) -> Option<&Path>;

    /// Whether all is well, once there is a report: what a door says after it.
    ///
    /// # Errors
    /// What is wrong although there is a report, such as a stream that is kept as far as it went.
    fn verdict(&self, report: &Self::Report) -> Result<(), JobError> {
        let _ = report;
        Ok(())
    }

    /// Validates, reads, works, and writes: files appear whole or not at all.
    ///
    /// # Errors
    /// Anything that ends it early; [`JobError::Cancelled`] within half a second of the listener's wish.
    fn run(&self, progress: &dyn Progress) -> Result<Self::Report, JobError> {
        self.validate()?;
        let report = self.perform(progress)?;
        if let Some(path) = self.report_to() {
            write_json(path, &report)?;
        }
        Ok(report)
    }
}

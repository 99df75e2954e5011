//! What every job is.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sinew::progress::Progress;

use crate::error::JobError;
use crate::report::write_json;
use crate::streams::{Files, Streams};
use crate::target;

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

    /// The files that it names, for standard streams to be put in their place.
    fn files(&mut self) -> Files<'_>;

    /// Checks all that can be known without reading a file: standard streams, that nothing which is read would be written
    /// over, and what [`Job::validate`] does.
    ///
    /// # Errors
    /// What is wrong, by the names of the fields.
    fn check(&self) -> Result<(), JobError> {
        let mut named = self.clone();
        let files = named.files();
        files.check()?;
        target::check_apart(files.that_are_written().chain(files.report_path()), files.that_are_read())?;
        self.validate()
    }

    /// Whether a result goes to standard output, so that nothing else should.
    fn takes_output(&self) -> bool {
        self.clone().files().go_to_output()
    }

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
        self.check()?;
        around(self, |job| job.perform(progress), |report| report)
    }
}

/// Does the work of a job that was checked, with files in the place of standard streams, and writes its report. For jobs that
/// can also be given what they would read: what comes of that has the report in it.
pub(crate) fn around<J: Job, T>(
    job: &J,
    work: impl FnOnce(&J) -> Result<T, JobError>,
    report_of: impl FnOnce(&T) -> &J::Report,
) -> Result<T, JobError> {
    let mut filed = job.clone();
    let streams = Streams::open(filed.files())?;
    let done = work(&filed)?;
    streams.pour()?;
    if let Some(path) = job.report_to() {
        let report = report_of(&done);
        write_json(path, &Told { version: VERSION, job: Named { job: J::NAME, fields: job }, report })?;
    }
    Ok(done)
}

/// The version that reports carry.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A report with what it is about.
#[derive(Serialize)]
struct Told<'a, J: Serialize, R: Serialize> {
    /// Of Sinew.
    version: &'static str,
    /// The job, as a file of one holds it.
    job: Named<'a, J>,
    #[serde(flatten)]
    report: &'a R,
}

/// A job with its name.
#[derive(Serialize)]
struct Named<'a, J: Serialize> {
    job: &'static str,
    #[serde(flatten)]
    fields: &'a J,
}

//! Why a command ends early, and what the process ends with.

use std::path::PathBuf;

use sinew_jobs::JobError;
use sinew_jobs::refusals::StreamRefusal;

use crate::signals;

/// What a command answers.
pub type Outcome<T> = Result<T, CliError>;

/// Why a command ended early.
#[derive(Debug, thiserror::Error)]
pub enum CliError {
    /// A job did.
    #[error(transparent)]
    Job(JobError),
    /// Some jobs of a list failed or were not run; what they would have said is said already.
    #[error("{}, see {}", not_done(*failed, *waiting, *jobs), page.display())]
    SomeFailed {
        /// How many failed.
        failed: usize,
        /// How many were not run.
        waiting: usize,
        /// Of how many.
        jobs: usize,
        /// What tells about each.
        page: PathBuf,
    },
    /// A list was given up.
    #[error("interrupted; {waiting} of {jobs} jobs are left, and the same command goes on with them")]
    Stopped {
        /// How many were not run.
        waiting: usize,
        /// Of how many.
        jobs: usize,
    },
    /// What is wrong with the arguments or with this terminal, as a sentence without its full stop.
    #[error("{0}")]
    Refused(String),
}

impl CliError {
    /// A [`CliError::Refused`].
    pub fn refused<T>(sentence: impl Into<String>) -> Outcome<T> {
        Err(Self::Refused(sentence.into()))
    }

    /// What the process ends with: after a signal as shells have it, 1 where some jobs of a list failed, otherwise 2.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Job(JobError::Cancelled | JobError::Stream(StreamRefusal::Stopped { .. })) => {
                signals::exit_code()
            }
            Self::Stopped { .. } => signals::exit_code(),
            Self::Job(JobError::OutputClosed) => 0,
            Self::SomeFailed { .. } => 1,
            _ => 2,
        }
    }
}

/// What jobs are refused for, commands that are no jobs are too.
impl<E: Into<JobError>> From<E> for CliError {
    fn from(error: E) -> Self {
        Self::Job(error.into())
    }
}

/// "3 of 10 jobs failed and 2 were not run".
fn not_done(failed: usize, waiting: usize, jobs: usize) -> String {
    match (failed, waiting) {
        (failed, 0) => format!("{failed} of {jobs} jobs failed"),
        (0, waiting) => format!("{waiting} of {jobs} jobs were not run"),
        (failed, waiting) => format!("{failed} of {jobs} jobs failed and {waiting} were not run"),
    }
}

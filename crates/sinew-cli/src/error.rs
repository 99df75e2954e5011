//! Why a command ends early, and what the process ends with.

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
    /// What is wrong with the arguments or with this terminal, as a sentence without its full stop.
    #[error("{0}")]
    Refused(String),
}

impl CliError {
    /// A [`CliError::Refused`].
    pub fn refused<T>(sentence: impl Into<String>) -> Outcome<T> {
        Err(Self::Refused(sentence.into()))
    }

    /// What the process ends with: after a signal as shells have it, otherwise 2.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Job(JobError::Cancelled | JobError::Stream(StreamRefusal::Stopped { .. })) => {
                signals::exit_code()
            }
            Self::Job(JobError::OutputClosed) => 0,
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

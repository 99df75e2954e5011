//! What is said when a command ends early, and what the process ends with.

use sinew_jobs::refusals::StreamRefusal;
pub use sinew_jobs::{JobError as CliError, Outcome};

use crate::words;

/// What the process ends with: 130 after Ctrl-C, as shells have it, otherwise 2.
pub fn exit_code(error: &CliError) -> u8 {
    match error {
        CliError::Cancelled | CliError::Stream(StreamRefusal::Stopped { .. }) => 130,
        CliError::OutputClosed => 0,
        _ => 2,
    }
}

/// The sentence for people, without its full stop; none where nobody is left to read it.
pub fn sentence(error: &CliError) -> Option<String> {
    match error {
        CliError::OutputClosed => None,
        CliError::Cancelled => Some("interrupted; nothing was written".into()),
        error => Some(words::refusal(error)),
    }
}

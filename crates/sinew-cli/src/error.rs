//! What the process ends with when a command ends early.

use sinew_jobs::refusals::StreamRefusal;
pub use sinew_jobs::{JobError as CliError, Outcome};

/// What the process ends with: 130 after Ctrl-C, as shells have it, otherwise 2.
pub fn exit_code(error: &CliError) -> u8 {
    match error {
        CliError::Cancelled | CliError::Stream(StreamRefusal::Stopped { .. }) => 130,
        CliError::OutputClosed => 0,
        _ => 2,
    }
}

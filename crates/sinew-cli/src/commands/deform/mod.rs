//! `sinew deform`: shapes of a character in any pose, from its skeleton and a few examples.

mod compare;
mod examples;
mod handles;
mod picture;
mod pose;
mod poses;
mod setup;

use clap::{Args, Subcommand};
use sinew::deform::DeformError;

use crate::error::{CliError, Outcome};
use crate::progress::Session;

/// Deform a character by its skeleton, with detail and volume kept and examples followed
///
/// Linear blending collapses elbows and knows nothing of muscles. Here every triangle turns with the joints
/// around it, the whole is stitched together again, and example shapes say what muscles do: in their own
/// poses exactly, in others as far as these are like them, beyond them more.
#[derive(Args)]
pub struct DeformArgs {
    #[command(subcommand)]
    step: Step,
}

#[derive(Subcommand)]
enum Step {
    Setup(setup::SetupArgs),
    Pose(pose::PoseArgs),
    Compare(compare::CompareArgs),
}

/// Runs the command.
pub fn run(args: &DeformArgs, session: &Session) -> Outcome<()> {
    match &args.step {
        Step::Setup(args) => setup::run(args, session),
        Step::Pose(args) => pose::run(args, session),
        Step::Compare(args) => compare::run(args, session),
    }
}

/// Refuses a file that cannot be set up, unless the work was cancelled.
fn refuse_setup<T>(path: &std::path::Path, error: &DeformError) -> Outcome<T> {
    match error {
        DeformError::Cancelled => Err(CliError::Cancelled),
        error => refuse(path, error),
    }
}

/// Refuses a file by what is wrong with it.
fn refuse<T>(path: &std::path::Path, message: impl std::fmt::Display) -> Outcome<T> {
    CliError::refused(format!("{}: {message}", path.display()))
}

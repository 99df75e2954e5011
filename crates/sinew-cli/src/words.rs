//! Refusals and warnings in the words of the command line: what jobs tell by the names of their fields, told by options.

use sinew_jobs::Warning;

use crate::commands::{bake, collide, convert, crowd, info, picture, stream};
use crate::console::number;
use crate::error::CliError;

/// What is said about a job that was refused, without its full stop.
pub fn refusal(error: &CliError) -> String {
    match error {
        CliError::Field { field, problem } => format!("{} {problem}", flag(field)),
        CliError::Bake(refusal) => bake::refusal(refusal),
        CliError::Collide(refusal) => collide::refusal(refusal),
        CliError::Convert(refusal) => convert::refusal(refusal),
        CliError::Crowd(refusal) => crowd::refusal(refusal),
        CliError::Info(refusal) => info::refusal(refusal),
        CliError::PictureOptions(refusal) => picture::refusal(refusal),
        CliError::Stream(refusal) => stream::refusal(refusal),
        error => error.to_string(),
    }
}

/// The flag that a field of a job has here.
pub fn flag(field: &str) -> String {
    match field {
        "clips" => "--clip".into(),
        field => format!("--{}", field.replace('_', "-")),
    }
}

/// What is said about results, each with what can be done.
pub fn warnings(warnings: &[Warning]) -> Vec<String> {
    warnings.iter().map(warning).collect()
}

fn warning(warning: &Warning) -> String {
    match warning {
        Warning::NoFaces { .. } => format!("{warning}: --rest FILE brings those of a mesh"),
        Warning::Unit { input, output, .. } => {
            format!("{warning}; --scale {} keeps the size", number(input / output))
        }
        warning => warning.to_string(),
    }
}

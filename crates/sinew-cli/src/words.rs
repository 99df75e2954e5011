//! Refusals and warnings in the words of the command line: what jobs tell by the names of their fields, told by options.

use sinew::motion::{EditWarning, PlanWarning};
use sinew::skeleton::SkeletonWarning;
use sinew_jobs::refusals::EditRefusal;
use sinew_jobs::warning::{Warning, some_of};

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
        CliError::NoTarget { fields } => {
            let files = match fields {
                ["output", "bvh", ..] => "-o FILE.glb, --bvh FILE.bvh or --report FILE.json",
                _ => "-o FILE.glb, --report FILE.json or both",
            };
            format!("there is nowhere to put the result: give {files}")
        }
        CliError::CompactFormat => "--compact is for GLB files; others keep every number as it is".into(),
        CliError::Units { source_name, rest, ratio, rest_scale } => format!(
            "{source_name}: the animation is {} times the size of its rest mesh {}: they seem to be in different \
             units (such as metres and centimetres); --rest-scale {} brings the mesh to the animation's units",
            number(*ratio),
            rest.display(),
            number(*rest_scale)
        ),
        CliError::SkeletonWithoutMotion(path) => format!(
            "{0}: an ASF file is a skeleton without motion; give the AMC file that moves it, with --asf {0} if that \
             is elsewhere",
            path.display()
        ),
        CliError::Edit(EditRefusal::EaseWithoutEnd) => {
            "--ease lets the edit fade before a frame; give that frame with --through N".into()
        }
        CliError::Edit(EditRefusal::Backwards { frame, last }) => {
            format!("--through {last} comes before --frame {frame}")
        }
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
    let state = "--align-source and --align-rig";
    match warning {
        Warning::NoFaces { .. } => format!("{warning}: --rest FILE brings those of a mesh"),
        Warning::Unit { input, output, .. } => {
            format!("{warning}; --scale {} keeps the size", number(input / output))
        }
        Warning::ClipTaken { taken, clips } => format!(
            "the source has {} clips and {taken} was taken; --clip NAME takes another, --clip all takes them all: {}",
            clips.len(),
            some_of(clips)
        ),
        Warning::Plan(PlanWarning::PoorAgreement { .. }) => {
            format!("{warning}; look at --picture, and state two poses that are the same with {state}")
        }
        Warning::Plan(PlanWarning::FacesElsewhere { .. }) => {
            format!("{warning}; look at --picture, and state two poses with {state} if it does not")
        }
        Warning::Plan(PlanWarning::EitherWay { .. }) => {
            format!("{warning}; if it moves backwards, state two poses with {state}")
        }
        Warning::Edit(EditWarning::NegativeWeights { .. }) => {
            format!("{warning}; sinew skin with weights that are not negative (--weights nnls) avoids that")
        }
        Warning::Skeleton(SkeletonWarning::PoorCandidate { .. }) => {
            format!("{warning}; sinew skin may serve better")
        }
        warning => warning.to_string(),
    }
}

//! What is said about results, each with what can be done about it here.

use sinew::motion::{EditWarning, PlanWarning};
use sinew::skeleton::SkeletonWarning;
use sinew_jobs::warning::{Warning, some_of};

use crate::console::number;

/// What is said about results, each with what can be done.
pub fn warnings(warnings: &[Warning]) -> Vec<String> {
    warnings.iter().map(|warning| warning.told(&self::warning)).collect()
}

fn warning(warning: &Warning) -> String {
    let state = "--align-source and --align-rig";
    match warning {
        Warning::File(warning) => warning.told(&of_file),
        Warning::NoFaces { .. } => format!("{warning}: --rest FILE brings those of a mesh"),
        Warning::ScaledTwice { .. } => format!("{warning}; leave out --scale to keep the size"),
        Warning::ClipTaken { taken, clips } => format!(
            "the source has {} clips and {taken} was taken; --clip NAME takes another, --clip all takes them all: {}",
            clips.len(),
            some_of(clips)
        ),
        Warning::Plan(PlanWarning::PoorAgreement { .. }) => {
            format!("{warning}; look at --picture, and state two poses that are the same with {state}")
        }
        Warning::Plan(PlanWarning::FacesElsewhere { .. }) => {
            format!(
                "{warning}; look at --picture, and say --facing, or state two poses with {state}, if it does not"
            )
        }
        Warning::Plan(PlanWarning::EitherWay { .. }) => {
            format!("{warning}; if it moves backwards, say --facing, or state two poses with {state}")
        }
        Warning::Plan(PlanWarning::LimbsDiffer { .. } | PlanWarning::LimbsApart { .. }) => {
            format!("{warning}; look at --picture, and correct what --suggest writes")
        }
        Warning::FarOff { percent } => format!(
            "the rig is {} % off; more --bones bring it closer, and corrections (--rank 8) more so",
            number(*percent)
        ),
        Warning::FewerInfluences { most, .. } => {
            format!("{warning}; a rig of --influences {most} is alike in all of them")
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

/// What is said about a file.
fn of_file(warning: &sinew_io::Warning) -> String {
    match warning {
        sinew_io::Warning::ClipTaken { .. } => {
            format!("{warning}; --clip NAME takes another, --clip all takes them all")
        }
        sinew_io::Warning::StandsAlong { seems, .. } => format!("{warning}; --up {seems} turns it"),
        warning => warning.to_string(),
    }
}

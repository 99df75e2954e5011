//! Refusals and warnings in the words of the command line: what jobs tell by the names of their fields, told by options.

use sinew::motion::{EditWarning, PlanWarning};
use sinew::skeleton::SkeletonWarning;
use sinew::skin::{SearchError, SkinError};
use sinew_jobs::refusals::{EditRefusal, FitError, FitRefusal, SkinRefusal};
use sinew_jobs::warning::{Warning, some_of};

use crate::commands::{bake, collide, convert, crowd, info, picture, stream};
use crate::console::{count, number, size};
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
        CliError::BonesOfNoRig => "--bones is for rigs; name the output *.glb or *.sinew".into(),
        CliError::Skin { error: SkinError::NoGivenRest, .. } => {
            "--rest-pose file takes the pose of the rest mesh, but there is none; give --rest FILE".into()
        }
        CliError::Fit { source_name, error } => format!("{source_name}: {}", no_rig(error)),
        CliError::FitOptions(refusal) => fit(refusal),
        CliError::SkinOptions(refusal) => skin(refusal),
        CliError::Edit(EditRefusal::EaseWithoutEnd) => {
            "--ease lets the edit fade before a frame; give that frame with --through N".into()
        }
        CliError::Edit(EditRefusal::Backwards { frame, last }) => {
            format!("--through {last} comes before --frame {frame}")
        }
        error => error.to_string(),
    }
}

/// Choices about a fit that do not go together.
fn fit(refusal: &FitRefusal) -> String {
    match refusal {
        FitRefusal::Unknown { method, field, with, because } => {
            let why = because.map(|field| format!(" ({} asks for it)", flag(field))).unwrap_or_default();
            format!("--method {method}{why} knows no {}; it goes with --method {with}", flag(field))
        }
        FitRefusal::BonesFromWith(field) => {
            format!("--bones-from and {} do not go together; use --start", flag(field))
        }
        FitRefusal::NeedsRig(field) => {
            format!("{} says what stays of a rig: name it with --start RIG.glb", flag(field))
        }
        FitRefusal::RigBringsBones("start_rig") => {
            "--start RIG brings its bones along; leave out --bones".into()
        }
        FitRefusal::RigBringsBones(field) => {
            format!("{} brings its bones along; leave out --bones", flag(field))
        }
        FitRefusal::GoalWithRig(field) => format!(
            "{} searches for bones and influences, which a given rig brings along; leave out the rig",
            flag(field)
        ),
        FitRefusal::NoShapes => "--method pps has no correction shapes; leave out --rank".into(),
        refusal => refusal.to_string(),
    }
}

/// Why an animation is not skinned so, with what can be done.
fn skin(refusal: &SkinRefusal) -> String {
    match refusal {
        SkinRefusal::PlotWithoutGoal => {
            "--plot draws what --target-error or --budget tried; give one of them".into()
        }
        SkinRefusal::NegativeWeights { field } => format!(
            "{} negative weights, which glTF cannot store; write -o FILE.sinew, which can, or use --weights nnls with \
             --min-weight 0, or leave out -o and give --report FILE.json to measure without a file",
            flag(field)
        ),
        SkinRefusal::ChainFile(_) => {
            format!("{refusal}, or leave out -o and give --report FILE.json to measure without one")
        }
        SkinRefusal::AllFramesNeeded { source_name, bytes, memory } => format!(
            "{source_name}: its frames take {}, more than the working set of {}; goals, given rigs and other methods \
             than best and sma need them all at once: --memory {}MB",
            size(*bytes),
            size(*memory),
            bytes.div_ceil(1_000_000)
        ),
        SkinRefusal::MemoryTooSmall { source_name, vertices, memory, least } => format!(
            "{source_name}: a fit of {vertices} vertices takes more than the working set of {}; --memory {}MB is \
             enough",
            size(*memory),
            least.div_ceil(1_000_000)
        ),
        refusal => refusal.to_string(),
    }
}

/// Why no rig was fitted, with what can be done.
fn no_rig(error: &FitError) -> String {
    match error {
        FitError::SeveralClips { clips } => format!(
            "--method pps leads from each pose to the next in one clip, and these are {clips}; give one, or choose \
             another method"
        ),
        FitError::Search(SearchError::OutOfReach { percent, best }) => format!(
            "no rig that was tried keeps {} %; the closest, with {} and {}, is {} % off in {}",
            number(*percent),
            count(best.bones, "bone", "bones"),
            count(best.rank, "correction shape", "correction shapes"),
            number(best.percent),
            size(best.bytes)
        ),
        FitError::Search(SearchError::MeshTooLarge { budget, mesh }) => format!(
            "no rig fits into {}: the mesh alone takes {}; --compact makes it smaller, and so does a mesh with fewer \
             vertices",
            size(*budget),
            size(*mesh)
        ),
        FitError::Search(SearchError::TooLarge { budget, smallest }) => format!(
            "no rig that was tried fits into {}; the smallest, with {}, takes {}",
            size(*budget),
            count(smallest.bones, "bone", "bones"),
            size(smallest.bytes)
        ),
        error => error.to_string(),
    }
}

/// The flag that a field of a job has here.
pub fn flag(field: &str) -> String {
    match field {
        "clips" => "--clip".into(),
        "goal.error" => "--target-error".into(),
        "goal.bytes" => "--budget".into(),
        "start_rig" => "--start".into(),
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
        Warning::FarOff { percent } => format!(
            "the rig is {} % off; more --bones bring it closer, and corrections (--rank 8) more so",
            number(*percent)
        ),
        Warning::Edit(EditWarning::NegativeWeights { .. }) => {
            format!("{warning}; sinew skin with weights that are not negative (--weights nnls) avoids that")
        }
        Warning::Skeleton(SkeletonWarning::PoorCandidate { .. }) => {
            format!("{warning}; sinew skin may serve better")
        }
        warning => warning.to_string(),
    }
}

//! Refusals and warnings in the words of the command line: what jobs tell by the names of their fields, told by options.

mod flag;
mod refusals;
mod warnings;

use sinew::skin::SkinError;
use sinew_jobs::JobError;
use sinew_jobs::refusals::{EditRefusal, StandardRefusal};
use sinew_jobs::streams::named;

use self::flag::flag;
pub use self::warnings::warnings;
use crate::console::number;
use crate::error::CliError;

/// The sentence for people, without its full stop; none where nobody is left to read it.
pub fn sentence(error: &CliError) -> Option<String> {
    match error {
        CliError::Job(JobError::OutputClosed) => None,
        CliError::Job(JobError::Cancelled) => Some("interrupted; nothing was written".into()),
        CliError::Job(error) => Some(named(&refusal(error))),
        CliError::Refused(sentence) => Some(sentence.clone()),
        CliError::SomeFailed { .. } | CliError::Stopped { .. } => Some(error.to_string()),
    }
}

/// What is said about a job that was refused, without its full stop.
fn refusal(error: &JobError) -> String {
    match error {
        JobError::File(error) => refusals::file(error),
        JobError::Field { field, problem } => format!("{} {problem}", flag(field)),
        JobError::Batch(refusal) => refusals::batch(refusal),
        JobError::Bake(refusal) => refusals::bake(refusal),
        JobError::Collide(refusal) => refusals::collide(refusal),
        JobError::Convert(refusal) => refusals::convert(refusal),
        JobError::Crowd(refusal) => refusals::crowd(refusal),
        JobError::LodOptions(refusal) => refusals::lod(refusal),
        JobError::PictureOptions(refusal) => refusals::picture(refusal),
        JobError::Stream(refusal) => refusals::stream(refusal),
        JobError::Standard(StandardRefusal::NoFormat) => {
            "standard output (-) has no name to tell a format by; give --format, such as --format glb".into()
        }
        JobError::NoTarget { fields } => {
            let files = match fields {
                ["output", "bvh", ..] => "-o FILE.glb, --bvh FILE.bvh or --report FILE.json",
                _ => "-o FILE.glb, --report FILE.json or both",
            };
            format!("there is nowhere to put the result: give {files}")
        }
        JobError::HoldsFlesh(_) => format!("{error}; give it motion without flesh by --primary"),
        JobError::CompactFormat => "--compact is for GLB files; others keep every number as it is".into(),
        JobError::Units { source_name, rest, ratio, rest_scale } => format!(
            "{source_name}: the animation is {} times the size of its rest mesh {}: they seem to be in different \
             units (such as metres and centimetres); --rest-scale {} brings the mesh to the animation's units",
            number(*ratio),
            rest.display(),
            number(*rest_scale)
        ),
        JobError::SkeletonWithoutMotion(path) => format!(
            "{0}: an ASF file is a skeleton without motion; give the AMC file that moves it, with --asf {0} if that \
             is elsewhere",
            path.display()
        ),
        JobError::BonesOfNoRig => "--bones is for rigs; name the output *.glb or *.sinew".into(),
        JobError::Skin { error: SkinError::NoGivenRest, .. } => {
            "--rest-pose file takes the pose of the rest mesh, but there is none; give --rest FILE".into()
        }
        JobError::Fit { source_name, error } => format!("{source_name}: {}", refusals::no_rig(error)),
        JobError::FitOptions(refusal) => refusals::fit(refusal),
        JobError::SkinOptions(refusal) => refusals::skin(refusal),
        JobError::Edit(EditRefusal::EaseWithoutEnd) => {
            "--ease lets the edit fade before a frame; give that frame with --through N".into()
        }
        JobError::Edit(EditRefusal::Backwards { frame, last }) => {
            format!("--through {last} comes before --frame {frame}")
        }
        error => error.to_string(),
    }
}

//! Edits of rigs whose bones carry each pose to the next.

use std::path::Path;

use sinew::animation::Clip;
use sinew::motion::{PoseEdit, edit_chain, edit_chain_rest};
use sinew::progress::Progress;
use sinew::rig::PoseChain;
use sinew_io::formats::sinew_file::{self, Contents, Motion, Stored};
use sinew_io::formats::{Facts, SINEW};
use sinew_io::open;

use super::edited::{Edited, Told};
use super::order::{EditJob, SculptPose, SculptRest};
use super::sculpted::{Shape, all_clips};
use crate::error::{JobError, Outcome};
use crate::names::has_extension;
use crate::refusals::EditRefusal;
use crate::warning::{Warning, told};
use crate::words::count;

/// Whether a file holds such a rig. Of one that cannot be read others have more to say.
pub(super) fn is_in(path: &Path) -> bool {
    open::format(path).is_ok_and(|format| format == &SINEW)
        && sinew_file::open(path).is_ok_and(|reader| reader.head.clip.motion == Motion::FromLast)
}

pub(super) fn pose(job: &EditJob, sculpted: &SculptPose, progress: &dyn Progress) -> Outcome<Edited> {
    let Read { chain: before, clip, facts, shape, warnings } = read(job, &sculpted.shape)?;
    let all = Clip { name: clip.clone(), frames: 0..before.frame_count(), fps: before.fps };
    let all = [all];
    let chosen = job.chosen(&all, sculpted.clip.as_deref(), |_| true)?;
    let (frame, through) = job.sculpted_frames(chosen, sculpted)?;
    progress.stage("editing");
    let mut after = before.clone();
    let edit = PoseEdit { shape: &shape, frame, through, ease_out: sculpted.ease, ..PoseEdit::default() };
    let edited = edit_chain(&mut after, &edit, progress).map_err(|e| job.refusal(e))?;
    let told = Told {
        done: format!("frame {frame} sculpted"),
        frame: Some(frame),
        bones: Some(edited.bones),
        correction: Some(100.0 * edited.moved),
        missed: Some(100.0 * edited.missed),
        warnings,
        ..Told::default()
    };
    Ok(done([before, after], clip, facts, told))
}

pub(super) fn rest(job: &EditJob, sculpted: &SculptRest, progress: &dyn Progress) -> Outcome<Edited> {
    let Read { chain: before, clip, facts, shape, warnings } = read(job, &sculpted.shape)?;
    progress.stage("editing");
    let mut after = before.clone();
    edit_chain_rest(&mut after, &shape).map_err(|e| job.refusal(e))?;
    let moved = shape.iter().zip(&before.rest).filter(|(p, q)| p != q).count();
    let told = Told {
        done: format!("rest pose sculpted at {}", count(moved, "vertex", "vertices")),
        warnings,
        ..Told::default()
    };
    Ok(done([before, after], clip, facts, told))
}

fn done([before, after]: [PoseChain; 2], clip: String, facts: Facts, told: Told) -> Edited {
    let clip = Some(clip).filter(|clip| !clip.is_empty());
    Edited { before: Stored::Chain(before), after: Stored::Chain(after), clip, facts, told }
}

/// The rig, the name of its clip, what is known of its numbers, a shape of it, and what is odd about them.
struct Read {
    chain: PoseChain,
    clip: String,
    facts: Facts,
    shape: Vec<glam::Vec3>,
    warnings: Vec<Warning>,
}

fn read(job: &EditJob, shape: &Path) -> Outcome<Read> {
    if !has_extension(&job.output, "sinew") {
        return Err(EditRefusal::ChainFile(job.output.clone()).into());
    }
    let mut shape = Shape::read(shape)?;
    let Contents { stored, clip, warnings, facts } =
        open::rig_or_chain(&job.rig, &all_clips())?.said(&job.said());
    let Stored::Chain(chain) = stored else {
        return Err(JobError::FileChanged(job.rig.display().to_string()));
    };
    let mut warnings = told(warnings);
    warnings.extend(shape.check(&job.rig, &chain.mesh)?);
    warnings.extend(shape.bring_to(job, &facts, &chain.rest));
    shape.check_size(&job.rig, &chain.mesh, &chain.rest)?;
    Ok(Read { chain, clip, facts, shape: shape.mesh.positions, warnings })
}

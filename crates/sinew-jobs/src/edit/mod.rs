//! A rig that is changed by hand: a bone turned, a pose sculpted, the rest pose sculpted.

mod chain;
mod edited;
mod order;
mod report;
mod sculpted;

use std::path::Path;

use glam::{DQuat, DVec3};
use sinew::animation::Clip;
use sinew::motion::{BoneEditor, BoneTurn, PoseEdit, PoseEditor, Reach, edit_rest};
use sinew::progress::Progress;
use sinew::rig::Rig;
use sinew_io::formats::sinew_file::{self, Label, Stored};
use sinew_io::open;
use sinew_io::scene::SampledRig;

use self::edited::{Edited, Told};
pub use self::order::{Edit, EditJob, Rotate, SculptPose, SculptRest, Through};
pub use self::report::{EditReport, Largest};
use self::sculpted::{all_clips, rig_and_shape};
use crate::engines::{advice, engines_of};
use crate::error::{FieldProblem, JobError, Outcome};
use crate::job::Job;
use crate::refusals::EditRefusal;
use crate::rig_file::{Encoded, check_name, encode_rig, left_behind};
use crate::streams::Files;
use crate::target;
use crate::units::{self, Units};
use crate::warning::{Warning, told};
use crate::words::{count, number};

impl Job for EditJob {
    const NAME: &'static str = "edit";
    type Report = EditReport;

    fn validate(&self) -> Outcome<()> {
        let targets = [Some(self.output.as_path()), self.report.as_deref()];
        target::check(&targets)?;
        check_name(&self.output, None)?;
        units::check(self.scale)?;
        match &self.edit {
            Edit::Rotate(turn) => {
                let axis = DVec3::from_array(turn.axis);
                if !(axis.is_finite() && axis.length() > 1e-9) {
                    return Err(EditRefusal::Axis.into());
                }
                match turn.angle.is_finite() {
                    true => Ok(()),
                    false => JobError::field("angle", FieldProblem::NoAngle(turn.angle)),
                }
            }
            _ => Ok(()),
        }
    }

    fn report_to(&self) -> Option<&Path> {
        self.report.as_deref()
    }

    fn files(&mut self) -> Files<'_> {
        let shape = match &mut self.edit {
            Edit::Rotate(_) => None,
            Edit::Pose(SculptPose { shape, .. }) | Edit::Rest(SculptRest { shape, .. }) => Some(shape),
        };
        let read = Files::default().read([&mut self.rig]).read(shape);
        read.written([&mut self.output]).report(&mut self.report)
    }

    fn perform(&self, progress: &dyn Progress) -> Outcome<EditReport> {
        progress.stage("reading");
        let edited = match &self.edit {
            Edit::Rotate(turn) => self.rotate(turn, progress)?,
            Edit::Pose(sculpted) if chain::is_in(&self.rig) => chain::pose(self, sculpted, progress)?,
            Edit::Rest(sculpted) if chain::is_in(&self.rig) => chain::rest(self, sculpted, progress)?,
            Edit::Pose(sculpted) => self.pose(sculpted, progress)?,
            Edit::Rest(sculpted) => self.rest(sculpted, progress)?,
        };
        progress.check()?;
        progress.stage("writing");
        let file = match &edited.after {
            Stored::Rig(rig) => {
                encode_rig(&self.output, rig, edited.clip.as_deref(), true, None, &edited.facts)?
            }
            Stored::Chain(chain) => {
                let clip = edited.clip.as_deref().unwrap_or_default();
                let label = Label { clip, metres_per_unit: edited.facts.metres_per_unit };
                let bytes = sinew_file::chain_to_bytes(chain, label);
                Encoded { bytes, warnings: Vec::new(), joints: None }
            }
        };
        let Encoded { bytes, warnings, joints } = file;
        let mut report =
            EditReport::new(&self.rig, &edited.before, &edited.after, edited.told, bytes.len() as u64);
        report.units = Units::of_file(&edited.facts, Some(&self.output));
        report.warnings.extend(report.units.doubt(self.scale));
        report.warnings.extend(warnings);
        report.warnings.extend(left_behind(&self.rig)?);
        if let Stored::Rig(rig) = &edited.after {
            report.file_joints = joints;
            report.engines = engines_of(rig, &self.output, false);
            report.warnings.extend(advice(&report.engines, 0.0));
        }
        progress.check()?;
        sinew_io::save(&self.output, |out| out.write_all(&bytes))?;
        Ok(report)
    }
}

impl EditJob {
    /// The clip of a rig that is edited. Says which was taken where nobody named one of several.
    fn clip_of(&self, rig: &Rig, asked: Option<&str>, warnings: &mut Vec<Warning>) -> Outcome<Clip> {
        let clips = rig.clips();
        let taken = self.chosen(&clips, asked, |clip| rig.moves(clip.frames.clone()))?;
        if asked.is_none() && clips.len() > 1 {
            let before = clips.iter().take_while(|clip| clip.frames.start < taken.frames.start);
            let still = before.map(|clip| clip.name.clone()).collect();
            let (taken, clips) = (taken.name.clone(), Some(clips.len()));
            warnings.push(sinew_io::Warning::ClipTaken { taken, still, clips }.into());
        }
        Ok(taken.clone())
    }

    fn rotate(&self, turn: &Rotate, progress: &dyn Progress) -> Outcome<Edited> {
        let SampledRig { rig: before, warnings, clip, facts, .. } =
            open::rig(&self.rig, &all_clips())?.said(&self.said());
        let mut warnings = told(warnings);
        let bone = self.bone(&before, &turn.bone)?;
        let to = turn.through.unwrap_or(Through::Frame(turn.frame));
        let within = self.clip_of(&before, turn.clip.as_deref(), &mut warnings)?;
        let (frame, through) = self.frames(&within, turn.frame, to)?;
        let reach = if before.skeleton.is_some() && !turn.alone { Reach::Hanging } else { Reach::Alone };
        let axis = DVec3::from_array(turn.axis).normalize();
        let rotation = DQuat::from_axis_angle(axis, turn.angle.to_radians());
        let ease_out = if to == Through::End { 0 } else { turn.ease };
        let turned =
            BoneTurn { through, ease_in: turn.ease, ease_out, reach, ..BoneTurn::new(bone, rotation, frame) };
        progress.stage("editing");
        let mut after = before.clone();
        let added = after.split_bones(&[bone]);
        let editor = BoneEditor::new(&after, progress).map_err(|e| self.refusal(e))?;
        editor.rotate(&mut after, &turned).map_err(|e| self.refusal(e))?;
        let done = format!("{} turned by {}°", before.bones[bone].name, number(turn.angle));
        let name = |bone: usize| after.bones[bone].name.clone();
        let new = added.iter().zip(before.bones.len()..);
        let parts = new.map(|(&from, bone)| [name(from), name(bone)]).collect();
        let told = Told { done, frame: Some(frame), parts, warnings, ..Told::default() };
        Ok(Edited::rig([before, after], clip, facts, told))
    }

    fn pose(&self, sculpted: &SculptPose, progress: &dyn Progress) -> Outcome<Edited> {
        let (read, shape, mut warnings) = rig_and_shape(self, &sculpted.shape)?;
        let SampledRig { rig: before, clip, facts, .. } = read;
        let within = self.clip_of(&before, sculpted.clip.as_deref(), &mut warnings)?;
        let (frame, through) = self.sculpted_frames(&within, sculpted)?;
        progress.stage("editing");
        let editor = PoseEditor::new(&before, progress).map_err(|e| self.refusal(e))?;
        let mut after = before.clone();
        let edit = PoseEdit { shape: &shape, frame, through, ease_out: sculpted.ease, ..PoseEdit::default() };
        let edited = editor.edit(&mut after, &edit, progress).map_err(|e| self.refusal(e))?;
        warnings.extend(edited.warnings().into_iter().map(Warning::Edit));
        let told = Told {
            done: format!("frame {} sculpted", sculpted.frame),
            frame: Some(frame),
            bones: Some(edited.bones),
            correction: Some(100.0 * edited.correction),
            missed: Some(100.0 * edited.missed),
            warnings,
            ..Told::default()
        };
        Ok(Edited::rig([before, after], clip, facts, told))
    }

    fn rest(&self, sculpted: &SculptRest, progress: &dyn Progress) -> Outcome<Edited> {
        let (read, shape, mut warnings) = rig_and_shape(self, &sculpted.shape)?;
        let SampledRig { rig: before, clip, facts, .. } = read;
        progress.stage("editing");
        let mut after = before.clone();
        let edited = edit_rest(&mut after, &shape, sculpted.carry, progress).map_err(|e| self.refusal(e))?;
        warnings.extend(edited.warnings().into_iter().map(Warning::Edit));
        let done = format!("rest pose sculpted at {}", count(edited.moved, "vertex", "vertices"));
        Ok(Edited::rig([before, after], clip, facts, Told { done, warnings, ..Told::default() }))
    }
}

//! Motion of a body with the flesh that it learnt.

use std::path::{Path, PathBuf};
use std::time::Instant;

use glam::Vec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sinew::animation::{Frames, MeshAnimation};
use sinew::flesh::FleshError;
use sinew::geometry::{Bounds, Similarity};
use sinew::progress::Progress;
use sinew_io::flesh_file::{self, FleshBody};
use sinew_io::formats::{Facts, PoseSet};
use sinew_io::open::{self, OpenOptions, Opened};

use super::pose::{PoseReport, PoseSeconds, skin_animation};
use crate::error::{JobError, Outcome};
use crate::poses::{MeshFormat, Target, save_poses};
use crate::units::{Units, beside};
use crate::warning::told;

/// Gives a motion of a body the flesh that it learnt: a cache, a folder of frames, or a rig that any engine plays.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MoveFlesh {
    /// The body, as it learnt.
    pub character: PathBuf,
    /// The motion without flesh: an animation of the same vertices.
    pub primary: PathBuf,
    /// Where to: a file of poses, a folder for one mesh a frame, or a GLB or .sinew file to skin the result.
    pub output: PathBuf,
    /// The clip of the motion, by name or number; without, the first that moves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clip: Option<String>,
    /// Frames per second of motion that does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fps: Option<f64>,
    /// Bones of a rig that is written; without, as many as about 1.5 percent of error need.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bones: Option<usize>,
    /// Format of frames in a folder.
    #[serde(default)]
    pub format: MeshFormat,
}

impl MoveFlesh {
    /// The file that is written, if it is one, once all is checked.
    pub(super) fn target(&self) -> Outcome<Option<&Path>> {
        let to = super::pose::target(&self.output, self.format)?;
        if self.bones.is_some() && to.is_some() {
            return Err(JobError::BonesOfNoRig);
        }
        if let Some(fps) = self.fps.filter(|fps| !(*fps > 0.0 && fps.is_finite())) {
            return Err(JobError::FrameRate(fps));
        }
        Ok(to.map_or(Some(self.output.as_path()), |to| to.file(&self.output)))
    }

    pub(super) fn perform(&self, progress: &dyn Progress) -> Outcome<PoseReport> {
        let begun = Instant::now();
        let to = super::pose::target(&self.output, self.format)?;
        progress.stage("reading");
        let body = flesh_file::read(&self.character)?;
        let mut motion = self.motion(&body, progress)?;
        let setup = begun.elapsed().as_secs_f64();
        progress.stage("moving flesh");
        let frames = moved(&body, &motion, progress).map_err(|error| match error {
            FleshError::Cancelled => JobError::Cancelled,
            error => JobError::Flesh { source_name: motion.source.clone(), error },
        })?;
        let facts = Facts { metres_per_unit: body.metres_per_unit, ..Facts::default() };
        let mut report = PoseReport {
            character: self.character.display().to_string(),
            poses: motion.source.clone(),
            frames: frames.len(),
            fps: motion.animation.fps,
            vertices: body.rest.len(),
            examples: 0,
            units: Units::of_file(&facts, Some(&self.output)),
            skin_percent: None,
            file_joints: None,
            engines: Vec::new(),
            seconds: PoseSeconds { setup, total: 0.0 },
            output_bytes: 0,
            warnings: told(std::mem::take(&mut motion.warnings)),
        };
        let animation = MeshAnimation {
            mesh: body.mesh,
            rest: Some(body.rest),
            frames,
            fps: motion.animation.fps,
            clips: motion.animation.clips,
            nodes: Vec::new(),
        };
        match to {
            Some(to) => {
                let written = self.write_poses(&to, &animation, &facts, progress)?;
                report.output_bytes = written.bytes;
                report.warnings.extend(told(written.warnings));
            }
            None => {
                let skinned =
                    skin_animation(&animation, self.bones, progress).map_err(|error| match error {
                        sinew::skin::SkinError::Cancelled => JobError::Cancelled,
                        error => JobError::Skin { source_name: motion.source.clone(), error },
                    })?;
                report.take_rig(&skinned, &self.output, &facts, progress)?;
            }
        }
        report.seconds.total = begun.elapsed().as_secs_f64();
        Ok(report)
    }

    /// Reads the motion, in the unit of the body.
    fn motion(&self, body: &FleshBody, progress: &dyn Progress) -> Outcome<Opened> {
        let clips = self.clip.iter().cloned().collect();
        let options = OpenOptions { fps: self.fps, clips, ..OpenOptions::default() };
        let mut motion = open::motion(std::slice::from_ref(&self.primary), &options, progress)
            .map_err(|e| if progress.cancelled() { JobError::Cancelled } else { JobError::from(e) })?;
        let frames = &motion.animation.frames;
        let found = if frames.is_empty() { 0.0 } else { Bounds::of(frames.frame(0)).diagonal() };
        let facts = Facts { metres_per_unit: body.metres_per_unit, ..Facts::default() };
        let names = [&*self.character.display().to_string(), &motion.source.clone()];
        let sizes = [Bounds::of(&body.rest).diagonal(), found];
        if let Some(agreed) = beside([&facts, &motion.facts.clone()], names, sizes) {
            motion.animation.change(&Similarity::scaling(agreed.factor));
            motion.warnings.push(agreed.warning);
        }
        Ok(motion)
    }

    fn write_poses(
        &self,
        to: &Target,
        animation: &MeshAnimation,
        facts: &Facts,
        progress: &dyn Progress,
    ) -> Outcome<sinew_io::formats::Written> {
        progress.stage("writing");
        let frames = &animation.frames;
        let next = |frame: usize, out: &mut [Vec3]| -> Outcome<()> {
            progress.check()?;
            progress.advance(frame as f64 / frames.len() as f64);
            out.copy_from_slice(frames.frame(frame));
            Ok(())
        };
        let set = PoseSet {
            mesh: &animation.mesh,
            rest: animation.rest.as_deref(),
            frames: frames.len(),
            fps: animation.fps,
            clips: &animation.clips,
            clip: None,
            facts,
        };
        save_poses(&self.output, to, &set, progress, next)
    }
}

/// Each clip with flesh, which hangs still before its first frame.
fn moved(body: &FleshBody, motion: &Opened, progress: &dyn Progress) -> Result<Frames, FleshError> {
    let animation = &motion.animation;
    let width = 3 * animation.frames.vertex_count();
    let mut all = Vec::with_capacity(animation.frames.flat().len());
    for clip in animation.clips().iter() {
        let range = clip.frames.clone();
        let own = animation.frames.flat()[range.start * width..range.end * width].to_vec();
        let frames = Frames::new(own, range.len(), animation.frames.vertex_count());
        all.extend_from_slice(body.flesh.moved(&frames, clip.fps, progress)?.flat());
    }
    Ok(Frames::new(all, animation.frames.len(), animation.frames.vertex_count()))
}

//! Shapes of a character that was made ready.

use std::path::{Path, PathBuf};
use std::time::Instant;

use glam::Vec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sinew::animation::{Frames, MeshAnimation};
use sinew::deform::Deformer;
use sinew::progress::Progress;
use sinew::skin::{DescentOptions, Method, SkinError, SkinOptions, Skinned, skin};
use sinew_io::deform_file::Setup;
use sinew_io::formats::{Facts, PoseSet, Written};

use super::poses::{self, Poses};
use super::refuse::{character, refuse_setup};
use crate::engines::{advice, engines_of};
use crate::error::{JobError, Outcome};
use crate::names::has_extension;
use crate::poses::{MeshFormat, Target, save_poses};
use crate::report::EngineReport;
use crate::rig_file;
use crate::units::Units;
use crate::warning::{Warning, told};

/// Poses a character: a cache, a folder of frames, or a rig that any engine plays.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PoseCharacter {
    /// The character, made ready.
    pub character: PathBuf,
    /// The poses: a TOML file with one, or motion with joints of the same names.
    pub pose: PathBuf,
    /// Where to: a file of poses, a folder for one mesh a frame, or a GLB or .sinew file to skin the result.
    pub output: PathBuf,
    /// The clip of the motion, by name or number; without, the first that moves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clip: Option<String>,
    /// Frames per second that a clip is played at; without, its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fps: Option<f64>,
    /// Bones of a rig that is written; without, as many as about 1.5 percent of error need.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bones: Option<usize>,
    /// Format of frames in a folder.
    #[serde(default)]
    pub format: MeshFormat,
}

/// A character that was posed.
#[derive(Debug, Serialize)]
pub struct PoseReport {
    /// The character.
    pub character: String,
    /// The poses.
    pub poses: String,
    /// How many frames.
    pub frames: usize,
    /// Frames per second.
    pub fps: f64,
    /// How many vertices.
    pub vertices: usize,
    /// How many examples.
    pub examples: usize,
    /// Units of the character and of the file.
    #[serde(flatten)]
    pub units: Units,
    /// Error of the skin, in percent of the motion; null where nothing was skinned or nothing moves.
    pub skin_percent: Option<f64>,
    /// How many joints the file has: more than bones where one takes several, as flexible ones do; null where there is no
    /// file, or none that engines open.
    pub file_joints: Option<usize>,
    /// What engines play of a rig that was written, against the rig itself; empty where there is none.
    pub engines: Vec<EngineReport>,
    /// Time spent.
    pub seconds: PoseSeconds,
    /// The size of what was written.
    pub output_bytes: u64,
    /// What somebody should know.
    pub warnings: Vec<Warning>,
}

/// Seconds per stage.
#[derive(Debug, Serialize)]
pub struct PoseSeconds {
    /// Reading and setting up.
    pub setup: f64,
    /// All of it.
    pub total: f64,
}

/// Where poses go; none where they are skinned.
pub(super) fn target(output: &Path, format: MeshFormat) -> Outcome<Option<Target>> {
    let to_rig = ["glb", "sinew"].iter().any(|ending| has_extension(output, ending));
    if to_rig { Ok(None) } else { Target::of(output, format).map(Some) }
}

impl PoseReport {
    /// Writes a rig of the poses, and says what is to be said of it.
    pub(super) fn take_rig(
        &mut self,
        skinned: &Skinned,
        output: &Path,
        facts: &Facts,
        progress: &dyn Progress,
    ) -> Outcome<()> {
        progress.check()?;
        progress.stage("writing");
        let file = rig_file::encode_rig(output, &skinned.rig, None, true, None, facts)?;
        self.warnings.extend(file.warnings);
        self.file_joints = file.joints;
        self.skin_percent = Some(skinned.error.percent).filter(|percent| percent.is_finite());
        self.engines = engines_of(&skinned.rig, output, false);
        self.warnings.extend(advice(&self.engines, 0.0));
        self.output_bytes = sinew_io::save(output, |out| out.write_all(&file.bytes))?;
        Ok(())
    }
}

impl PoseCharacter {
    /// The file that is written, if it is one, once all is checked.
    pub(super) fn target(&self) -> Outcome<Option<&Path>> {
        let to = target(&self.output, self.format)?;
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
        let to = target(&self.output, self.format)?;
        progress.stage("reading");
        let setup = character(&self.character)?;
        let facts = facts(&setup);
        let of = poses::Of { rig: &setup.rig, facts: &facts };
        let poses = poses::read(&self.pose, self.clip.as_deref(), self.fps, &of, progress)?;
        progress.check()?;
        let deformer = setup.deformer(progress).or_else(|e| refuse_setup(&self.character, e))?;
        let mut report = PoseReport {
            character: self.character.display().to_string(),
            poses: self.pose.display().to_string(),
            frames: poses.poses.len(),
            fps: poses.fps,
            vertices: deformer.vertex_count(),
            examples: deformer.example_count(),
            units: Units::of_file(&facts, Some(&self.output)),
            skin_percent: None,
            file_joints: None,
            engines: Vec::new(),
            seconds: PoseSeconds { setup: begun.elapsed().as_secs_f64(), total: 0.0 },
            output_bytes: 0,
            warnings: poses.warnings.clone(),
        };
        match to {
            Some(to) => {
                let written = self.write_poses(&to, &setup, &deformer, &poses, progress)?;
                report.output_bytes = written.bytes;
                report.warnings.extend(told(written.warnings));
            }
            None => self.write_rig(&setup, &deformer, &poses, progress, &mut report)?,
        }
        report.seconds.total = begun.elapsed().as_secs_f64();
        Ok(report)
    }

    fn write_poses(
        &self,
        to: &Target,
        setup: &Setup,
        deformer: &Deformer,
        poses: &Poses,
        progress: &dyn Progress,
    ) -> Outcome<Written> {
        progress.stage("posing");
        let frames = poses.poses.len();
        let mut poser = deformer.poser();
        let next = |frame: usize, out: &mut [Vec3]| -> Outcome<()> {
            progress.check()?;
            progress.advance(frame as f64 / frames as f64);
            poser.pose_into(&poses.poses[frame], out);
            Ok(())
        };
        let set = PoseSet {
            mesh: &setup.rig.mesh,
            rest: Some(&setup.rig.rest),
            frames,
            fps: poses.fps,
            clips: &[],
            clip: None,
            facts: &facts(setup),
        };
        save_poses(&self.output, to, &set, progress, next)
    }

    fn write_rig(
        &self,
        setup: &Setup,
        deformer: &Deformer,
        poses: &Poses,
        progress: &dyn Progress,
        report: &mut PoseReport,
    ) -> Outcome<()> {
        let skinned =
            skin_poses(setup, deformer, poses, self.bones, progress).map_err(|error| match error {
                SkinError::Cancelled => JobError::Cancelled,
                error => JobError::Skin { source_name: self.pose.display().to_string(), error },
            })?;
        report.take_rig(&skinned, &self.output, &facts(setup), progress)
    }
}

/// What is known of a character's numbers.
pub(super) fn facts(setup: &Setup) -> Facts {
    Facts { metres_per_unit: setup.metres_per_unit, ..Facts::default() }
}

/// Skins poses of a character anew: a rig that any engine plays, with `bones` bones or as many as it needs.
///
/// # Errors
/// Why they cannot be skinned, or that the listener cancelled.
pub fn skin_poses(
    setup: &Setup,
    deformer: &Deformer,
    poses: &Poses,
    bones: Option<usize>,
    progress: &dyn Progress,
) -> Result<Skinned, SkinError> {
    progress.stage("posing");
    let mut poser = deformer.poser();
    // One pose alone is no motion to be skinned: bones are found from the rest pose and it, and then kept at it.
    let alone = poses.poses.len() == 1;
    let mut frames: Vec<Vec<Vec3>> = alone.then(|| setup.rig.rest.clone()).into_iter().collect();
    for (number, pose) in poses.poses.iter().enumerate() {
        progress.check()?;
        progress.advance(number as f64 / poses.poses.len() as f64);
        let mut out = vec![Vec3::ZERO; deformer.vertex_count()];
        poser.pose_into(pose, &mut out);
        frames.push(out);
    }
    let animation = MeshAnimation {
        mesh: setup.rig.mesh.clone(),
        rest: Some(setup.rig.rest.clone()),
        frames: Frames::from_poses(&frames),
        fps: poses.fps,
        clips: Vec::new(),
        nodes: Vec::new(),
    };
    let mut skinned = skin_animation(&animation, bones, progress)?;
    if alone {
        skinned.rig.transforms.drain(..skinned.rig.bones.len());
    }
    Ok(skinned)
}

/// Skins poses of a character, whose rest pose stays: its shading normals belong to it.
pub(super) fn skin_animation(
    animation: &MeshAnimation,
    bones: Option<usize>,
    progress: &dyn Progress,
) -> Result<Skinned, SkinError> {
    let method = Method::Best(DescentOptions { keep_rest: true, ..DescentOptions::default() });
    let options = SkinOptions { bones, ..SkinOptions::of(method) };
    skin(animation, &options, progress)
}

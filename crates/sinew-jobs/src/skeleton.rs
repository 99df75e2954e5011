//! An animation becomes a character: joints in a tree, their angles, and a skin.

mod known;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use glam::DQuat;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sinew::animation::Measured;
use sinew::progress::Progress;
use sinew::rig::{Player, Rig};
use sinew::segment::SkeletonSegmenter;
use sinew::skeleton::{
    Angles, JointLimits, JointNames, JointWeights, Skeletal, SkeletonError, SkeletonOptions,
    find_skeleton_knowing,
};
use sinew_io::Saving;
use sinew_io::formats::bvh;
use sinew_io::open::{OpenOptions, Opened};

use crate::engines::{WrittenRig, advice as engine_advice, engines};
use crate::error::{FileKind, JobError, Outcome};
use crate::job::{Job, around};
use crate::joints::{JointReport, joints};
use crate::report::{ClipReport, EngineReport, ErrorReport, clip_reports, peak_memory};
use crate::rig_file::{self, Encoded, Writing, encode, measure_clips, measure_rig, read_back};
use crate::skin::RestPoseChoice;
use crate::source::{Source, remedy};
use crate::streams::Files;
use crate::target;
use crate::units::Units;
use crate::warning::{Warning, told};

/// Turns an animation into a character: joints in a tree, their angles, and a skin.
///
/// Finds the joints that the motion shows, hangs them in one tree with bones of constant length, and finds how each joint
/// turns in every frame and how much of the surface it moves.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SkeletonJob {
    /// The animation.
    pub source: Source,
    /// The character: a file that holds a rig.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<PathBuf>,
    /// The motion of the joints without a skin, of several clips the first: a BVH file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bvh: Option<PathBuf>,
    /// Exactly so many joints; without, as many as the motion shows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joints: Option<usize>,
    /// Where the parts of the body come from.
    #[serde(default)]
    pub segment: SkeletonSegmenter,
    /// How joint angles are found.
    #[serde(default)]
    pub angles: Angles,
    /// How skin weights are found.
    #[serde(default)]
    pub weights: JointWeights,
    /// The most influences on a vertex, usually 4, which every engine keeps; some keep 8 or more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub influences: Option<usize>,
    /// How smooth fitted weights are over the surface, usually 1; 0 leaves them as the error wants them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub smooth: Option<f64>,
    /// What joints are called.
    #[serde(default)]
    pub names: JointNames,
    /// Joints that are known: a TOML or JSON file with their places in the rest pose, their names and parents, or the names of
    /// found joints that are to stay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joints_at: Option<PathBuf>,
    /// The root: a joint by the name or the number that it gets without this, or a place such as "0,0.9,0" in the rest pose,
    /// where the root then is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    /// The pose that the skeleton rests in; usually the one that came with the mesh, or else the first frame.
    #[serde(default, skip_serializing_if = "RestPoseChoice::is_auto")]
    pub rest_pose: RestPoseChoice,
    /// Parts or materials of the mesh by name, or pieces by number, that say nothing about joints; joints that fit them best
    /// carry them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignore: Vec<String>,
    /// The same, each carried by one joint as a whole.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rigid: Vec<String>,
    /// Stores less, with no vertex off by more than this many percent of the mesh's diagonal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compact: Option<f64>,
    /// The report, for programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<PathBuf>,
}

/// A character and how good it is.
#[derive(Debug, Serialize)]
pub struct SkeletonReport {
    /// How many frames.
    pub frames: usize,
    /// Frames per second; with clips, of the first.
    pub fps: f64,
    /// Whether that was taken for want of anything that told it.
    pub fps_assumed: bool,
    /// Units of the source and of the file.
    #[serde(flatten)]
    pub units: Units,
    /// How many vertices.
    pub vertices: usize,
    /// How many triangles.
    pub triangles: usize,
    /// How many joints.
    pub joints: usize,
    /// Null when the number was left to the motion.
    pub joints_asked: Option<usize>,
    /// Where the parts of the body came from.
    pub segment: SkeletonSegmenter,
    /// How joint angles were found.
    pub angles: Angles,
    /// How skin weights were found.
    pub weights: JointWeights,
    /// How many joints the file has: more than bones where one takes several, as flexible ones do; null where there is no
    /// file, or none that engines open.
    pub file_joints: Option<usize>,
    /// The most on any vertex.
    pub influences: usize,
    /// Share of the surface that keeps its shape within each part.
    pub near_rigid_fraction: f64,
    /// Distance from the original.
    pub error: ErrorReport,
    /// What engines play of the file; empty where none opens it.
    pub engines: Vec<EngineReport>,
    /// Root mean square error of each frame, in percent of the diagonal.
    pub error_per_frame: Vec<f64>,
    /// Clip by clip; empty where the animation is one.
    pub clips: Vec<ClipReport>,
    /// The joint tree, parents before children.
    pub skeleton: Vec<Limb>,
    /// Time spent.
    pub seconds: SkeletonSeconds,
    /// Sizes of files.
    pub bytes: SkeletonBytes,
    /// The most bytes the process ever held; null where the system does not tell.
    pub peak_memory: Option<u64>,
    /// What somebody should know.
    pub warnings: Vec<Warning>,
}

/// Seconds per stage.
#[derive(Debug, Serialize)]
pub struct SkeletonSeconds {
    /// Reading.
    pub read: f64,
    /// Finding parts.
    pub parts: f64,
    /// Finding the tree and its joints.
    pub joints: f64,
    /// Weights and angles.
    pub weights: f64,
    /// Writing and measuring files.
    pub write: f64,
    /// All of it.
    pub total: f64,
}

/// File sizes; null where none was written.
#[derive(Debug, Serialize)]
pub struct SkeletonBytes {
    /// What was read.
    pub input: u64,
    /// The character.
    pub output: Option<u64>,
    /// The motion.
    pub bvh: Option<u64>,
}

/// A joint with how far it turns.
#[derive(Debug, Serialize)]
pub struct Limb {
    /// The joint.
    #[serde(flatten)]
    pub joint: JointReport,
    /// Its axes in the rest pose as a quaternion (x, y, z, w) that turns the world's there: y along the bone, x what the
    /// joint bends about.
    pub axes: [f64; 4],
    /// How far the joint turns from the rest pose, in degrees and its own axes. From −180 to 180, unless it winds about x
    /// or y as a wheel does.
    pub limits: Limits,
}

/// From where to where a joint turns, in degrees.
#[derive(Debug, Serialize)]
pub struct Limits {
    /// How far it bends.
    pub x: [f64; 2],
    /// How far it twists about its bone.
    pub y: [f64; 2],
    /// How far it goes aside.
    pub z: [f64; 2],
}

impl SkeletonJob {
    /// The files that are written, in the order they are listed.
    pub fn targets(&self) -> [Option<&Path>; 3] {
        [self.output.as_deref(), self.bvh.as_deref(), self.report.as_deref()]
    }

    /// What the library is asked for.
    pub fn options(&self) -> SkeletonOptions {
        let usual = SkeletonOptions::default();
        SkeletonOptions {
            joints: self.joints,
            segmenter: self.segment,
            angles: self.angles,
            weights: self.weights,
            influences: self.influences.unwrap_or(usual.influences),
            names: self.names,
            smoothness: self.smooth.unwrap_or(usual.smoothness),
        }
    }
}

impl Job for SkeletonJob {
    const NAME: &'static str = "skeleton";
    type Report = SkeletonReport;

    fn validate(&self) -> Outcome<()> {
        if self.targets().iter().all(Option::is_none) {
            return Err(JobError::NoTarget { fields: &["output", "bvh", "report"] });
        }
        self.source.validate()?;
        self.check_fields()
    }

    fn report_to(&self) -> Option<&Path> {
        self.report.as_deref()
    }

    fn files(&mut self) -> Files<'_> {
        let Source { inputs, rest, .. } = &mut self.source;
        Files::default()
            .read(inputs)
            .read(rest)
            .read(&mut self.joints_at)
            .written(&mut self.output)
            .written(&mut self.bvh)
            .report(&mut self.report)
    }

    fn perform(&self, progress: &dyn Progress) -> Outcome<SkeletonReport> {
        let begun = Instant::now();
        let opened = self.source.read(progress)?;
        Ok(self.make(opened, begun, progress)?.report)
    }
}

/// A character that was made.
#[derive(Debug)]
pub struct Character {
    /// The rig.
    pub rig: Rig,
    /// How the rig is written to a file.
    pub writing: Writing,
    /// How good it is.
    pub report: SkeletonReport,
}

impl SkeletonJob {
    fn check_fields(&self) -> Outcome<()> {
        let targets = self.targets();
        target::check(&targets)?;
        known::check(self)?;
        if let Some(output) = &self.output {
            rig_file::check_name(output, self.compact)?;
        }
        self.bvh.iter().try_for_each(|path| FileKind::Motion.check(path))?;
        self.source.check_numbers()?;
        rig_file::check_compact(self.compact)?;
        if self.joints == Some(0) {
            return Err(JobError::NoJoints);
        }
        self.options().validate().map_err(JobError::SkeletonOptions)
    }

    /// Does the same with an animation in memory, and hands over what was made. Nothing has to be written.
    ///
    /// # Errors
    /// As [`Job::run`], and for fields that are about files of animations.
    pub fn run_on(&self, animation: Opened, progress: &dyn Progress) -> Outcome<Character> {
        self.check_fields()?;
        let opened = self.source.take(animation)?;
        around(self, |job| job.make(opened, Instant::now(), progress), |made| &made.report)
    }

    /// The work, on what was read.
    fn make(&self, mut opened: Opened, begun: Instant, progress: &dyn Progress) -> Outcome<Character> {
        let (options, open) = (self.options(), self.source.options());
        known::rest(self, &mut opened)?;
        let known = known::read(self, &opened)?;
        let read = begun.elapsed().as_secs_f64();
        let found = find_skeleton_knowing(&opened.animation, &options, &known, progress)
            .map_err(|e| explain(e, &opened, &open))?;
        progress.check()?;

        let clock = Instant::now();
        progress.stage("writing");
        let made = Made::new(self, &found, &opened)?;
        let written = WrittenRig {
            rig: made.in_file.as_ref().unwrap_or(&found.rig),
            path: self.output.as_deref(),
            packed: false,
            error: made.measured.error,
        };
        let engines = engines(&written, &|rig| Ok(measure_rig(rig, &opened.animation)))?;
        let mut warnings = told(opened.warnings.iter().cloned());
        warnings.extend(found.warnings.iter().cloned().map(Warning::Skeleton));
        warnings.extend(made.warnings.iter().cloned());
        warnings.extend(engine_advice(&engines, made.measured.error.percent));
        warnings.extend(Warning::loose(&found.rig.mesh));
        let units = Units::of_file(&opened.facts, self.output.as_deref());
        warnings.extend(units.doubt(self.source.scale));
        progress.check()?;
        let (output, bvh) = made.save(self)?;
        let rig = &found.rig;
        let report = SkeletonReport {
            frames: rig.frame_count(),
            fps: rig.fps,
            fps_assumed: opened.assumed_fps,
            units,
            vertices: rig.rest.len(),
            triangles: rig.mesh.triangles(&rig.rest).len(),
            joints: rig.bones.len(),
            joints_asked: options.joints,
            segment: self.segment,
            angles: self.angles,
            weights: self.weights,
            file_joints: made.joints,
            influences: rig.weights.most_influences(),
            near_rigid_fraction: found.near_rigid_fraction,
            error: made.measured.error.into(),
            engines,
            error_per_frame: made.measured.per_frame,
            clips: made.clips,
            skeleton: limbs(rig, &found.limits),
            seconds: SkeletonSeconds {
                read,
                parts: found.seconds.parts,
                joints: found.seconds.joints,
                weights: found.seconds.weights,
                write: clock.elapsed().as_secs_f64(),
                total: begun.elapsed().as_secs_f64(),
            },
            bytes: SkeletonBytes { input: opened.input_bytes, output, bvh },
            peak_memory: peak_memory(),
            warnings,
        };
        Ok(Character { writing: Writing::of(&found.rig, &opened), rig: found.rig, report })
    }
}

/// Puts limits beside the joints of a rig.
fn limbs(rig: &Rig, limits: &[JointLimits]) -> Vec<Limb> {
    let limits = limits.iter().map(|l| Limits {
        x: [l.least.x, l.most.x],
        y: [l.least.y, l.most.y],
        z: [l.least.z, l.most.z],
    });
    let joints = joints(rig).into_iter().flatten().zip(rig.joint_axes());
    let limb = |((joint, axes), limits): ((_, DQuat), _)| Limb { joint, axes: axes.to_array(), limits };
    joints.zip(limits).map(limb).collect()
}

/// Everything that is written, complete before the first file is touched.
struct Made {
    rig: Option<Vec<u8>>,
    /// Joints in it.
    joints: Option<usize>,
    bvh: Option<String>,
    /// The rig as a compact file holds it.
    in_file: Option<Rig>,
    /// How good the file is, which a compact one is not as the rig in it was.
    measured: Measured,
    clips: Vec<ClipReport>,
    warnings: Vec<Warning>,
}

impl Made {
    fn new(job: &SkeletonJob, found: &Skeletal, opened: &Opened) -> Outcome<Self> {
        let compact = job.compact.map(|percent| percent / 100.0);
        let (mut warnings, mut rig, mut joints, mut bvh, mut in_file) = (Vec::new(), None, None, None, None);
        if let Some(path) = &job.output {
            let Encoded { bytes, warnings: said, joints: written } =
                encode(path, &found.rig, opened, compact)?;
            joints = written;
            if compact.is_some() {
                let rig = read_back(&bytes, path, opened, opened.animation.frames.len())?;
                in_file = Some((measure_clips(&rig, &opened.animation), rig));
            }
            warnings.extend(said);
            rig = Some(bytes);
        }
        if let Some(path) = &job.bvh {
            let (text, left_out) = motion(path, &found.rig)?;
            warnings.extend(left_out);
            bvh = Some(text);
        }
        let ((measured, clips), in_file) = match in_file {
            Some((measured, rig)) => (measured, Some(rig)),
            None => {
                let measured = Measured { error: found.error, per_frame: found.error_per_frame.clone() };
                ((measured, clip_reports(&opened.animation, &Player::new(&found.rig))), None)
            }
        };
        Ok(Self { rig, joints, bvh, in_file, measured, clips, warnings })
    }

    /// Writes all files, then moves them to their places. Returns the bytes of the rig and of the motion.
    fn save(&self, job: &SkeletonJob) -> Outcome<(Option<u64>, Option<u64>)> {
        let rig = begin(job.output.as_deref(), self.rig.as_deref())?;
        let bvh = begin(job.bvh.as_deref(), self.bvh.as_ref().map(String::as_bytes))?;
        Ok((rig.map(Saving::commit).transpose()?, bvh.map(Saving::commit).transpose()?))
    }
}

fn begin(path: Option<&Path>, bytes: Option<&[u8]>) -> Outcome<Option<Saving>> {
    let (Some(path), Some(bytes)) = (path, bytes) else { return Ok(None) };
    let mut file = Saving::new(path)?;
    file.write_all(bytes).and_then(|()| file.flush()).map_err(sinew_io::Error::io(path))?;
    Ok(Some(file))
}

/// The motion of the first clip as BVH, and what was left out.
fn motion(path: &Path, rig: &Rig) -> Outcome<(String, Option<Warning>)> {
    let clips = rig.clips();
    let refuse = |message: String| JobError::File(sinew_io::Error::unsupported(path, message));
    let Some(first) = clips.first() else { return Err(refuse("there is no frame to write".into())) };
    let text = bvh::to_text(rig, first).map_err(refuse)?;
    let left_out = (clips.len() > 1).then(|| Warning::OneClip {
        path: path.into(),
        clip: first.name.clone(),
        clips: clips.len(),
    });
    Ok((text, left_out))
}

/// Adds the names of files, and what can be done.
fn explain(error: SkeletonError, opened: &Opened, options: &OpenOptions) -> JobError {
    let remedy = match &error {
        SkeletonError::Cancelled => Some(JobError::Cancelled),
        SkeletonError::Animation(error) => remedy(error, opened, options),
        _ => None,
    };
    remedy.unwrap_or_else(|| JobError::Skeleton { source_name: opened.source.clone(), error })
}

//! Motion from elsewhere on a rig.

pub mod doubts;
mod map;
mod picture;
mod poses;
mod report;

use std::path::{Path, PathBuf};
use std::time::Instant;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sinew::animation::Clip;
use sinew::motion::{
    Facing, Finish, Motion, MotionError, Plan, PlanOptions, Plant, SourcePose, Translations, TransplantError,
    Transplanter,
};
use sinew::progress::Progress;
use sinew::rig::Rig;
use sinew_io::Source;
use sinew_io::formats::{ASF, Facts};
use sinew_io::motion::{MotionOptions, OpenedMotion, Up, open_motion};
use sinew_io::open;
use sinew_io::scene::SampleOptions;

pub use self::poses::{RigPoseChoice, SourcePoseChoice};
pub use self::report::{
    AlignmentReport, MapReport, PlantReport, TransplantBytes, TransplantReport, TransplantSeconds, faced_by,
};
use crate::engines::{advice, engines_of};
use crate::error::{FileKind, JobError, Outcome};
use crate::job::Job;
use crate::pictures::save_png;
use crate::streams::Files;
use crate::units::{self, Unit, Units};
use crate::warning::{Warning, told};
use crate::{rig_file, target};

/// What stands for all clips.
const ALL: &str = "all";

/// Moves other motion onto a rig.
///
/// Bones turn as the joints of the source do, and go where the mesh holds together. For that it has to be known which joint
/// each bone follows, and one pose of the source that is a pose of the rig. Both are found where they are not given; the
/// report says which were taken and how well they agree.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TransplantJob {
    /// The motion: BVH, AMC (with its ASF beside it), or a file that holds a rig.
    pub source: PathBuf,
    /// The rig that is to move.
    pub onto: PathBuf,
    /// The rig to write; with `suggest` the map, a TOML file.
    pub output: PathBuf,
    /// Writes which joint each bone would follow, as a map to look at and correct, and moves nothing.
    #[serde(default)]
    pub suggest: bool,
    /// Which joint each bone follows, as `suggest` writes it; without, what it would write.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub map: Option<PathBuf>,
    /// The clip of the source, by name or number, or "all" for all of them; without, the first that moves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clip: Option<String>,
    /// Frames per second of the result; without, the source's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fps: Option<f64>,
    /// The pose of the source that is the rig's: "bind", a frame, or a frame of another clip as "CLIP:FRAME", counted from 0;
    /// without, of some poses the one that agrees best.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub align_source: Option<SourcePoseChoice>,
    /// The pose of the rig that is the source's: "rest" or a frame, counted from 0 over all clips; without, of some poses the
    /// one that agrees best.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub align_rig: Option<RigPoseChoice>,
    /// The ASF file that goes with an AMC file; without, the one beside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asf: Option<PathBuf>,
    /// Which axis of the source is up, where that is not what the file says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub up: Option<Up>,
    /// How long a unit of the source is, where that is not what the file says: "m", "cm", "mm", "in", "ft", "km" or a number
    /// of metres.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<Unit>,
    /// Makes the source this many times as large.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
    /// What holds the bones together.
    #[serde(default)]
    pub translations: Translations,
    /// Which way the rig faces in its rest pose.
    #[serde(default)]
    pub facing: Facing,
    /// Exchanges left and right of the motion.
    #[serde(default)]
    pub mirror: bool,
    /// What becomes of feet that stand in the source.
    #[serde(default)]
    pub plant: Plant,
    /// Takes the way over the ground out of the motion; feet then slide as on a treadmill.
    #[serde(default)]
    pub in_place: bool,
    /// Draws the source laid over the rig, and the rig in the colours of the joints that its bones follow: a PNG file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub picture: Option<PathBuf>,
    /// The report, for programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<PathBuf>,
}

/// What was read.
struct Inputs {
    rig: Rig,
    /// What is known of its numbers.
    facts: Facts,
    source: OpenedMotion,
    /// The clip that is moved over, and the frames of it, at the rate of the file.
    clip: Clip,
    played: Motion,
    warnings: Vec<Warning>,
}

impl Job for TransplantJob {
    const NAME: &'static str = "transplant";
    type Report = TransplantReport;

    fn validate(&self) -> Outcome<()> {
        let targets = self.targets();
        target::check(&targets)?;
        match self.suggest {
            true => FileKind::Map.check(&self.output)?,
            false => rig_file::check_name(&self.output, None)?,
        }
        self.picture.iter().try_for_each(|path| FileKind::Picture.check(path))?;
        units::check(self.scale)?;
        match self.fps.filter(|fps| !(*fps > 0.0 && fps.is_finite())) {
            Some(fps) => Err(JobError::FrameRate(fps)),
            None => Ok(()),
        }
    }

    fn report_to(&self) -> Option<&Path> {
        self.report.as_deref()
    }

    fn files(&mut self) -> Files<'_> {
        let read =
            Files::default().read([&mut self.source, &mut self.onto]).read(&mut self.map).read(&mut self.asf);
        read.written([&mut self.output]).written(&mut self.picture).report(&mut self.report)
    }

    fn perform(&self, progress: &dyn Progress) -> Outcome<TransplantReport> {
        let begun = Instant::now();
        progress.stage("reading");
        let inputs = self.read()?;
        let read = begun.elapsed().as_secs_f64();
        progress.check()?;
        let clock = Instant::now();
        let (plan, pose) = self.plan(&inputs, progress)?;
        let Inputs { rig, facts, source, clip, played, mut warnings } = inputs;
        let planned = clock.elapsed().as_secs_f64();
        progress.check()?;
        progress.stage("moving");
        let clock = Instant::now();
        let played = match self.fps {
            Some(fps) if played.clips().iter().any(|clip| clip.fps != fps) => {
                played.resampled(fps).map_err(|e| self.of_source(e))?
            }
            _ => played,
        };
        let transplanter = Transplanter::new(&rig, &played, &plan, self.translations, progress)
            .map_err(|e| self.of_either(e))?;
        let (mut engines, mut file_joints, mut planted, mut agreement, mut unlike) =
            (Vec::new(), None, None, None, None);
        let bytes = if self.suggest {
            let [source, onto] = [&self.source, &self.onto].map(|path| path.display().to_string());
            map::text(&source, &onto, &rig, &played, &plan).into_bytes()
        } else {
            warnings.extend(doubts::of_loss(&transplanter, &rig));
            let finish = Finish { plant: self.plant, in_place: self.in_place };
            let done = transplanter.finished(&rig, &played, &plan, finish, progress)?;
            unlike = doubts::of_result(&done);
            let moved = done.rig;
            (planted, agreement) = (done.planted, done.agreement);
            let file = rig_file::encode_alone(&self.output, &moved, &clip.name, &facts)?;
            warnings.extend(file.warnings);
            file_joints = file.joints;
            engines = engines_of(&moved, &self.output, false);
            warnings.extend(advice(&engines, 0.0));
            file.bytes
        };
        let moving = clock.elapsed().as_secs_f64();
        progress.check()?;
        progress.stage("writing");
        let clock = Instant::now();
        if let Some(path) = &self.picture {
            let followed = transplanter.followed();
            save_png(path, &picture::picture(&rig, &played, &plan, &followed)?)?;
        }
        let output = sinew_io::save(&self.output, |out| out.write_all(&bytes))?;
        let input = source.input_bytes + std::fs::metadata(&self.onto).map_or(0, |m| m.len());
        let places = if transplanter.carries() { "carried" } else { "solved" };
        warnings.extend(unlike);
        if self.align_source.is_none() || self.align_rig.is_none() {
            warnings.extend(plan.warnings().into_iter().map(Warning::Plan));
        }
        Ok(TransplantReport {
            source: source.source,
            rig: self.onto.display().to_string(),
            clip: clip.name,
            frames: played.frame_count(),
            fps: played.fps,
            bones: rig.bones.len(),
            joints: played.joints.len(),
            alignment: AlignmentReport::new(&plan.alignment, pose, plan.angle),
            map: report::map(&rig, &played, &plan),
            translations: (!self.suggest).then_some(places),
            stride: (!self.suggest)
                .then(|| transplanter.stride() * planted.map_or(1.0, |planted| planted.stride)),
            off_degrees: agreement.map(|agreement| agreement.degrees),
            planted: planted.map(PlantReport::from),
            file_joints,
            engines,
            units: Units::of_file(&facts, Some(&self.output)),
            seconds: TransplantSeconds {
                read,
                plan: planned,
                transplant: moving,
                write: clock.elapsed().as_secs_f64(),
                total: begun.elapsed().as_secs_f64(),
            },
            bytes: TransplantBytes { input, output },
            warnings,
        })
    }
}

impl TransplantJob {
    /// The files that are written, in the order they are listed.
    pub fn targets(&self) -> [Option<&Path>; 3] {
        [Some(self.output.as_path()), self.picture.as_deref(), self.report.as_deref()]
    }

    fn of_source(&self, error: MotionError) -> JobError {
        JobError::Transplant { path: self.source.clone(), error: error.into() }
    }

    /// Names the file that is at fault.
    fn of_either(&self, error: TransplantError) -> JobError {
        let path = match &error {
            TransplantError::Cancelled => return JobError::Cancelled,
            TransplantError::Motion(_)
            | TransplantError::NoSourceFrame { .. }
            | TransplantError::NoAlignment => &self.source,
            _ => &self.onto,
        };
        JobError::Transplant { path: path.clone(), error }
    }

    fn read(&self) -> Outcome<Inputs> {
        let format = open::format(&self.source)?;
        if format == &ASF && !self.suggest {
            return Err(JobError::SkeletonWithoutMotion(self.source.clone()));
        }
        let all = SampleOptions { clips: vec!["all".into()], ..SampleOptions::default() };
        let mut onto = open::rig(&self.onto, &all)?;
        // Some clips are sampled at the rate that is asked for; other files have frames, which are resampled.
        let options = MotionOptions {
            skeleton: self.asf.as_ref().map(Source::from),
            fps: self.fps.filter(|_| format.sampled),
            up: self.up,
            scale: self.scale,
            metres_per_unit: self.unit.map(Unit::metres),
            ..MotionOptions::default()
        };
        let mut source = open_motion(&self.source, &options)?;
        source.motion.scale(units::factor([&onto.facts, &source.facts]));
        if self.mirror {
            source.motion = source.motion.mirrored();
        }
        let split = doubts::split_for(&onto.rig, &source.motion);
        let (clip, played) = self.chosen(&source.motion)?;
        let mut warnings = told([onto.warnings, source.warnings.clone()].concat());
        warnings.extend(rig_file::left_behind(&self.onto)?);
        if let Some((rig, warning)) = split {
            onto.rig = rig;
            warnings.push(warning);
        }
        let was_said = self.clip.is_some();
        warnings.extend(doubts::of_clip(&source.motion, &clip, &played, was_said, &source.source));
        Ok(Inputs { rig: onto.rig, facts: onto.facts, source, clip, played, warnings })
    }

    /// The clip that is asked for, and its frames. All clips are one of that name, whose frames keep their own.
    fn chosen(&self, motion: &Motion) -> Outcome<(Clip, Motion)> {
        let clips = motion.clips();
        let clip = match self.clip.as_deref() {
            None => motion.first_moving_clip(),
            Some(wanted) => match motion.clip(wanted) {
                Err(_) if wanted == ALL && clips.len() == 1 => clips[0].clone(),
                Err(_) if wanted == ALL => {
                    let all = Clip { name: ALL.into(), frames: 0..motion.frame_count(), fps: motion.fps };
                    return Ok((all, motion.clone()));
                }
                found => found.map_err(|e| self.of_source(e))?,
            },
        };
        let played = motion.cut(clip.frames.clone());
        Ok((clip, played))
    }

    /// Finds what is not given, in all clips of the source. Returns the source's pose in words too.
    fn plan(&self, inputs: &Inputs, progress: &dyn Progress) -> Outcome<(Plan, String)> {
        let Inputs { rig, source, clip, played, .. } = inputs;
        let mapping = self.map.as_deref().map(|path| map::read(path, rig, played)).transpose()?;
        let given = self.align_source.as_ref().map(|choice| self.stated(source, clip, choice)).transpose()?;
        let options = PlanOptions {
            source: given,
            rig: self.align_rig.map(|choice| choice.0),
            mapping,
            facing: self.facing,
        };
        let plan = Plan::new(rig, &source.motion, &options, progress).map_err(|e| self.of_either(e))?;
        let clips = source.motion.clips();
        let pose = match plan.alignment.source {
            SourcePose::Bind => SourcePoseChoice::Bind,
            SourcePose::Frame(frame) => match clips.iter().find(|c| c.frames.contains(&frame)) {
                Some(clip) if clips.len() > 1 => {
                    SourcePoseChoice::OfClip(clip.name.clone(), frame - clip.frames.start)
                }
                _ => SourcePoseChoice::Frame(frame),
            },
        };
        Ok((plan, pose.to_string()))
    }

    /// The pose of the source that a user names, counted over all clips.
    fn stated(&self, source: &OpenedMotion, played: &Clip, choice: &SourcePoseChoice) -> Outcome<SourcePose> {
        let (clip, frame) = match choice {
            SourcePoseChoice::Bind => return Ok(SourcePose::Bind),
            SourcePoseChoice::Frame(frame) => (played.clone(), *frame),
            SourcePoseChoice::OfClip(name, frame) => {
                (source.motion.clip(name).map_err(|e| self.of_source(e))?, *frame)
            }
        };
        if frame < clip.frames.len() {
            return Ok(SourcePose::Frame(clip.frames.start + frame));
        }
        let (path, frames) = (self.source.clone(), clip.frames.len());
        Err(JobError::NoFrameToAlign { path, clip: clip.name, frame, frames })
    }
}

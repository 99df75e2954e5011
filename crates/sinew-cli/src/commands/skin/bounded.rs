//! `sinew skin` on animations that are larger than the working set.
//!
//! They go by twice, a few frames at a time: some are kept, and bones, weights, rest pose and correction shapes are
//! learnt from those; then what was learnt is taken through all, which get transforms and coefficients of their own
//! and are measured.

use std::path::PathBuf;
use std::time::Instant;

use glam::Vec3;
use sinew::animation::{
    AnimationError, Clip, ErrorMeasure, Frames, Measured, MeshAnimation, RunningClips, check_pose,
};
use sinew::progress::Progress;
use sinew::rig::{Player, Rig};
use sinew::skin::{Method, RestPose, SkinError, SkinOptions, Skinned, skin};
use sinew::stream::{Followed, Follower};
use sinew_io::open::{self, Opened, PoseStream};

use super::job::{Chosen, Job};
use super::{advice, explain, report};
use crate::console::size;
use crate::error::{CliError, Outcome};
use crate::progress::Session;
use crate::report::{ClipReport, LearntFrom, SkinBytes, SkinReport, SkinSeconds};
use crate::rig_file::{encode, read_back};
use crate::source::remedy;

/// Bytes of a vertex in one pose.
const POINT: u64 = 12;
/// Bytes that a fit takes for every vertex besides its poses (coordinates, weights, equations), and that any run takes
/// beside the working set. Measured on 30 bones and a few correction shapes, with something to spare.
const FIT: u64 = 1500;
const BASE: u64 = 64_000_000;
/// Bytes of a bone in one frame: solved, and on its way into a file.
const BONE: u64 = 250;
/// Bones where their number is left to the fit.
const BONES: usize = 40;
/// The fewest frames to learn from: weights that fit fewer fit little else.
const FEWEST: u64 = 16;
/// Frames that go by together.
const TOGETHER: usize = 32;

/// An animation beyond the working set.
struct Large {
    stream: PoseStream,
    frames: usize,
    clips: Vec<Clip>,
    /// Bytes of all poses.
    bytes: u64,
    /// The working set.
    memory: u64,
}

/// Makes a rig of an animation.
type Fit<'a> = Box<dyn Fn(&MeshAnimation, RestPose) -> Result<Skinned, SkinError> + 'a>;

/// Skins the animation in bounded memory, if it is larger than `memory`.
pub(super) fn skin_large(job: &Job, memory: u64, session: &Session) -> Outcome<Option<SkinReport>> {
    let begun = Instant::now();
    let Some(large) = Large::open(job, memory)? else { return Ok(None) };
    let fit = large.fit(job, session)?;
    let (frames, clips) = (large.frames, large.clips.clone());
    let chosen = large.chosen(job.options.rest_pose, job.options.bones)?;
    let mut opened = large.learn(job, &chosen, session)?;
    let bounds = opened.animation.rest_bounds();
    let read = begun.elapsed().as_secs_f64();
    let skinned = fit(&opened.animation, kept(job.options.rest_pose, &chosen))
        .map_err(|e| explain(e, &opened, &job.open))?;
    session.check()?;
    // The poses that were learnt from have done their part; the first still says which normals fit.
    let first = opened.animation.frames.frame(0).to_vec();
    opened.animation.frames = Frames::from_poses(&[first]);

    let clock = Instant::now();
    let mut follower = Follower::new(skinned.rig, clips.clone(), bounds);
    session.stage("all frames");
    each_part(job, frames, |part| {
        follower.follow(part);
        session.advance(follower.frames() as f64 / frames as f64);
        session.check()
    })?;
    let Followed { rig, mut measured, clips: mut of_clips } = follower.finish();
    let rest_pose = match skinned.rest_pose {
        RestPose::Frame(frame) => RestPose::Frame(chosen[frame]),
        other => other,
    };
    let skinned = Skinned { rig, rest_pose, ..skinned };
    let follow = clock.elapsed().as_secs_f64();

    let clock = Instant::now();
    let mut warnings = opened.warnings.clone();
    let mut output = None;
    if let Some(path) = &job.output {
        session.stage("writing");
        let (bytes, said) = encode(path, &skinned.rig, &opened, job.compact)?;
        warnings.extend(said);
        if job.compact.is_some() {
            let rig = read_back(&bytes, path, &opened.animation, frames)?;
            (measured, of_clips) = measure(job, &rig, RunningClips::new(clips.clone(), bounds), session)?;
        }
        session.check()?;
        output = Some(sinew_io::save(path, |out| out.write_all(&bytes))?);
    }
    let write = clock.elapsed().as_secs_f64();

    warnings.extend(skinned.warnings.iter().map(ToString::to_string));
    warnings.extend(advice(&skinned, &measured));
    let stages = skinned.seconds;
    let seconds = SkinSeconds { follow, ..SkinSeconds::new(&stages, read, write, begun) };
    let bytes = SkinBytes { input: opened.input_bytes, output };
    let of_clips = clips.iter().zip(of_clips).map(|(clip, error)| ClipReport::new(clip, error)).collect();
    let mut report = report(&skinned, job.options.bones, (measured, of_clips), seconds, bytes, warnings);
    report.learnt_from = Some(LearntFrom { frames: chosen.len(), working_set: memory });
    report.fps_assumed = opened.assumed_fps;
    Ok(Some(report))
}

impl Large {
    /// Opens an animation whose poses take more than `memory`. Rigs are held in memory as they are.
    fn open(job: &Job, memory: u64) -> Outcome<Option<Self>> {
        let is_rig = |path: &PathBuf| {
            path.is_file() && open::format(path).and_then(|f| f.holds(path)).is_ok_and(|holds| holds.rig)
        };
        if job.inputs.iter().any(is_rig) {
            return Ok(None);
        }
        // What cannot be opened is told by those who read it whole.
        let Ok(stream) = open::stream(&job.inputs, &job.open) else { return Ok(None) };
        let Some(frames) = stream.frame_count else { return Ok(None) };
        let bytes = POINT * stream.vertex_count() as u64 * frames as u64;
        let clips = stream.clips.clone();
        Ok((bytes > memory).then_some(Self { stream, frames, clips, bytes, memory }))
    }

    /// How frames that are kept become a rig.
    fn fit<'a>(&self, job: &'a Job, session: &'a Session) -> Outcome<Fit<'a>> {
        let with = move |options: &'a SkinOptions| -> Fit<'a> {
            Box::new(move |animation, rest_pose| {
                skin(animation, &SkinOptions { rest_pose, ..options.clone() }, session)
            })
        };
        Ok(match (&job.method, &job.options.method) {
            (Chosen::Plain, Method::Best(_) | Method::Sma(_)) if job.bones_from.is_none() => {
                with(&job.options)
            }
            (Chosen::Best(best), _) if best.rig.is_none() => with(&best.options),
            _ => {
                return CliError::refused(format!(
                    "{}: its frames take {}, more than the working set of {}; goals, given rigs and other methods \
                     than best and sma need them all at once: --memory {}MB",
                    self.stream.source,
                    size(self.bytes),
                    size(self.memory),
                    self.bytes.div_ceil(1_000_000)
                ));
            }
        })
    }

    /// The frames to learn from: evenly over all, with the first of every clip and the one that is to be the rest
    /// pose.
    fn chosen(&self, rest: RestPose, bones: Option<usize>) -> Outcome<Vec<usize>> {
        let vertices = self.stream.vertex_count().max(1) as u64;
        // Poses take no more than the working set, and with all else no more than twice that.
        let going_by = 2 * TOGETHER as u64 * POINT * vertices;
        let rig = BONE * bones.unwrap_or(BONES) as u64 * self.frames as u64;
        let others = (FIT * vertices + going_by + rig).saturating_sub(BASE);
        let room = (2 * self.memory).saturating_sub(others).min(self.memory);
        let count = room / (POINT * vertices);
        if count < FEWEST {
            let fewest = FEWEST * POINT * vertices;
            let least = fewest.max((others + fewest).div_ceil(2));
            return CliError::refused(format!(
                "{}: a fit of {vertices} vertices takes more than the working set of {}; --memory {}MB is enough",
                self.stream.source,
                size(self.memory),
                least.div_ceil(1_000_000)
            ));
        }
        let count = (count as usize).min(self.frames);
        let even = (0..count).map(|i| i * (self.frames - 1) / (count - 1).max(1));
        let mut chosen: Vec<usize> = even.chain(self.clips.iter().map(|c| c.frames.start)).collect();
        if let RestPose::Frame(frame) = rest {
            let last = self.frames - 1;
            if frame > last {
                let error = SkinError::NoSuchFrame { frame, last };
                return Err(CliError::Skin { source_name: self.stream.source.clone(), error });
            }
            chosen.push(frame);
        }
        chosen.sort_unstable();
        chosen.dedup();
        Ok(chosen)
    }

    /// Keeps the chosen frames of all that go by.
    fn learn(self, job: &Job, chosen: &[usize], session: &Session) -> Outcome<Opened> {
        session.stage("reading");
        let (frames, clips, source) = (self.frames, self.clips, self.stream.source.clone());
        let failed =
            |error: AnimationError| CliError::Skin { source_name: source.clone(), error: error.into() };
        let opened = open::chosen_poses(self.stream, chosen, |frame, pose| {
            session.advance(frame as f64 / frames as f64);
            session.check()?;
            check_pose(pose, frame, &clips).map_err(failed)
        })?;
        match opened.animation.validate() {
            Ok(()) => Ok(opened),
            Err(error) => Err(remedy(&error, &opened, &job.open).unwrap_or_else(|| failed(error))),
        }
    }
}

/// The same rest pose, by its place among the frames that are kept.
fn kept(rest: RestPose, chosen: &[usize]) -> RestPose {
    match rest {
        RestPose::Frame(frame) => RestPose::Frame(chosen.partition_point(|&c| c < frame)),
        other => other,
    }
}

/// Goes through all frames of the animation once more, a few at a time.
fn each_part(job: &Job, frames: usize, mut with: impl FnMut(&Frames) -> Outcome<()>) -> Outcome<()> {
    let mut stream = open::stream(&job.inputs, &job.open)?;
    let mut seen = 0;
    loop {
        let mut poses = Vec::new();
        let mut pose = vec![Vec3::ZERO; stream.vertex_count()];
        while poses.len() < TOGETHER && stream.next_into(&mut pose)? {
            poses.push(pose.clone());
        }
        seen += poses.len();
        if seen > frames || poses.is_empty() && seen < frames {
            return CliError::refused(format!("{}: the file changed while it was read", stream.source));
        }
        if poses.is_empty() {
            return Ok(());
        }
        with(&Frames::from_poses(&poses))?;
    }
}

/// The error of a rig that was read from a file.
fn measure(
    job: &Job,
    rig: &Rig,
    mut running: RunningClips,
    session: &Session,
) -> Outcome<(Measured, Vec<ErrorMeasure>)> {
    let player = Player::new(rig);
    let mut shown = vec![Vec3::ZERO; rig.rest.len()];
    each_part(job, rig.frame_count(), |part| {
        for t in 0..part.len() {
            player.pose_into(running.frames(), &mut shown);
            running.add(part.frame(t), &shown);
        }
        session.check()
    })?;
    Ok(running.finish())
}

//! Skinning animations that are larger than the working set.
//!
//! They go by twice, a few frames at a time: some are kept, and bones, weights, rest pose and correction shapes are
//! learnt from those; then what was learnt is taken through all, which get transforms and coefficients of their own
//! and are measured.

use std::path::PathBuf;
use std::time::Instant;

use glam::Vec3;
use sinew::animation::{AnimationError, Clip, ErrorMeasure, Frames, Measured, RunningClips, check_pose};
use sinew::geometry::Bounds;
use sinew::progress::Progress;
use sinew::rig::{Player, Rig};
use sinew::skin::{MethodName, RestPose, SkinError, SkinOptions, Skinned, Solve, skin};
use sinew::stream::{Followed, Follower};
use sinew_io::open::{self, Opened, PoseStream};

use super::order::{SkinJob, explain};
use super::parts::Parts;
use super::passing::{TOGETHER, each_part};
use super::{given, importance, report};
use crate::engines::{WrittenRig, engines};
use crate::error::{JobError, Outcome};
use crate::refusals::SkinRefusal;
use crate::report::{ClipReport, LearntFrom, ShardReport, SkinBytes, SkinReport, SkinSeconds};
use crate::rig_file::{Encoded, encode, read_back};
use crate::shard::Shard;
use crate::source::remedy;
use crate::warning::told;

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

/// Skins the animation in bounded memory, if it is larger than `memory`.
pub(super) fn skin_bounded(
    job: &SkinJob,
    memory: u64,
    progress: &dyn Progress,
) -> Outcome<Option<SkinReport>> {
    let begun = Instant::now();
    let Some(large) = Large::open(job, memory)? else { return Ok(None) };
    large.check(job)?;
    let rest_pose = job.fit.rest_pose.0;
    let (frames, clips) = (large.frames, large.clips.clone());
    let chosen = match job.fit.solve {
        // Nothing is learnt.
        Some(Solve::Transforms) => large.firsts(),
        _ => large.chosen(rest_pose, job.fit.bones)?,
    };
    let mut opened = large.learn(job, &chosen, progress)?;
    let bounds = opened.animation.rest_bounds();
    let read = begun.elapsed().as_secs_f64();
    let importance = match &job.fit.importance {
        Some(map) => importance::read(map, &opened.animation)?,
        None => Vec::new(),
    };
    let rest_pose = kept(rest_pose, &chosen);
    let (given, said) = given::read(&job.fit, &opened)?;
    let options = SkinOptions { rest_pose, importance, ..job.fit.skin_options(given) };
    let skinned = skin(&opened.animation, &options, progress)
        .map_err(|e| explain(e.into(), &opened, &job.source.options()))?;
    progress.check()?;
    // The poses that were learnt from have done their part; the first still says which normals fit.
    let first = opened.animation.frames.frame(0).to_vec();
    opened.animation.frames = Frames::from_poses(&[first]);

    let clock = Instant::now();
    progress.stage("all frames");
    let Done { followed, part } = followed(job, skinned.rig, frames, &clips, bounds, progress)?;
    let Followed { rig, mut measured, clips: mut of_clips } = followed;
    let rest_pose = match skinned.rest_pose {
        RestPose::Frame(frame) => RestPose::Frame(chosen[frame]),
        other => other,
    };
    let skinned = Skinned { rig, rest_pose, ..skinned };
    let follow = clock.elapsed().as_secs_f64();

    let clock = Instant::now();
    let mut warnings = told(opened.warnings.clone());
    warnings.extend(said);
    let (mut output, mut in_file, mut joints) = (None, None, None);
    let file = job.output.as_ref().filter(|_| part.is_none());
    if let Some(path) = file {
        progress.stage("writing");
        let Encoded { bytes, warnings: said, joints: found } =
            encode(path, &skinned.rig, &opened, job.share())?;
        warnings.extend(said);
        joints = found;
        if job.compact.is_some() {
            let rig = read_back(&bytes, path, &opened, frames)?;
            (measured, of_clips) = measure(job, &rig, RunningClips::new(clips.clone(), bounds), progress)?;
            in_file = Some(rig);
        }
        progress.check()?;
        output = Some(sinew_io::save(path, |out| out.write_all(&bytes))?);
    }
    let written = WrittenRig {
        rig: in_file.as_ref().unwrap_or(&skinned.rig),
        path: file.map(PathBuf::as_path),
        packed: false,
        error: measured.error,
    };
    let engines = engines(&written, &|rig| {
        Ok(measure(job, rig, RunningClips::new(clips.clone(), bounds), progress)?.0.error)
    })?;
    let write = clock.elapsed().as_secs_f64();

    warnings.extend(report::advice(&skinned, &measured, &engines));
    let of_clips: Vec<ClipReport> =
        clips.iter().zip(of_clips).map(|(clip, error)| ClipReport::new(clip, error)).collect();
    let mut report = report::of_rig(&skinned, measured, of_clips);
    report.engines = engines;
    report.file_joints = joints;
    report.bones_asked = job.fit.bones;
    if job.fit.solve != Some(Solve::Transforms) {
        report.learnt_from = Some(LearntFrom { frames: chosen.len(), working_set: memory });
    } else {
        report.rest_pose = "rig".into();
    }
    report.part = part;
    report.fps_assumed = opened.assumed_fps;
    report.units = job.units(&opened);
    warnings.extend(report.units.doubt(job.source.scale));
    report.seconds = SkinSeconds { follow, ..SkinSeconds::new(&skinned.seconds, read, write, begun) };
    report.bytes = SkinBytes { input: opened.input_bytes, output };
    report.warnings = warnings;
    Ok(Some(report))
}

/// What came of all frames, or of those of a part.
struct Done {
    followed: Followed,
    part: Option<ShardReport>,
}

/// Takes the skin of a rig through all frames, or through those of a part; the last part to come has all of them.
fn followed(
    job: &SkinJob,
    rig: Rig,
    frames: usize,
    clips: &[Clip],
    bounds: Bounds,
    progress: &dyn Progress,
) -> Outcome<Done> {
    let Some((shard, output)) = job.shard.zip(job.output.as_deref()) else {
        let mut follower = Follower::new(rig, clips.to_vec(), bounds);
        each_part(job, frames, |part| {
            follower.follow(part);
            progress.advance(follower.frames() as f64 / frames as f64);
            Ok(progress.check()?)
        })?;
        return Ok(Done { followed: follower.finish(), part: None });
    };
    let parts = Parts::new(job, output, shard, &rig, frames);
    // Clips count from the first frame of all.
    let own = parts.follow(job, Follower::new(rig, Vec::new(), bounds), frames, progress)?;
    let missing = parts.missing();
    if !missing.is_empty() {
        return Ok(Done { followed: own, part: Some(ShardReport { shard: shard.to_string(), missing }) });
    }
    let mut rig = own.rig;
    rig.clips = clips.to_vec();
    parts.join(&mut rig, frames)?;
    let (measured, of_clips) = measure(job, &rig, RunningClips::new(clips.to_vec(), bounds), progress)?;
    Ok(Done { followed: Followed { rig, measured, clips: of_clips }, part: None })
}

impl Large {
    /// Opens an animation whose poses take more than `memory`. Rigs are held in memory as they are.
    fn open(job: &SkinJob, memory: u64) -> Outcome<Option<Self>> {
        let is_rig = |path: &PathBuf| {
            path.is_file() && open::document(path).and_then(|file| file.holds()).is_ok_and(|holds| holds.rig)
        };
        if job.source.inputs.iter().any(is_rig) {
            return Ok(None);
        }
        job.source.check_clips()?;
        // What cannot be opened is told by those who read it whole.
        let Ok(stream) = open::stream(&job.source.inputs, &job.source.options()) else { return Ok(None) };
        let Some(frames) = stream.frame_count else { return Ok(None) };
        let bytes = POINT * stream.vertex_count() as u64 * frames as u64;
        let clips = stream.clips.clone();
        Ok((bytes > memory).then_some(Self { stream, frames, clips, bytes, memory }))
    }

    /// Refuses what needs all frames at once.
    fn check(&self, job: &SkinJob) -> Result<(), SkinRefusal> {
        if let Some(parts) = job.shard.map(Shard::count).filter(|parts| *parts > self.frames) {
            return Err(SkinRefusal::MorePartsThanFrames { parts, frames: self.frames });
        }
        let fit = &job.fit;
        let is_able = matches!(fit.method(), MethodName::Best | MethodName::Sma);
        let knows_skin = fit.solve == Some(Solve::Transforms) && fit.lock_bones.is_empty();
        if is_able && fit.goal.is_none() && (!fit.is_from_rig() || knows_skin) {
            return Ok(());
        }
        let source_name = self.stream.source.clone();
        Err(SkinRefusal::AllFramesNeeded { source_name, bytes: self.bytes, memory: self.memory })
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
            let (source_name, memory) = (self.stream.source.clone(), self.memory);
            return Err(SkinRefusal::MemoryTooSmall { source_name, vertices, memory, least }.into());
        }
        let count = (count as usize).min(self.frames);
        let even = (0..count).map(|i| i * (self.frames - 1) / (count - 1).max(1));
        let mut chosen: Vec<usize> = even.chain(self.clips.iter().map(|c| c.frames.start)).collect();
        if let RestPose::Frame(frame) = rest {
            let last = self.frames - 1;
            if frame > last {
                let error = SkinError::NoSuchFrame { frame, last };
                return Err(JobError::Skin { source_name: self.stream.source.clone(), error });
            }
            chosen.push(frame);
        }
        chosen.sort_unstable();
        chosen.dedup();
        Ok(chosen)
    }

    /// The first frame of all, and of every clip.
    fn firsts(&self) -> Vec<usize> {
        let mut firsts: Vec<usize> = self.clips.iter().map(|clip| clip.frames.start).collect();
        firsts.push(0);
        firsts.sort_unstable();
        firsts.dedup();
        firsts
    }

    /// Keeps the chosen frames of all that go by.
    fn learn(self, job: &SkinJob, chosen: &[usize], progress: &dyn Progress) -> Outcome<Opened> {
        progress.stage("reading");
        let (frames, clips, source) = (self.frames, self.clips, self.stream.source.clone());
        let failed =
            |error: AnimationError| JobError::Skin { source_name: source.clone(), error: error.into() };
        let opened = open::chosen_poses(self.stream, chosen, |frame, pose| {
            progress.advance(frame as f64 / frames as f64);
            progress.check()?;
            check_pose(pose, frame, &clips).map_err(failed)
        })?;
        match opened.animation.validate() {
            Ok(()) => Ok(opened),
            Err(error) => {
                Err(remedy(&error, &opened, &job.source.options()).unwrap_or_else(|| failed(error)))
            }
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

/// The error of a rig that was read from a file.
fn measure(
    job: &SkinJob,
    rig: &Rig,
    mut running: RunningClips,
    progress: &dyn Progress,
) -> Outcome<(Measured, Vec<ErrorMeasure>)> {
    let player = Player::new(rig);
    let mut shown = vec![Vec3::ZERO; rig.rest.len()];
    each_part(job, rig.frame_count(), |part| {
        for t in 0..part.len() {
            player.pose_into(running.frames(), &mut shown);
            running.add(part.frame(t), &shown);
        }
        Ok(progress.check()?)
    })?;
    Ok(running.finish())
}

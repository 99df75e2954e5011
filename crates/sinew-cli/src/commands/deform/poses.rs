//! Poses as people write them, and as files of motion hold them.

use std::collections::BTreeMap;
use std::path::Path;

use glam::{DQuat, DVec3};
use serde::Deserialize;
use sinew::deform::Pose;
use sinew::motion::Motion;
use sinew::rig::{JointPose, Rig};
use sinew_io::motion::{MotionOptions, open_motion};
use sinew_io::toml_file;

use super::refuse;
use crate::console::count;
use crate::error::{CliError, Outcome};
use crate::rig_file::has_extension;

/// What a line of the file looks like.
const EXPECTED: &str =
    "a pose has place = [0, 1, 0] or, below a line [turns], lines such as \"arm\" = [0, 0, 70]";

/// A pose in words: what turns, and where the root is.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PoseFile {
    /// By the names of joints, the axis times the angle in degrees, against the parent and from the rest
    /// pose.
    #[serde(default)]
    pub turns: BTreeMap<String, [f64; 3]>,
    /// Where the root is, if not where it rests.
    pub place: Option<[f64; 3]>,
}

/// Poses one after the other.
pub(super) struct Poses {
    pub poses: Vec<Pose>,
    pub fps: f64,
    pub warnings: Vec<String>,
}

impl PoseFile {
    /// The pose of a rig; `path` is the file it was written in.
    pub fn pose(&self, path: &Path, rig: &Rig) -> Outcome<Pose> {
        let skeleton = rig.skeleton.clone().unwrap_or_default();
        let mut pose = Pose::rest(&skeleton, &rig.joint_places());
        for (name, degrees) in &self.turns {
            let Some(joint) = rig.bones.iter().position(|bone| bone.name == *name) else {
                return refuse(path, format!("there is no joint {name:?} in the rig"));
            };
            pose.turns[joint] = DVec3::from(*degrees).map(f64::to_radians);
        }
        if let Some(place) = self.place {
            skeleton.roots().take(1).for_each(|root| pose.places[root] = DVec3::from(place));
        }
        match pose.turns.iter().chain(&pose.places).all(|v| v.is_finite()) {
            true => Ok(pose),
            false => refuse(path, "the pose has a number that is not finite"),
        }
    }
}

/// Reads poses: one of a TOML file, all frames of a motion.
pub(super) fn read(path: &Path, clip: Option<&str>, rig: &Rig) -> Outcome<Poses> {
    if has_extension(path, "toml") {
        let pose = toml_file::read::<PoseFile>(path, EXPECTED)?.pose(path, rig)?;
        return Ok(Poses { poses: vec![pose], fps: rig.fps, warnings: Vec::new() });
    }
    let opened = open_motion(path, &MotionOptions::default())?;
    let clips = opened.motion.clips();
    let chosen = match clip {
        Some(wanted) => opened.motion.clip(wanted).or_else(|e| refuse(path, e))?,
        None => clips[0].clone(),
    };
    let mut warnings = opened.warnings.clone();
    if clip.is_none() && clips.len() > 1 {
        warnings.push(format!("{} has several clips and {} was taken", path.display(), chosen.name));
    }
    let motion = opened.motion.cut(chosen.frames.clone());
    let follows: Vec<Option<usize>> = rig.bones.iter().map(|bone| motion.find(&bone.name)).collect();
    let missing = follows.iter().filter(|joint| joint.is_none()).count();
    if missing == follows.len() {
        return refuse(
            path,
            "no joint has a name of the character's skeleton; bring the motion onto it with sinew transplant first",
        );
    }
    if missing > 0 {
        let joints = count(missing, "joint is", "joints are");
        warnings.push(format!("{joints} not in {}; they stay as in the rest pose", path.display()));
    }
    let mut poses: Vec<Pose> = Vec::new();
    for frame in 0..motion.frame_count() {
        let pose = Pose::from(&joint_pose(rig, &motion, &follows, frame));
        poses.push(match poses.last() {
            Some(before) => pose.after(before),
            None => pose,
        });
    }
    Ok(Poses { poses, fps: motion.fps, warnings })
}

/// A frame of a motion as a pose of the rig's joints, each of which follows a joint or its parent.
fn joint_pose(rig: &Rig, motion: &Motion, follows: &[Option<usize>], frame: usize) -> JointPose {
    let (rotations, worlds) = (motion.rotations(frame), motion.frame(frame));
    let mut pose = JointPose::default();
    let mut turned: Vec<DQuat> = Vec::new();
    let parents = rig.skeleton.as_ref().map_or(&[][..], |skeleton| &skeleton.parents);
    for (joint, parent) in parents.iter().enumerate() {
        let above = parent.map_or(DQuat::IDENTITY, |parent| turned[parent]);
        let world = follows[joint].map_or(above, |source| rotations[source]);
        turned.push(world);
        pose.turns.push((above.inverse() * world).normalize());
        let moved = follows[joint]
            .map_or(DVec3::ZERO, |source| worlds[source].translation - motion.bind[source].translation);
        pose.places.push(if parent.is_none() { rig.bones[joint].center + moved } else { DVec3::ZERO });
    }
    pose
}

/// The pose of a frame of a file, counted from 0.
pub(super) fn one(path: &Path, clip: Option<&str>, frame: usize, rig: &Rig) -> Outcome<(Pose, Vec<String>)> {
    let Poses { mut poses, warnings, .. } = read(path, clip, rig)?;
    let frames = poses.len();
    if frame >= frames {
        return Err(CliError::Refused(format!(
            "{}: there is no frame {frame}; the frames are 0 to {}",
            path.display(),
            frames - 1
        )));
    }
    Ok((poses.swap_remove(frame), warnings))
}

//! Poses as people write them, and as files of motion hold them.

use std::collections::BTreeMap;
use std::path::Path;

use glam::{DAffine3, DMat3, DQuat, DVec3};
use serde::Deserialize;
use sinew::deform::Pose;
use sinew::geometry::{Bounds, Similarity};
use sinew::motion::{Motion, Plan, PlanOptions, Translations, TransplantError, Transplanter};
use sinew::progress::Progress;
use sinew::rig::{Bone, JointPose, Rig};
use sinew::solve::polar;
use sinew_io::formats::Facts;
use sinew_io::motion::{MotionOptions, open_motion};
use sinew_io::scene::{SampleOptions, SampledRig};
use sinew_io::{open, toml_file};

use super::refuse::refuse;
use crate::error::{JobError, Outcome};
use crate::names::has_extension;
use crate::units;
use crate::warning::{Warning, told};

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
pub struct Poses {
    /// The poses.
    pub poses: Vec<Pose>,
    /// Frames per second.
    pub fps: f64,
    /// What somebody should know.
    pub warnings: Vec<Warning>,
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

/// A character that poses are of.
pub(super) struct Of<'a> {
    pub rig: &'a Rig,
    /// What is known of its numbers.
    pub facts: &'a Facts,
}

/// Reads poses: one of a TOML file, all frames of a motion, at so many a second or as it has them.
pub(super) fn read(
    path: &Path,
    clip: Option<&str>,
    fps: Option<f64>,
    of: &Of,
    progress: &dyn Progress,
) -> Outcome<Poses> {
    let rig = of.rig;
    if has_extension(path, "toml") {
        let pose = toml_file::read::<PoseFile>(path, EXPECTED)?.pose(path, rig)?;
        return Ok(Poses { poses: vec![pose], fps: rig.fps, warnings: Vec::new() });
    }
    if let Some(own) = of_same_rig(path, clip, fps, of)? {
        return Ok(own);
    }
    // Some clips are sampled at the rate that is asked for; other files have frames, which are resampled.
    let sampled = fps.filter(|_| open::format(path).is_ok_and(|format| format.sampled));
    let mut opened = open_motion(path, &MotionOptions { fps: sampled, ..MotionOptions::default() })?;
    opened.motion.scale(units::factor([of.facts, &opened.facts]));
    let clips = opened.motion.clips();
    let chosen = match clip {
        Some(wanted) => opened.motion.clip(wanted).or_else(|e| refuse(path, e))?,
        None => opened.motion.first_moving_clip(),
    };
    let mut warnings = told(opened.warnings.clone());
    if clip.is_none() && clips.len() > 1 {
        warnings.push(Warning::PosesOfClip { path: path.into(), taken: chosen.name.clone() });
    }
    let mut motion = opened.motion.cut(chosen.frames.clone());
    if let Some(fps) = fps.filter(|fps| *fps != motion.fps) {
        motion = motion.resampled(fps).or_else(|e| refuse(path, e))?;
    }
    let follows: Vec<Option<usize>> = rig.bones.iter().map(|bone| motion.find(&bone.name)).collect();
    let missing = follows.iter().filter(|joint| joint.is_none()).count();
    if missing == follows.len() {
        return refuse(
            path,
            "no joint has a name of the character's skeleton; bring the motion onto it with sinew transplant first",
        );
    }
    if !rests_alike(rig, &motion, &follows) {
        return moved_over(path, rig, &motion, warnings, progress);
    }
    if missing > 0 {
        warnings.push(Warning::JointsMissing { path: path.into(), joints: missing });
    }
    let frames = (0..motion.frame_count()).map(|frame| joint_pose(rig, &motion, &follows, frame));
    Ok(Poses { poses: in_turn(frames), fps: motion.fps, warnings })
}

/// Poses one after the other, each turned as the one before it leads to.
fn in_turn(frames: impl Iterator<Item = Pose>) -> Vec<Pose> {
    let mut poses: Vec<Pose> = Vec::new();
    for pose in frames {
        poses.push(match poses.last() {
            Some(before) => pose.after(before),
            None => pose,
        });
    }
    poses
}

/// Joints at rest are at the same places if none is off by more than this share of the diagonal.
const SAME_PLACE: f64 = 1e-3;

/// Whether joints of a motion are bound as those of the character that have their names rest, but for where the
/// whole is: many files bind their root at the origin.
fn rests_alike(rig: &Rig, motion: &Motion, follows: &[Option<usize>]) -> bool {
    let far = SAME_PLACE * Bounds::of(&rig.rest).diagonal();
    let apart =
        |(bone, joint): (&Bone, &Option<usize>)| Some(motion.bind[(*joint)?].translation - bone.center);
    let apart: Vec<DVec3> = rig.bones.iter().zip(follows).filter_map(apart).collect();
    apart.iter().all(|by| by.distance(apart[0]) <= far)
}

/// Frames of a rig file with all joints of the character, resting as they do but perhaps turned: what its bones
/// do is what the character's are to do, with whatever nodes stand above them. None for anything else.
fn of_same_rig(path: &Path, clip: Option<&str>, fps: Option<f64>, of: &Of) -> Outcome<Option<Poses>> {
    let rig = of.rig;
    if !open::format(path)?.is_rig() {
        return Ok(None);
    }
    let clips = clip.map(Into::into).into_iter().collect();
    let options = SampleOptions { clips, fps, ..SampleOptions::default() };
    let Ok(SampledRig { rig: mut other, warnings, facts, .. }) = open::rig(path, &options) else {
        return Ok(None);
    };
    other.change(&Similarity::scaling(units::factor([of.facts, &facts])));
    let find = |bone: &Bone| other.bones.iter().position(|o| o.name == bone.name);
    let Some(same) = rig.bones.iter().map(find).collect::<Option<Vec<usize>>>() else { return Ok(None) };
    let places: Vec<DVec3> = same.iter().map(|&b| other.bones[b].center).collect();
    let Some(to_theirs) = laid_over(&rig.joint_places(), &places) else { return Ok(None) };
    let far = SAME_PLACE * Bounds::of(&rig.rest).diagonal();
    let off = |(bone, place): (&Bone, &DVec3)| to_theirs.transform_point3(bone.center).distance(*place);
    if other.skeleton.is_none() || rig.bones.iter().zip(&places).map(off).any(|off| off > far) {
        return Ok(None);
    }
    let frames = (0..other.frame_count()).map(|frame| {
        let theirs = other.frame_transforms(frame);
        let own: Vec<DAffine3> = same.iter().map(|&b| theirs[b] * to_theirs).collect();
        of_transforms(rig, &own)
    });
    Ok(Some(Poses { poses: in_turn(frames), fps: other.fps, warnings: told(warnings) }))
}

/// The rigid motion that lays some places over others best.
fn laid_over(from: &[DVec3], to: &[DVec3]) -> Option<DAffine3> {
    let middle = |of: &[DVec3]| of.iter().sum::<DVec3>() / of.len().max(1) as f64;
    let (a, b) = (middle(from), middle(to));
    let product = |(p, q): (&DVec3, &DVec3)| {
        let (p, q) = (*p - a, *q - b);
        DMat3::from_cols(q * p.x, q * p.y, q * p.z)
    };
    let products = from.iter().zip(to).map(product).sum();
    let matrix3 = polar(products)?;
    Some(DAffine3 { matrix3, translation: b - matrix3 * a })
}

/// A joint has left where its parent carries it if it is off by more than this share of the diagonal; less comes from
/// rounding.
const LEFT: f64 = 1e-5;

/// The pose of joints that are turned and placed like this, given where they rest.
fn of_places(rig: &Rig, turned: &[DQuat], places: &[DVec3], rest: &[DVec3]) -> Pose {
    let mut pose = JointPose::default();
    let least = LEFT * Bounds::of(&rig.rest).diagonal();
    let parents = rig.skeleton.as_ref().map_or(&[][..], |skeleton| &skeleton.parents);
    for (joint, parent) in parents.iter().enumerate() {
        let Some(parent) = *parent else {
            pose.turns.push(turned[joint].normalize());
            pose.places.push(places[joint]);
            continue;
        };
        let back = turned[parent].inverse();
        pose.turns.push((back * turned[joint]).normalize());
        let left = back * (places[joint] - places[parent]) - (rest[joint] - rest[parent]);
        pose.places.push(if left.length() > least { left } else { DVec3::ZERO });
    }
    Pose::from(&pose)
}

/// The pose of joints whose bones do this to the rest pose.
fn of_transforms(rig: &Rig, transforms: &[DAffine3]) -> Pose {
    let mut turned: Vec<DQuat> = Vec::new();
    let parents = rig.skeleton.as_ref().map_or(&[][..], |skeleton| &skeleton.parents);
    for (joint, parent) in parents.iter().enumerate() {
        let above = parent.map_or(DQuat::IDENTITY, |parent| turned[parent]);
        turned.push(polar(transforms[joint].matrix3).map_or(above, |m| DQuat::from_mat3(&m)));
    }
    let rest = rig.joint_places();
    let places: Vec<DVec3> = transforms.iter().zip(&rest).map(|(t, p)| t.transform_point3(*p)).collect();
    of_places(rig, &turned, &places, &rest)
}

/// Limbs that are farther apart than this many degrees at rest do not tell how one figure stands for another.
const FAR_APART: f64 = 45.0;

/// Poses of a motion of another figure, moved over as `sinew transplant` does.
fn moved_over(
    path: &Path,
    rig: &Rig,
    motion: &Motion,
    mut warnings: Vec<Warning>,
    progress: &dyn Progress,
) -> Outcome<Poses> {
    let refuse = |error: TransplantError| match error {
        TransplantError::Cancelled => JobError::Cancelled,
        error => JobError::Transplant { path: path.into(), error },
    };
    let plan = Plan::new(rig, motion, &PlanOptions::default(), progress).map_err(refuse)?;
    let transplanter = Transplanter::new(rig, motion, &plan, Translations::Auto, progress).map_err(refuse)?;
    warnings.push(Warning::RestElsewhere { path: path.into() });
    if let Some(degrees) = plan.angle.filter(|angle| *angle > FAR_APART) {
        warnings.push(Warning::LimbsApart { degrees: degrees.round() });
    }
    let moved = transplanter.transplant(rig, motion, progress)?;
    let frames = (0..moved.frame_count()).map(|frame| of_transforms(rig, moved.frame_transforms(frame)));
    Ok(Poses { poses: in_turn(frames), fps: motion.fps, warnings })
}

/// A frame of a motion as a pose of the rig's joints, each of which follows a joint or its parent.
fn joint_pose(rig: &Rig, motion: &Motion, follows: &[Option<usize>], frame: usize) -> Pose {
    let (rotations, worlds) = (motion.rotations(frame), motion.frame(frame));
    let own = rig.joint_places();
    let (mut turned, mut places): (Vec<DQuat>, Vec<DVec3>) = Default::default();
    let parents = rig.skeleton.as_ref().map_or(&[][..], |skeleton| &skeleton.parents);
    for (joint, parent) in parents.iter().enumerate() {
        let above = parent.map_or(DQuat::IDENTITY, |parent| turned[parent]);
        turned.push(follows[joint].map_or(above, |source| rotations[source]));
        let carried = |parent: usize| places[parent] + above * (own[joint] - own[parent]);
        places.push(match (follows[joint], *parent) {
            (Some(source), None) => worlds[source].translation,
            (None, None) => own[joint],
            // How the source's own bone has changed, which is not quite as long.
            (Some(source), Some(parent)) => match follows[parent] {
                Some(before) => {
                    let now = worlds[source].translation - worlds[before].translation;
                    let bound = motion.bind[source].translation - motion.bind[before].translation;
                    carried(parent) + now - above * bound
                }
                None => carried(parent),
            },
            (None, Some(parent)) => carried(parent),
        });
    }
    of_places(rig, &turned, &places, &own)
}

/// The pose of a frame of a file, counted from 0.
pub(super) fn one(
    path: &Path,
    clip: Option<&str>,
    frame: usize,
    of: &Of,
    progress: &dyn Progress,
) -> Outcome<(Pose, Vec<Warning>)> {
    let Poses { mut poses, warnings, .. } = read(path, clip, None, of, progress)?;
    let frames = poses.len();
    if frame >= frames {
        return Err(JobError::NoFrame { source_name: path.display().to_string(), frame, frames });
    }
    Ok((poses.swap_remove(frame), warnings))
}

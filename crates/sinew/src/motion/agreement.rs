//! How well limbs of a rig go the way that those of a source do.
//!
//! A limb is the way from a bone to the one it hangs on, held against the way between the joints that the two follow. Long
//! limbs count more: how a hip lies to the pelvis is a matter of where joints were put.

use glam::DVec3;

use super::icp::SkeletonPose;
use super::plan_warning::PlanWarning;
use super::poses::{SourcePose, worlds};
use super::tuning::TUNING;
use super::{Mapping, Motion};
use crate::animation::evenly;
use crate::progress::{Cancelled, Progress, map_in_parallel};
use crate::rig::Rig;

/// Angles between limbs of a result and of its source, over the frames.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Agreement {
    /// Mean angle, in degrees, longer limbs counting more.
    pub degrees: f64,
    /// The bone whose limb is farthest off, and its mean angle.
    pub worst: (usize, f64),
}

impl Agreement {
    /// What somebody should know, if it is poor.
    pub fn warning(&self) -> Option<PlanWarning> {
        let degrees = self.degrees;
        (degrees > TUNING.doubts.apart_degrees).then_some(PlanWarning::LimbsApart { degrees })
    }
}

/// A bone, how long its limb is, and the angle to that of the source.
pub(super) struct LimbAngle {
    pub bone: usize,
    pub length: f64,
    pub degrees: f64,
}

/// Angles of all limbs where both sides have them, given the way of each bone from the one it hangs on and the places of
/// joints.
pub(super) fn limb_angles(
    parents: &[Option<usize>],
    mapping: &Mapping,
    way: impl Fn(usize, usize) -> DVec3,
    theirs: &[DVec3],
) -> Vec<LimbAngle> {
    let limb = |bone: usize| {
        let parent = parents[bone]?;
        let (own, above) = (mapping.joints[bone]?, mapping.joints[parent]?);
        let joints = (theirs[own] - theirs[above]).try_normalize()?;
        let bones = way(bone, parent);
        let degrees = bones.try_normalize()?.dot(joints).clamp(-1.0, 1.0).acos().to_degrees();
        Some(LimbAngle { bone, length: bones.length(), degrees })
    };
    (0..parents.len()).filter_map(limb).collect()
}

/// Where the joints of a source are that bones of a rig are held against: with a skeleton joints themselves, else the
/// middles of what they carry, as bones are where their surface is.
pub(super) fn places_of(rig: &Rig, motion: &Motion, pose: SourcePose) -> Vec<DVec3> {
    let worlds = worlds(motion, pose);
    match rig.skeleton {
        Some(_) => worlds.iter().map(|t| t.translation).collect(),
        None => {
            let frame = SkeletonPose::new(motion, pose);
            (0..worlds.len()).map(|joint| frame.middle(joint)).collect()
        }
    }
}

/// The mean of angles, longer limbs counting more; none where there are none.
pub(super) fn mean_angle(limbs: &[LimbAngle]) -> Option<f64> {
    let total: f64 = limbs.iter().map(|limb| limb.length).sum();
    let sum: f64 = limbs.iter().map(|limb| limb.length * limb.degrees).sum();
    (total > 0.0).then(|| sum / total)
}

/// Holds a result against its source in some frames; none where nothing hangs on anything.
pub(super) fn agreement(
    moved: &Rig,
    motion: &Motion,
    mapping: &Mapping,
    parents: &[Option<usize>],
    progress: &dyn Progress,
) -> Result<Option<Agreement>, Cancelled> {
    let frames: Vec<usize> = evenly(moved.frame_count(), TUNING.doubts.agreement_frames).collect();
    let of_frame = |i: usize| {
        let ours = moved.moved_centers(moved.frame_transforms(frames[i]));
        limb_angles(
            parents,
            mapping,
            |a, b| ours[a] - ours[b],
            &places_of(moved, motion, SourcePose::Frame(frames[i])),
        )
    };
    let limbs: Vec<LimbAngle> =
        map_in_parallel(progress, frames.len(), of_frame)?.into_iter().flatten().collect();
    let Some(degrees) = mean_angle(&limbs) else { return Ok(None) };
    let mut sums = vec![(0.0, 0.0); parents.len()];
    for limb in &limbs {
        sums[limb.bone].0 += limb.degrees;
        sums[limb.bone].1 += 1.0;
    }
    let means = sums.into_iter().map(|(sum, count): (f64, f64)| if count > 0.0 { sum / count } else { 0.0 });
    let worst = means.enumerate().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((0, 0.0));
    Ok(Some(Agreement { degrees, worst }))
}

//! Which two poses are the same: one of a source and one of a rig.
//!
//! Section 2.3 of "Transplanting and Editing Animations on Skinned Meshes" aligns rest poses through a pose
//! that both can take. Here one pose of each side is said to be that pose, by the user or by a search over
//! poses of both: for two that are the same to the point (`exact_poses`), or else for the two whose limbs agree best
//! (`pose_search`). The source may be of another size, stand elsewhere and face another way: it is laid over the
//! rig first ([`Placement`]). Where bones and joints have the same names, those tell how.

use std::cmp::Reverse;
use std::f64::consts::TAU;

use glam::{DAffine3, DVec3};

use super::agreement::{limb_angles, mean_angle};
use super::bone_tree::BoneTree;
use super::error::TransplantError;
use super::exact_poses::exact_poses;
use super::facing::{Faced, Facing};
use super::icp::{SkeletonPose, SurfacePose};
use super::limb_directions::turns_to_source;
use super::names::{Meaning, Side, meaning, named};
use super::paths::{frames_from, go_on_alike};
use super::placement::{Placement, simplest};
use super::pose_search::{Tried, by_limbs};
use super::poses::{Alignment, RigPose, SourcePose, has_limbs, worlds};
use super::tuning::TUNING;
use super::{Mapping, Motion};
use crate::animation::evenly;
use crate::progress::{Cancelled, Progress, map_in_parallel};
use crate::rig::Rig;

/// Parts beside the trunk, which goes where they go.
const BESIDE: [&str; 4] = ["thigh", "hipjoint", "upperarm", "shoulder"];

/// Lays a source over a rig, in the poses that are given, or in those of some that agree best. Where names do not tell
/// which way the two face, feet and knees do, or what is said of the rig.
///
/// # Errors
/// When rig or motion is not sound, a frame is not there, nothing can be compared, or the listener cancels.
pub fn align(
    rig: &Rig,
    motion: &Motion,
    source: Option<SourcePose>,
    pose: Option<RigPose>,
    facing: Facing,
    progress: &dyn Progress,
) -> Result<Alignment, TransplantError> {
    rig.validate()?;
    motion.validate()?;
    match (source, pose) {
        (Some(SourcePose::Frame(frame)), _) if frame >= motion.frame_count() => {
            return Err(TransplantError::NoSourceFrame { frame, count: motion.frame_count() });
        }
        (_, Some(RigPose::Frame(frame))) if frame >= rig.frame_count() => {
            return Err(TransplantError::NoRigFrame { frame, count: rig.frame_count() });
        }
        _ => {}
    }
    let frames = TUNING.alignment.frames;
    let sources = |most| source.map_or_else(|| some_of_source(motion, most), |pose| vec![pose]);
    let poses = |most| pose.map_or_else(|| some_of_rig(rig, most), |pose| vec![pose]);
    if let Some(pairs) = named_pairs(rig, motion) {
        let bodies = surfaces(rig, &poses(frames), &progress.part(0.0, 0.5))?;
        let limbs = BoneTree::new(rig, &progress.part(0.5, 0.9))?;
        let both = sources(frames).into_iter().flat_map(|s| bodies.iter().map(move |body| (s, body)));
        let laid = both.filter_map(|(s, (pose, body))| by_names(motion, &pairs, body, s, *pose));
        let cost = |laid: &Alignment| {
            let bent = left_over(rig, &limbs, motion, &pairs, laid).unwrap_or(0.0);
            laid.cost() + bent * (1.0 + TUNING.alignment.other_pose[0] * laid.posed())
        };
        let judged = laid.map(|laid| (cost(&laid), laid));
        let best = judged.min_by(|a, b| a.0.total_cmp(&b.0));
        return best.map(|(_, laid)| laid).ok_or(TransplantError::NoAlignment);
    }
    if !has_limbs(motion) {
        return by_points(rig, motion, &sources(frames), &poses(frames), progress);
    }
    let limbs = BoneTree::new(rig, &progress.part(0.0, 0.2))?;
    let tried = |of_source, of_rig| {
        let (sources, poses) = (sources(of_source), poses(of_rig));
        Tried { rig, motion, limbs: &limbs, sources, poses }
    };
    let exact = exact(&tried(TUNING.alignment.exact_frames, frames), &progress.part(0.2, 0.4))?;
    if let Some(same) = exact {
        return Ok(same);
    }
    let [of_source, of_rig] = TUNING.alignment.limb_frames;
    let faced = Faced::new(rig, &limbs, motion, facing);
    let found = by_limbs(tried(of_source, of_rig), faced.as_ref(), &progress.part(0.4, 1.0))?;
    found.ok_or(TransplantError::NoAlignment)
}

fn some_of_source(motion: &Motion, most: usize) -> Vec<SourcePose> {
    let frames = evenly(motion.frame_count(), most).map(SourcePose::Frame);
    std::iter::once(SourcePose::Bind).chain(frames).collect()
}

fn some_of_rig(rig: &Rig, most: usize) -> Vec<RigPose> {
    let frames = evenly(rig.frame_count(), most).map(RigPose::Frame);
    std::iter::once(RigPose::Rest).chain(frames).collect()
}

/// Poses that are the same to the point, if rig and source go on alike after them.
fn exact(tried: &Tried, progress: &dyn Progress) -> Result<Option<Alignment>, Cancelled> {
    let Tried { rig, motion, .. } = tried;
    let found = exact_poses(tried, progress)?;
    let alignment = |(source, pose, apart): (SourcePose, RigPose, f64)| {
        let apart = 100.0 * apart / SurfacePose::of_bones(rig, pose).height;
        let placement = Placement::AS_IT_STANDS;
        Alignment { source, rig: pose, placement, apart, by_names: false, by_body: false, margin: None }
    };
    // Of those the one after which most is seen: the longer paths are, the better they tell joints apart.
    let mut alike = Vec::new();
    for alignment in found.into_iter().take(TUNING.alignment.exact_tried).map(alignment) {
        if go_on_alike(rig, motion, &alignment, progress)? {
            alike.push(alignment);
        }
    }
    Ok(alike.into_iter().min_by_key(|a| Reverse(frames_from(rig, motion, a).map(|(_, _, count)| count))))
}

/// Some points of a rig's surface in poses.
fn surfaces(
    rig: &Rig,
    poses: &[RigPose],
    progress: &dyn Progress,
) -> Result<Vec<(RigPose, SurfacePose)>, Cancelled> {
    let few = TUNING.alignment.surface_points[0];
    map_in_parallel(progress, poses.len(), |i| (poses[i], SurfacePose::new(rig, poses[i], few)))
}

/// Lays a source without limbs over a rig.
fn by_points(
    rig: &Rig,
    motion: &Motion,
    sources: &[SourcePose],
    poses: &[RigPose],
    progress: &dyn Progress,
) -> Result<Alignment, TransplantError> {
    let bodies = surfaces(rig, poses, &progress.part(0.0, 0.2))?;
    let laid = map_in_parallel(&progress.part(0.2, 0.7), sources.len(), |i| {
        let frame = SkeletonPose::new(motion, sources[i]);
        let laid = |(pose, body): &(RigPose, SurfacePose)| by_shape(&frame, body, sources[i], *pose);
        bodies.iter().filter_map(laid).collect::<Vec<_>>()
    })?;
    let mut found = laid.concat();
    found.sort_by(|a, b| a.cost().total_cmp(&b.cost()));
    found.truncate(TUNING.alignment.finalists[0]);
    let found = map_in_parallel(&progress.part(0.7, 1.0), found.len(), |i| closer(rig, motion, &found[i]))?;
    found.into_iter().min_by(|a, b| a.cost().total_cmp(&b.cost())).ok_or(TransplantError::NoAlignment)
}

impl Alignment {
    /// What a search makes least: how far the two are apart, and what speaks against the pair.
    fn cost(&self) -> f64 {
        let turned = 0.5 * (1.0 - self.placement.facing.cos());
        let other_pose = match self.by_names {
            true => TUNING.alignment.other_pose_of_names,
            false => TUNING.alignment.other_pose[0],
        };
        let more = TUNING.alignment.other_way * turned + other_pose * self.posed();
        (self.apart + TUNING.alignment.rounding) * (1.0 + more)
    }

    /// One for poses that were not made to be alike, as bind and rest pose were.
    fn posed(&self) -> f64 {
        f64::from(u8::from((self.source, self.rig) != (SourcePose::Bind, RigPose::Rest)))
    }
}

/// Bones and the joints of the same names, where there are enough to tell how the source lies.
fn named_pairs(rig: &Rig, motion: &Motion) -> Option<Vec<(usize, usize)>> {
    let named = named(rig, motion);
    let mut seen = vec![false; motion.joints.len()];
    // Of several bones of one joint the first counts.
    let first = |(bone, joint): (usize, Option<usize>)| {
        let joint = joint?;
        (!std::mem::replace(&mut seen[joint], true)).then_some((bone, joint))
    };
    let pairs: Vec<(usize, usize)> = named.into_iter().enumerate().filter_map(first).collect();
    (pairs.len() >= TUNING.alignment.enough_names).then_some(pairs)
}

/// How far limbs are apart that are not brought together, as trunk and feet are not, in degrees: a trunk that leans in
/// one pose and not in the other leans in every frame.
fn left_over(
    rig: &Rig,
    limbs: &BoneTree,
    motion: &Motion,
    pairs: &[(usize, usize)],
    laid: &Alignment,
) -> Option<f64> {
    let mut mapping = Mapping { joints: vec![None; rig.bones.len()] };
    pairs.iter().for_each(|&(bone, joint)| mapping.joints[bone] = Some(joint));
    let theirs: Vec<DVec3> =
        worlds(motion, laid.source).iter().map(|t| laid.placement.apply(t.translation)).collect();
    let ours = limbs.posed(rig, laid.rig).pivots;
    let names: Vec<String> = rig.bones.iter().map(|bone| bone.name.clone()).collect();
    let turns = turns_to_source(rig, limbs, &names, motion, &mapping, &ours, &theirs);
    let way = |bone: usize, above: usize| turns[above] * (ours[bone] - ours[above]);
    mean_angle(&limb_angles(&limbs.parents, &mapping, way, &theirs))
}

fn by_names(
    motion: &Motion,
    named: &[(usize, usize)],
    body: &SurfacePose,
    source: SourcePose,
    rig: RigPose,
) -> Option<Alignment> {
    let worlds = worlds(motion, source);
    let pairs: Vec<(DVec3, DVec3, f64)> =
        named.iter().map(|&(bone, joint)| (worlds[joint].translation, body.places[bone], 1.0)).collect();
    let mut placement = Placement::fit(&pairs, facing_across(motion, named, worlds, &body.places))?;
    if placement.faces_the_same_way() {
        placement = Placement::fit(&pairs, Some(0.0))?;
    }
    let apart = |placement: &Placement| {
        let sum: f64 = pairs.iter().map(|(q, p, _)| placement.apply(*q).distance(*p)).sum();
        sum / pairs.len() as f64 / body.height
    };
    let (placement, apart) = simplest(placement, apart);
    Some(Alignment {
        source,
        rig,
        placement,
        apart: 100.0 * apart,
        by_names: true,
        by_body: false,
        margin: None,
    })
}

/// How far a source is turned against a rig, told by hips and shoulders alone: arms and legs are held differently in
/// poses that are not quite the same. None where names tell no two sides of them.
fn facing_across(
    motion: &Motion,
    named: &[(usize, usize)],
    worlds: &[DAffine3],
    places: &[DVec3],
) -> Option<f64> {
    let meant = |joint: usize| meaning(&motion.joints[joint].name);
    let (mut across, mut along) = (0.0, 0.0);
    for &(bone, joint) in named {
        let Some(left) =
            meant(joint).filter(|m| m.side == Some(Side::Left) && BESIDE.contains(&m.part.as_str()))
        else {
            continue;
        };
        let right = Some(Meaning { side: Some(Side::Right), ..left });
        let Some(&(other, across_it)) = named.iter().find(|(_, joint)| meant(*joint) == right) else {
            continue;
        };
        let theirs = worlds[joint].translation - worlds[across_it].translation;
        let ours = places[bone] - places[other];
        across += ours.x * theirs.z - ours.z * theirs.x;
        along += ours.x * theirs.x + ours.z * theirs.z;
    }
    (across != 0.0 || along != 0.0).then(|| across.atan2(along))
}

/// The best of some facings.
fn by_shape(frame: &SkeletonPose, body: &SurfacePose, source: SourcePose, rig: RigPose) -> Option<Alignment> {
    let count = TUNING.alignment.facings[0];
    let facings = (0..count).map(|i| i as f64 / count as f64 * TAU);
    facings
        .filter_map(|facing| {
            let placement = frame.rough(body, facing)?;
            let apart = 100.0 * frame.apart(body, &placement);
            Some(Alignment { source, rig, placement, apart, by_names: false, by_body: false, margin: None })
        })
        .min_by(|a, b| a.cost().total_cmp(&b.cost()))
}

/// A closer look at more points.
fn closer(rig: &Rig, motion: &Motion, alignment: &Alignment) -> Alignment {
    let body = SurfacePose::new(rig, alignment.rig, TUNING.alignment.surface_points[1]);
    let frame = SkeletonPose::new(motion, alignment.source);
    let best = frame.improved(&body, alignment.placement);
    let (placement, apart) = simplest(best, |placement| frame.apart(&body, placement));
    Alignment { placement, apart: 100.0 * apart, ..alignment.clone() }
}

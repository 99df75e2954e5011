//! Turns that bring the limbs of a rig to the directions that a source's have.
//!
//! Two poses are never quite the same: one body stretches its arms out, the other lets them hang a little.
//! Section 2.3 of the paper has people correct that by hand. Where a rig has a skeleton, or its own motion
//! shows where bones hang on each other, the direction of a limb is known, and the least turn that brings it
//! to its source's is R_{b→I}, the way from the rig's pose to the one both share. What has no direction of its
//! own, as hands have none, goes with what it hangs on. So do feet and the trunk up to the shoulders: how the
//! way from ankle to toe or from neck to shoulder lies is a matter of where joints were put, not of the pose.

use glam::{DQuat, DVec3};

use super::bone_tree::BoneTree;
use super::names::{limb, meaning};
use super::tuning::TUNING;
use super::{Mapping, Motion};
use crate::rig::{Rig, Skeleton};

/// One turn for each bone, in the world of the rig. `names` are what bones are called, `places` are where its bones hang on those above, and
/// `of_source` the source's joints, laid over the rig.
pub(super) fn turns_to_source(
    rig: &Rig,
    limbs: &BoneTree,
    names: &[String],
    motion: &Motion,
    mapping: &Mapping,
    places: &[DVec3],
    of_source: &[DVec3],
) -> Vec<DQuat> {
    let mut turns = vec![DQuat::IDENTITY; rig.bones.len()];
    let children = Skeleton::new(limbs.parents.clone()).children();
    for &bone in &limbs.order {
        let above = limbs.parents[bone].map_or(DQuat::IDENTITY, |parent| turns[parent]);
        turns[bone] = above;
        let Some(joint) = mapping.joints[bone].filter(|_| !is_no_limb(&names[bone])) else {
            continue;
        };
        // Names of a rig without a skeleton tell nothing, and those that only count the bones of a leg not which is its
        // foot; those of the source do.
        let is_told = rig.skeleton.is_some() && limb(&names[bone]).is_none();
        if !is_told && is_no_limb(&motion.joints[joint].name) {
            continue;
        }
        // A limb of several bones that follow one joint has the direction of all of them together.
        let Some(end) = end(bone, joint, mapping, &children, motion) else { continue };
        let start = start(bone, joint, mapping, &limbs.parents);
        if !limbs.sure[start] || !limbs.sure[end.0] {
            continue;
        }
        let ours = above * (places[end.0] - places[start]);
        let theirs = of_source[end.1] - of_source[joint];
        let (Some(ours), Some(theirs)) = (ours.try_normalize(), theirs.try_normalize()) else { continue };
        if rig.skeleton.is_some() || ours.angle_between(theirs) > TUNING.matching.loose_direction {
            turns[bone] = DQuat::from_rotation_arc(ours, theirs) * above;
        }
    }
    turns
}

/// Parts of a body whose joints tell nothing of its pose.
const NO_LIMBS: [&str; 12] = [
    "hips", "hipjoint", "spine", "neck", "head", "shoulder", "hand", "thumb", "knuckles", "fingers", "foot",
    "toe",
];

fn is_no_limb(name: &str) -> bool {
    meaning(name).is_some_and(|m| NO_LIMBS.contains(&m.part.as_str()))
}

/// The bone at which a limb ends and the joint it follows: the only one below that follows a joint further
/// down. None where a limb branches.
fn end(
    bone: usize,
    joint: usize,
    mapping: &Mapping,
    children: &[Vec<usize>],
    motion: &Motion,
) -> Option<(usize, usize)> {
    let below = |other: usize| {
        std::iter::successors(motion.joints[other].parent, |&j| motion.joints[j].parent).any(|j| j == joint)
    };
    let mut ends = Vec::new();
    let mut open = vec![bone];
    while let Some(from) = open.pop() {
        for &child in &children[from] {
            match mapping.joints[child] {
                Some(other) if other != joint => ends.push((child, other)),
                _ => open.push(child),
            }
        }
    }
    match ends[..] {
        [end] if below(end.1) => Some(end),
        _ => None,
    }
}

/// The first bone of a limb whose bones all follow one joint.
fn start(bone: usize, joint: usize, mapping: &Mapping, parents: &[Option<usize>]) -> usize {
    let same = |&above: &usize| parents[above].filter(|&p| mapping.joints[p] == Some(joint));
    std::iter::successors(Some(bone), same).last().unwrap_or(bone)
}

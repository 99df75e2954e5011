//! The joints of a source that bones may follow.

use super::names::{is_handle, meaning};
use super::tuning::TUNING;
use super::{Motion, SourceJoint};

/// Joints that are part of a body: handles are not, nor is a root on the ground that hips hang on.
pub(super) fn body_joints(motion: &Motion) -> Vec<usize> {
    let is_hips = |name: &str| meaning(name).is_some_and(|m| m.part == "hips" && m.side.is_none());
    let is_ground = |number: usize| {
        let hangs_here = |joint: &&SourceJoint| joint.parent == Some(number) && !is_handle(&joint.name);
        let mut children = motion.joints.iter().filter(hangs_here);
        let only = children.next().filter(|_| children.next().is_none());
        motion.joints[number].parent.is_none() && only.is_some_and(|child| is_hips(&child.name))
    };
    let small = TUNING.matching.small_branch * motion.size().max_element();
    let reaches = reaches(motion);
    let is_small = |number: usize| reaches[number].is_some_and(|reach| reach < small);
    let body: Vec<usize> = (0..motion.joints.len())
        .filter(|&number| !is_handle(&motion.joints[number].name) && !is_ground(number) && !is_small(number))
        .collect();
    // A source of handles alone is a source of joints with odd names.
    if body.is_empty() { (0..motion.joints.len()).collect() } else { body }
}

/// How far each joint's branch reaches in the bind pose; none where the file does not tell.
fn reaches(motion: &Motion) -> Vec<Option<f64>> {
    let mut reaches: Vec<Option<f64>> = motion.joints.iter().map(|j| j.tip.map(|tip| tip.length())).collect();
    for (number, joint) in motion.joints.iter().enumerate().rev() {
        let Some(parent) = joint.parent else { continue };
        let step = motion.bind[number].translation.distance(motion.bind[parent].translation);
        let through = reaches[number].unwrap_or(0.0) + step;
        reaches[parent] = Some(reaches[parent].map_or(through, |reach| reach.max(through)));
    }
    reaches
}

//! Joints that stand elsewhere than they were bound.
//!
//! A rig may hold a joint in one place in every frame, as its parent sees it, that is not the one of the bind pose.
//! Programs that build a skeleton from the bind pose, such as Blender, leave such a joint where it was bound if it
//! has no curves, and also with them if it begins where its parent ends: they take the two for connected. So it has
//! curves, and its parent does not point at it quite.

use glam::{DQuat, DVec3};
use sinew::rig::Rig;

use crate::scene::joints::JointTree;

/// How far from where it was bound a joint stands aside, as a fraction of the skeleton's size.
const ASIDE: f64 = 1e-6;
/// By how much a parent points past such a joint, in radians.
const PAST: f64 = 0.01;

/// Which joints stand aside.
pub(super) fn aside(tree: &JointTree) -> Vec<bool> {
    let first = tree.places.first().copied().unwrap_or_default();
    let size = tree.places.iter().map(|p| p.distance(first)).fold(0.0, f64::max);
    let is_aside = |(joint, parent): (usize, &Option<usize>)| {
        let bound = parent.map(|p| tree.places[joint] - tree.places[p]);
        bound.is_some_and(|bound| bound.distance(tree.offsets[joint]) > ASIDE * size)
    };
    tree.skeleton.parents.iter().enumerate().map(is_aside).collect()
}

/// Axes of all joints at rest, such that none points at one that stands aside.
pub(super) fn axes(rig: &Rig, tree: &JointTree, aside: &[bool]) -> Vec<DQuat> {
    let mut axes = rig.bind_axes();
    for (joint, parent) in tree.skeleton.parents.iter().enumerate().filter(|(joint, _)| aside[*joint]) {
        let Some(parent) = *parent else { continue };
        let towards = (tree.places[joint] - tree.places[parent]).normalize_or_zero();
        if towards.angle_between(axes[parent] * DVec3::Y) < 0.5 * PAST {
            axes[parent] = (axes[parent] * DQuat::from_rotation_z(PAST)).normalize();
        }
    }
    axes
}

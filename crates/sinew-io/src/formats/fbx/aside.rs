//! Joints that Blender would leave where they were bound.
//!
//! Programs that build a skeleton from the bind pose, such as Blender, leave a joint that has no curves of its place
//! where it was bound, and with them too where it begins where its parent ends: they take the two for connected. A bone
//! is as long there as its children are far on average, and lies along its y axis.
//!
//! A joint that is held elsewhere than it was bound in every frame thus has curves, and the parent of one with curves
//! does not point at it quite, or does not begin quite where it did where it is one that no vertex follows.

use glam::{DQuat, DVec3};
use sinew::rig::Rig;

use crate::scene::joints::JointTree;
use crate::scene::motion::BoneMotion;

/// How far from where it was bound a joint stands aside, as a fraction of the skeleton's size.
const ASIDE: f64 = 1e-6;
/// By how much a parent points past such a joint, in radians.
const PAST: f64 = 0.01;
/// How close to its parent's end a joint begins that counts as connected, as a fraction of the parent's length: more than
/// programs ask for, as not all of them take the same length.
const CLOSE: f64 = 0.05;
/// How many ways past its joints a parent is tried.
const TRIES: usize = 8;

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

/// Axes of all joints at rest, such that none ends where one begins that leaves its place.
pub(super) fn axes(rig: &Rig, tree: &JointTree, leaves: &[bool]) -> Vec<DQuat> {
    let mut axes = rig.bind_axes();
    let mut children = vec![Vec::new(); axes.len()];
    for (joint, parent) in tree.hung.parents.iter().enumerate() {
        children
            .get_mut(parent.unwrap_or(usize::MAX))
            .into_iter()
            .for_each(|c: &mut Vec<usize>| c.push(joint));
    }
    for (parent, children) in children.iter().enumerate().filter(|(_, c)| c.iter().any(|&c| leaves[c])) {
        let offset = |&child: &usize| (tree.places[child] - tree.places[parent], leaves[child]);
        let offsets: Vec<(DVec3, bool)> = children.iter().map(offset).collect();
        let length = length(&offsets);
        let past = |turns: usize| (axes[parent] * DQuat::from_rotation_z(PAST * turns as f64)).normalize();
        let free = |axes: &DQuat| !connects(&offsets, *axes * DVec3::Y, length, 0.5 * PAST);
        let found = (0..TRIES).map(past).find(free);
        axes[parent] = found.unwrap_or(axes[parent]);
    }
    axes
}

/// Where a joint is put that stands upright and that nothing follows, for others to hang on, given where those are and
/// which of them leave their places.
pub(super) fn stand(joints: &[(DVec3, bool)]) -> DVec3 {
    let length = length(joints);
    let at = |step: usize| DVec3::X * (PAST * length * step as f64);
    let free = |at: &DVec3| {
        let seen: Vec<(DVec3, bool)> = joints.iter().map(|(place, leaves)| (*place - *at, *leaves)).collect();
        !connects(&seen, DVec3::Y, self::length(&seen), 0.5 * PAST)
    };
    (0..TRIES).map(at).find(free).unwrap_or(DVec3::ZERO)
}

/// How long a joint is, given where those are that hang on it.
fn length(children: &[(DVec3, bool)]) -> f64 {
    children.iter().map(|(offset, _)| offset.length()).sum::<f64>() / children.len().max(1) as f64
}

/// Whether a joint that leaves its place begins where one ends that lies along `axis`, within an angle.
fn connects(children: &[(DVec3, bool)], axis: DVec3, length: f64, within: f64) -> bool {
    let begins = |offset: &DVec3| {
        let far = offset.length();
        far > 0.0 && (far - length).abs() < CLOSE * length && offset.angle_between(axis) < within
    };
    children.iter().any(|(offset, leaves)| *leaves && begins(offset))
}

/// Where joints are bound that hang on the topmost one, and which of them leave their places.
pub(super) fn on_top(motions: &[BoneMotion], parents: &[Option<usize>]) -> Vec<(DVec3, bool)> {
    let roots = motions.iter().zip(parents).filter(|(_, parent)| parent.is_none());
    roots.map(|(motion, _)| (motion.center, motion.moved.translation)).collect()
}

/// Takes joints that hang on one at `top` to where they are as seen from there.
pub(super) fn seen_from(top: DVec3, motion: &mut BoneMotion) {
    motion.center -= top;
    let places = motion.clips.iter_mut().flat_map(|clip| &mut clip.translation);
    places.for_each(|place| *place -= top);
}

//! Which way a body stands.

use glam::{DQuat, DVec3};
use sinew::deform::Pose;
use sinew::geometry::Bounds;
use sinew_io::deform_file::Setup;
use sinew_picture::UpAxis;

/// Ends of limbs are on the ground if no end is lower by more than this share of the height.
const ON_GROUND: f64 = 0.08;

/// What stands on the ground at two places has them farther apart than this share of the diagonal; fingers are nearer.
const APART: f64 = 0.06;

/// Which axis is up in a pose: that along which the lowest ends of the body are two or more, as feet are, turned with the
/// body. Files may hold the mesh lying, with a turn of the root that makes it stand. A body that stands along both has its
/// longest side upright, one that stands along neither y.
pub(super) fn axis(setup: &Setup, pose: &Pose) -> UpAxis {
    let ends = ends(setup);
    let bounds = Bounds::of(&setup.rig.rest);
    let size = (bounds.max - bounds.min).as_dvec3();
    let far = APART * bounds.diagonal();
    let stands = |along: DVec3| {
        let height = |p: &DVec3| p.dot(along);
        let lowest = ends.iter().map(height).fold(f64::INFINITY, f64::min);
        let on_ground = |p: &&DVec3| height(p) < lowest + ON_GROUND * size.dot(along);
        let feet: Vec<&DVec3> = ends.iter().filter(on_ground).collect();
        feet.iter().any(|foot| foot.distance(*feet[0]) > far)
    };
    let at_rest = match (stands(DVec3::Y), stands(DVec3::Z)) {
        (false, true) => DVec3::Z,
        (true, true) if size.z > size.y => DVec3::Z,
        _ => DVec3::Y,
    };
    let root = setup.skeleton().roots().next().map_or(DVec3::ZERO, |root| pose.turns[root]);
    let now = DQuat::from_scaled_axis(root) * at_rest;
    if now.z.abs() > now.y.abs() { UpAxis::Z } else { UpAxis::Y }
}

/// Where the joints are at rest that have vertices of their own and carry none that has.
fn ends(setup: &Setup) -> Vec<DVec3> {
    let (skeleton, joints) = (setup.skeleton(), setup.joints());
    let mut moves = vec![true; joints.len()];
    setup.handles.joints_without(joints.len()).into_iter().for_each(|joint| moves[joint] = false);
    let mut below = vec![false; joints.len()];
    for joint in (0..joints.len()).rev() {
        if let Some(parent) = skeleton.parents[joint].filter(|_| moves[joint] || below[joint]) {
            below[parent] = true;
        }
    }
    (0..joints.len()).filter(|&joint| moves[joint] && !below[joint]).map(|joint| joints[joint]).collect()
}

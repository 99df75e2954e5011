//! Skeletons of bodies whose joints are known.

use crate::common::bodies::{Body, arm, biped, biped_with_split_thighs, cut_arm, quadruped, tube};
use crate::common::in_pool;
use crate::common::skeletons::{child_and_parent, find, find_with, nearest, strain, turned};
use glam::{DQuat, DVec3, EulerRot, Vec3};
use proptest::prelude::*;
use sinew::animation::{Frames, MeshAnimation};
use sinew::geometry::{Bounds, Mesh, angle_between};
use sinew::rig::Rig;
use sinew::skeleton::{Angles, JointNames, Skeletal, SkeletonOptions};

const FRAMES: usize = 24;
/// A true joint that turns more than this, in degrees, must be found, this near, in shares of the longest
/// side.
const BENDS: f64 = 20.0;
const NEAR: f64 = 0.03;
/// A bend may be found as two joints, but no more: a true parent is among so many above.
const LADDER: usize = 2;

/// Finds the skeleton of a body and checks it against the true one, whose first joints belong to its trunk:
/// any of those may be the root.
fn check_known(body: &Body, animation: &MeshAnimation, truth: &[DVec3], trunk: usize) -> Skeletal {
    let found = find(animation);
    let parents = &found.rig.skeleton.as_ref().expect("a skeleton").parents;
    let side = animation.rest_bounds().longest_side();
    let bends = |k: usize| body.bend(k, FRAMES) > BENDS;
    for k in (0..truth.len()).filter(|&k| bends(k)) {
        let (joint, off) = nearest(&found.rig, truth[k]);
        assert!(off < NEAR * side, "joint {k}: {} % off", 100.0 * off / side);
        let parent = body.limbs[k].parent.filter(|&p| p >= trunk && bends(p));
        if let Some(parent) = parent {
            let above = std::iter::successors(parents[joint], |&j| parents[j]);
            let wanted = nearest(&found.rig, truth[parent]).0;
            assert!(above.take(LADDER).any(|j| j == wanted), "joint {k} does not hang on joint {parent}");
        }
    }
    assert!(5 * parents.len() <= 7 * truth.len(), "{} joints for {}", parents.len(), truth.len());
    assert!(found.error.accu < 0.1, "{:?}", found.error);
    assert!(found.warnings.is_empty(), "{:?}", found.warnings);
    found
}

#[test]
fn joints_of_known_bodies_are_found() {
    for (body, trunk) in [(arm(), 1), (quadruped(), 2), (tube(), 5)] {
        check_known(&body, &body.animation(FRAMES), &body.joints(), trunk);
    }
}

#[test]
fn without_a_rest_pose_joints_are_those_of_the_first_frame() {
    let body = arm();
    let mut animation = body.animation(FRAMES);
    animation.rest = None;
    let first = body.skeleton().transforms(&body.joints(), &body.pose(0.0));
    let truth: Vec<DVec3> = first.iter().zip(body.joints()).map(|(t, c)| t.transform_point3(c)).collect();
    check_known(&body, &animation, &truth, 1);
}

#[test]
fn limits_are_those_of_the_true_joints() {
    let body = arm();
    let found = find(&body.animation(FRAMES));
    for k in 1..4 {
        let joint = nearest(&found.rig, body.joints()[k]).0;
        let (swing, truth) = (found.limits[joint].swing, body.bend(k, FRAMES));
        assert!((swing - truth).abs() < 2.0, "joint {k}: {swing} for {truth}");
    }
}

/// Turns one joint of a frame by 40° and checks what that does.
fn check_turning(rig: &Rig, joint: usize, frame: usize, turn: DQuat) {
    let skeleton = rig.skeleton.as_ref().expect("a skeleton");
    let mut below = vec![false; skeleton.len()];
    for k in 0..skeleton.len() {
        below[k] = k == joint || skeleton.parents[k].is_some_and(|parent| below[parent]);
    }
    assert!(below.iter().any(|b| !b), "a joint that is not the root");
    let other = turned(rig, joint, frame, turn);
    let (was, is) = (rig.pose(frame), other.pose(0));
    let (old, new) = (rig.posed_joints(frame), other.posed_joints(0));
    for (k, parent) in child_and_parent(skeleton) {
        let (was, is) = (old[k].distance(old[parent]), new[k].distance(new[parent]));
        assert!((was - is).abs() < 1e-9, "joint {k}: {was} became {is}");
    }
    let side = Bounds::of(&rig.rest).longest_side() as f32;
    let moved = |v: usize| was[v].distance(is[v]) / side;
    let follows = |v: usize| {
        let (bones, weights) = rig.weights.of(v);
        bones.iter().zip(weights).filter(|(b, _)| below[**b as usize]).map(|(_, w)| *w).sum::<f32>()
    };
    let stray = (0..was.len()).filter(|&v| follows(v) == 0.0).map(moved).fold(0.0, f32::max);
    assert!(stray < 1e-6, "{stray}");
    let farthest = (0..was.len()).filter(|&v| follows(v) > 0.99).map(moved).fold(0.0, f32::max);
    assert!(farthest > 0.01, "the limb below moves: {farthest}");
    let still = (0..was.len()).filter(|&v| follows(v) < 0.01).count();
    assert!(2 * still > was.len(), "most of the body stays");
}

#[test]
fn a_turned_joint_moves_the_limb_below_and_no_more() {
    for (body, joint) in [(arm(), 2), (quadruped(), 6), (quadruped(), 9)] {
        let rig = find(&body.animation(FRAMES)).rig;
        let found = nearest(&rig, body.joints()[joint]).0;
        for (frame, axis) in [(0, DVec3::Z), (9, DVec3::Z), (0, DVec3::X), (5, -DVec3::Y)] {
            let turn = DQuat::from_axis_angle(axis, 40_f64.to_radians());
            check_turning(&rig, found, frame, turn);
            // The true weights fold the inside of a bend as well: no edge may do much worse than there.
            let mut pose = body.pose(frame as f64 / FRAMES as f64);
            let was = body.posed(&pose);
            pose.turns[joint] *= turn;
            let truth = strain(&rig.mesh, &was, &body.posed(&pose));
            let strain = strain(&rig.mesh, &rig.pose(frame), &turned(&rig, found, frame, turn).pose(0));
            let bound = |k: usize| (1.3 * truth[k]).min(3.0);
            assert!(
                strain[0] < bound(0) && strain[1] < bound(1),
                "edges change {strain:?}, in truth {truth:?}"
            );
        }
    }
}

#[test]
fn threads_do_not_change_a_bit() {
    let animation = quadruped().animation(FRAMES);
    let found = in_pool(1, || find(&animation));
    for threads in [2, 3] {
        let other = in_pool(threads, || find(&animation));
        assert!(found.rig == other.rig && found.limits == other.limits && found.error == other.error);
        assert_eq!(found.near_rigid_fraction, other.near_rigid_fraction);
    }
}

#[test]
fn angles_go_on_from_frame_to_frame() {
    // More frames than are looked at for the tree: those between are fitted as well.
    let body = arm();
    for (frames, angles) in [(FRAMES, Angles::Fit), (90, Angles::Fit), (90, Angles::Ccd)] {
        let options = SkeletonOptions { angles, ..Default::default() };
        let rig = find_with(&body.animation(frames), &options).rig;
        let steps = |turns: Vec<Vec<DQuat>>| -> f64 {
            let pairs =
                turns.windows(2).flat_map(|w| w[0].iter().zip(&w[1]).map(|(a, b)| angle_between(*a, *b)));
            pairs.fold(0.0, f64::max)
        };
        let found = steps((0..frames).map(|t| rig.joint_pose(t).expect("a skeleton").turns).collect());
        let truth = steps(body.poses(frames).into_iter().map(|p| p.turns).collect());
        assert!(found < 1.5 * truth, "{frames} {angles:?}: {found} for {truth}");
    }
}

#[test]
fn loose_pieces_make_one_tree() {
    for (gap, apart) in [(0.0, false), (0.5, true)] {
        let body = cut_arm(gap);
        let found = find(&body.animation(FRAMES));
        assert_eq!(
            found.warnings.iter().any(|w| w.to_string().contains("touches nothing")),
            apart,
            "{:?}",
            found.warnings
        );
        let side = Bounds::of(&found.rig.rest).longest_side();
        let (elbow, off) = nearest(&found.rig, body.joints()[2]);
        let shoulder = nearest(&found.rig, body.joints()[1]).0;
        assert_eq!(found.rig.skeleton.as_ref().expect("a skeleton").parents[elbow], Some(shoulder));
        assert!(off < NEAR * side, "{off}");
    }
}

/// The animation turned, scaled and shifted, its vertices and faces in another order.
fn changed(animation: &MeshAnimation, turn: DQuat, scale: f64, shift: DVec3, seed: u64) -> MeshAnimation {
    let vertices = shuffled(animation.mesh.vertex_count, seed);
    let mut number = vec![0; vertices.len()];
    vertices.iter().enumerate().for_each(|(new, &old)| number[old] = new as u32);
    let mut mesh = Mesh { vertex_count: vertices.len(), ..Mesh::default() };
    // Each face begins with the corner it began with: another would cut it along another diagonal.
    for face in shuffled(animation.mesh.face_count(), seed + 1) {
        let corners: Vec<u32> = animation.mesh.face(face).iter().map(|&v| number[v as usize]).collect();
        mesh.push_face(&corners);
    }
    let placed = |pose: &[Vec3]| -> Vec<Vec3> {
        vertices.iter().map(|&v| (turn * (scale * pose[v].as_dvec3()) + shift).as_vec3()).collect()
    };
    let poses: Vec<_> = (0..animation.frames.len()).map(|t| placed(animation.frames.frame(t))).collect();
    MeshAnimation {
        mesh,
        rest: animation.rest.as_deref().map(placed),
        frames: Frames::from_poses(&poses),
        fps: animation.fps,
        clips: Vec::new(),
        nodes: Vec::new(),
    }
}

/// The numbers below `count` in an order of no pattern.
fn shuffled(count: usize, seed: u64) -> Vec<usize> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut order: Vec<usize> = (0..count).collect();
    for i in (1..count).rev() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        order.swap(i, (state >> 33) as usize % (i + 1));
    }
    order
}

/// Checks that two rigs have the same tree, joint for joint, after `back` has undone what was done to the
/// second.
fn check_same_tree(rig: &Rig, other: &Rig, back: impl Fn(DVec3) -> DVec3, side: f64) {
    assert_eq!(rig.bones.len(), other.bones.len(), "joints");
    let parents = |rig: &Rig| rig.skeleton.as_ref().expect("a skeleton").parents.clone();
    let same: Vec<usize> = other
        .joint_places()
        .into_iter()
        .map(|place| {
            let (joint, off) = nearest(rig, back(place));
            assert!(off < 0.005 * side, "joint {joint} is {} % off", 100.0 * off / side);
            joint
        })
        .collect();
    for (joint, parent) in parents(other).into_iter().enumerate() {
        assert_eq!(parents(rig)[same[joint]], parent.map(|p| same[p]), "parent of joint {joint}");
    }
}

/// The root of a body as it stands and turned, in shares of its longest side from where it should be.
fn root_is_at(body: &Body, place: DVec3) {
    let animation = body.animation(FRAMES);
    let side = animation.rest_bounds().longest_side();
    let shift = DVec3::new(3.0, -1.0, 2.0);
    for turn in [DQuat::IDENTITY, DQuat::from_euler(EulerRot::ZXY, 1.9, -0.7, 2.6)] {
        let found = find(&changed(&animation, turn, 2.0, shift, 7));
        let off = found.rig.bones[0].center.distance(turn * place * 2.0 + shift) / (2.0 * side);
        assert!(off < 0.1, "{} % off", 100.0 * off);
    }
}

#[test]
fn the_root_is_the_pelvis_of_a_person() {
    root_is_at(&biped(1.0, 1.0, 1.0), DVec3::new(0.0, 0.98, 0.0));
}

#[test]
fn the_root_is_at_the_hip_end_of_an_animal() {
    root_is_at(&quadruped(), DVec3::new(-0.5, 0.85, 0.0));
}

/// The name of the joint nearest to a place, with names as Mixamo has them, of a body that is turned.
fn name_at(body: &Body, places: &[(DVec3, &str)]) {
    let turn = DQuat::from_euler(EulerRot::ZXY, 0.4, 2.7, -1.2);
    let animation = changed(&body.animation(FRAMES), turn, 1.0, DVec3::ZERO, 3);
    let options = SkeletonOptions { names: JointNames::Mixamo, ..Default::default() };
    let rig = find_with(&animation, &options).rig;
    assert_eq!(rig.bones[0].name, "mixamorig:Hips");
    for (place, name) in places {
        let joint = nearest(&rig, turn * *place).0;
        assert_eq!(rig.bones[joint].name, format!("mixamorig:{name}"));
    }
}

#[test]
fn joints_of_a_person_are_named_by_its_own_left() {
    let body = biped(1.0, 1.0, 1.0);
    let joints = body.joints();
    // It faces z with y up: its left is at +x, and the right side comes first.
    let places = [
        (3, "RightArm"),
        (5, "RightUpLeg"),
        (6, "RightLeg"),
        (8, "LeftArm"),
        (10, "LeftUpLeg"),
        (11, "LeftLeg"),
    ];
    name_at(&body, &places.map(|(k, name)| (joints[k], name)));
}

#[test]
fn a_further_joint_in_the_thigh_is_no_knee() {
    let body = biped_with_split_thighs();
    let joints = body.joints();
    // Hip, the joint in the thigh, knee: the right side comes first.
    name_at(&body, &[(joints[5], "RightUpLeg"), (joints[7], "RightLeg")]);
}

#[test]
fn joints_of_an_animal_are_named_by_its_own_left() {
    let body = quadruped();
    let joints = body.joints();
    // It faces x with y up: its right is at +z.
    let places = [(5, "LeftUpLeg"), (7, "RightUpLeg"), (9, "LeftArm"), (11, "RightArm")];
    name_at(&body, &places.map(|(k, name)| (joints[k], name)));
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 3,
        max_shrink_iters: 0,
        failure_persistence: None,
        ..Default::default()
    })]

    #[test]
    fn place_size_and_numbering_do_not_change_the_tree(
        angles in prop::array::uniform3(-3.0..3.0),
        scale in 0.01..100.0,
        shift in prop::array::uniform3(-5.0..5.0),
        seed in 0..1_000_000_u64,
    ) {
        let turn = DQuat::from_euler(EulerRot::ZXY, angles[0], angles[1], angles[2]);
        let shift = scale * DVec3::from_array(shift);
        for body in [quadruped(), tube()] {
            let animation = body.animation(FRAMES);
            let side = animation.rest_bounds().longest_side();
            let other = find(&changed(&animation, turn, scale, shift, seed));
            let back = |p: DVec3| turn.inverse() * (p - shift) / scale;
            check_same_tree(&find(&animation).rig, &other.rig, back, side);
        }
    }
}

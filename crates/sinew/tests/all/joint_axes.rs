//! Which way joints face, and how far they turn in their own axes.

use glam::{DAffine3, DQuat, DVec3, EulerRot, Vec3};
use proptest::prelude::*;
use sinew::geometry::{Mesh, angle_between};
use sinew::rig::{Bone, JointPose, Rig, Skeleton, SkinWeights};
use sinew::skeleton::joint_limits;

/// A rig of joints at places, each of which moves four points around some place. Joint `j` turns by
/// `turn(j, t)` at times from 0 to 1.
fn rig(joints: &[(Option<usize>, [f64; 3], [f64; 3])], turn: impl Fn(usize, f64) -> DQuat) -> Rig {
    let places: Vec<DVec3> = joints.iter().map(|j| DVec3::from_array(j.1)).collect();
    let skeleton = Skeleton::new(joints.iter().map(|j| j.0).collect());
    let around = [Vec3::new(0.1, 0.0, 0.0), Vec3::new(-0.1, 0.0, 0.0), Vec3::Z * 0.1, Vec3::Z * -0.1];
    let rest: Vec<Vec3> =
        joints.iter().flat_map(|j| around.map(|off| DVec3::from_array(j.2).as_vec3() + off)).collect();
    let transforms = (0..=40).flat_map(|f| {
        let turns = (0..joints.len()).map(|j| turn(j, f64::from(f) / 40.0)).collect();
        let mut at = vec![DVec3::ZERO; joints.len()];
        at[0] = places[0];
        skeleton.transforms(&places, &JointPose { turns, places: at })
    });
    let triangles: Vec<[u32; 3]> = (0..joints.len() as u32).map(|j| [4 * j, 4 * j + 1, 4 * j + 2]).collect();
    let bone = |j: usize| Bone { name: format!("joint{j}"), center: places[j], rigid: true, axes: None };
    Rig {
        mesh: Mesh::from_triangles(rest.len(), &triangles),
        weights: SkinWeights {
            per_vertex: 1,
            bones: (0..rest.len()).map(|v| v as u32 / 4).collect(),
            weights: vec![1.0; rest.len()],
        },
        rest,
        bones: (0..joints.len()).map(bone).collect(),
        transforms: transforms.collect(),
        skeleton: Some(skeleton),
        corrections: None,
        fps: 30.0,
        clips: Vec::new(),
        nodes: Vec::new(),
        armature: String::new(),
    }
}

/// A person: hips, chest, head, an arm to either side with an elbow, and two legs with knees.
fn person(turn: impl Fn(usize, f64) -> DQuat) -> Rig {
    let joints = [
        (None, [0.0, 1.0, 0.0], [0.0, 1.1, 0.0]),
        (Some(0), [0.0, 1.3, 0.02], [0.0, 1.35, 0.0]),
        (Some(1), [0.0, 1.6, 0.0], [0.0, 1.75, 0.05]),
        (Some(1), [0.2, 1.5, 0.0], [0.35, 1.5, 0.0]),
        (Some(3), [0.5, 1.5, 0.0], [0.7, 1.5, 0.0]),
        (Some(1), [-0.2, 1.5, 0.0], [-0.35, 1.5, 0.0]),
        (Some(5), [-0.5, 1.5, 0.0], [-0.7, 1.5, 0.0]),
        (Some(0), [0.1, 0.95, 0.0], [0.1, 0.7, 0.0]),
        (Some(7), [0.1, 0.5, 0.0], [0.1, 0.2, 0.0]),
        (Some(0), [-0.1, 0.95, 0.0], [-0.1, 0.7, 0.0]),
        (Some(9), [-0.1, 0.5, 0.0], [-0.1, 0.2, 0.0]),
    ];
    rig(&joints, turn)
}

/// The elbow that [`elbows`] bends.
const ELBOW: usize = 4;
const KNEE: usize = 8;

/// Elbows bend forwards by 70°, a knee backwards by 130°, and all shoulders and hips swing about.
fn elbows(j: usize, t: f64) -> DQuat {
    let bend = 0.5 - 0.5 * (std::f64::consts::TAU * t).cos();
    let swing = (std::f64::consts::TAU * (t + 0.1 * j as f64)).sin();
    match j {
        4 => DQuat::from_rotation_y(-70_f64.to_radians() * bend),
        6 => DQuat::from_rotation_y(70_f64.to_radians() * bend),
        8 | 10 => DQuat::from_rotation_x(130_f64.to_radians() * bend),
        3 | 5 | 7 | 9 => DQuat::from_euler(EulerRot::XYZ, 0.4 * swing, 0.3 * bend, 0.35 * swing * bend),
        _ => DQuat::IDENTITY,
    }
}

fn still(_: usize, _: f64) -> DQuat {
    DQuat::IDENTITY
}

fn way(rig: &Rig, from: usize, to: usize) -> DVec3 {
    (rig.bones[to].center - rig.bones[from].center).normalize()
}

#[test]
fn bones_point_at_what_goes_on() {
    for motion in [still as fn(usize, f64) -> DQuat, elbows] {
        let rig = person(motion);
        let axes = rig.joint_axes();
        // Hips to the chest though there are legs, chest to the head though there are arms, limbs along.
        for (joint, child) in [(0, 1), (1, 2), (3, 4), (5, 6), (7, 8), (9, 10)] {
            assert!((axes[joint] * DVec3::Y).distance(way(&rig, joint, child)) < 1e-9, "joint {joint}");
        }
        for (leaf, tip) in [(4, DVec3::X), (6, -DVec3::X), (8, -DVec3::Y), (10, -DVec3::Y)] {
            assert!((axes[leaf] * DVec3::Y).distance(tip) < 1e-6, "joint {leaf}");
        }
        assert!((axes[2] * DVec3::Y).distance(DVec3::new(0.0, 0.15, 0.05).normalize()) < 1e-6);
    }
}

#[test]
fn children_alike_are_pointed_between() {
    let leaf = |x: f64| (Some(0), [x, 1.0, 0.0], [x, 1.5, 0.0]);
    let fork = rig(&[(None, [0.0; 3], [0.0, 0.2, 0.0]), leaf(0.3), leaf(-0.3)], still);
    assert!((fork.joint_axes()[0] * DVec3::Y).distance(DVec3::Y) < 1e-9);
    // What is around its joint does not say where it goes: on from the parent.
    let blob =
        rig(&[(None, [0.0; 3], [0.5, 0.0, 0.0]), (Some(0), [1.0, 0.0, 0.0], [1.0, 0.001, 0.0])], still);
    assert!(blob.joint_axes().iter().all(|axes| (*axes * DVec3::Y).distance(DVec3::X) < 1e-9));
    // One joint in the middle of all it moves has the world's axes.
    let alone = rig(&[(None, [0.0; 3], [0.0; 3])], still);
    assert_eq!(alone.joint_axes(), [DQuat::IDENTITY]);
}

#[test]
fn joints_that_do_not_move_have_no_twist_against_their_parents() {
    let rig = person(still);
    let axes = rig.joint_axes();
    assert!((axes[0] * DVec3::X).distance(DVec3::X) < 1e-9);
    for (joint, parent) in rig.skeleton.as_ref().unwrap().parents.iter().enumerate() {
        let above = parent.map_or(DQuat::IDENTITY, |p| axes[p]);
        let (from, to) = (above * DVec3::Y, axes[joint] * DVec3::Y);
        let shortest = from.angle_between(to);
        assert!((angle_between(above, axes[joint]) - shortest).abs() < 1e-6, "joint {joint}");
    }
    assert!(joint_limits(&rig).iter().all(|l| l.most.abs().max_element() < 1e-6));
}

#[test]
fn hinges_bend_about_x_from_nothing_to_all() {
    let rig = person(elbows);
    let (axes, limits) = (rig.joint_axes(), joint_limits(&rig));
    for (joint, axis, most) in
        [(ELBOW, -DVec3::Y, 70.0), (6, DVec3::Y, 70.0), (KNEE, DVec3::X, 130.0), (10, DVec3::X, 130.0)]
    {
        assert!((axes[joint] * DVec3::X).distance(axis) < 1e-6, "joint {joint}");
        let wanted = DVec3::new(most, 0.0, 0.0);
        assert!(limits[joint].least.length() < 1e-5, "joint {joint}: {:?}", limits[joint]);
        assert!(limits[joint].most.distance(wanted) < 1e-5, "joint {joint}: {:?}", limits[joint]);
    }
}

#[test]
fn a_bone_that_twists_has_it_about_y() {
    let twist = |j: usize, t: f64| DQuat::from_rotation_x(if j == ELBOW { 1.2 * t } else { 0.0 });
    let limits = joint_limits(&person(twist))[ELBOW];
    assert!(limits.least.length() < 1e-6, "{limits:?}");
    assert!(limits.most.distance(DVec3::new(0.0, 1.2_f64.to_degrees(), 0.0)) < 1e-6, "{limits:?}");
    // A drill goes round and round.
    let drill = |j: usize, t: f64| DQuat::from_rotation_x(if j == ELBOW { 30.0 * t } else { 0.0 });
    let limits = joint_limits(&person(drill))[ELBOW];
    assert!((limits.most.y - 30_f64.to_degrees()).abs() < 1e-5, "{limits:?}");
}

/// The same animation turned and shifted as a whole, its rest pose too.
fn turned(rig: &Rig, by: DAffine3) -> Rig {
    let mut out = rig.clone();
    out.bones.iter_mut().for_each(|bone| bone.center = by.transform_point3(bone.center));
    out.rest.iter_mut().for_each(|p| *p = by.transform_point3(p.as_dvec3()).as_vec3());
    out.transforms.iter_mut().for_each(|t| *t = by * *t * by.inverse());
    out
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn limits_of_hinges_do_not_change_when_all_is_turned(
        angles in prop::array::uniform3(-3.1..3.1_f64),
        shift in prop::array::uniform3(-5.0..5.0_f64),
    ) {
        let turn = DQuat::from_euler(EulerRot::XYZ, angles[0], angles[1], angles[2]);
        let rig = person(elbows);
        let other = turned(&rig, DAffine3::from_rotation_translation(turn, DVec3::from_array(shift)));
        let (before, after) = (joint_limits(&rig), joint_limits(&other));
        let (axes, turned) = (rig.joint_axes(), other.joint_axes());
        for joint in 0..rig.bones.len() {
            prop_assert!((before[joint].swing - after[joint].swing).abs() < 1e-3);
            let (y, turned_y) = (turn * axes[joint] * DVec3::Y, turned[joint] * DVec3::Y);
            prop_assert!(y.distance(turned_y) < 1e-4, "joint {joint}");
            if [ELBOW, 6, KNEE, 10].contains(&joint) {
                prop_assert!(before[joint].least.distance(after[joint].least) < 0.01);
                prop_assert!(before[joint].most.distance(after[joint].most) < 0.01);
            }
        }
    }

    #[test]
    fn axes_are_turns_whatever_the_joints_do(
        places in prop::collection::vec(prop::array::uniform3(-1..2_i32), 1..7),
        moved in prop::collection::vec(prop::array::uniform3(-1..2_i32), 7),
        speed in prop::array::uniform3(-9.0..9.0_f64),
    ) {
        // Joints at whole numbers fall together, lie in lines and point back at their parents.
        let joint = |j: usize| (j.checked_sub(1), places[j].map(f64::from), moved[j].map(f64::from));
        let joints: Vec<_> = (0..places.len()).map(joint).collect();
        let rig = rig(&joints, |j, t| DQuat::from_scaled_axis(DVec3::from_array(speed) * t * j as f64));
        for (j, axes) in rig.joint_axes().into_iter().enumerate() {
            prop_assert!(axes.is_finite() && axes.is_normalized(), "joint {j}: {axes}");
            if j + 1 < places.len() && places[j] != places[j + 1] {
                prop_assert!((axes * DVec3::Y).distance(way(&rig, j, j + 1)) < 1e-6, "joint {j}");
            }
        }
        let beyond = joint_limits(&rig);
        prop_assert!(beyond.iter().all(|l| l.least.is_finite() && l.most.is_finite()));
    }
}

//! Joint angles, bone lengths and limits on skeletons whose motion is known.

use std::f64::consts::{PI, TAU};

use glam::{DQuat, DVec3, EulerRot, Vec3};
use proptest::prelude::*;
use sinew::animation::Clip;
use sinew::geometry::{Mesh, angle_between};
use sinew::progress::Silent;
use sinew::rig::{Bone, JointPose, Rig, Skeleton, SkinWeights};
use sinew::skeleton::{CcdOptions, Marker, ccd, constant_lengths, continuous, joint_limits};

/// A body with a tail of two joints and two limbs of three, one of which ends in two fingers.
fn creature() -> (Skeleton, Vec<DVec3>) {
    let parents = [None, Some(0), Some(1), Some(0), Some(3), Some(4), Some(0), Some(6), Some(7), Some(7)];
    let offsets: [[f64; 3]; 10] = [
        [0.2, 1.0, -0.3],
        [-1.0, 0.1, 0.0],
        [-0.7, 0.2, 0.1],
        [0.5, -0.2, 0.4],
        [0.1, -0.8, 0.1],
        [0.2, -0.9, 0.0],
        [0.5, -0.2, -0.4],
        [0.1, -0.8, -0.1],
        [0.3, -0.5, 0.2],
        [0.3, -0.5, -0.2],
    ];
    let mut centers: Vec<DVec3> = Vec::new();
    for (parent, offset) in parents.iter().zip(offsets) {
        let from = parent.map_or(DVec3::ZERO, |p: usize| centers[p]);
        centers.push(from + DVec3::from_array(offset));
    }
    (Skeleton::new(parents.to_vec()), centers)
}

fn turn(angles: [f64; 3]) -> DQuat {
    DQuat::from_euler(EulerRot::ZXY, angles[0], angles[1], angles[2])
}

/// Smooth motion of all joints; the root goes along x.
fn walk(joints: usize, frames: usize, reach: f64) -> Vec<JointPose> {
    let pose = |t: usize| {
        let time = TAU * t as f64 / 40.0;
        let turns = (0..joints).map(|j| {
            let phase = |k: usize| (time + (3 * j + k) as f64).sin();
            turn([reach * phase(0), 0.7 * reach * phase(1), 0.4 * reach * phase(2)])
        });
        let mut places = vec![DVec3::ZERO; joints];
        places[0] = DVec3::new(0.1 * t as f64, 1.0 + 0.2 * time.sin(), 0.0);
        JointPose { turns: turns.collect(), places }
    };
    (0..frames).map(pose).collect()
}

/// Where the joints are in each frame.
fn places(skeleton: &Skeleton, centers: &[DVec3], poses: &[JointPose]) -> Vec<Vec<DVec3>> {
    let of = |pose| -> Vec<DVec3> {
        let transforms = skeleton.transforms(centers, pose);
        transforms.iter().zip(centers).map(|(t, c)| t.transform_point3(*c)).collect()
    };
    poses.iter().map(of).collect()
}

/// Four points around each joint, as the poses carry them.
fn markers(skeleton: &Skeleton, centers: &[DVec3], poses: &[JointPose]) -> Vec<Vec<Marker>> {
    let transforms: Vec<_> = poses.iter().map(|pose| skeleton.transforms(centers, pose)).collect();
    let marker = |joint: usize, off: DVec3| {
        let rest = centers[joint] + DVec3::new(0.1, -0.2, 0.1) + off;
        Marker {
            rest,
            posed: transforms.iter().map(|t| t[joint].transform_point3(rest)).collect(),
            weight: 0.5,
        }
    };
    let around = [DVec3::ZERO, 0.3 * DVec3::X, 0.3 * DVec3::Y, 0.3 * DVec3::Z];
    (0..centers.len()).map(|joint| around.iter().map(|off| marker(joint, *off)).collect()).collect()
}

/// The largest angle between turns of two motions, and the largest distance between their roots.
fn differences(a: &[JointPose], b: &[JointPose]) -> (f64, f64) {
    assert_eq!(a.len(), b.len());
    let pairs = || a.iter().zip(b);
    let angles = pairs().flat_map(|(a, b)| a.turns.iter().zip(&b.turns)).map(|(a, b)| angle_between(*a, *b));
    let shifts = pairs().flat_map(|(a, b)| a.places.iter().zip(&b.places)).map(|(a, b)| a.distance(*b));
    (angles.fold(0.0, f64::max), shifts.fold(0.0, f64::max))
}

/// The largest turn of a joint from a frame to the next; a full circle where a quaternion changes sign.
fn largest_step(poses: &[JointPose]) -> f64 {
    let steps = poses.windows(2).flat_map(|w| w[0].turns.iter().zip(&w[1].turns));
    steps.map(|(a, b)| if a.dot(*b) < 0.0 { TAU } else { angle_between(*a, *b) }).fold(0.0, f64::max)
}

/// Root of the mean squared distance between two sets of places.
fn distance(a: &[Vec<DVec3>], b: &[Vec<DVec3>]) -> f64 {
    let squares: Vec<f64> =
        a.iter().flatten().zip(b.iter().flatten()).map(|(a, b)| a.distance_squared(*b)).collect();
    (squares.iter().sum::<f64>() / squares.len() as f64).sqrt()
}

/// The same numbers every time, about as large as one another, of no pattern.
fn noise(seed: usize) -> DVec3 {
    let part = |k: usize| (12.9898 * (3 * seed + k) as f64 + 0.7).sin() * 43_758.545_3;
    2.0 * DVec3::new(part(0).fract(), part(1).fract(), part(2).fract())
}

fn shaken(places: &[Vec<DVec3>], by: f64) -> Vec<Vec<DVec3>> {
    let mut out = places.to_vec();
    out.iter_mut().flatten().enumerate().for_each(|(i, p)| *p += by * noise(i));
    out
}

#[test]
fn motion_with_markers_is_recovered() {
    let (skeleton, centers) = creature();
    let truth = walk(10, 60, 0.8);
    let (targets, markers) = (places(&skeleton, &centers, &truth), markers(&skeleton, &centers, &truth));
    let found = ccd(&skeleton, &centers, &targets, &markers, &CcdOptions::default(), &Silent).unwrap();
    let (angle, shift) = differences(&found, &truth);
    assert!(angle < 1e-6 && shift < 1e-6, "{angle} {shift}");
    assert!(largest_step(&found) < 1.01 * largest_step(&truth));
}

#[test]
fn joints_alone_are_followed() {
    let (skeleton, centers) = creature();
    let targets = places(&skeleton, &centers, &walk(10, 60, 0.8));
    let found = ccd(&skeleton, &centers, &targets, &[], &CcdOptions::default(), &Silent).unwrap();
    assert!(distance(&places(&skeleton, &centers, &found), &targets) < 1e-5);
    // What nothing tells is left as it is: leaves do not turn, limbs do not spin.
    for leaf in [2, 5, 8, 9] {
        assert!(found.iter().all(|pose| angle_between(pose.turns[leaf], DQuat::IDENTITY) < 1e-9));
    }
    assert!(largest_step(&found) < 0.3, "{}", largest_step(&found));
}

#[test]
fn a_straight_chain_follows_without_spinning() {
    // A rope that hangs down and swings in a plane: nothing tells turns about itself.
    let skeleton = Skeleton::new((0..8_usize).map(|j| j.checked_sub(1)).collect());
    let centers: Vec<DVec3> = (0..8).map(|j| -DVec3::Y * j as f64).collect();
    let pose = |t: usize| {
        let swing = DQuat::from_rotation_z(0.1 * (0.3 * t as f64).sin());
        JointPose { turns: vec![swing; 8], places: vec![DVec3::ZERO; 8] }
    };
    let truth: Vec<JointPose> = (0..40).map(pose).collect();
    let targets = places(&skeleton, &centers, &truth);
    let found = ccd(&skeleton, &centers, &targets, &[], &CcdOptions::default(), &Silent).unwrap();
    assert!(distance(&places(&skeleton, &centers, &found), &targets) < 1e-6);
    for turn in found.iter().flat_map(|pose| &pose.turns[..7]) {
        let about_itself = 2.0 * turn.y.atan2(turn.w);
        assert!(about_itself.abs() < 1e-3, "{about_itself}");
    }
}

#[test]
fn a_hinge_turns_through_whole_circles() {
    // A crank on a hinge that goes round three times in 72 steps, a leaf with four markers.
    let skeleton = Skeleton::new(vec![None, Some(0)]);
    let centers = [DVec3::ZERO, DVec3::new(1.0, 0.2, 0.0)];
    let axis = DVec3::new(0.0, 0.6, 0.8);
    let pose = |t: usize| JointPose {
        turns: vec![DQuat::IDENTITY, DQuat::from_axis_angle(axis, 3.0 * TAU * t as f64 / 72.0)],
        places: vec![DVec3::ZERO; 2],
    };
    let truth: Vec<JointPose> = (0..=72).map(pose).collect();
    let (targets, markers) = (places(&skeleton, &centers, &truth), markers(&skeleton, &centers, &truth));
    let found = ccd(&skeleton, &centers, &targets, &markers, &CcdOptions::default(), &Silent).unwrap();
    assert!(differences(&found, &truth).0 < 1e-7);
    assert!((largest_step(&found) - TAU / 24.0).abs() < 1e-6);
    // Three circles are one and a half of the quaternion's.
    assert!(found[72].turns[1].dot(found[0].turns[1]) < -0.999);
}

#[test]
fn half_a_turn_in_one_step_is_found() {
    let skeleton = Skeleton::new(vec![None, Some(0), Some(1)]);
    let centers = [DVec3::ZERO, DVec3::X, 2.0 * DVec3::X];
    // All points in one line and turned round: no one way to turn is the shortest, any will do.
    let targets = vec![centers.to_vec(), vec![DVec3::ZERO, DVec3::X, DVec3::ZERO]];
    let found = ccd(&skeleton, &centers, &targets, &[], &CcdOptions::default(), &Silent).unwrap();
    assert!(distance(&places(&skeleton, &centers, &found), &targets) < 1e-6);
    assert!((angle_between(found[0].turns[1], found[1].turns[1]) - PI).abs() < 1e-3);
}

#[test]
fn lengths_become_constant_and_noise_stays_noise() {
    let (skeleton, centers) = creature();
    let truth = walk(10, 60, 0.8);
    let (exact, markers) = (places(&skeleton, &centers, &truth), markers(&skeleton, &centers, &truth));
    let targets = shaken(&exact, 0.02);
    let off = distance(&targets, &exact);
    let corrected = constant_lengths(&skeleton, &centers, &targets);
    for (joint, parent) in skeleton.parents.iter().enumerate() {
        let Some(parent) = *parent else { continue };
        let length = corrected.centers[joint].distance(corrected.centers[parent]);
        assert!(corrected.places.iter().all(|p| (p[joint].distance(p[parent]) - length).abs() < 1e-12));
        assert!((length - centers[joint].distance(centers[parent])).abs() < 0.02);
    }
    assert!(distance(&corrected.places, &targets) < 1.5 * off);
    assert!(distance(&corrected.places, &exact) < 1.5 * off);
    let found =
        ccd(&skeleton, &corrected.centers, &corrected.places, &markers, &CcdOptions::default(), &Silent)
            .unwrap();
    let replayed = places(&skeleton, &corrected.centers, &found);
    assert!(distance(&replayed, &exact) < off, "{} {off}", distance(&replayed, &exact));
    assert!(largest_step(&found) < 0.5);
}

#[test]
fn lengths_are_the_best_of_their_kind() {
    // One bone seen at distances 1, 2 and 6: its mean is 3, and the joint stays on its line of sight.
    let skeleton = Skeleton::new(vec![None, Some(0)]);
    let seen = [DVec3::X, -2.0 * DVec3::Y, 6.0 * DVec3::Z];
    let targets: Vec<Vec<DVec3>> = seen.iter().map(|p| vec![DVec3::ONE, DVec3::ONE + *p]).collect();
    let found = constant_lengths(&skeleton, &[DVec3::ZERO, DVec3::X], &targets);
    assert!(found.centers[1].distance(3.0 * DVec3::X) < 1e-12);
    for (places, seen) in found.places.iter().zip(seen) {
        assert_eq!(places[0], DVec3::ONE);
        assert!(places[1].distance(DVec3::ONE + 3.0 * seen.normalize()) < 1e-12);
    }
}

#[test]
fn joints_at_one_place_are_no_trouble() {
    let skeleton = Skeleton::new(vec![None, Some(0), Some(1)]);
    let centers = [DVec3::ONE; 3];
    let targets = vec![vec![DVec3::X; 3], vec![DVec3::Y; 3]];
    let corrected = constant_lengths(&skeleton, &centers, &targets);
    assert_eq!(corrected.places, targets);
    let found = ccd(&skeleton, &centers, &targets, &[], &CcdOptions::default(), &Silent).unwrap();
    assert!(distance(&places(&skeleton, &centers, &found), &targets) < 1e-12);
    assert!(ccd(&Skeleton::default(), &[], &[], &[], &CcdOptions::default(), &Silent).unwrap().is_empty());
}

#[test]
fn two_roots_are_two_bodies() {
    let skeleton = Skeleton::new(vec![None, None, Some(0), Some(1)]);
    let centers = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::X + DVec3::Y];
    let mut truth = walk(4, 20, 0.7);
    truth.iter_mut().enumerate().for_each(|(t, pose)| pose.places[1] = DVec3::Z * t as f64);
    let (targets, markers) = (places(&skeleton, &centers, &truth), markers(&skeleton, &centers, &truth));
    let found = ccd(&skeleton, &centers, &targets, &markers, &CcdOptions::default(), &Silent).unwrap();
    let (angle, shift) = differences(&found, &truth);
    assert!(angle < 1e-6 && shift < 1e-6, "{angle} {shift}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_pose_is_found_from_the_rest_pose(
        angles in prop::collection::vec(prop::array::uniform3(-1.5..1.5_f64), 10),
    ) {
        let (skeleton, centers) = creature();
        let turns = angles.into_iter().map(turn).collect();
        let mut truth = JointPose { turns, places: vec![DVec3::ZERO; 10] };
        truth.places[0] = DVec3::new(3.0, -1.0, 2.0);
        let truth = [truth];
        let (targets, markers) = (places(&skeleton, &centers, &truth), markers(&skeleton, &centers, &truth));
        let found = ccd(&skeleton, &centers, &targets, &markers, &CcdOptions::default(), &Silent).unwrap();
        prop_assert!(differences(&found, &truth).0 < 1e-4);
    }

    #[test]
    fn more_sweeps_are_never_worse(seed in 0..1000_usize, sweeps in 0..6_usize) {
        let (skeleton, centers) = creature();
        let targets = shaken(&places(&skeleton, &centers, &walk(10, 1, 1.0)), 0.1 + 1e-3 * seed as f64);
        let error = |sweeps: usize| {
            let found = ccd(&skeleton, &centers, &targets, &[], &CcdOptions { sweeps, ..Default::default() }, &Silent).unwrap();
            distance(&places(&skeleton, &centers, &found), &targets)
        };
        prop_assert!(error(sweeps + 1) <= error(sweeps) * (1.0 + 1e-12));
    }

    #[test]
    fn limits_hold_all_frames(angles in prop::collection::vec(prop::array::uniform3(-3.0..3.0_f64), 20)) {
        let turns: Vec<DQuat> = angles.into_iter().map(turn).collect();
        let limits = joint_limits(&turning(&turns));
        let pairs = turns.iter().flat_map(|a| turns.iter().map(|b| angle_between(*a, *b)));
        prop_assert!((limits[1].swing - pairs.fold(0.0, f64::max).to_degrees()).abs() < 1e-5);
        prop_assert!(limits[1].least.cmple(limits[1].most).all());
        // Turns all over the place are no winding.
        prop_assert!(limits[1].least.min_element() >= -180.0 && limits[1].most.max_element() <= 180.0);
        prop_assert!(limits[0].swing < 1e-5);
    }
}

/// A rig of two joints, of which the second turns.
fn turning(turns: &[DQuat]) -> Rig {
    let skeleton = Skeleton::new(vec![None, Some(0)]);
    let centers = [DVec3::ZERO, DVec3::X];
    let pose = |turn: &DQuat| JointPose {
        turns: vec![DQuat::from_rotation_x(0.3), *turn],
        places: vec![DVec3::ONE, DVec3::ZERO],
    };
    let bone = |j: usize| Bone { name: format!("joint{j}"), center: centers[j], rigid: true, axes: None };
    Rig {
        mesh: Mesh::from_triangles(3, &[[0, 1, 2]]),
        rest: vec![Vec3::X, Vec3::Y, Vec3::Z],
        weights: SkinWeights::single(3),
        bones: (0..2).map(bone).collect(),
        transforms: turns.iter().flat_map(|turn| skeleton.transforms(&centers, &pose(turn))).collect(),
        skeleton: Some(skeleton),
        corrections: None,
        fps: 30.0,
        clips: Vec::new(),
        nodes: Vec::new(),
        armature: String::new(),
    }
}

#[test]
fn limits_are_those_of_the_motion() {
    // Twice round about z, across the bone, which runs along x.
    let round = |t: usize| turn([2.0 * TAU * t as f64 / 48.0, 0.0, 0.0]);
    let mut rig = turning(&(0..=48).map(round).collect::<Vec<_>>());
    let [_, limits] = joint_limits(&rig)[..] else { panic!("two joints") };
    let side = 720.0 * (rig.joint_axes()[1] * DVec3::X).z;
    assert!((side.abs() - 720.0).abs() < 1e-6);
    assert!(limits.least.distance(DVec3::X * side.min(0.0)) < 1e-6, "{limits:?}");
    assert!(limits.most.distance(DVec3::X * side.max(0.0)) < 1e-6, "{limits:?}");
    assert!(limits.swing > 150.0 && limits.swing <= 180.0 + 1e-9);
    // As two clips, each begins near the rest pose: the second half goes round once.
    let clip = |name: &str, frames| Clip { name: name.into(), frames, fps: 30.0 };
    rig.clips = vec![clip("one", 0..24), clip("two", 24..49)];
    let [_, halves] = joint_limits(&rig)[..] else { panic!("two joints") };
    assert!((halves.most.x - halves.least.x - 360.0).abs() < 1e-6, "{halves:?}");
    rig.skeleton = None;
    assert!(joint_limits(&rig).is_empty() && rig.joint_axes().is_empty());
}

#[test]
fn a_hinge_swings_as_far_as_it_turns() {
    let turns: Vec<DQuat> = (0..100)
        .map(|t| DQuat::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), 0.4 * (0.37 * t as f64).sin()))
        .collect();
    let most = (0..100).map(|t| 0.4 * (0.37 * t as f64).sin()).fold(f64::MIN, f64::max);
    let least = (0..100).map(|t| 0.4 * (0.37 * t as f64).sin()).fold(f64::MAX, f64::min);
    let swing = joint_limits(&turning(&turns))[1].swing;
    assert!((swing - (most - least).to_degrees()).abs() < 1e-6);
}

#[test]
fn signs_of_quaternions_go_on() {
    let mut poses = walk(4, 100, 3.0);
    let truth = poses.clone();
    poses.iter_mut().step_by(3).for_each(|pose| pose.turns.iter_mut().for_each(|q| *q = -*q));
    continuous(&mut poses);
    assert!(largest_step(&poses) < 1.0);
    assert!(differences(&poses, &truth).0 < 1e-12);
}

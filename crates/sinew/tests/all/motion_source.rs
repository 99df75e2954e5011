//! Motions from elsewhere: what they tell, and what other frame rates make of them.

use glam::{DAffine3, DMat3, DQuat, DVec3, EulerRot, Vec3};
use proptest::prelude::*;
use sinew::animation::Clip;
use sinew::geometry::{Mesh, angle_between};
use sinew::motion::{Motion, SourceJoint};
use sinew::rig::{Bone, Rig, Skeleton, SkinWeights};

const PARENTS: [Option<usize>; 4] = [None, Some(0), Some(1), Some(0)];
const OFFSETS: [DVec3; 4] = [
    DVec3::new(0.0, 1.0, 0.0),
    DVec3::new(0.5, 0.2, 0.0),
    DVec3::new(0.7, -0.4, 0.1),
    DVec3::new(-0.5, 0.0, 0.3),
];

/// Transforms of all joints that turn by these angles against their parents.
fn pose(root: DVec3, angles: &[[f64; 3]; 4]) -> Vec<DAffine3> {
    let mut out: Vec<DAffine3> = Vec::new();
    for joint in 0..4 {
        let [x, y, z] = angles[joint];
        let turn = DQuat::from_euler(EulerRot::XYZ, x, y, z);
        let place = if joint == 0 { root } else { OFFSETS[joint] };
        let local = DAffine3::from_rotation_translation(turn, place);
        out.push(PARENTS[joint].map_or(local, |parent| out[parent] * local));
    }
    out
}

fn motion(poses: &[[[f64; 3]; 4]], fps: f64) -> Motion {
    let joint = |j: usize| SourceJoint { name: format!("Joint{j}"), parent: PARENTS[j], tip: None };
    Motion {
        joints: (0..4).map(joint).collect(),
        bind: pose(OFFSETS[0], &[[0.0; 3]; 4]),
        worlds: poses.iter().enumerate().flat_map(|(f, angles)| pose(DVec3::X * f as f64, angles)).collect(),
        fps,
        clips: Vec::new(),
        metres_per_unit: Some(0.01),
    }
}

proptest! {
    #[test]
    fn lengths_are_kept_at_any_frame_rate(
        poses in prop::collection::vec(prop::array::uniform4(prop::array::uniform3(-3.0..3.0_f64)), 2..6),
        fps in 3.0..200.0_f64,
    ) {
        let before = motion(&poses, 24.0);
        let after = before.resampled(fps).unwrap();
        prop_assert_eq!(after.validate(), Ok(()));
        let seconds = (before.frame_count() - 1) as f64 / 24.0;
        prop_assert_eq!(after.frame_count(), (seconds * fps + 1e-6).floor() as usize + 1);
        prop_assert_eq!(after.frame(0), before.frame(0));
        for frame in 0..after.frame_count() {
            let places = after.places(frame);
            for joint in 1..4 {
                let parent = PARENTS[joint].unwrap();
                let length = places[joint].distance(places[parent]);
                prop_assert!((length - OFFSETS[joint].length()).abs() < 1e-9);
            }
            // The root goes at a steady pace.
            prop_assert!((places[0].x - (frame as f64 / fps * 24.0)).abs() < 1e-5);
        }
    }

    #[test]
    fn joints_turn_the_shortest_way_at_a_steady_pace(
        from in prop::array::uniform4(prop::array::uniform3(-3.0..3.0_f64)),
        to in prop::array::uniform4(prop::array::uniform3(-3.0..3.0_f64)),
    ) {
        let before = motion(&[from, to], 1.0);
        let after = before.resampled(4.0).unwrap();
        prop_assert_eq!(after.frame(4), before.frame(1));
        for joint in 0..4 {
            let way = angle_between(before.turns(0)[joint], before.turns(1)[joint]);
            for frame in 1..4 {
                let gone = angle_between(before.turns(0)[joint], after.turns(frame)[joint]);
                prop_assert!((gone - way * frame as f64 / 4.0).abs() < 1e-6, "{} of {}", gone, way);
            }
        }
    }
}

#[test]
fn rotations_are_seen_from_the_bind_pose() {
    // However a joint's axes lie, and whatever they are scaled by.
    let axes = DAffine3::from_quat(DQuat::from_euler(EulerRot::XYZ, 0.3, 1.0, -2.0));
    let stretched = DAffine3::from_mat3(DMat3::from_diagonal(DVec3::new(2.0, 3.0, 0.5)));
    let angles = [[0.0, 0.0, 0.4], [0.5, 0.0, 0.0], [0.0, -0.7, 0.0], [0.0; 3]];
    let plain = motion(&[[[0.0; 3]; 4], angles], 24.0);
    let mut turned = plain.clone();
    turned.bind.iter_mut().chain(&mut turned.worlds).for_each(|t| *t = *t * axes * stretched);
    for other in [&plain, &turned] {
        assert_eq!(other.validate(), Ok(()));
        for (joint, [x, y, z]) in angles.into_iter().enumerate() {
            assert!(angle_between(other.rotations(0)[joint], DQuat::IDENTITY) < 1e-7);
            assert!(angle_between(other.turns(1)[joint], DQuat::from_euler(EulerRot::XYZ, x, y, z)) < 1e-7);
        }
        let world = DQuat::from_rotation_z(0.4) * DQuat::from_rotation_x(0.5);
        assert!(angle_between(other.rotations(1)[1], world) < 1e-7);
    }
}

#[test]
fn a_joint_without_a_direction_turns_with_its_parent() {
    let mut motion = motion(&[[[0.0, 0.5, 0.0]; 4]; 3], 24.0);
    motion.worlds[4 + 2].matrix3 = DMat3::ZERO;
    assert_eq!(motion.validate(), Ok(()));
    assert_eq!(motion.rotations(1)[2], motion.rotations(1)[1]);
    // And is interpolated with everything else.
    assert_eq!(motion.resampled(100.0).unwrap().validate(), Ok(()));
}

#[test]
fn clips_are_found_cut_and_resampled_one_by_one() {
    let mut motion = motion(&[[[0.1; 3]; 4]; 9], 10.0);
    let clip = |name: &str, frames, fps| Clip { name: name.into(), frames, fps };
    motion.clips = vec![clip("walk", 0..5, 10.0), clip("run", 5..9, 30.0)];
    assert_eq!(motion.clip("run").unwrap().frames, 5..9);
    assert_eq!(motion.clip("0").unwrap().name, "walk");
    let error = motion.clip("jump").unwrap_err().to_string();
    assert_eq!(error, "there is no clip \"jump\"; the clips are walk, run");
    let run = motion.cut(5..9);
    assert_eq!((run.fps, run.frame_count(), run.clips.len()), (30.0, 4, 0));
    assert_eq!(run.frame(0), motion.frame(5));
    let after = motion.resampled(60.0).unwrap();
    assert_eq!(after.clips, [clip("walk", 0..25, 60.0), clip("run", 25..32, 60.0)]);
    // Nothing is made up between the end of one and the start of the other.
    assert_eq!(after.frame(24), motion.frame(4));
    assert_eq!(after.frame(25), motion.frame(5));
    assert_eq!(after.validate(), Ok(()));
}

#[test]
fn sizes_turn_and_grow_with_the_world() {
    let mut motion = motion(&[[[0.2; 3]; 4]; 2], 24.0);
    motion.joints[2].tip = Some(DVec3::new(0.0, -2.0, 0.0));
    // The tip is at 1 + 0.2 − 0.4 − 2, the highest joint at 1.2.
    assert!((motion.height() - 2.4).abs() < 1e-12);
    assert!((motion.root_height() - 2.2).abs() < 1e-12);
    let before = motion.clone();
    motion.scale(100.0);
    assert!((motion.height() - 240.0).abs() < 1e-9);
    assert!((motion.metres_per_unit.unwrap() - 1e-4).abs() < 1e-18);
    assert!(motion.places(1)[3].distance(100.0 * before.places(1)[3]) < 1e-9);
    let quarter = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
    motion.turn(DMat3::from_quat(quarter));
    assert!((motion.size().z - 240.0).abs() < 1e-9);
    for joint in 0..4 {
        // The same turn, about an axis that was turned along.
        let expected = quarter * before.rotations(1)[joint] * quarter.inverse();
        assert!(angle_between(motion.rotations(1)[joint], expected) < 1e-7);
    }
    assert_eq!(
        (motion.find("joint2"), motion.find("Joint2"), motion.find("joint")),
        (Some(2), Some(2), None)
    );
}

#[test]
fn the_motion_of_a_rig_is_that_of_its_bones() {
    let centers = [DVec3::ZERO, DVec3::new(1.0, 2.0, 0.0)];
    let turn = DAffine3::from_rotation_translation(DQuat::from_rotation_z(0.5), DVec3::X);
    let bone = |b: usize| Bone { name: format!("b{b}"), center: centers[b], rigid: true, axes: None };
    let mut rig = Rig {
        mesh: Mesh::from_triangles(3, &[[0, 1, 2]]),
        rest: vec![Vec3::ZERO, Vec3::X, Vec3::Y],
        weights: SkinWeights::single(3),
        bones: vec![bone(0), bone(1)],
        transforms: vec![DAffine3::IDENTITY, DAffine3::IDENTITY, turn, turn],
        skeleton: None,
        corrections: None,
        fps: 24.0,
        clips: Vec::new(),
        nodes: Vec::new(),
        armature: String::new(),
    };
    let loose = Motion::of_rig(&rig);
    assert_eq!(loose.validate(), Ok(()));
    assert!(loose.joints.iter().all(|j| j.parent.is_none()));
    rig.skeleton = Some(Skeleton::new(vec![None, Some(0)]));
    let motion = Motion::of_rig(&rig);
    assert_eq!(motion.joints[1].parent, Some(0));
    assert_eq!(motion.bind_places(), centers);
    assert!(motion.places(1)[1].distance(rig.posed_joints(1)[1]) < 1e-12);
    assert!(angle_between(motion.rotations(1)[1], DQuat::from_rotation_z(0.5)) < 1e-9);
    assert!(angle_between(motion.turns(1)[1], DQuat::IDENTITY) < 1e-9);
}

#[test]
fn everything_that_can_be_wrong_has_its_sentence() {
    let sentence = |change: &dyn Fn(&mut Motion)| {
        let mut motion = motion(&[[[0.1; 3]; 4]; 3], 24.0);
        assert_eq!(motion.validate(), Ok(()));
        change(&mut motion);
        motion.validate().unwrap_err().to_string()
    };
    assert_eq!(sentence(&|m| m.joints.clear()), "the motion has no joints");
    assert_eq!(sentence(&|m| m.worlds.clear()), "the motion has no frames");
    assert_eq!(sentence(&|m| m.fps = f64::NAN), "the frame rate must be a positive number, not NaN");
    assert_eq!(sentence(&|m| m.worlds.truncate(11)), "the motion's transforms: 11 entries where 8 belong");
    assert_eq!(sentence(&|m| m.bind.truncate(3)), "the motion's bind pose: 3 entries where 4 belong");
    assert_eq!(sentence(&|m| m.joints[1].parent = Some(1)), "joint Joint1 comes before its parent");
    assert_eq!(sentence(&|m| m.joints[1].name = "Joint0".into()), "two joints are called Joint0");
    assert_eq!(
        sentence(&|m| m.worlds[6].translation.x = f64::INFINITY),
        "joint Joint2 has no finite transform in frame 1"
    );
    let flat = "joint Joint3 has no transform in the bind pose that can be undone";
    assert_eq!(sentence(&|m| m.bind[3].matrix3 = DMat3::ZERO), flat);
    let clip = Clip { name: "a".into(), frames: 0..2, fps: 24.0 };
    assert_eq!(sentence(&|m| m.clips = vec![clip.clone()]), "the clips hold 2 of 3 frames");
    let resampled = |fps: f64| motion(&[[[0.1; 3]; 4]; 3], 24.0).resampled(fps).unwrap_err().to_string();
    assert_eq!(resampled(0.0), "the frame rate must be a positive number, not 0");
    assert!(resampled(1e300).contains("more frames than Sinew keeps"));
}

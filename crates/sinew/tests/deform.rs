//! Deforming characters: poses without examples.

mod common {
    pub mod limbs;
}

use common::limbs::{Limb, tube};
use glam::{DQuat, DVec3, Vec3};
use sinew::deform::{DeformOptions, Deformer, Handles, Pose};
use sinew::rig::JointPose;

fn deformer(limb: &Limb) -> Deformer {
    Deformer::new(&limb.character(), &limb.handles(), &[], &DeformOptions::default()).unwrap()
}

fn farthest(a: &[Vec3], b: &[Vec3]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max)
}

fn arm() -> Limb {
    tube(12.0, 48, 24, &[0.0, 6.0], 1.5)
}

#[test]
fn the_rest_pose_is_the_rest_shape() {
    let limb = arm();
    let posed = deformer(&limb).pose(&limb.rest_pose());
    assert!(farthest(&posed, &limb.rest) < 1e-6);
}

#[test]
fn the_shape_turns_with_the_skeleton() {
    let limb = tube(12.0, 48, 16, &[0.0, 4.0, 8.0], 1.0);
    let deformer = deformer(&limb);
    let mut pose = limb.bent(1, 70.0);
    pose.turns[2] = DVec3::new(0.3, -0.5, 0.2);
    let before = deformer.pose(&pose);
    let turn = DQuat::from_axis_angle(DVec3::new(1.0, 2.0, -1.0).normalize(), 2.5);
    let place = DVec3::new(-3.0, 7.0, 1.0);
    let mut turned = pose.joint_pose();
    turned.turns[0] = turn * turned.turns[0];
    turned.places[0] = place;
    let after = deformer.pose(&Pose::from(&turned));
    let moved: Vec<Vec3> = before.iter().map(|p| (turn * p.as_dvec3() + place).as_vec3()).collect();
    assert!(farthest(&after, &moved) < 2e-5);
}

#[test]
fn no_vertex_jumps() {
    let limb = arm();
    let deformer = deformer(&limb);
    let mut poser = deformer.poser();
    let mut frames = Vec::new();
    // Beyond half a circle too: turns are taken at their word.
    for step in 0..=720 {
        let mut out = vec![Vec3::ZERO; limb.rest.len()];
        poser.pose_into(&limb.bent(1, f64::from(step) * 0.5), &mut out);
        frames.push(out);
    }
    for (from, to) in [(0, 340), (300, 720)] {
        let mut most = vec![0.0_f32; limb.rest.len()];
        let mut sum = vec![0.0_f32; limb.rest.len()];
        for pair in frames[from..=to].windows(2) {
            for v in 0..limb.rest.len() {
                let step = pair[0][v].distance(pair[1][v]);
                most[v] = most[v].max(step);
                sum[v] += step;
            }
        }
        let mean = sum.iter().sum::<f32>() / (sum.len() * (to - from)) as f32;
        for v in 0..limb.rest.len() {
            let own = sum[v] / (to - from) as f32;
            assert!(most[v] <= 3.0 * mean.max(own), "vertex {v}: {} against {own} and {mean}", most[v]);
        }
    }
    // A film of rotations goes the same way.
    let film = |step: i32| {
        let turn = DQuat::from_rotation_z((f64::from(step) * 0.5).to_radians());
        let mut pose = limb.rest_pose().joint_pose();
        pose.turns[1] = turn;
        Pose::from(&pose)
    };
    let mut pose = film(0);
    for step in 1..=460 {
        pose = film(step).after(&pose);
    }
    assert!(farthest(&deformer.pose(&pose), &frames[460]) < 1e-4);
}

#[test]
fn limbs_stay_on_their_bones() {
    let limb = arm();
    let pose = limb.bent(1, 90.0);
    let posed = deformer(&limb).pose(&pose);
    let elbow = limb.joints[1];
    let end = limb.rest.len() - 1;
    let wanted = elbow + DQuat::from_rotation_z(90_f64.to_radians()) * (limb.rest[end].as_dvec3() - elbow);
    assert!(posed[end].as_dvec3().distance(wanted) < 0.1, "{} is not {wanted}", posed[end]);
    let root = limb.lists[0].as_ref().unwrap();
    assert!(root.iter().all(|&v| posed[v as usize].distance(limb.rest[v as usize]) < 1e-5));
}

#[test]
fn joint_poses_are_read_as_their_shortest_turns() {
    let pose = JointPose { turns: vec![DQuat::from_rotation_z(3.5)], places: vec![DVec3::ZERO] };
    assert!((Pose::from(&pose).turns[0].z - (3.5 - std::f64::consts::TAU)).abs() < 1e-9);
}

#[test]
fn handles_come_from_weights_and_from_the_skeleton_too() {
    let limb = arm();
    let found = Handles::from_skeleton(&limb.mesh, &limb.rest, &limb.skeleton, &limb.joints).unwrap();
    for (v, p) in limb.rest.iter().enumerate() {
        match found.joint(v) {
            Some(joint) => assert_eq!(joint, usize::from(p.x > 6.0), "{p}"),
            None => assert!((p.x - 6.0).abs() < 3.0, "{p} is nobody's"),
        }
    }
    assert!(found.joints_without(2).is_empty());
    assert!((0..limb.rest.len()).any(|v| found.joint(v).is_none()), "the elbow is free");
}

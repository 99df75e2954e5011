//! Deforming characters: poses without examples.

use crate::common::limbs::{Limb, tube};
use glam::{DQuat, DVec3, Vec3};
use sinew::deform::{DeformOptions, Deformer, Handles, Pose, detail_deviation, signed_volume};
use sinew::progress::Silent;
use sinew::rig::{JointPose, SkinWeights};

fn deformer(limb: &Limb) -> Deformer {
    Deformer::new(&limb.character(), &limb.handles(), &[], &DeformOptions::default(), &Silent).unwrap()
}

fn following(limb: &Limb) -> Deformer {
    Deformer::new(&limb.character(), &limb.handles(), &[], &DeformOptions::following(), &Silent).unwrap()
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
fn a_bent_limb_keeps_its_volume() {
    let limb = arm();
    let deformer = deformer(&limb);
    // The same influences, blended linearly.
    let mut weights = SkinWeights { per_vertex: 2, ..SkinWeights::default() };
    for v in 0..limb.rest.len() {
        let list = deformer.vertex_influences(v);
        for slot in 0..2 {
            let (joint, share) = list.get(slot).copied().unwrap_or((0, 0.0));
            weights.bones.push(joint);
            weights.weights.push(share);
        }
    }
    let pose = limb.bent(1, 120.0);
    let triangles = limb.triangles();
    let rest = signed_volume(&triangles, &limb.rest);
    let posed = deformer.pose(&pose);
    let loss = 1.0 - signed_volume(&triangles, &posed) / rest;
    let linear = limb.blended(&weights, &pose);
    let linear_loss = 1.0 - signed_volume(&triangles, &linear) / rest;
    assert!(linear_loss > 0.02, "{linear_loss}");
    assert!(loss < linear_loss / 3.0, "{loss} against {linear_loss}");
    let detail = detail_deviation(&triangles, &limb.rest, &posed);
    assert!(detail < detail_deviation(&triangles, &limb.rest, &linear), "{detail}");
}

#[test]
fn limbs_can_be_kept_on_their_bones() {
    let limb = arm();
    let pose = limb.bent(1, 90.0);
    let follow = DeformOptions { follow: 1.0, ..DeformOptions::default() };
    let posed = Deformer::new(&limb.character(), &limb.handles(), &[], &follow, &Silent).unwrap().pose(&pose);
    let elbow = limb.joints[1];
    let end = limb.rest.len() - 1;
    let wanted = elbow + DQuat::from_rotation_z(90_f64.to_radians()) * (limb.rest[end].as_dvec3() - elbow);
    assert!(posed[end].as_dvec3().distance(wanted) < 0.1, "{} is not {wanted}", posed[end]);
    let root = limb.lists[0].as_ref().unwrap();
    assert!(root.iter().all(|&v| posed[v as usize].distance(limb.rest[v as usize]) < 1e-5));
}

/// How far the vertices of a handle are at most from where its joint takes them.
fn off(limb: &Limb, joint: usize, pose: &Pose, follow: f64) -> f64 {
    let options = DeformOptions { follow, ..DeformOptions::default() };
    let deformer = Deformer::new(&limb.character(), &limb.handles(), &[], &options, &Silent).unwrap();
    let (posed, transforms) = (deformer.pose(pose), pose.transforms(&limb.skeleton, &limb.joints));
    let wanted = |v: usize| transforms[joint].transform_point3(limb.rest[v].as_dvec3());
    let own = limb.lists[joint].as_ref().unwrap().iter().map(|&v| v as usize);
    own.map(|v| wanted(v).distance(posed[v].as_dvec3())).fold(0.0, f64::max)
}

#[test]
fn ends_of_limbs_are_where_their_joints_take_them() {
    let limb = tube(12.0, 48, 16, &[0.0, 4.0, 8.0, 10.5], 0.5);
    let mut pose = limb.bent(1, 80.0);
    pose.turns[2] = DVec3::new(0.2, 0.9, -0.3);
    pose.turns[3] = DVec3::new(0.0, 0.0, 0.4);
    // The limb is 12 long, and its parts between bends that are as near to each other turn a little.
    for (joint, most) in [0.01, 0.12, 0.12, 0.1].into_iter().enumerate() {
        let off = off(&limb, joint, &pose, 1.0);
        assert!(off < most, "joint {joint}: {off}");
    }
    assert!(off(&limb, 3, &pose, 0.0) > 0.2, "what bends in arcs ends beside its joint");
}

#[test]
fn limbs_that_follow_keep_their_volume_wherever_their_joints_are() {
    let mut limb = arm();
    for aside in [-0.4, 0.0, 0.4] {
        limb.joints[1].y = aside;
        let pose = limb.bent(1, 110.0);
        let triangles = limb.triangles();
        let posed = following(&limb).pose(&pose);
        let loss = 1.0 - signed_volume(&triangles, &posed) / signed_volume(&triangles, &limb.rest);
        assert!(loss.abs() < 0.06, "{loss} with the joint {aside} aside");
        assert!(off(&limb, 1, &pose, 1.0) < 0.15, "{aside}");
    }
}

#[test]
fn bones_may_get_longer() {
    let limb = tube(12.0, 48, 16, &[0.0, 4.0, 8.0], 1.0);
    let mut pose = limb.rest_pose();
    pose.places[2] = DVec3::new(1.5, 0.5, 0.0);
    let posed = following(&limb).pose(&pose);
    for v in 0..limb.rest.len() {
        let moved = (posed[v] - limb.rest[v]).as_dvec3();
        match limb.rest[v].x {
            x if x < 4.5 => assert!(moved.length() < 0.1, "{moved} at {x}"),
            x if x > 9.5 => assert!(moved.distance(pose.places[2]) < 0.1, "{moved} at {x}"),
            // In between it is drawn out, and nowhere folded.
            x => assert!(moved.x > -0.1 && moved.x < 1.6, "{moved} at {x}"),
        }
    }
    assert_eq!(pose.transforms(&limb.skeleton, &limb.joints)[2].translation, pose.places[2]);
}

#[test]
fn pieces_that_are_not_connected_are_carried_by_their_joints() {
    // A foot of its own on the ankle, and one whose joint moves about by itself.
    for parent in [Some(1), None] {
        let mut limb = arm();
        let first = limb.rest.len() as u32;
        let foot = tube(2.0, 8, 12, &[0.0], 0.0);
        limb.rest.extend(foot.rest.iter().map(|p| Vec3::new(p.x + 12.5, p.y, p.z)));
        foot.triangles().iter().for_each(|t| limb.mesh.push_face(&t.map(|v| v + first)));
        limb.mesh.vertex_count = limb.rest.len();
        limb.joints.push(DVec3::new(12.5, 0.0, 0.0));
        limb.skeleton.parents.push(parent);
        limb.lists.push(Some((first..limb.rest.len() as u32).collect()));
        let mut pose = limb.rest_pose();
        pose.turns[1] = DVec3::new(0.0, 0.3, 1.2);
        pose.turns[2] = DVec3::new(0.1, 0.0, -0.5);
        pose.places[2] += DVec3::new(0.3, 1.0, -0.2);
        let off = off(&limb, 2, &pose, 1.0);
        assert!(off < 1e-4, "{off} below {parent:?}");
    }
}

#[test]
fn joint_poses_are_read_as_their_shortest_turns() {
    let pose = JointPose { turns: vec![DQuat::from_rotation_z(3.5)], places: vec![DVec3::ZERO] };
    assert!((Pose::from(&pose).turns[0].z - (3.5 - std::f64::consts::TAU)).abs() < 1e-9);
}

#[test]
fn handles_that_touch_are_brought_apart() {
    let limb = arm();
    // Rigid weights: every vertex is somebody's.
    let bones: Vec<u32> = limb.rest.iter().map(|p| u32::from(p.x > 6.1)).collect();
    let weights = SkinWeights { per_vertex: 1, weights: vec![1.0; bones.len()], bones };
    let touching = Handles::from_weights(&weights, 2);
    assert!((0..limb.rest.len()).all(|v| touching.joint(v) == Some(usize::from(limb.rest[v].x > 6.1))));
    let apart = touching.apart(&limb.triangles());
    for (v, p) in limb.rest.iter().enumerate() {
        let wanted = if (5.9..6.3).contains(&p.x) { None } else { Some(usize::from(p.x > 6.1)) };
        assert_eq!(apart.joint(v), wanted, "{p}");
    }
    // One vertex alone stays.
    let lone = Handles::from_lists(3, &[Some(vec![0, 1]), Some(vec![2])]).unwrap().apart(&[[0, 1, 2]]);
    assert_eq!([0, 1, 2].map(|v| lone.joint(v)), [Some(0), Some(0), Some(1)]);
}

#[test]
fn handles_come_from_weights_and_from_the_skeleton_too() {
    let limb = arm();
    let found =
        Handles::from_skeleton(&limb.mesh, &limb.rest, &limb.skeleton, &limb.joints, &Silent).unwrap();
    for (v, p) in limb.rest.iter().enumerate() {
        match found.joint(v) {
            Some(joint) => assert_eq!(joint, usize::from(p.x > 6.0), "{p}"),
            None => assert!((p.x - 6.0).abs() < 3.0, "{p} is nobody's"),
        }
    }
    assert!(found.joints_without(2).is_empty());
    assert!((0..limb.rest.len()).any(|v| found.joint(v).is_none()), "the elbow is free");
}

/// Two tubes of one skeleton, one of them without a handle, a vertex that no face uses, a fin on an edge that
/// two faces share already, and triangles without area.
fn patchwork() -> Limb {
    let mut limb = arm();
    let first = limb.rest.len() as u32;
    let other = tube(3.0, 12, 8, &[0.0], 0.0);
    limb.rest.extend(other.rest.iter().map(|p| Vec3::new(0.3 * p.x + 8.0, 0.3 * p.y + 1.6, 0.3 * p.z)));
    other.triangles().iter().for_each(|t| limb.mesh.push_face(&t.map(|v| v + first)));
    limb.rest.push(Vec3::new(2.0, 3.0, 0.0));
    let fin = limb.rest.len() as u32;
    limb.rest.push(Vec3::new(4.0, 2.0, 0.1));
    limb.mesh.push_face(&[16 * 24, 16 * 24 + 1, fin]);
    limb.mesh.push_face(&[30, 31, 31]);
    limb.mesh.push_face(&[30, 54, 30 + 24]);
    // In line with two others.
    let between = limb.rest.len() as u32;
    limb.rest.push(0.5 * (limb.rest[700] + limb.rest[701]));
    limb.mesh.push_face(&[700, between, 701]);
    limb.mesh.vertex_count = limb.rest.len();
    limb
}

#[test]
fn loose_and_broken_pieces_go_along() {
    let limb = patchwork();
    let deformer = deformer(&limb);
    for v in 0..limb.rest.len() {
        let list = deformer.vertex_influences(v);
        assert!(list.iter().all(|(_, w)| (0.0..=1.0).contains(w)));
        assert!((list.iter().map(|(_, w)| w).sum::<f32>() - 1.0).abs() < 1e-5);
    }
    assert!(farthest(&deformer.pose(&limb.rest_pose()), &limb.rest) < 1e-5);
    let posed = deformer.pose(&limb.bent(1, 90.0));
    assert!(posed.iter().all(|p| p.is_finite()));
    // What is not one with the tube stays as far from it as it was.
    let gap = |p: &[Vec3], from: std::ops::Range<usize>| {
        let all = from.flat_map(|v| p[..arm().rest.len()].iter().map(move |q| q.distance(p[v])));
        all.fold(f32::INFINITY, f32::min)
    };
    let first = arm().rest.len();
    for range in [first..first + 13 * 8 + 2, first + 13 * 8 + 2..first + 13 * 8 + 3] {
        let (before, after) = (gap(&limb.rest, range.clone()), gap(&posed, range));
        assert!((after - before).abs() < 0.35, "{before} became {after}");
    }
}

#[test]
fn influences_stay_between_handles_on_obtuse_triangles() {
    // A sheared sheet: angles of more than 160°.
    let mut limb = arm();
    for p in &mut limb.rest {
        p.y += 6.0 * p.x;
    }
    for joint in &mut limb.joints {
        joint.y += 6.0 * joint.x;
    }
    let deformer = deformer(&limb);
    let elbow = |v: usize| deformer.vertex_influences(v).iter().find(|i| i.0 == 1).map_or(0.0, |i| i.1);
    for v in 0..limb.rest.len() {
        assert!((0.0..=1.0).contains(&elbow(v)));
    }
    let mean = |x: f32| {
        let ring: Vec<f32> =
            (0..limb.rest.len()).filter(|&v| (limb.rest[v].x - x).abs() < 0.01).map(elbow).collect();
        ring.iter().sum::<f32>() / ring.len() as f32
    };
    let rings = [4.5, 5.25, 6.0, 6.75, 7.5].map(mean);
    assert!(rings.windows(2).all(|w| w[0] < w[1]), "{rings:?}");
}

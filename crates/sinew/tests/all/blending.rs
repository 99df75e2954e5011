//! What becomes of a cylinder that is bent and twisted further than it ever was.

use std::f64::consts::TAU;

use crate::common::bodies::arm;
use crate::common::rigs::rig_of;
use glam::{DAffine3, DQuat, DVec3, Vec3};
use sinew::animation::PoseSource;
use sinew::geometry::{Bounds, Mesh};
use sinew::rig::{BlendPlayer, Blending, Bone, Rig, SkinWeights};

const AROUND: u32 = 24;
const ALONG: u32 = 48;

/// A closed cylinder along x, from -2 to 2, with a joint in its middle that moves as told in one frame each.
fn cylinder(turns: &[DQuat]) -> Rig {
    let mut rest = Vec::new();
    let mut weights = SkinWeights { per_vertex: 2, ..SkinWeights::default() };
    for ring in 0..=ALONG {
        let x = 4.0 * f64::from(ring) / f64::from(ALONG) - 2.0;
        let second = (0.5 + 0.75 * x).clamp(0.0, 1.0) as f32;
        for k in 0..AROUND {
            let angle = TAU * f64::from(k) / f64::from(AROUND);
            rest.push(DVec3::new(x, 0.5 * angle.cos(), 0.5 * angle.sin()).as_vec3());
            weights.bones.extend(if second > 0.5 { [1, 0] } else { [0, 1] });
            weights.weights.extend(if second > 0.5 {
                [second, 1.0 - second]
            } else {
                [1.0 - second, second]
            });
        }
    }
    let mut mesh = Mesh { vertex_count: rest.len(), ..Mesh::default() };
    for ring in 0..ALONG {
        for k in 0..AROUND {
            let (a, b) = (ring * AROUND + k, ring * AROUND + (k + 1) % AROUND);
            mesh.push_face(&[a, a + AROUND, b + AROUND, b]);
        }
    }
    mesh.push_face(&(0..AROUND).collect::<Vec<_>>());
    mesh.push_face(&(0..AROUND).rev().map(|k| ALONG * AROUND + k).collect::<Vec<_>>());
    let bone = |name: &str, x: f64| Bone { name: name.into(), center: DVec3::X * x, rigid: true, axes: None };
    Rig {
        mesh,
        rest,
        weights,
        bones: vec![bone("upper", -2.0), bone("lower", 0.0)],
        transforms: turns.iter().flat_map(|t| [DAffine3::IDENTITY, DAffine3::from_quat(*t)]).collect(),
        skeleton: None,
        corrections: None,
        fps: 30.0,
        clips: Vec::new(),
        nodes: Vec::new(),
        armature: String::new(),
    }
}

fn volume(mesh: &Mesh, pose: &[Vec3]) -> f64 {
    let corner = |v: u32| pose[v as usize].as_dvec3();
    let six_times = |t: &[u32; 3]| corner(t[0]).dot(corner(t[1]).cross(corner(t[2])));
    mesh.triangles(pose).iter().map(six_times).sum::<f64>().abs() / 6.0
}

fn pose(rig: &Rig, blending: Blending, frame: usize) -> Vec<Vec3> {
    let mut pose = rig.rest.clone();
    BlendPlayer::new(rig, blending).pose_into(frame, &mut pose);
    pose
}

/// Share of the rest pose's volume that is kept.
fn kept(rig: &Rig, blending: Blending, frame: usize) -> f64 {
    volume(&rig.mesh, &pose(rig, blending, frame)) / volume(&rig.mesh, &rig.rest)
}

#[test]
fn a_bend_and_a_twist_keep_their_volume() {
    let bend = DQuat::from_axis_angle(DVec3::Z, 120_f64.to_radians());
    let twist = DQuat::from_axis_angle(DVec3::X, 150_f64.to_radians());
    let rig = cylinder(&[bend, twist]);
    let found = [Blending::Linear, Blending::Dual, Blending::Centres]
        .map(|blending| [0, 1].map(|frame| kept(&rig, blending, frame)));
    let [linear, dual, centres] = found;
    assert!(linear[0] < 0.93 && linear[1] < 0.8, "linear blending loses volume: {found:?}");
    for better in [dual, centres] {
        assert!((better[0] - 1.0).abs() < 0.015, "bent: {found:?}");
        assert!((better[1] - 1.0).abs() < 0.005, "twisted: {found:?}");
    }
}

#[test]
fn a_bend_about_centres_does_not_bulge() {
    let rig = cylinder(&[DQuat::from_axis_angle(DVec3::Z, 120_f64.to_radians())]);
    // How far the outside of the bend is from the joint.
    let outside = |blending: Blending| {
        let pose = pose(&rig, blending, 0);
        pose.iter().map(|p| p.truncate().dot(glam::Vec2::new(0.5, -0.866))).fold(f32::MIN, f32::max)
    };
    let [dual, centres] = [outside(Blending::Dual), outside(Blending::Centres)];
    assert!(centres < 0.52 && dual > 1.05 * centres, "{dual} {centres}");
}

#[test]
fn linear_is_linear_and_what_has_one_bone_is_the_same_in_all() {
    let rig = cylinder(&[DQuat::from_axis_angle(DVec3::new(0.2, 0.5, 1.0).normalize(), 1.9)]);
    assert_eq!(pose(&rig, Blending::Linear, 0), rig.pose(0));
    for blending in [Blending::Dual, Blending::Centres] {
        let other = pose(&rig, blending, 0);
        let single = |v: &usize| rig.weights.of(*v).1[1] == 0.0;
        let (alone, together): (Vec<usize>, Vec<usize>) = (0..other.len()).partition(single);
        assert!(!alone.is_empty() && alone.iter().all(|&v| other[v] == rig.pose(0)[v]));
        assert!(together.iter().any(|&v| other[v].distance(rig.pose(0)[v]) > 0.05));
    }
}

#[test]
fn vertices_are_blended_by_dual_quaternions_as_far_as_told() {
    let rig = cylinder(&[DQuat::from_rotation_x(2.0)]);
    let (linear, dual) = (pose(&rig, Blending::Linear, 0), pose(&rig, Blending::Dual, 0));
    // The last vertices are told nothing.
    let shares: Vec<f32> = (0..rig.rest.len() - 10).map(|v| [0.0, 1.0, 0.25][v % 3]).collect();
    let mut mixed = rig.rest.clone();
    BlendPlayer::mixed(&rig, shares.clone()).pose_into(0, &mut mixed);
    for (v, p) in mixed.iter().enumerate() {
        let share = shares.get(v).copied().unwrap_or(0.0);
        assert!(p.distance(linear[v].lerp(dual[v], share)) < 1e-6, "vertex {v}");
    }
    assert!(linear.iter().zip(&dual).any(|(a, b)| a.distance(*b) > 0.1));
}

#[test]
fn all_ways_agree_where_bones_move_as_one() {
    let mut rig = rig_of(&arm(), 3, false);
    let basis = rig.rest.iter().map(|p| Vec3::new(0.0, 0.02 * p.x, 0.0)).collect();
    let normals = Vec::new();
    rig.corrections = Some(sinew::rig::Corrections {
        rank: 1,
        basis,
        normals,
        coefficients: vec![1.0, 2.0, -1.0],
        names: Vec::new(),
    });
    let stretch = glam::DMat3::from_diagonal(DVec3::new(1.2, 0.9, 1.0));
    let turn = DAffine3::from_scale_rotation_translation(
        DVec3::ONE,
        DQuat::from_axis_angle(DVec3::new(1.0, 2.0, 0.5).normalize(), 2.5),
        DVec3::new(20.0, -30.0, 10.0),
    );
    rig.transforms.fill(turn * DAffine3::from_mat3(stretch));
    let diagonal = Bounds::of(&rig.rest).diagonal();
    for blending in [Blending::Dual, Blending::Centres] {
        let player = BlendPlayer::new(&rig, blending);
        assert_eq!((player.frame_count(), player.vertex_count()), (3, rig.rest.len()));
        let pose = pose(&rig, blending, 1);
        let off = pose.iter().zip(rig.pose(1)).map(|(p, q)| f64::from(p.distance(q))).fold(0.0, f64::max);
        // Stretch about the centres of bones is the stretch of the whole but for where it leaves them.
        assert!(off < 1e-5 * diagonal, "{blending:?}: {off}");
    }
}

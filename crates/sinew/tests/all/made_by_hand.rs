//! Rigs, weights and animations that others make of their own arrays, players that own what they play, and choices.

use std::sync::Arc;

use crate::common::bodies::arm;
use crate::common::limbs::tube;
use crate::common::rigs::rig_of;
use glam::{DAffine3, DVec3, Vec3};
use sinew::animation::{AnimationError, MeshAnimation, PoseSource};
use sinew::choice::Choice;
use sinew::deform::{DeformError, DeformOptions, Deformer, Poser};
use sinew::geometry::Mesh;
use sinew::motion::{Carry, Translations};
use sinew::progress::Silent;
use sinew::rig::{BlendPlayer, Blending, ChainPlayer, Player, PoseChain, Rig, RigError, SkinWeights};

#[test]
fn weights_of_a_table_are_sorted_cut_and_sum_to_one() {
    let dense = [0.1, 0.6, 0.3, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0];
    let weights = SkinWeights::from_dense(&dense, 3, 2).unwrap();
    assert_eq!((weights.per_vertex, weights.validate(3, 3)), (2, Ok(())));
    assert_eq!(weights.of(0).0, [1, 2]);
    assert!((weights.of(0).1[0] - 2.0 / 3.0).abs() < 1e-6);
    assert_eq!(weights.of(1), (&[2, 0][..], &[1.0, 0.0][..]));
    assert_eq!(weights.of(2), (&[0, 0][..], &[1.0, 0.0][..]), "what follows nothing follows the first bone");
    assert_eq!(
        weights,
        SkinWeights::from_sparse(&[vec![(2, 0.3), (0, 0.1), (1, 0.6)], vec![(2, 2.0)], vec![]], 3, 2)
            .unwrap()
    );
    assert!(matches!(SkinWeights::from_dense(&dense[1..], 3, 2), Err(RigError::Length { .. })));
    let odd = SkinWeights::from_sparse(&[vec![(3, 1.0)]], 3, 2);
    assert_eq!(odd, Err(RigError::NoSuchBone { vertex: 0, bone: 3, count: 3 }));
    assert_eq!(SkinWeights::from_dense(&[0.0, f32::NAN], 2, 2), Err(RigError::WeightNotFinite { vertex: 0 }));
}

#[test]
fn rigs_are_checked_when_they_are_made() {
    let rest = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    let mesh = Mesh::from_triangles(4, &[[0, 1, 2], [0, 2, 3]]);
    let weights = SkinWeights::from_dense(&[1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0], 2, 4).unwrap();
    let shift = DAffine3::from_translation(DVec3::Y);
    let stretch = DAffine3::from_scale(DVec3::splat(2.0));
    let made = |transforms: Vec<DAffine3>| {
        Rig::new(mesh.clone(), rest.clone(), weights.clone(), transforms, 2, 24.0)
    };
    let rig = made(vec![DAffine3::IDENTITY, DAffine3::IDENTITY, shift, stretch]).unwrap();
    assert_eq!((rig.frame_count(), rig.bones[0].center), (2, DVec3::X * 0.5));
    assert_eq!((rig.bones[0].rigid, rig.bones[1].rigid), (true, false));
    assert_eq!(rig.pose(1), [Vec3::Y, Vec3::ONE - Vec3::Z, 2.0 * Vec3::Y, 2.0 * Vec3::Z]);
    assert!(matches!(made(vec![shift; 3]), Err(RigError::Length { .. })));
}

#[test]
fn animations_of_arrays_are_checked() {
    let square = vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0];
    let twice = [square.clone(), square.iter().map(|x| x + 1.0).collect()].concat();
    let made = MeshAnimation::from_positions(twice, 4, &[[0, 1, 2, 3]], 30.0).unwrap();
    assert_eq!((made.frames.len(), made.mesh.face_count()), (2, 1));
    let refused = |positions: Vec<f32>, faces: &[Vec<u32>]| {
        MeshAnimation::from_positions(positions, 4, faces, 30.0).unwrap_err()
    };
    assert_eq!(
        refused(square[1..].to_vec(), &[vec![0, 1, 2]]),
        AnimationError::Positions { found: 11, vertices: 4 }
    );
    assert_eq!(
        refused(square.clone(), &[vec![0, 1, 4]]),
        AnimationError::NoSuchVertex { vertex: 4, count: 4 }
    );
    assert_eq!(refused(square, &[]), AnimationError::NoTriangles);
}

/// Players outlive what they were made from, go to other threads, and show the same bits as those that borrow.
#[test]
fn players_own_what_they_play() {
    let rig = rig_of(&arm(), 6, false);
    let expected = rig.pose(4);
    let chain = PoseChain {
        mesh: rig.mesh.clone(),
        rest: rig.rest.clone(),
        weights: rig.weights.clone(),
        later_weights: Vec::new(),
        bones: rig.bones.clone(),
        steps: rig.transforms.clone(),
        keys: (0..6).collect(),
        moves: Vec::new(),
        fps: 24.0,
        nodes: Vec::new(),
    };
    let rig = Arc::new(rig);
    let players: Vec<Box<dyn PoseSource + Send>> = vec![
        Box::new(Player::new(rig.clone())),
        Box::new(BlendPlayer::new(rig.clone(), Blending::Linear)),
        Box::new(ChainPlayer::new(Arc::new(chain))),
        Box::new(Player::new(Arc::unwrap_or_clone(rig))),
    ];
    let posed = std::thread::spawn(move || {
        let pose = |player: &(dyn PoseSource + Send)| {
            let mut pose = vec![Vec3::ZERO; player.vertex_count()];
            player.pose_into(4, &mut pose);
            pose
        };
        players.iter().map(|player| pose(&**player)).collect::<Vec<_>>()
    });
    let posed = posed.join().unwrap();
    assert!(posed[0] == expected && posed[1] == expected && posed[3] == expected);
    assert!(posed[2].iter().zip(&expected).all(|(p, q)| p.distance(*q) < 1e-5));
}

#[test]
fn posers_own_what_they_pose_and_options_are_checked() {
    let limb = tube(12.0, 24, 12, &[0.0, 6.0], 1.5);
    let made =
        |options: &DeformOptions| Deformer::new(&limb.character(), &limb.handles(), &[], options, &Silent);
    let deformer = Arc::new(made(&DeformOptions::default()).unwrap());
    let pose = limb.bent(1, 50.0);
    let expected = deformer.pose(&pose);
    let mut poser = Poser::new(deformer);
    let posed = std::thread::spawn(move || {
        let mut out = vec![Vec3::ZERO; limb.rest.len()];
        poser.pose_into(&pose, &mut out);
        (out, limb)
    });
    let (posed, limb) = posed.join().unwrap();
    assert!(posed == expected);
    let made = |options: &DeformOptions| {
        Deformer::new(&limb.character(), &limb.handles(), &[], options, &Silent).unwrap_err()
    };
    let keep = |keep: f64| made(&DeformOptions { keep, ..DeformOptions::default() });
    assert_eq!(keep(0.0), DeformError::Keep { found: 0.0 });
    assert_eq!(keep(1.5), DeformError::Keep { found: 1.5 });
    let follow = DeformOptions { follow: -0.1, ..DeformOptions::default() };
    assert_eq!(made(&follow), DeformError::Follow { found: -0.1 });
}

#[test]
fn choices_are_read_by_the_names_they_print() {
    fn both_ways<C: Choice + std::str::FromStr + std::fmt::Display + std::fmt::Debug>(names: &str)
    where
        C::Err: std::fmt::Debug,
    {
        let printed: Vec<String> = C::all().map(|c| c.to_string()).collect();
        assert_eq!(printed.join(" "), names);
        assert!(C::all().all(|c| c.to_string().parse::<C>().unwrap() == c));
    }
    both_ways::<Blending>("linear dual centres");
    both_ways::<Carry>("surface bones");
    both_ways::<Translations>("auto carried learned joints edges skeleton");
}

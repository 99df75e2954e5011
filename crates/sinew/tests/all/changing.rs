//! Rigs, chains and animations in another unit and with another axis up play as they did, in that unit.

use glam::{DAffine3, DMat3, DQuat, DVec3, Vec3};
use sinew::animation::{Clip, Frames, MeshAnimation};
use sinew::geometry::{CornerLayer, Mesh, Similarity};
use sinew::motion::{Motion, SourceJoint};
use sinew::nodes::{self, Camera, Lens, Node, NodeKind, NodeMotion, Parent};
use sinew::rig::{Bone, ChainPlayer, Corrections, Player, PoseChain, Rig, SkinWeights};

/// Three vertices on two bones that turn, with a correction.
fn rig(frames: usize) -> Rig {
    let mut mesh = Mesh::from_triangles(3, &[[0, 1, 2]]);
    mesh.normals = Some(CornerLayer { values: vec![Vec3::Z], indices: vec![0; 3] });
    let turn = |step: f64, about: DVec3| {
        DAffine3::from_rotation_translation(DQuat::from_axis_angle(about, step), DVec3::new(step, 30.0, 7.0))
    };
    Rig {
        mesh,
        rest: vec![Vec3::ZERO, Vec3::new(0.0, 165.0, 3.0), Vec3::new(40.0, 80.0, -10.0)],
        weights: SkinWeights {
            per_vertex: 2,
            bones: vec![0, 1, 0, 1, 1, 0],
            weights: vec![0.5, 0.5, 0.75, 0.25, 1.0, 0.0],
        },
        bones: [12.0, 130.0]
            .map(|y| Bone {
                name: format!("at {y}"),
                center: DVec3::new(1.0, y, 2.0),
                rigid: true,
                axes: None,
            })
            .to_vec(),
        transforms: (0..frames).flat_map(|f| [turn(0.2 * f as f64, DVec3::X), turn(0.3, DVec3::Y)]).collect(),
        skeleton: None,
        corrections: Some(Corrections {
            rank: 1,
            basis: vec![Vec3::new(0.0, 1.0, 4.0); 3],
            normals: vec![Vec3::X; 3],
            coefficients: (0..frames).map(|f| f as f32).collect(),
            names: Vec::new(),
        }),
        fps: 24.0,
        clips: Vec::new(),
        nodes: vec![node("socket", Parent::Bone(0)), node("camera", Parent::Scene)],
        armature: String::new(),
    }
}

/// Something that looks along -z from a place.
fn node(name: &str, parent: Parent) -> Node {
    let lens = Lens::Orthographic(200.0);
    let kind = NodeKind::Camera(Camera { lens, aspect: None, near: 10.0, far: Some(1000.0) });
    let place =
        DAffine3::from_rotation_translation(DQuat::from_rotation_y(0.4), DVec3::new(5.0, 150.0, 20.0));
    Node { name: name.into(), parent, kind, motion: NodeMotion::Still(place) }
}

/// Centimetres with z up become metres with y up.
fn change() -> Similarity {
    Similarity::scaling(0.01).then_turned(DMat3::from_rotation_x(-std::f64::consts::FRAC_PI_2))
}

fn assert_changed(before: &[Vec3], after: &[Vec3]) {
    for (p, q) in before.iter().zip(after) {
        let expected = 0.01 * Vec3::new(p.x, p.z, -p.y);
        assert!(q.distance(expected) < 2e-6, "{p} became {q}, not {expected}");
    }
}

#[test]
fn a_rig_plays_as_before_in_the_new_unit() {
    let before = rig(4);
    let mut after = before.clone();
    after.change(&change());
    assert_changed(&before.rest, &after.rest);
    for frame in 0..4 {
        assert_changed(&before.pose(frame), &after.pose(frame));
    }
    assert_eq!(after.bones[1].center, DVec3::new(0.01, 0.02, -1.3));
    assert_eq!(after.mesh.normals.as_ref().unwrap().values, [Vec3::Y]);
    assert_eq!(after.corrections.as_ref().unwrap().normals, [Vec3::X; 3]);
    // What stands beside it goes where it went, and looks where it looked.
    for frame in 0..4 {
        let worlds = |rig: &Rig| nodes::worlds(&rig.nodes, frame, rig.frame_transforms(frame));
        for (a, b) in worlds(&before).iter().zip(worlds(&after)) {
            let [p, q] = [a, &b].map(|world| world.transform_point3(DVec3::ZERO).as_vec3());
            assert_changed(&[p], &[q]);
            let [p, q] = [a, &b].map(|world| 100.0 * world.transform_vector3(DVec3::NEG_Z).as_vec3());
            assert_changed(&[p], &[0.01 * q]);
        }
    }
    let NodeKind::Camera(camera) = after.nodes[1].kind else { panic!("{:?}", after.nodes[1]) };
    assert_eq!((camera.lens, camera.near, camera.far), (Lens::Orthographic(2.0), 0.1, Some(10.0)));
    // Matrices do not change with the unit alone: bones that are rigid stay so to the last bit.
    let mut larger = before.clone();
    larger.change(&Similarity::scaling(0.01));
    assert!(larger.transforms.iter().zip(&before.transforms).all(|(a, b)| a.matrix3 == b.matrix3));
    let mut same = before.clone();
    same.change(&Similarity::default());
    assert_eq!(same, before);
}

#[test]
fn a_chain_plays_as_before_in_the_new_unit() {
    let Rig { mesh, rest, weights, bones, transforms, fps, .. } = rig(4);
    let moves = vec![(2, vec![(1, DVec3::new(0.0, 5.0, 6.0))])];
    let before = PoseChain {
        mesh,
        rest,
        weights,
        later_weights: vec![],
        bones,
        steps: transforms,
        keys: vec![1],
        moves,
        fps,
        nodes: Vec::new(),
    };
    let mut after = before.clone();
    after.change(&change());
    let (a, b) = (before.bake(), after.bake());
    (0..4).for_each(|frame| assert_changed(a.frame(frame), b.frame(frame)));
    drop((ChainPlayer::new(&before), Player::new(&rig(1))));
}

#[test]
fn an_animation_is_changed_with_its_rest_pose() {
    let rig = rig(3);
    let frames = Frames::from_poses(&(0..3).map(|f| rig.pose(f)).collect::<Vec<_>>());
    let (mesh, rest) = (rig.mesh.clone(), Some(rig.rest.clone()));
    let mut animation = MeshAnimation { mesh, rest, frames, fps: 24.0, clips: Vec::new(), nodes: Vec::new() };
    animation.change(&change());
    assert_changed(&rig.rest, animation.rest.as_ref().unwrap());
    (0..3).for_each(|f| assert_changed(&rig.pose(f), animation.frames.frame(f)));
}

#[test]
fn what_moves_is_told_from_what_does_not() {
    let mut still = rig(4);
    assert!(still.moves(0..4) && !still.moves(1..2) && !still.moves(0..0));
    still.corrections = None;
    let first = still.transforms[..2].to_vec();
    still.transforms = first.repeat(4);
    assert!(!still.moves(0..4));
    let frames = Frames::from_poses(&(0..4).map(|f| still.pose(f)).collect::<Vec<_>>());
    assert!(!frames.moves(0..4));
    // A bone that nothing follows moves nothing.
    still.bones.push(Bone { name: "camera".into(), center: DVec3::ZERO, rigid: true, axes: None });
    let camera = |f: usize| DAffine3::from_translation(DVec3::X * f as f64);
    still.transforms = (0..4).flat_map(|f| [first[0], first[1], camera(f)]).collect();
    assert!(!still.moves(0..4));

    let joint = SourceJoint { name: "hips".into(), ..SourceJoint::default() };
    let tip = SourceJoint { name: "head".into(), parent: Some(0), tip: None };
    let bind = vec![DAffine3::IDENTITY, DAffine3::from_translation(DVec3::Y)];
    let turned = bind[1] * DAffine3::from_rotation_x(0.1);
    let worlds = [[bind[0], bind[1]], [bind[0], bind[1]], [bind[0], bind[1]], [bind[0], turned]].concat();
    let clip = |name: &str, frames| Clip { name: name.into(), frames, fps: 24.0 };
    let clips = vec![clip("Take 001", 0..2), clip("walk", 2..4)];
    let motion = Motion { joints: vec![joint, tip], bind, worlds, fps: 24.0, clips, metres_per_unit: None };
    assert!(!motion.moves(0..2) && motion.moves(2..4));
    assert_eq!(motion.first_moving_clip().name, "walk");
}

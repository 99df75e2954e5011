//! What the library computes nothing with and carries along: attributes of meshes, nodes on bones and beside them.

use glam::{DAffine3, DQuat, DVec3, Vec3};
use sinew::animation::{Frames, MeshAnimation};
use sinew::geometry::{Attribute, AttributeKind, Domain, Mesh, MeshError};
use sinew::lod::{Detail, LodOptions, simplify};
use sinew::motion::{
    Motion, Plan, PlanOptions, RigPose, SourceJoint, SourcePose, Translations, TransplantLoss, Transplanter,
};
use sinew::nodes::{self, Node, NodeKind, NodeMotion, Parent};
use sinew::progress::Silent;
use sinew::rig::{Bone, Rig, SkinWeights};
use sinew::skeleton::{SkeletonOptions, find_skeleton};
use sinew::skin::{PoseToPoseOptions, SkinOptions, pose_to_pose, skin};

use crate::common::articulated_boxes;
use crate::common::bodies::arm;
use crate::common::rigs::rig_of;

fn node(name: &str, parent: Parent, motion: NodeMotion) -> Node {
    Node { name: name.into(), parent, kind: NodeKind::Empty, motion }
}

fn still(x: f64) -> NodeMotion {
    NodeMotion::Still(DAffine3::from_translation(DVec3::X * x))
}

fn moving(frames: usize) -> NodeMotion {
    NodeMotion::Moving((0..frames).map(|f| DAffine3::from_translation(DVec3::Y * f as f64)).collect())
}

/// A flat square of cells in one part, red to the left and blue to the right on corners, heat on vertices.
fn painted(cells: usize) -> Rig {
    let side = cells + 1;
    let mut mesh = Mesh { vertex_count: side * side, ..Mesh::default() };
    let place = |v: usize| Vec3::new((v % side) as f32, (v / side) as f32, 0.0) / cells as f32;
    for y in 0..cells {
        for x in 0..cells {
            let a = (y * side + x) as u32;
            mesh.push_face(&[a, a + 1, a + 1 + side as u32, a + side as u32]);
        }
    }
    let rest: Vec<Vec3> = (0..side * side).map(place).collect();
    let (red, blue) = ([1.0, 0.0, 0.0], [0.0, 0.0, 1.0]);
    let colour = |face: usize| if face % cells < cells / 2 { &red[..] } else { &blue[..] };
    let colours = (0..4 * mesh.face_count()).map(|corner| colour(corner / 4));
    let heat: Vec<f32> = rest.iter().map(|p| p.x + 2.0 * p.y).collect();
    mesh.attributes = vec![
        Attribute::new("Col", AttributeKind::Color, Domain::Corner, 3, colours),
        Attribute::new("heat", AttributeKind::Custom, Domain::Vertex, 1, heat.chunks_exact(1)),
    ];
    Rig {
        weights: SkinWeights::single(rest.len()),
        mesh,
        rest,
        bones: vec![Bone { name: "bone".into(), center: DVec3::ZERO, rigid: true, axes: None }],
        transforms: vec![DAffine3::IDENTITY],
        skeleton: None,
        corrections: None,
        fps: 30.0,
        clips: Vec::new(),
        nodes: vec![node("socket", Parent::Bone(0), still(0.5))],
        armature: "Rig".into(),
    }
}

#[test]
fn attributes_that_do_not_fit_are_refused() {
    let mut rig = painted(4);
    assert_eq!(rig.mesh.validate(), Ok(()));
    rig.mesh.attributes[1].indices.pop();
    assert_eq!(rig.mesh.validate(), Err(MeshError::BadLayer { what: "attributes" }));
}

#[test]
fn levels_of_detail_keep_attributes_where_they_are() {
    let rig = painted(12);
    let level = simplify(&rig, &[Detail::Triangles(4)], &LodOptions::default(), &Silent).unwrap().remove(0);
    assert_eq!(level.triangle_count(), 4, "the line between two colours is a seam");
    let coarse = level.rig(&rig);
    coarse.validate().unwrap();
    coarse.mesh.validate().unwrap();
    assert_eq!((&coarse.nodes, &coarse.armature), (&rig.nodes, &rig.armature));
    let [colour, heat] = &coarse.mesh.attributes[..] else { panic!("two attributes") };
    assert_eq!((colour.domain, heat.domain), (Domain::Corner, Domain::Vertex));
    for (corner, &v) in coarse.mesh.corners.iter().enumerate() {
        let face = &coarse.mesh.corners[corner / 3 * 3..corner / 3 * 3 + 3];
        let middle = face.iter().map(|&v| coarse.rest[v as usize].x).sum::<f32>() / 3.0;
        let expected = if middle < 0.5 { [1.0, 0.0, 0.0] } else { [0.0, 0.0, 1.0] };
        assert_eq!(colour.at_corner(&coarse.mesh.corners, corner), expected);
        let p = coarse.rest[v as usize];
        assert_eq!(heat.at_corner(&coarse.mesh.corners, corner), [p.x + 2.0 * p.y]);
    }
}

/// A square cut along its middle line: vertices there are doubled, and differ in what hangs on them.
#[test]
fn levels_keep_what_tells_doubled_vertices_apart() {
    let mut rig = painted(8);
    let side = 9;
    let doubled: Vec<u32> = (0..rig.rest.len() as u32).filter(|v| v % side == 4).collect();
    let first = rig.rest.len() as u32;
    rig.rest.extend(doubled.iter().map(|&v| rig.rest[v as usize]).collect::<Vec<_>>());
    for face in 0..rig.mesh.face_count() {
        for corner in rig.mesh.corner_range(face) {
            let v = rig.mesh.corners[corner];
            if let (true, Some(at)) = (face % 8 >= 4, doubled.iter().position(|&d| d == v)) {
                rig.mesh.corners[corner] = first + at as u32;
            }
        }
    }
    rig.mesh.vertex_count = rig.rest.len();
    rig.weights = SkinWeights::single(rig.rest.len());
    let on_the_right = |v: usize| v % side as usize > 4 || v >= first as usize;
    let sides: Vec<f32> = (0..rig.rest.len()).map(|v| f32::from(u8::from(on_the_right(v)))).collect();
    rig.mesh.attributes =
        vec![Attribute::new("side", AttributeKind::Custom, Domain::Vertex, 1, sides.chunks_exact(1))];
    let level = simplify(&rig, &[Detail::Triangles(4)], &LodOptions::default(), &Silent).unwrap().remove(0);
    let coarse = level.rig(&rig);
    coarse.mesh.validate().unwrap();
    let side = &coarse.mesh.attributes[0];
    for (triangle, face) in coarse.mesh.corners.chunks_exact(3).enumerate() {
        let middle = face.iter().map(|&v| coarse.rest[v as usize].x).sum::<f32>() / 3.0;
        for corner in 3 * triangle..3 * triangle + 3 {
            let expected = f32::from(u8::from(middle > 0.5));
            assert_eq!(side.at_corner(&coarse.mesh.corners, corner), [expected]);
        }
    }
}

#[test]
fn fitted_rigs_and_skeletons_have_the_nodes_of_the_animation() {
    let boxes = articulated_boxes(3, 6);
    let stands =
        vec![node("camera target", Parent::Scene, still(1.0)), node("bird", Parent::Scene, moving(6))];
    let animation = MeshAnimation { nodes: stands.clone(), ..boxes };
    let options = SkinOptions { bones: Some(3), ..SkinOptions::default() };
    assert_eq!(skin(&animation, &options, &Silent).unwrap().rig.nodes, stands);
    let chain = pose_to_pose(&animation, &PoseToPoseOptions { bones: 3, ..Default::default() }, &Silent);
    assert_eq!(chain.unwrap().rig.nodes, stands);
    let body = MeshAnimation { nodes: stands[..1].to_vec(), ..arm().animation(12) };
    let found = find_skeleton(&body, &SkeletonOptions::default(), &Silent).unwrap();
    assert_eq!(found.rig.nodes, stands[..1]);
}

#[test]
fn an_animation_says_which_nodes_it_cannot_have() {
    let on_a_bone = vec![node("socket", Parent::Bone(0), still(1.0))];
    let animation = MeshAnimation { nodes: on_a_bone, ..articulated_boxes(2, 3) };
    assert!(animation.validate().is_err());
    let frames = Frames::from_poses(&[vec![Vec3::ZERO; animation.mesh.vertex_count]]);
    assert!(
        MeshAnimation { frames, nodes: vec![node("bird", Parent::Scene, moving(3))], ..animation }
            .validate()
            .is_err()
    );
}

#[test]
fn other_motion_takes_along_what_hangs_on_bones() {
    let body = arm();
    let mut rig = rig_of(&body, 8, true);
    rig.nodes = vec![node("hand", Parent::Bone(1), still(0.3)), node("bird", Parent::Scene, moving(8))];
    rig.armature = "Arm".into();
    let bind: Vec<DAffine3> = body.joints().into_iter().map(DAffine3::from_translation).collect();
    let joint = |(i, limb): (usize, &crate::common::bodies::Limb)| SourceJoint {
        name: format!("joint{i}"),
        parent: limb.parent,
        tip: None,
    };
    let joints = body.limbs.iter().enumerate().map(joint).collect();
    let frames = 5;
    let turned = DAffine3::from_quat(DQuat::from_rotation_y(0.4));
    let worlds = (0..frames).flat_map(|_| bind.iter().map(|place| turned * *place)).collect();
    let motion = Motion { joints, bind, worlds, fps: 24.0, clips: Vec::new(), metres_per_unit: None };
    let options = PlanOptions {
        source: Some(SourcePose::Bind),
        rig: Some(RigPose::Rest),
        mapping: None,
        ..PlanOptions::default()
    };
    let plan = Plan::new(&rig, &motion, &options, &Silent).unwrap();
    let mover = Transplanter::new(&rig, &motion, &plan, Translations::Skeleton, &Silent).unwrap();
    assert!(mover.losses(&rig).contains(&TransplantLoss::NodeMotion { nodes: 1 }));
    let moved = mover.transplant(&rig, &motion, &Silent).unwrap();
    moved.validate().unwrap();
    assert_eq!((moved.frame_count(), &moved.armature[..]), (frames, "Arm"));
    assert_eq!(moved.nodes[0], rig.nodes[0]);
    assert!(moved.nodes[1].motion.is_still());
    let worlds = nodes::worlds(&moved.nodes, 3, moved.frame_transforms(3));
    assert_eq!(worlds[0], moved.frame_transforms(3)[1] * rig.nodes[0].motion.at(0));
}

#[test]
fn a_bone_that_is_taken_apart_leaves_its_nodes_where_they_are_nearest() {
    // Two strips far apart that one bone moves.
    let strip = |x: f32| {
        [0.0, 1.0, 2.0].into_iter().flat_map(move |y| [Vec3::new(x, y, 0.0), Vec3::new(x + 1.0, y, 0.0)])
    };
    let rest: Vec<Vec3> = strip(0.0).chain(strip(100.0)).collect();
    let quads = [[0, 1, 3, 2], [2, 3, 5, 4], [6, 7, 9, 8], [8, 9, 11, 10]];
    let mut rig = Rig::new(
        Mesh::from_faces(12, &quads),
        rest,
        SkinWeights::single(12),
        vec![DAffine3::IDENTITY],
        1,
        24.0,
    )
    .unwrap();
    rig.nodes = vec![node("near", Parent::Bone(0), still(1.0)), node("far", Parent::Bone(0), still(101.0))];
    assert_eq!(rig.split_bones(&[]), [0]);
    let centres: Vec<f64> = rig.bones.iter().map(|bone| bone.center.x).collect();
    for node in &rig.nodes {
        let Parent::Bone(bone) = node.parent else { panic!("it hangs on a bone") };
        assert!((centres[bone] - node.motion.at(0).translation.x).abs() < 2.0, "{}: {centres:?}", node.name);
    }
}

//! FBX files of other programs are played as those programs show them.

use std::path::Path;

use glam::{DAffine3, DVec3, Vec3};
use sinew_io::formats::fbx::parse_alone;
use sinew_io::scene::{SampleOptions, SampledRig};

use crate::common::fbx::{Scene, all_clips, apart, array, poses};

/// A mesh that was bound at x = 4 to two joints, of which the second turns; its node moves along z from frame 0 to 4.
fn moved_after_binding(program: &str) -> Scene {
    let mut scene = Scene::of(program);
    let mesh = scene.node("strip", "Mesh", 0, &[("Lcl Translation", [4.0, 0.0, 0.0])]);
    bound(&mut scene, &[mesh], 0);
    let layer = scene.animations[0];
    scene.animate(layer, mesh, "Lcl Translation", &[(0.0, [4.0, 0.0, 0.0]), (4.0, [4.0, 0.0, 8.0])]);
    scene
}

/// A strip for all these nodes, bound at x = 4 to a joint at its one end and one in its middle, which turns.
fn bound(scene: &mut Scene, nodes: &[i64], parent: i64) -> [i64; 2] {
    let was = DAffine3::from_translation(DVec3::new(4.0, 0.0, 0.0));
    let geometry = scene.strip(nodes[0], 2);
    nodes[1..].iter().for_each(|&node| scene.connect(geometry, node));
    let upper = scene.joint("upper", parent, [4.0, 0.0, 0.0]);
    let lower = scene.joint("lower", upper, [1.0, 0.0, 0.0]);
    let skin = scene.skin(geometry, "Linear", "");
    scene.cluster(skin, upper, &[(0, 1.0), (1, 1.0), (2, 0.5), (3, 0.5)], was, was);
    let middle = DAffine3::from_translation(DVec3::new(5.0, 0.0, 0.0));
    scene.cluster(skin, lower, &[(2, 0.5), (3, 0.5), (4, 1.0), (5, 1.0)], middle, was);
    let stack = scene.stack("take", Some((0.0, 4.0)));
    let layer = scene.layer(stack, &[]);
    scene.animate(layer, lower, "Lcl Rotation", &[(0.0, [0.0; 3]), (4.0, [0.0, 0.0, 80.0])]);
    scene.animations.push(layer);
    [upper, lower]
}

fn shifted(pose: &[Vec3], by: Vec3) -> Vec<Vec3> {
    pose.iter().map(|p| *p + by).collect()
}

#[test]
fn in_maya_the_node_of_a_skinned_mesh_moves_it_too() {
    let poses = moved_after_binding("Maya").poses();
    for (frame, pose) in poses.iter().enumerate() {
        let joints_alone = moved_after_binding("Maya").shown_by_ufbx(frame as f64);
        let wanted = shifted(&joints_alone, 2.0 * frame as f32 * Vec3::Z);
        assert!(apart(pose, &wanted) < 1e-5, "frame {frame}: {pose:?} {wanted:?}");
    }
}

#[test]
fn elsewhere_joints_alone_move_a_skinned_mesh() {
    let scene = moved_after_binding("3ds Max");
    for (frame, pose) in scene.poses().iter().enumerate() {
        assert!(apart(pose, &scene.shown_by_ufbx(frame as f64)) < 1e-5, "frame {frame}");
    }
}

#[test]
fn instances_of_a_skinned_mesh_stand_where_their_nodes_are() {
    let mut scene = Scene::of("Maya");
    let place = |x: f64, z: f64| [("Lcl Translation", [x, 0.0, z])];
    let first = scene.node("first", "Mesh", 0, &place(4.0, 0.0));
    let second = scene.node("second", "Mesh", 0, &place(4.0, 3.0));
    bound(&mut scene, &[first, second], 0);
    let animation = scene.played();
    let [one, other] = [0, 1].map(|part: usize| animation.mesh().parts[part].vertices.clone());
    for (frame, pose) in poses(&animation).iter().enumerate() {
        let wanted = scene.shown_by_ufbx(frame as f64);
        assert!(apart(&pose[one.clone()], &wanted) < 1e-5, "frame {frame}");
        assert!(apart(&pose[other.clone()], &shifted(&wanted, 3.0 * Vec3::Z)) < 1e-5, "frame {frame}");
    }
    // Also at rest they are not in the same place.
    let rest = animation.rest();
    assert!(apart(&rest[other], &shifted(&rest[one], 3.0 * Vec3::Z)) < 1e-5);
    // Both follow the same motion: joints of the one and of the other, each its own tree.
    let rig = scene.open().rig(&all_clips()).unwrap().rig;
    assert_eq!(rig.bones.len(), 4);
    assert_eq!(rig.skeleton.unwrap().parents, [None, Some(0), None, Some(2)]);
}

/// What carries joints and mesh does so once, whatever program wrote the file: meshes are told not to inherit it.
#[test]
fn what_carries_joints_and_mesh_counts_once() {
    let mut scene = Scene::of("Maya");
    let group = scene.node("character", "Null", 0, &[]);
    let mesh = scene.node("strip", "Mesh", group, &[("Lcl Translation", [4.0, 0.0, 0.0])]);
    bound(&mut scene, &[mesh], group);
    let layer = scene.animations[0];
    scene.animate(layer, group, "Lcl Translation", &[(0.0, [0.0; 3]), (4.0, [0.0, 8.0, 0.0])]);
    for (frame, pose) in scene.poses().iter().enumerate() {
        assert!(apart(pose, &scene.shown_by_ufbx(frame as f64)) < 1e-5, "frame {frame}");
    }
    assert_eq!(scene.open().rig(&all_clips()).unwrap().rig.bones.len(), 2);
}

/// A group that was elsewhere when the mesh was bound, as the bind pose says, and a mesh that is elsewhere in the group.
#[test]
fn places_are_compared_below_what_carries_joints_and_mesh() {
    let mut scene = Scene::of("Maya");
    let group = scene.node("character", "Null", 0, &[("Lcl Translation", [0.0, 8.0, 0.0])]);
    let mesh = scene.node("strip", "Mesh", group, &[("Lcl Translation", [4.0, 0.0, 3.0])]);
    let [upper, lower] = bound(&mut scene, &[mesh], group);
    let at = |x: f64| DAffine3::from_translation(DVec3::new(x, 0.0, 0.0));
    scene.bind_pose(&[(group, at(0.0)), (mesh, at(4.0)), (upper, at(4.0)), (lower, at(5.0))]);
    for (frame, pose) in scene.poses().iter().enumerate() {
        let wanted = shifted(&scene.shown_by_ufbx(frame as f64), 3.0 * Vec3::Z);
        assert!(apart(pose, &wanted) < 1e-5, "frame {frame}: {pose:?} {wanted:?}");
    }
}

/// In files of version 6 each instance has the mesh again; the name of what is instanced is what they have in common.
#[test]
fn instances_of_old_files_share_their_skin() {
    let strip = "\t\tVertices: 0,0,0,0,1,0,1,0,0,1,1,0\n\t\tPolygonVertexIndex: 0,2,3,-2\n\
                 \t\tGeometryVersion: 124\n\t\tNodeAttributeName: \"Geometry::strip_ncl1_1\"\n";
    let model = |name: &str, kind: &str, [x, y, z]: [f64; 3], more: &str| {
        format!(
            "\tModel: \"Model::{name}\", \"{kind}\" {{\n\t\tVersion: 232\n\t\tProperties60:  {{\n\
             \t\t\tProperty: \"Lcl Translation\", \"Lcl Translation\", \"A+\",{x},{y},{z}\n\t\t}}\n{more}\t}}\n"
        )
    };
    let text = |second: &str| {
        format!(
            "; FBX 6.1.0 project file\nFBXHeaderExtension:  {{\n\tFBXHeaderVersion: 1003\n\tFBXVersion: 6100\n\
             \tCreator: \"FBX SDK/FBX Plugins version 2020.3\"\n\
             \tOtherFlags:  {{\n\t\tFlagPLE: 0\n\t}}\n}}\n\
             Objects:  {{\n{}{}{}\
             \tDeformer: \"Deformer::Skin strip\", \"Skin\" {{\n\t\tVersion: 100\n\t\tType: \"Skin\"\n\t}}\n\
             \tDeformer: \"SubDeformer::Cluster joint\", \"Cluster\" {{\n\t\tVersion: 100\n\t\tType: \"Cluster\"\n\
             \t\tIndexes: 0,1,2,3\n\t\tWeights: 1,1,1,1\n\
             \t\tTransform: 1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1\n\
             \t\tTransformLink: 1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1\n\t}}\n}}\n\
             Connections:  {{\n\
             \tConnect: \"OO\", \"Model::strip\", \"Model::Scene\"\n\
             \tConnect: \"OO\", \"Model::copy\", \"Model::Scene\"\n\
             \tConnect: \"OO\", \"Model::joint\", \"Model::Scene\"\n\
             \tConnect: \"OO\", \"Deformer::Skin strip\", \"Model::strip\"\n\
             \tConnect: \"OO\", \"SubDeformer::Cluster joint\", \"Deformer::Skin strip\"\n\
             \tConnect: \"OO\", \"Model::joint\", \"SubDeformer::Cluster joint\"\n}}\n",
            model("strip", "Mesh", [0.0; 3], strip),
            model("copy", "Mesh", [0.0, 0.0, 3.0], second),
            model("joint", "Limb", [0.0, 5.0, 0.0], ""),
        )
    };
    // The joint was bound at the origin and is at y = 5.
    let lifts = |second: &str| -> Vec<f32> {
        let file = parse_alone(text(second).as_bytes(), Path::new("a.fbx")).unwrap();
        let animation = file.animation(&SampleOptions::default()).unwrap();
        animation.mesh().parts.iter().map(|part| poses(&animation)[0][part.vertices.start].y).collect()
    };
    assert_eq!(lifts(strip), [5.0, 5.0]);
    // Another mesh is no instance, whatever its name.
    assert_eq!(lifts(&strip.replace("0,1,0,1", "0,1,0,2")), [5.0, 0.0]);
}

/// Two joints of which the second twists by 150 degrees; vertices in the middle follow both.
fn twisted(kind: &str, more: &str) -> Scene {
    let mut scene = Scene::of("Maya");
    let mesh = scene.node(
        "arm",
        "Mesh",
        0,
        &[("Lcl Scaling", [1.0, 2.0, 3.0]), ("Lcl Translation", [1.0, 2.0, 3.0])],
    );
    let was = DAffine3::from_translation(DVec3::new(1.0, 2.0, 3.0))
        * DAffine3::from_scale(DVec3::new(1.0, 2.0, 3.0));
    let geometry = scene.strip(mesh, 2);
    let upper = scene.joint("upper", 0, [1.0, 2.0, 3.0]);
    let lower = scene.joint("lower", upper, [1.0, 0.5, 0.0]);
    let skin = scene.skin(geometry, kind, more);
    let at = |x: f64, y: f64, z: f64| DAffine3::from_translation(DVec3::new(x, y, z));
    scene.cluster(skin, upper, &[(0, 1.0), (1, 1.0), (2, 0.4), (3, 0.5)], at(1.0, 2.0, 3.0), was);
    scene.cluster(skin, lower, &[(2, 0.6), (3, 0.5), (4, 1.0), (5, 1.0)], at(2.0, 2.5, 3.0), was);
    let stack = scene.stack("take", Some((0.0, 3.0)));
    let layer = scene.layer(stack, &[]);
    scene.animate(layer, lower, "Lcl Rotation", &[(0.0, [0.0; 3]), (3.0, [150.0, 10.0, 20.0])]);
    scene.animate(layer, upper, "Lcl Rotation", &[(0.0, [0.0; 3]), (3.0, [0.0, 30.0, 60.0])]);
    scene
}

#[test]
fn dual_quaternions_are_played_where_poses_are_asked_for() {
    let shares = array("Indexes", &[2, 3]) + &array("BlendWeights", &[0.3, 1.0]);
    for (kind, more) in [("DualQuaternion", ""), ("Blend", shares.as_str())] {
        let scene = twisted(kind, more);
        let animation = scene.played();
        assert_eq!(animation.warnings, Vec::<sinew_io::Warning>::new());
        for (frame, pose) in poses(&animation).iter().enumerate() {
            let wanted = scene.shown_by_ufbx(frame as f64);
            assert!(apart(pose, &wanted) < 1e-5, "{kind} in frame {frame}: {pose:?} {wanted:?}");
        }
        // That is no linear blending.
        let linear = twisted("Linear", "").poses();
        assert!(apart(&poses(&animation)[3], &linear[3]) > 0.1, "{kind}");
    }
}

#[test]
fn a_rig_says_how_far_it_is_from_dual_quaternions() {
    let scene = twisted("DualQuaternion", "");
    let SampledRig { rig, warnings, .. } = scene.open().rig(&all_clips()).unwrap();
    let player = sinew::rig::Player::new(&rig);
    let mut pose = rig.rest.clone();
    let mut worst = 0.0_f32;
    for (frame, wanted) in scene.poses().iter().enumerate() {
        player.pose_into(frame, &mut pose);
        worst = worst.max(apart(&pose, wanted));
    }
    let percent = 100.0 * f64::from(worst) / sinew::geometry::Bounds::of(&rig.rest).diagonal();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].to_string().contains("dual quaternion"), "{warnings:?}");
    assert!(warnings[0].to_string().contains(&format!("{percent:.2} %")), "{percent}: {warnings:?}");
    assert_eq!(
        twisted("Linear", "").open().rig(&all_clips()).unwrap().warnings,
        Vec::<sinew_io::Warning>::new()
    );
}

#[test]
fn animations_of_dual_quaternion_skins_are_their_poses() {
    use sinew_io::open::{self, OpenOptions};
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.fbx");
    let scene = twisted("DualQuaternion", "");
    std::fs::write(&path, scene.text()).unwrap();
    let opened = open::animation(&[path], &OpenOptions::default(), &sinew::progress::Silent).unwrap();
    assert_eq!(opened.warnings, Vec::<sinew_io::Warning>::new());
    assert!(apart(opened.animation.frames.frame(3), &scene.shown_by_ufbx(3.0)) < 1e-5);
}

/// Blender writes a weight for each vertex of a shape where other programs write the weights at which shapes are full.
#[test]
fn shapes_of_blender_have_weights_of_their_vertices() {
    let played = |creator: &str, full: &[f64]| {
        let mut scene = Scene::of("Blender");
        scene.creator = creator.into();
        let mesh = scene.node("strip", "Mesh", 0, &[]);
        let geometry = scene.strip(mesh, 1);
        let channel = scene.shape(geometry, &[(0, [0.0, 0.0, 1.0]), (3, [0.0, 0.0, 2.0])], full);
        let stack = scene.stack("take", Some((0.0, 2.0)));
        let layer = scene.layer(stack, &[]);
        scene.animate_one(layer, channel, "DeformPercent", &[(0.0, 0.0), (2.0, 100.0)]);
        scene.poses().iter().map(|pose| [pose[0].z, pose[3].z]).collect::<Vec<_>>()
    };
    let blender = played("Blender (stable FBX IO) - 4.4.1 - 5.12.7", &[50.0, 25.0]);
    assert_eq!(blender, [[0.0, 0.0], [0.25, 0.25], [0.5, 0.5]]);
    assert_eq!(played("FBX SDK/FBX Plugins version 2020.3", &[100.0]), [[0.0, 0.0], [0.5, 1.0], [1.0, 2.0]]);
}

/// A strip whose place the layers of a stack say, each along its own axis.
fn layered(layers: [&[(&str, f64)]; 3]) -> Vec3 {
    let mut scene = Scene::of("Maya");
    let mesh = scene.node("strip", "Mesh", 0, &[]);
    scene.strip(mesh, 1);
    let stack = scene.stack("take", Some((0.0, 1.0)));
    for (axis, properties) in layers.into_iter().enumerate() {
        let layer = scene.layer(stack, properties);
        let mut value = [0.0; 3];
        value[axis] = 1.0 + axis as f64;
        scene.animate(layer, mesh, "Lcl Translation", &[(0.0, value), (1.0, value)]);
    }
    scene.poses()[1][0]
}

#[test]
fn layers_that_are_muted_are_not_played() {
    assert_eq!(layered([&[], &[], &[]]), Vec3::new(1.0, 2.0, 3.0));
    assert_eq!(layered([&[], &[("Mute", 1.0)], &[]]), Vec3::new(1.0, 0.0, 3.0));
    assert_eq!(layered([&[], &[("Weight", 50.0)], &[("Mute", 1.0)]]), Vec3::new(1.0, 1.0, 0.0));
    assert_eq!(layered([&[], &[("Mute", 1.0)], &[("BlendMode", 1.0)]]), Vec3::new(0.0, 0.0, 3.0));
}

/// The lowest layer can be neither muted nor be left out by the solo of another.
#[test]
fn layers_that_play_solo_play_without_others() {
    assert_eq!(layered([&[], &[("Solo", 1.0)], &[]]), Vec3::new(1.0, 2.0, 0.0));
    assert_eq!(layered([&[], &[("Solo", 1.0)], &[("Solo", 1.0)]]), Vec3::new(1.0, 2.0, 3.0));
    assert_eq!(layered([&[], &[("Solo", 1.0), ("Mute", 1.0)], &[]]), Vec3::new(1.0, 0.0, 0.0));
    assert_eq!(layered([&[("Mute", 1.0)], &[], &[]]), Vec3::new(1.0, 2.0, 3.0));
}

#[test]
fn a_stack_that_tells_no_range_has_that_of_its_keys() {
    let mut scene = Scene::of("Maya");
    let mesh = scene.node("strip", "Mesh", 0, &[]);
    scene.strip(mesh, 1);
    for (name, range) in [("untold", None), ("told", Some((1.0, 2.0)))] {
        let stack = scene.stack(name, range);
        let layer = scene.layer(stack, &[]);
        scene.animate(layer, mesh, "Lcl Translation", &[(2.0, [2.0; 3]), (7.4, [7.4; 3])]);
    }
    let seen: Vec<f32> = scene.poses().iter().map(|pose| pose[0].x).collect();
    // Whole frames, the last of them after the last key.
    let wanted = [2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 7.4, 2.0, 2.0];
    assert!(
        seen.len() == wanted.len() && seen.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-5),
        "{seen:?}"
    );
}

/// A patch of NURBS over four control points by four, flat but for one of them; with as many steps to a span.
fn patch(scene: &mut Scene, node: i64, steps: usize) -> i64 {
    let points: Vec<[f64; 4]> =
        (0..16).map(|i| [(i % 4) as f64, if i == 5 { 9.0 } else { 0.0 }, (i / 4) as f64, 1.0]).collect();
    let knots =
        array("KnotVectorU", &[0, 0, 0, 0, 1, 1, 1, 1]) + &array("KnotVectorV", &[0, 0, 0, 0, 1, 1, 1, 1]);
    let body = format!(
        "\t\tType: \"NurbsSurface\"\n\t\tNurbsSurfaceVersion: 100\n\t\tSurfaceDisplay: 4,{steps},{steps}\n\
         \t\tNurbsSurfaceOrder: 4,4\n\t\tDimensions: 4,4\n\t\tStep: {steps},{steps}\n\
         \t\tForm: \"Open\", \"Open\"\n{}{knots}\t\tGeometryVersion: 124\n",
        array("Points", points.as_flattened())
    );
    let id = scene.object("Geometry", "Geometry", "", "NurbsSurface", &body);
    scene.connect(id, node);
    id
}

#[test]
fn nurbs_become_faces() {
    let mut scene = Scene::of("Maya");
    let node = scene.node("patch", "NurbsSurface", 0, &[("Lcl Translation", [0.0, 0.0, 5.0])]);
    patch(&mut scene, node, 3);
    let stack = scene.stack("take", Some((0.0, 1.0)));
    let layer = scene.layer(stack, &[]);
    scene.animate(layer, node, "Lcl Translation", &[(0.0, [0.0, 0.0, 5.0]), (1.0, [0.0, 0.0, 6.0])]);
    let animation = scene.played();
    assert_eq!(animation.warnings, Vec::<sinew_io::Warning>::new());
    assert_eq!((animation.mesh().face_count(), animation.rest().len()), (9, 16));
    assert_eq!(animation.mesh().parts[0].name, "patch");
    let lift = |t: f64| 3.0 * t * (1.0 - t) * (1.0 - t);
    for (frame, pose) in poses(&animation).iter().enumerate() {
        for i in 0..16 {
            let (u, v) = ((i % 4) as f64 / 3.0, (i / 4) as f64 / 3.0);
            let wanted = DVec3::new(3.0 * u, 9.0 * lift(u) * lift(v), 5.0 + frame as f64 + 3.0 * v).as_vec3();
            let nearest = pose.iter().map(|p| p.distance(wanted)).fold(f32::MAX, f32::min);
            assert!(nearest < 1e-5, "frame {frame}: {wanted} {pose:?}");
        }
    }
    assert_eq!(scene.open().info().objects, ["patch"]);
}

#[test]
fn a_skin_on_nurbs_is_said_to_be_left_out() {
    let mut scene = Scene::of("Maya");
    let node = scene.node("patch", "NurbsSurface", 0, &[]);
    let geometry = patch(&mut scene, node, 3);
    scene.skin(geometry, "Linear", "");
    let warnings = scene.played().warnings;
    assert!(warnings.len() == 1 && warnings[0].to_string().contains("NURBS"), "{warnings:?}");
}

#[test]
fn nurbs_of_absurd_detail_are_made_coarser() {
    let mut scene = Scene::of("Maya");
    let node = scene.node("patch", "NurbsSurface", 0, &[]);
    patch(&mut scene, node, 1_000_000_000);
    let animation = scene.played();
    assert!(animation.mesh().face_count() < 10_000);
    assert_eq!(
        crate::common::sentences(&animation.warnings),
        ["1 NURBS surface is cut less finely than the file says"]
    );
    // Nor are many, of little detail each, more than can be held.
    let mut scene = Scene::of("Maya");
    for _ in 0..1000 {
        let node = scene.node("patch", "NurbsSurface", 0, &[]);
        patch(&mut scene, node, 64);
    }
    let animation = scene.played();
    assert!(animation.mesh().face_count() < 3_000_000);
    assert_eq!(
        crate::common::sentences(&animation.warnings),
        ["1000 NURBS surfaces are cut less finely than the file says"]
    );
}

#[test]
fn a_scene_of_trimmed_nurbs_is_refused_with_that_word() {
    let mut scene = Scene::of("Maya");
    let node = scene.node("cut", "TrimNurbsSurface", 0, &[]);
    let body = "\t\tType: \"TrimNurbsSurface\"\n\t\tTrimNurbsSurfaceVersion: 100";
    let cut = scene.object("Geometry", "Geometry", "", "TrimNurbsSurface", body);
    scene.connect(cut, node);
    let sentence = scene.open().rig(&Default::default()).unwrap_err().to_string();
    assert!(sentence.contains("trimmed NURBS"), "{sentence}");
}

#[test]
fn geometry_that_is_not_read_is_named() {
    let mut scene = Scene::of("MotionBuilder");
    let node = scene.node("patch", "Patch", 0, &[]);
    let patch = scene.object("Geometry", "Geometry", "", "Patch", "\t\tType: \"Patch\"");
    scene.connect(patch, node);
    let sentence = scene.open().rig(&Default::default()).unwrap_err().to_string();
    assert!(sentence.contains("1 object of the kind Patch, which are not supported"), "{sentence}");
    let mesh = scene.node("strip", "Mesh", 0, &[]);
    scene.strip(mesh, 1);
    assert_eq!(
        crate::common::sentences(&scene.played().warnings),
        ["1 object of the kind Patch was left out"]
    );
}

#[test]
fn what_is_hidden_only_at_first_is_there() {
    let mut scene = Scene::of("Maya");
    for (name, shown) in [("always", 1.0), ("never", 0.0), ("later", 0.0)] {
        let node = scene.node(name, "Mesh", 0, &[("Visibility", [shown; 3])]);
        scene.strip(node, 1);
        if name == "later" {
            let stack = scene.stack("take", Some((0.0, 2.0)));
            let layer = scene.layer(stack, &[]);
            scene.animate_one(layer, node, "Visibility", &[(0.0, 0.0), (1.0, 1.0), (2.0, 0.0)]);
        }
    }
    let animation = scene.played();
    let names: Vec<&str> = animation.mesh().parts.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["always", "later"]);
    assert_eq!(
        crate::common::sentences(&animation.warnings),
        ["not kept: 1 mesh that the file does not show", "later is hidden at times; it is always there"]
    );
}

#[test]
fn properties_that_people_gave_and_armatures_are_told() {
    let mut scene = Scene::of("Maya");
    let property = |name: &str| format!("\t\t\tP: \"{name}\", \"KString\", \"\", \"U\", \"calm\"\n");
    let properties = property("mood") + &property("currentUVSet");
    let body = format!("\t\tVersion: 232\n\t\tProperties70:  {{\n{properties}\t\t}}");
    let mesh = scene.object("Model", "Model", "strip", "Mesh", &body);
    scene.connect(mesh, 0);
    let geometry = scene.strip(mesh, 1);
    let skin = scene.skin(geometry, "Linear", "");
    for (holder, vertex) in [("left", 0), ("right", 2)] {
        let above = scene.node(holder, "Null", 0, &[]);
        let joint = scene.joint(&format!("{holder} joint"), above, [0.0; 3]);
        scene.cluster(
            skin,
            joint,
            &[(vertex, 1.0), (vertex + 1, 1.0)],
            DAffine3::IDENTITY,
            DAffine3::IDENTITY,
        );
    }
    let read = scene.open().rig(&all_clips()).unwrap();
    let unkept: Vec<String> = read.warnings.iter().filter_map(|w| Some(w.unkept()?.to_string())).collect();
    let armatures = "which of 2 armatures (left, right) bones are of: they are one";
    assert_eq!(unkept, ["1 custom property (mood)", armatures]);
}

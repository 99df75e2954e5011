//! Meshes without a skin that hang on a joint, and scenes of another size than their meshes.

use std::f64::consts::FRAC_PI_2;

use crate::common::gltf::{File, close};
use glam::{DAffine3, DQuat, DVec3, Mat4, Vec3};
use serde_json::json;
use sinew::rig::{JointPose, Rig};

/// The hat's triangle as stored.
const HAT: [Vec3; 3] = [Vec3::ZERO, Vec3::X, Vec3::Y];
/// Where the head is bound; the hip is bound at half that height.
const HEAD: DVec3 = DVec3::new(0.0, 2.0, 0.0);

/// A strip skinned to a hip and a head, and a hat on a strap on the head. The head turns by a quarter about
/// x within a second, which is four frames. Everything stands aside, and is `size` times as large as stored.
fn scene(hat_scale: [f64; 3], size: f64) -> File {
    let mut file = File::triangle();
    let strip = [[0.0, 1.0, 0.0], [0.5, 1.0, 0.0], [0.0, 2.5, 0.0], [0.5, 2.5, 0.0]];
    let position = file.floats("VEC3", &strip.concat());
    let joints = [[0; 4], [0; 4], [1, 0, 0, 0], [1, 0, 0, 0]].concat();
    let joints = file.accessor("VEC4", 5121, &joints, 4);
    let weights = file.floats("VEC4", &[1.0, 0.0, 0.0, 0.0].repeat(4));
    let attributes = json!({ "POSITION": position, "JOINTS_0": joints, "WEIGHTS_0": weights });
    file.push("meshes", json!({ "primitives": [{ "attributes": attributes, "mode": 5 }] }));
    let normal = file.floats("VEC3", &[0.0, 0.0, 1.0].repeat(3));
    file.json["meshes"][0]["primitives"][0]["attributes"]["NORMAL"] = json!(normal);
    let inverse = |y: f32| Mat4::from_translation(Vec3::new(0.0, -y, 0.0)).to_cols_array();
    let inverses = file.floats("MAT4", &[inverse(1.0), inverse(2.0)].concat());
    file.json["skins"] = json!([{ "joints": [2, 3], "inverseBindMatrices": inverses }]);
    let half = FRAC_PI_2 / 2.0;
    file.json["nodes"] = json!([
        { "name": "strip", "mesh": 1, "skin": 0 },
        { "name": "scene", "translation": [5.0, 0.0, 0.0], "scale": [size, size, size], "children": [2, 0] },
        { "name": "hip", "translation": [0.0, 1.0, 0.0], "children": [3] },
        // At rest the head is turned from how it was bound.
        { "name": "head", "translation": [0.0, 1.0, 0.0], "rotation": [1.0, 0.0, 0.0, 0.0], "children": [4] },
        { "name": "strap", "translation": [0.0, 0.5, 0.0], "children": [5] },
        { "name": "hat", "mesh": 0, "rotation": [0.0, 0.0, half.sin(), half.cos()], "scale": hat_scale },
    ]);
    let quarter = [0.0, 0.0, 0.0, 1.0, half.sin() as f32, 0.0, 0.0, half.cos() as f32];
    file.animate("rotation", "LINEAR", &[0.0, 1.0], "VEC4", &quarter);
    file.json["animations"][0]["channels"][0]["target"]["node"] = json!(3);
    file
}

/// Turns the hat's strap by a quarter about y within the second as well.
fn turn_strap(file: &mut File) {
    let half = FRAC_PI_2 as f32 / 2.0;
    let turns = file.floats("VEC4", &[0.0, 0.0, 0.0, 1.0, 0.0, half.sin(), 0.0, half.cos()]);
    let clip = &mut file.json["animations"][0];
    let input = clip["samplers"][0]["input"].clone();
    clip["samplers"].as_array_mut().unwrap().push(json!({ "input": input, "output": turns }));
    let target = json!({ "node": 4, "path": "rotation" });
    clip["channels"].as_array_mut().unwrap().push(json!({ "sampler": 1, "target": target }));
}

/// From the hat's space to the strap's.
fn on_strap(scale: [f64; 3]) -> DAffine3 {
    let turn = DQuat::from_rotation_z(FRAC_PI_2);
    DAffine3::from_scale_rotation_translation(DVec3::from_array(scale), turn, DVec3::ZERO)
}

/// From the hat's space to the scene's in a frame, by the node hierarchy.
fn hat_in_frame(scale: [f64; 3], size: f64, frame: usize, strap_turns: bool) -> DAffine3 {
    let angle = FRAC_PI_2 * frame as f64 / 4.0;
    let scene = DAffine3::from_translation(5.0 * DVec3::X) * DAffine3::from_scale(DVec3::splat(size));
    let head = DAffine3::from_translation(HEAD) * DAffine3::from_rotation_x(angle);
    let turn = DAffine3::from_rotation_y(if strap_turns { angle } else { 0.0 });
    scene * head * DAffine3::from_translation(0.5 * DVec3::Y) * turn * on_strap(scale)
}

/// The vertices of the hat in a pose of the rig.
fn hat(rig: &Rig, pose: &[Vec3]) -> Vec<Vec3> {
    let part = rig.mesh.parts.iter().find(|part| part.name == "hat").unwrap();
    pose[part.vertices.clone()].to_vec()
}

fn assert_hat(found: &[Vec3], map: DAffine3) {
    assert_eq!(found.len(), HAT.len());
    for (found, stored) in found.iter().zip(HAT) {
        let expected = map.transform_point3(stored.as_dvec3()).as_vec3();
        assert!(close(*found, expected), "{found} instead of {expected}");
    }
}

const SCALE: [f64; 3] = [2.0, 2.0, 3.0];

#[test]
fn a_mesh_that_a_joint_carries_rests_where_the_joint_was_bound() {
    let rig = scene(SCALE, 1.0).rig();
    assert_eq!(rig.bones.iter().map(|b| b.name.as_str()).collect::<Vec<_>>(), ["hip", "head"]);
    assert_eq!(rig.skeleton.as_ref().unwrap().parents, [None, Some(0)]);
    let bound = DAffine3::from_translation(HEAD + 0.5 * DVec3::Y) * on_strap(SCALE);
    assert_hat(&hat(&rig, &rig.rest), bound);
}

#[test]
fn it_plays_as_its_node_does() {
    for strap_turns in [false, true] {
        let mut file = scene(SCALE, 1.0);
        if strap_turns {
            turn_strap(&mut file);
        }
        let rig = file.rig();
        for frame in 0..5 {
            assert_hat(&hat(&rig, &rig.pose(frame)), hat_in_frame(SCALE, 1.0, frame, strap_turns));
        }
    }
}

#[test]
fn it_goes_where_the_joint_is_posed() {
    for strap_turns in [false, true] {
        let mut file = scene(SCALE, 1.0);
        if strap_turns {
            turn_strap(&mut file);
        }
        let mut rig = file.rig();
        let skeleton = rig.skeleton.clone().unwrap();
        let places = rig.joint_places();
        let head = rig.bones.iter().position(|b| b.name == "head").unwrap();
        let mut turns = vec![DQuat::IDENTITY; places.len()];
        turns[head] = DQuat::from_rotation_z(0.7);
        let pose = skeleton.transforms(&places, &JointPose { turns, places: places.clone() });
        rig.transforms[..places.len()].copy_from_slice(&pose);
        let turned = DAffine3::from_translation(HEAD) * DAffine3::from_rotation_z(0.7);
        let strap = DAffine3::from_translation(0.5 * DVec3::Y);
        assert_hat(&hat(&rig, &rig.pose(0)), turned * strap * on_strap(SCALE));
    }
}

#[test]
fn one_that_moves_against_its_joint_has_a_bone_on_it() {
    let mut file = scene(SCALE, 1.0);
    turn_strap(&mut file);
    let rig = file.rig();
    let number = |name: &str| rig.bones.iter().position(|b| b.name == name).unwrap();
    assert_eq!(rig.skeleton.as_ref().unwrap().parents[number("hat")], Some(number("head")));
    assert!(number("head") < number("hat"));
    assert!(rig.bones[number("hat")].center.distance(HEAD + 0.5 * DVec3::Y) < 1e-6);
    let bound = DAffine3::from_translation(HEAD + 0.5 * DVec3::Y) * on_strap(SCALE);
    assert_hat(&hat(&rig, &rig.rest), bound);
}

#[test]
fn a_mirrored_one_still_looks_outwards() {
    let rig = scene([1.0, -1.0, 1.0], 1.0).rig();
    let part = rig.mesh.parts.iter().find(|part| part.name == "hat").unwrap();
    let corners: Vec<Vec3> =
        rig.mesh.corners[3 * part.faces.start..][..3].iter().map(|&v| rig.rest[v as usize]).collect();
    let facing = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
    let normals = rig.mesh.normals.as_ref().unwrap();
    let normal = normals.values[normals.indices[3 * part.faces.start] as usize];
    assert!(facing.dot(normal) > 0.9, "{facing} {normal}");
}

#[test]
fn one_without_extent_is_read_all_the_same() {
    let rig = scene([0.0, 0.0, 0.0], 1.0).rig();
    for frame in 0..5 {
        assert_hat(&hat(&rig, &rig.pose(frame)), hat_in_frame([0.0; 3], 1.0, frame, false));
    }
}

#[test]
fn a_scene_that_shows_its_mesh_larger_is_read_in_that_size() {
    for strap_turns in [false, true] {
        let mut file = scene(SCALE, 100.0);
        if strap_turns {
            turn_strap(&mut file);
        }
        let rig = file.rig();
        assert!(rig.bones.iter().all(|bone| bone.rigid) && rig.skeleton.is_some());
        let head = rig.bones.iter().find(|b| b.name == "head").unwrap();
        assert!(head.center.distance(100.0 * HEAD) < 1e-4);
        for frame in 0..5 {
            let small = DAffine3::from_scale(DVec3::splat(0.01));
            let pose: Vec<Vec3> = hat(&rig, &rig.pose(frame)).iter().map(|p| *p * 0.01).collect();
            assert_hat(&pose, small * hat_in_frame(SCALE, 100.0, frame, strap_turns));
        }
    }
}

#[test]
fn bones_of_different_sizes_keep_them() {
    let mut file = scene(SCALE, 1.0);
    file.json["nodes"][3]["scale"] = json!([2.0, 2.0, 2.0]);
    let rig = file.rig();
    assert!(close(rig.rest[0], Vec3::Y) && rig.skeleton.is_none());
    assert!(close(rig.pose(0)[2], Vec3::new(5.0, 3.0, 0.0)));
}

#[test]
fn bones_that_stretch_as_little_as_rounding_does_are_rigid() {
    for (scale, rigid) in [(1.00003, true), (1.0002, false)] {
        let mut file = scene(SCALE, 1.0);
        file.json["nodes"][3]["scale"] = json!([scale, scale, scale]);
        let rig = file.rig();
        assert_eq!(
            (rig.bones.iter().all(|bone| bone.rigid), rig.skeleton.is_some()),
            (rigid, rigid),
            "{scale}"
        );
    }
}

//! Meshes whose positions are whole numbers, as other programs write them.

use crate::common::gltf::{File, close};
use glam::{Mat4, Vec3};
use serde_json::json;
use sinew::rig::Rig;

/// A triangle as stored, and what a step of it stands for: the mesh is some two units large and beside the origin.
const STORED: [[u16; 3]; 3] = [[0, 0, 0], [16_000, 0, 0], [0, 8_000, 4_000]];
const STEP: f32 = 1.0 / 8_000.0;
const OFFSET: [f32; 3] = [3.0, -1.0, 0.5];

fn meant() -> [Vec3; 3] {
    STORED.map(|p| Vec3::from_array(p.map(|x| f32::from(x) * STEP)) + Vec3::from_array(OFFSET))
}

/// The triangle in whole numbers, under a node that nothing moves yet.
fn triangle() -> File {
    let mut file = File::triangle();
    let bytes: Vec<u8> = STORED.as_flattened().iter().flat_map(|x| x.to_le_bytes()).collect();
    let position = file.accessor("VEC3", 5123, &bytes, 3);
    file.json["meshes"][0]["primitives"][0]["attributes"]["POSITION"] = json!(position);
    file.json["extensionsUsed"] = json!(["KHR_mesh_quantization"]);
    file.json["extensionsRequired"] = json!(["KHR_mesh_quantization"]);
    file
}

fn assert_places(found: &[Vec3], expected: [Vec3; 3]) {
    assert_eq!(found.len(), 3);
    assert!(found.iter().zip(expected).all(|(p, q)| close(*p, q)), "{found:?} instead of {expected:?}");
}

/// At rest the rig is as large and where it was meant, and after a second it is shifted by two units.
fn assert_rig(rig: &Rig) {
    assert_places(&rig.rest, meant());
    assert_places(&rig.pose(0), meant());
    assert_places(&rig.pose(4), meant().map(|p| p + 2.0 * Vec3::Y));
}

#[test]
fn a_mesh_rests_where_its_node_shows_it() {
    let mut file = triangle();
    file.json["nodes"] = json!([
        { "children": [1] },
        { "mesh": 0, "translation": OFFSET, "scale": [STEP, STEP, STEP] },
    ]);
    file.json["scenes"] = json!([{ "nodes": [0] }]);
    file.animate("translation", "LINEAR", &[0.0, 1.0], "VEC3", &[0.0, 0.0, 0.0, 0.0, 2.0, 0.0]);
    assert_rig(&file.rig());
}

#[test]
fn a_skin_rests_where_its_joints_show_it() {
    let mut file = triangle();
    let joints = file.accessor("VEC4", 5121, &[0, 1, 0, 0].repeat(3), 3);
    let weights = file.floats("VEC4", &[0.5, 0.5, 0.0, 0.0].repeat(3));
    let attributes = &mut file.json["meshes"][0]["primitives"][0]["attributes"];
    attributes["JOINTS_0"] = json!(joints);
    attributes["WEIGHTS_0"] = json!(weights);
    // The step and the offset stand in the inverse bind matrices, where nothing but they can say them.
    let meant = Mat4::from_translation(Vec3::from_array(OFFSET)) * Mat4::from_scale(Vec3::splat(STEP));
    let inverse = |y: f32| (Mat4::from_translation(Vec3::new(0.0, -y, 0.0)) * meant).to_cols_array();
    let inverses = file.floats("MAT4", &[inverse(1.0), inverse(3.0)].concat());
    file.json["skins"] = json!([{ "joints": [0, 1], "inverseBindMatrices": inverses }]);
    file.json["nodes"] = json!([
        { "name": "hip", "translation": [0.0, 1.0, 0.0], "children": [1] },
        { "name": "head", "translation": [0.0, 2.0, 0.0] },
        { "name": "skin", "mesh": 0, "skin": 0 },
    ]);
    file.json["scenes"] = json!([{ "nodes": [0, 2] }]);
    file.animate("translation", "LINEAR", &[0.0, 1.0], "VEC3", &[0.0, 1.0, 0.0, 0.0, 3.0, 0.0]);
    let rig = file.rig();
    assert_rig(&rig);
    assert_eq!(rig.bones.len(), 2);
    // A mesh that a joint carries rests in the same place as the skin does.
    file.json["nodes"][1]["children"] = json!([3]);
    let carried = json!({ "name": "hat", "mesh": 0, "translation": OFFSET, "scale": [STEP, STEP, STEP] });
    file.push("nodes", carried);
    let both = file.rig();
    let hat = both.mesh.parts.iter().find(|part| part.name == "hat").unwrap().vertices.clone();
    assert_places(&both.rest[hat], self::meant().map(|p| p + 3.0 * Vec3::Y));
}

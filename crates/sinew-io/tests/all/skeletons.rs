//! Rigs with a joint tree, through files and back.

use std::collections::BTreeSet;
use std::path::Path;

use crate::common::{PARENTS, lively, rig};
use glam::{DAffine3, DMat3, DMat4, DQuat, DVec3, Mat4};
use proptest::prelude::*;
use serde_json::Value;
use sinew::animation::{Clip, compare};
use sinew::geometry::{Bounds, angle_between};
use sinew::rig::{Player, Rig, Skeleton, SkinWeights};
use sinew::skeleton::joint_limits;
use sinew_io::formats::gltf::{Gltf, WriteOptions, parse_alone, to_bytes};
use sinew_io::formats::{bvh, sinew_file};
use sinew_io::scene::SampleOptions;

fn written(rig: &Rig, options: &WriteOptions) -> (Gltf, Value, Vec<sinew_io::Warning>) {
    let (bytes, warnings) = to_bytes(rig, options).unwrap();
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let json = serde_json::from_slice(&bytes[20..20 + length]).unwrap();
    (parse_alone(&bytes, "test.glb".as_ref()).unwrap(), json, warnings)
}

fn read(gltf: &Gltf) -> Rig {
    gltf.rig(&SampleOptions { clips: vec!["all".into()], ..SampleOptions::default() }).unwrap().rig
}

fn through_glb(rig: &Rig) -> Rig {
    read(&written(rig, &WriteOptions::default()).0)
}

/// Largest distance of any vertex in any frame, in percent of the diagonal.
fn distance(a: &Rig, b: &Rig) -> f64 {
    compare(&Player::new(a), &Player::new(b), Bounds::of(&a.rest)).error.max
}

/// Names of all joints with those of their parents.
fn family(rig: &Rig) -> BTreeSet<(String, Option<String>)> {
    let name = |b: usize| rig.bones[b].name.clone();
    let parents = &rig.skeleton.as_ref().unwrap().parents;
    parents.iter().enumerate().map(|(b, p)| (name(b), p.map(name))).collect()
}

#[test]
fn a_skeleton_comes_back_with_its_tree_places_and_poses() {
    let rig = rig(30, lively);
    let back = through_glb(&rig);
    assert_eq!(back.skeleton, rig.skeleton);
    for (a, b) in rig.bones.iter().zip(&back.bones) {
        assert_eq!((&a.name, b.rigid), (&b.name, true));
        assert!(a.center.distance(b.center) < 1e-6);
    }
    assert!(distance(&rig, &back) < 1e-4);
    for f in 0..30 {
        let joints = rig.posed_joints(f).into_iter().zip(back.posed_joints(f));
        assert!(joints.into_iter().all(|(a, b)| a.distance(b) < 1e-5));
        let lengths = |of: &Rig| {
            let at = of.posed_joints(f);
            PARENTS
                .iter()
                .enumerate()
                .filter_map(|(j, p)| Some(at[j].distance(at[(*p)?])))
                .collect::<Vec<_>>()
        };
        let rest: Vec<f64> = rig
            .joint_places()
            .iter()
            .zip(PARENTS)
            .filter_map(|(a, p)| Some(a.distance(rig.bones[p?].center)))
            .collect();
        assert!(lengths(&back).iter().zip(rest).all(|(a, b)| (a / b - 1.0).abs() < 1e-5));
    }
}

#[test]
fn joints_are_nodes_below_each_other_that_only_turn() {
    let rig = rig(20, lively);
    let (_, json, warnings) = written(&rig, &WriteOptions { name: "cat".into(), ..Default::default() });
    assert_eq!(warnings, Vec::<sinew_io::Warning>::new());
    let nodes = json["nodes"].as_array().unwrap();
    let node = |j: usize| nodes.iter().position(|n| n["name"] == format!("joint {j}")).unwrap();
    for (j, parent) in PARENTS.iter().enumerate() {
        let above = nodes
            .iter()
            .find(|n| n["children"].as_array().is_some_and(|c| c.contains(&node(j).into())))
            .unwrap();
        assert_eq!(above["name"], parent.map_or("cat_skeleton".into(), |p| format!("joint {p}")));
        assert!(nodes[node(j)].get("matrix").is_none() && nodes[node(j)].get("scale").is_none());
    }
    assert_eq!(json["skins"][0]["skeleton"], node(0));
    let channels = json["animations"][0]["channels"].as_array().unwrap();
    let target = |path: &str| -> BTreeSet<u64> {
        let of_path = channels.iter().filter(|c| c["target"]["path"] == path);
        of_path.map(|c| c["target"]["node"].as_u64().unwrap()).collect()
    };
    assert_eq!(target("translation"), [node(0) as u64].into());
    assert_eq!(target("rotation"), (0..6).map(|j| node(j) as u64).collect());
    assert_eq!(channels.len(), 7);
    let samplers = json["animations"][0]["samplers"].as_array().unwrap();
    assert!(samplers.iter().all(|s| s["interpolation"] == "LINEAR"));
    assert!(samplers.iter().all(|s| json["accessors"][s["input"].as_u64().unwrap() as usize]["count"] == 20));
}

/// Shift and turn of a node at rest.
fn at_rest(node: &Value) -> DAffine3 {
    let numbers = |key: &str, still: &[f64]| -> Vec<f64> {
        let list = node[key].as_array().map(|list| list.iter().filter_map(Value::as_f64).collect());
        list.unwrap_or_else(|| still.to_vec())
    };
    let turn = DQuat::from_slice(&numbers("rotation", &[0.0, 0.0, 0.0, 1.0]));
    assert!((turn.length() - 1.0).abs() < 1e-6);
    DAffine3::from_rotation_translation(turn, DVec3::from_slice(&numbers("translation", &[0.0; 3])))
}

#[test]
fn nodes_at_rest_have_y_along_their_bones() {
    let rig = rig(20, lively);
    let (bytes, _) = to_bytes(&rig, &WriteOptions::default()).unwrap();
    let (_, json, _) = written(&rig, &WriteOptions::default());
    let nodes = json["nodes"].as_array().unwrap();
    let node = |j: usize| nodes.iter().find(|n| n["name"] == format!("joint {j}")).unwrap();
    let mut worlds: Vec<DAffine3> = Vec::new();
    for (j, parent) in PARENTS.iter().enumerate() {
        let local = at_rest(node(j));
        worlds.push(parent.map_or(local, |p| worlds[p] * local));
        // The rest pose is the one the mesh was bound in.
        assert!(worlds[j].translation.distance(rig.bones[j].center) < 1e-6, "joint {j}");
    }
    // Each has the next one along its y and nowhere else.
    for (j, child) in [(1, 2), (3, 4), (4, 5)] {
        let offset = at_rest(node(child)).translation;
        let length = rig.bones[j].center.distance(rig.bones[child].center);
        assert!(offset.distance(length * DVec3::Y) < 1e-6, "joint {child} is at {offset}");
    }
    // Inverse bind matrices undo the nodes at rest.
    let bin = 28 + u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let number = |value: &Value| value.as_u64().unwrap_or(0) as usize;
    let accessor = &json["accessors"][number(&json["skins"][0]["inverseBindMatrices"])];
    let view = &json["bufferViews"][number(&accessor["bufferView"])];
    let start = bin + number(&accessor["byteOffset"]) + number(&view["byteOffset"]);
    let floats: Vec<f32> = bytes[start..start + 6 * 64]
        .chunks_exact(4)
        .map(|b| f32::from_le_bytes(b.try_into().unwrap()))
        .collect();
    for (world, inverse) in worlds.iter().zip(floats.chunks_exact(16)) {
        let both = DMat4::from(*world) * Mat4::from_cols_slice(inverse).as_dmat4();
        assert!(both.abs_diff_eq(DMat4::IDENTITY, 1e-6), "{both}");
    }
}

#[test]
fn joints_that_stand_still_need_no_channel() {
    let rig = rig(20, |j, f| if j == 4 { [0.0, 0.02 * f as f64, 0.0] } else { [0.0; 3] });
    let (_, json, _) = written(&rig, &WriteOptions::default());
    let channels = json["animations"][0]["channels"].as_array().unwrap();
    let of = |path: &str| channels.iter().filter(|c| c["target"]["path"] == path).count();
    assert_eq!((of("rotation"), of("translation"), channels.len()), (1, 1, 2));
    assert!(distance(&rig, &through_glb(&rig)) < 1e-4);
}

#[test]
fn axes_and_limits_come_back() {
    let rig = rig(30, |j, f| [0.0, 0.1 * j as f64, 0.03 * f as f64 * f64::from(j == 4)]);
    let back = through_glb(&rig);
    for (a, b) in rig.joint_axes().iter().zip(back.joint_axes()) {
        assert!(angle_between(*a, b) < 1e-4);
    }
    for (a, b) in joint_limits(&rig).iter().zip(joint_limits(&back)) {
        assert!(a.least.distance(b.least) < 0.01 && a.most.distance(b.most) < 0.01, "{a:?} {b:?}");
    }
}

#[test]
fn neighbouring_keys_are_in_one_hemisphere() {
    let bytes = to_bytes(&rig(40, lively), &WriteOptions::default()).unwrap().0;
    let (_, json, _) = written(&rig(40, lively), &WriteOptions::default());
    let bin = 28 + u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let number = |value: &Value| value.as_u64().unwrap_or(0) as usize;
    let animation = &json["animations"][0];
    let turns =
        animation["channels"].as_array().unwrap().iter().filter(|c| c["target"]["path"] == "rotation");
    for channel in turns {
        let sampler = &animation["samplers"][number(&channel["sampler"])];
        let accessor = &json["accessors"][number(&sampler["output"])];
        let view = &json["bufferViews"][number(&accessor["bufferView"])];
        let start = bin + number(&accessor["byteOffset"]) + number(&view["byteOffset"]);
        let floats: &[u8] = &bytes[start..start + 16 * 40];
        let floats: Vec<f32> =
            floats.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect();
        let keys: Vec<glam::Quat> = floats.chunks_exact(4).map(glam::Quat::from_slice).collect();
        assert!(keys.iter().all(|q| (q.length() - 1.0).abs() < 1e-6));
        assert!(keys.windows(2).all(|pair| pair[0].dot(pair[1]) > 0.9));
    }
}

#[test]
fn several_clips_and_roots_come_back() {
    let mut rig = rig(12, lively);
    let clip = |name: &str, frames, fps| Clip { name: name.into(), frames, fps };
    rig.clips = vec![clip("walk", 0..5, 24.0), clip("run", 5..11, 30.0), clip("stand", 11..12, 24.0)];
    rig.skeleton.as_mut().unwrap().parents[3] = None;
    let (gltf, json, _) = written(&rig, &WriteOptions::default());
    let root = json["nodes"].as_array().unwrap().iter().position(|n| n["name"] == "rig_skeleton");
    assert_eq!(json["skins"][0]["skeleton"], root.unwrap());
    let back = read(&gltf);
    assert_eq!(back.clips, rig.clips);
    assert!(distance(&rig, &back) < 1e-4);
    // The file does not show that joint 3 could have moved about: its parent holds it in every frame. It is
    // a root because nothing is above it.
    assert_eq!(back.skeleton, rig.skeleton);
}

#[test]
fn compact_files_keep_the_tree_and_their_bound() {
    let rig = rig(60, |j, f| lively(j, f / 3 * 3 + usize::from(f > 40)));
    let size = |options: &WriteOptions| to_bytes(&rig, options).unwrap().0.len();
    for bound in [1e-2, 1e-4] {
        let options = WriteOptions { compact: Some(bound), ..WriteOptions::default() };
        let back = read(&written(&rig, &options).0);
        assert_eq!((&back.skeleton, back.frame_count()), (&rig.skeleton, 60));
        assert!(distance(&rig, &back) <= 100.0 * bound);
        assert!(size(&options) < size(&WriteOptions::default()));
    }
}

#[test]
fn one_joint_is_a_skeleton_but_one_bone_is_not() {
    let mut rig = rig(5, lively);
    rig.bones.truncate(1);
    rig.transforms = rig.transforms.chunks_exact(6).map(|frame| frame[0]).collect();
    rig.weights = SkinWeights::single(24);
    for skeleton in [None, Some(Skeleton::new(vec![None]))] {
        rig.skeleton = skeleton;
        assert_eq!(through_glb(&rig).skeleton, rig.skeleton);
    }
}

#[test]
fn bones_that_do_not_hang_together_stay_flat() {
    let mut rig = rig(5, lively);
    rig.skeleton = None;
    assert_eq!(through_glb(&rig).skeleton, None);
    // Nor do joints of a tree that stretch.
    let mut stretched = self::rig(5, lively);
    let bytes = to_bytes(&stretched, &WriteOptions::default()).unwrap().0;
    let (gltf, mut json, _) = written(&stretched, &WriteOptions::default());
    assert!(read(&gltf).skeleton.is_some());
    let joint = json["skins"][0]["joints"][2].as_u64().unwrap() as usize;
    json["nodes"][joint]["scale"] = serde_json::json!([1.0, 1.01, 1.0]);
    assert_eq!(read(&with_json(&bytes, &json)).skeleton, None);
    // One that is far from where it was bound slides on the one above, and what hangs on it still does.
    json["nodes"][joint].as_object_mut().unwrap().remove("scale");
    json["nodes"][joint]["translation"] = serde_json::json!([0.5, 1.0, 0.5]);
    let skeleton = stretched.skeleton.as_mut().unwrap();
    skeleton.slides_on = vec![None; 6];
    skeleton.slides_on[2] = skeleton.parents[2].take();
    assert_eq!(read(&with_json(&bytes, &json)).skeleton, stretched.skeleton);
}

/// A crate beside a figure, scaled by its node, is no reason for the figure to lose its tree.
#[test]
fn props_that_their_nodes_scale_leave_a_tree_as_it_is() {
    let rig = rig(5, lively);
    let bytes = to_bytes(&rig, &WriteOptions::default()).unwrap().0;
    let (_, mut json, _) = written(&rig, &WriteOptions::default());
    json["asset"]["generator"] = "another program".into();
    let nodes = json["nodes"].as_array_mut().unwrap();
    let node = nodes.len();
    nodes.push(serde_json::json!({ "name": "crate", "mesh": 0, "scale": [2.0, 1.0, 3.0], "translation": [4.0, 0.0, 0.0] }));
    json["scenes"][0]["nodes"].as_array_mut().unwrap().push(node.into());
    let read = read(&with_json(&bytes, &json));
    let named =
        |rig: &Rig| -> BTreeSet<_> { family(rig).into_iter().filter(|(name, _)| name != "crate").collect() };
    assert_eq!(named(&read), family(&rig));
    let prop = read.mesh.parts.iter().find(|part| part.name == "crate").unwrap();
    for (p, at) in rig.rest.iter().zip(&read.pose(3)[prop.vertices.clone()]) {
        assert!(at.distance(*p * glam::Vec3::new(2.0, 1.0, 3.0) + 4.0 * glam::Vec3::X) < 1e-5);
    }
}

#[test]
fn a_bind_pose_of_slightly_other_lengths_is_kept() {
    let rig = rig(5, lively);
    let bytes = to_bytes(&rig, &WriteOptions::default()).unwrap().0;
    let (_, mut json, _) = written(&rig, &WriteOptions::default());
    let joint = json["skins"][0]["joints"][4].as_u64().unwrap() as usize;
    let x = &mut json["nodes"][joint]["translation"][0];
    *x = (x.as_f64().unwrap() + 0.01).into();
    let shifted = read(&with_json(&bytes, &json));
    assert_eq!(shifted.skeleton, rig.skeleton);
    assert!(distance(&rig, &shifted) > 0.1);
    let (gltf, _, warnings) = written(&shifted, &WriteOptions::default());
    assert_eq!(warnings, Vec::<sinew_io::Warning>::new());
    assert!(distance(&shifted, &read(&gltf)) < 1e-4);
}

/// A file with other JSON.
fn with_json(bytes: &[u8], json: &Value) -> Gltf {
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let mut text = json.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let total = (bytes.len() - length + text.len()) as u32;
    let start = [&bytes[..8], &total.to_le_bytes(), &(text.len() as u32).to_le_bytes(), b"JSON"].concat();
    parse_alone(&[&start[..], &text, &bytes[20 + length..]].concat(), "test.glb".as_ref()).unwrap()
}

#[test]
fn nodes_that_are_no_joints_are_part_of_the_motion() {
    let rig = rig(9, lively);
    let bytes = to_bytes(&rig, &WriteOptions::default()).unwrap().0;
    let (_, mut json, _) = written(&rig, &WriteOptions::default());
    // All below a node that turns them, and joint 4 below one of no meaning.
    let nodes = json["nodes"].as_array_mut().unwrap();
    let at = |j: usize| nodes.iter().position(|n| n["name"] == format!("joint {j}")).unwrap();
    let (three, four, between) = (at(3), at(4), nodes.len());
    let world = nodes.iter().position(|n| n["name"] == "rig_skeleton").unwrap();
    nodes[three]["children"] = serde_json::json!([between]);
    nodes.push(serde_json::json!({ "children": [four] }));
    nodes[world]["rotation"] = serde_json::json!([0.6, 0.0, 0.0, 0.8]);
    nodes[world]["translation"] = serde_json::json!([5.0, 0.0, 0.0]);
    let turned = read(&with_json(&bytes, &json));
    assert_eq!(family(&turned), family(&rig));
    let turn = DAffine3 {
        matrix3: DMat3::from_quat(DQuat::from_xyzw(0.6, 0.0, 0.0, 0.8)),
        translation: 5.0 * DVec3::X,
    };
    for f in 0..9 {
        let wanted = rig.pose(f).into_iter().map(|p| turn.transform_point3(p.as_dvec3()));
        assert!(wanted.zip(turned.pose(f)).all(|(a, b)| a.distance(b.as_dvec3()) < 1e-5));
    }
}

#[test]
fn a_skin_that_lists_children_first_is_renumbered() {
    let rig = rig(9, lively);
    let mut bytes = to_bytes(&rig, &WriteOptions::default()).unwrap().0;
    let (_, mut json, _) = written(&rig, &WriteOptions::default());
    let bin = 28 + u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    // Joints and matrices back to front, and influences to match.
    json["skins"][0]["joints"].as_array_mut().unwrap().reverse();
    let start = |accessor: &Value| {
        let view = json["accessors"][accessor.as_u64().unwrap() as usize]["bufferView"].as_u64().unwrap();
        bin + json["bufferViews"][view as usize]["byteOffset"].as_u64().unwrap_or(0) as usize
    };
    let matrices = start(&json["skins"][0]["inverseBindMatrices"]);
    let joints = start(&json["meshes"][0]["primitives"][0]["attributes"]["JOINTS_0"]);
    let back_to_front: Vec<u8> =
        bytes[matrices..matrices + 6 * 64].chunks(64).rev().flatten().copied().collect();
    bytes[matrices..matrices + 6 * 64].copy_from_slice(&back_to_front);
    bytes[joints..joints + 4 * 24].iter_mut().for_each(|j| *j = 5 - *j);
    let back = read(&with_json(&bytes, &json));
    assert_eq!(back.validate(), Ok(()));
    assert_eq!(family(&back), family(&rig));
    assert!(distance(&rig, &back) < 1e-4);
}

#[test]
fn joints_that_stray_are_told() {
    let mut rig = rig(5, lively);
    rig.transforms[6 * 3 + 5].translation.x += 0.1;
    let (_, _, warnings) = written(&rig, &WriteOptions::default());
    assert_eq!(warnings.len(), 1);
    assert!(warnings[0].to_string().starts_with("joints leave their parents by up to "), "{}", warnings[0]);
}

#[test]
fn joints_that_stretch_are_refused() {
    let mut rig = rig(5, lively);
    rig.transforms[6 * 3 + 5].matrix3 *= 1.1;
    let error = to_bytes(&rig, &WriteOptions::default()).unwrap_err().to_string();
    assert!(error.contains("joint joint 5 stretches in frame 3"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn damaged_files_never_panic(
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        in_json in any::<bool>(),
    ) {
        let mut bytes = to_bytes(&rig(3, lively), &WriteOptions::default()).unwrap().0;
        let json = 20..20 + u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
        for (place, byte) in damage {
            let at = if in_json { 20 + place.index(json.len()) } else { place.index(bytes.len()) };
            // Digits keep the JSON readable, so that the damage goes deeper.
            bytes[at] = if in_json && bytes[at].is_ascii_digit() { b'0' + byte % 10 } else { byte };
        }
        let parsed = parse_alone(&bytes, "damaged.glb".as_ref());
        if let Ok(sampled) = parsed.and_then(|gltf| gltf.rig(&SampleOptions::default())) {
            prop_assert_eq!(sampled.rig.validate(), Ok(()));
            let _ = to_bytes(&sampled.rig, &WriteOptions::default());
            let _ = bvh::to_text(&sampled.rig, &sampled.rig.clips()[0]);
        }
    }
}

#[test]
fn a_skeleton_comes_back_from_a_sinew_file() {
    let rig = rig(4, lively);
    let bytes = sinew_file::rig_to_bytes(&rig, "walk");
    let back = sinew_file::parse(&bytes, Path::new("a.sinew")).unwrap().stored;
    assert_eq!(back, sinew_file::Stored::Rig(rig));
}

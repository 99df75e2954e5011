//! Files as other programs write them, and as nobody should.

use std::path::Path;

use crate::common::gltf::{File, close};
use glam::Vec3;
use proptest::prelude::*;
use serde_json::{Value, json};
use sinew::rig::Rig;
use sinew_io::formats::gltf::{WriteOptions, open, parse_alone, to_bytes};
use sinew_io::scene::SampleOptions;
use sinew_io::warning::Unkept;
use sinew_io::{Error, Warning};

#[test]
fn keys_are_joined_as_their_sampler_says() {
    let mut file = File::triangle();
    file.animate("translation", "LINEAR", &[0.0, 1.0], "VEC3", &[0.0, 0.0, 0.0, 4.0, 0.0, 0.0]);
    let rig = file.rig();
    assert_eq!(rig.frame_count(), 5);
    assert!(close(rig.pose(1)[0], Vec3::X));
    file.animate("translation", "STEP", &[0.0, 1.0], "VEC3", &[0.0, 0.0, 0.0, 4.0, 0.0, 0.0]);
    let rig = file.rig();
    assert!(close(rig.pose(3)[0], Vec3::ZERO) && close(rig.pose(4)[0], 4.0 * Vec3::X));
    // A Hermite curve from 0 to 0 that leaves with slope 8: at a quarter, 8·(t³ − 2t² + t) = 1.125.
    let zero = [0.0; 3];
    let values = [zero, zero, [8.0, 0.0, 0.0], zero, zero, zero].concat();
    file.animate("translation", "CUBICSPLINE", &[0.0, 1.0], "VEC3", &values);
    assert!(close(file.rig().pose(1)[0], 1.125 * Vec3::X));
    // A quarter turn about z, halfway.
    let quarter = std::f32::consts::FRAC_1_SQRT_2;
    file.animate(
        "rotation",
        "LINEAR",
        &[0.0, 1.0],
        "VEC4",
        &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, -quarter, -quarter],
    );
    let p = file.rig().pose(2)[1];
    assert!(close(p, Vec3::new(quarter, quarter, 0.0)), "{p}");
}

#[test]
fn strips_and_fans_become_triangles() {
    for (mode, expected) in [(5, vec![0, 1, 2, 2, 1, 3]), (6, vec![0, 1, 2, 0, 2, 3])] {
        let mut file = File::triangle();
        let position = file.floats("VEC3", &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0]);
        file.json["meshes"] =
            json!([{ "primitives": [{ "attributes": { "POSITION": position }, "mode": mode }] }]);
        assert_eq!(file.rig().mesh.corners, expected);
    }
}

#[test]
fn quantised_strided_and_sparse_data_are_understood() {
    let mut file = File::triangle();
    // Normalised bytes, four apart, the last one of each row unused.
    let view = file.view(&[0, 0, 0, 9, 127, 0, 0, 9, 0, 129, 0, 9]);
    file.json["bufferViews"][view]["byteStride"] = json!(4);
    let accessor = json!({
        "bufferView": view, "componentType": 5120, "normalized": true, "count": 3, "type": "VEC3",
    });
    let position = file.push("accessors", accessor);
    file.json["meshes"][0]["primitives"][0]["attributes"]["POSITION"] = json!(position);
    file.json["extensionsRequired"] = json!(["KHR_mesh_quantization"]);
    assert_eq!(file.rig().rest, vec![Vec3::ZERO, Vec3::X, -Vec3::Y]);
    let indices = file.view(&[2, 0]);
    let values: Vec<u8> = [5.0_f32, 6.0, 7.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    let values = file.view(&values);
    let sparse = json!({
        "componentType": 5126, "count": 3, "type": "VEC3",
        "sparse": {
            "count": 1,
            "indices": { "bufferView": indices, "componentType": 5121 },
            "values": { "bufferView": values },
        },
    });
    let position = file.push("accessors", sparse);
    file.json["meshes"][0]["primitives"][0]["attributes"]["POSITION"] = json!(position);
    let rest = file.sampled(&SampleOptions { weld: Some(false), ..Default::default() }).unwrap().rig.rest;
    assert_eq!(rest, vec![Vec3::ZERO, Vec3::ZERO, Vec3::new(5.0, 6.0, 7.0)]);
}

/// The triangle, skinned to a joint that stands two along x and was bound one along x.
fn skinned(weights: &[f32; 12]) -> File {
    let mut file = File::triangle();
    let joints = file.accessor("VEC4", 5121, &[0; 12], 3);
    let weights = file.floats("VEC4", weights);
    let mut inverse = glam::Mat4::IDENTITY;
    inverse.w_axis.x = -1.0;
    let inverse = file.floats("MAT4", &inverse.to_cols_array());
    let attributes = &mut file.json["meshes"][0]["primitives"][0]["attributes"];
    attributes["JOINTS_0"] = json!(joints);
    attributes["WEIGHTS_0"] = json!(weights);
    // The mesh node's own place does not matter.
    file.json["nodes"] = json!([
        { "mesh": 0, "skin": 0, "translation": [0.0, 50.0, 0.0] },
        { "name": "hip", "translation": [2.0, 0.0, 0.0] },
    ]);
    file.json["skins"] = json!([{ "joints": [1], "inverseBindMatrices": inverse }]);
    file
}

#[test]
fn skins_move_their_vertices_whatever_the_mesh_node_does() {
    let mut weights = [0.0; 12];
    for v in 0..3 {
        weights[4 * v] = 1.0;
    }
    let rig = skinned(&weights).rig();
    assert_eq!(rig.bones.len(), 1);
    assert_eq!(rig.bones[0].name, "hip");
    assert!(rig.bones[0].rigid);
    assert!(close(rig.pose(0)[1], Vec3::new(2.0, 0.0, 0.0)));
}

#[test]
fn dirty_weights_are_repaired_and_told() {
    let mut weights = [0.0; 12];
    weights[0] = 0.5;
    weights[4] = 1.0;
    let sampled = skinned(&weights).sampled(&SampleOptions::default()).unwrap();
    assert!(close(sampled.rig.pose(0)[0], Vec3::X));
    assert!(close(sampled.rig.pose(0)[2], Vec3::X + Vec3::Y));
    assert!(
        sampled.warnings.iter().any(|w| w.to_string().starts_with("1 vertex has weights that do not sum"))
    );
    assert!(sampled.warnings.iter().any(|w| w.to_string().starts_with("1 vertex has no weight")));
}

#[test]
fn morph_targets_become_corrections_and_defaults_the_rest_pose() {
    let mut file = File::triangle();
    let up = file.floats("VEC3", &[0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    let along = file.floats("VEC3", &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    let mesh = &mut file.json["meshes"][0];
    mesh["primitives"][0]["targets"] = json!([{ "POSITION": up }, { "POSITION": along }]);
    mesh["weights"] = json!([0.0, 0.5]);
    let still = file.rig();
    let shapes = still.corrections.as_ref().unwrap();
    let known: Vec<(&str, f32)> = shapes.names.iter().map(|s| (&s.name[..], s.at_rest)).collect();
    assert_eq!(known, [("shape_0", 0.0), ("shape_1", 0.5)]);
    assert!(shapes.coefficients.iter().all(|q| *q == 0.0));
    assert!(close(still.rest[1], 1.5 * Vec3::X));
    file.animate("weights", "LINEAR", &[0.0, 1.0], "SCALAR", &[0.0, 0.5, 2.0, 0.5]);
    let rig = file.rig();
    assert_eq!((rig.rank(), rig.frame_count()), (2, 5));
    assert!(close(rig.pose(1)[0], 0.5 * Vec3::Z));
    assert!(close(rig.pose(1)[1], 1.5 * Vec3::X));
}

#[test]
fn seams_are_welded_and_hard_edges_kept() {
    let mut file = File::triangle();
    // Two triangles that share an edge, unindexed, each with its own normal.
    let (a, b, c, d) = ([0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 1.0]);
    let position = file.floats("VEC3", &[a, b, c, c, b, d].concat());
    let normal = file.floats(
        "VEC3",
        &[[0.0, 0.0, 1.0]; 3].into_iter().chain([[1.0, 0.0, 0.0]; 3]).flatten().collect::<Vec<_>>(),
    );
    file.json["meshes"][0]["primitives"][0]["attributes"] = json!({ "POSITION": position, "NORMAL": normal });
    let rig = file.rig();
    assert_eq!(rig.mesh.vertex_count, 4);
    assert_eq!(rig.mesh.corners, vec![0, 1, 2, 2, 1, 3]);
    assert_eq!(rig.mesh.normals.unwrap().values.len(), 2);
    let apart = file.sampled(&SampleOptions { weld: Some(false), ..Default::default() }).unwrap().rig;
    assert_eq!(apart.mesh.vertex_count, 6);
}

#[test]
fn clips_are_chosen_by_name_and_number() {
    let mut file = File::triangle();
    file.animate("translation", "LINEAR", &[0.0, 0.5, 1.0], "VEC3", &[0.0; 9]);
    let clip = |clip: &str| file.sampled(&SampleOptions { clips: vec![clip.into()], ..Default::default() });
    assert_eq!(clip("clip").unwrap().clip.as_deref(), Some("clip"));
    assert!(clip("0").is_ok());
    let message = clip("run").unwrap_err().to_string();
    assert!(message.contains("there is no clip \"run\"; the clips are clip"), "{message}");
}

#[test]
fn contradictions_get_a_sentence() {
    let with = |change: &dyn Fn(&mut Value)| {
        let mut file = File::triangle();
        change(&mut file.json);
        file.error()
    };
    type Change<'a> = &'a dyn Fn(&mut Value);
    let cases: [(&str, Change); 11] = [
        ("cycle", &|j| j["nodes"] = json!([{ "mesh": 0 }, { "children": [2] }, { "children": [1] }])),
        ("two parents", &|j| j["nodes"] = json!([{ "children": [2] }, { "children": [2] }, { "mesh": 0 }])),
        ("does not exist", &|j| j["nodes"][0]["children"] = json!([7])),
        ("does not exist", &|j| j["nodes"][0]["mesh"] = json!(7)),
        ("no accessor 9", &|j| j["meshes"][0]["primitives"][0]["attributes"]["POSITION"] = json!(9)),
        ("cut short", &|j| j["accessors"][0]["count"] = json!(4_000_000_000_u64)),
        ("cut short", &|j| j["bufferViews"][0]["byteLength"] = json!(usize::MAX)),
        ("unknown component type", &|j| j["accessors"][0]["componentType"] = json!(1)),
        ("KHR_draco_mesh_compression: decompress", &|j| {
            j["extensionsRequired"] = json!(["KHR_draco_mesh_compression"]);
        }),
        ("glTF 1.0", &|j| j["asset"]["version"] = json!("1.0")),
        ("no triangles", &|j| j["meshes"][0]["primitives"][0]["mode"] = json!(1)),
    ];
    for (expected, change) in cases {
        let message = with(change);
        assert!(message.contains(expected), "{expected}: {message}");
    }
}

#[test]
fn required_extensions_that_say_nothing_of_shapes_are_passed_over_and_told() {
    let passed = [
        "KHR_materials_unlit",
        "KHR_texture_basisu",
        "EXT_texture_webp",
        "KHR_texture_transform",
        "KHR_node_visibility",
        "EXT_lights_image_based",
    ];
    let plain = File::triangle().sampled(&SampleOptions::default()).unwrap();
    assert!(plain.warnings.is_empty());
    for name in passed {
        let mut file = File::triangle();
        file.json["extensionsRequired"] = json!([name, "KHR_lights_punctual"]);
        let read = file.sampled(&SampleOptions::default()).unwrap();
        assert_eq!((read.rig.rest, read.rig.mesh), (plain.rig.rest.clone(), plain.rig.mesh.clone()));
        assert_eq!(read.warnings, [Warning::ExtensionsPassedOver(vec![name.into()])]);
    }
    for name in ["EXT_mesh_gpu_instancing", "KHR_animation_pointer", "VENDOR_of_tomorrow"] {
        let mut file = File::triangle();
        file.json["extensionsRequired"] = json!(["KHR_materials_unlit", name]);
        let message = file.error();
        assert!(message.ends_with(&format!("the file requires {name}")), "{message}");
    }
}

#[test]
fn vertices_in_an_unknown_codec_alone_are_refused_whatever_the_file_requires() {
    let mut file = File::triangle();
    file.json["meshes"][0]["primitives"][0]["extensions"] = json!({ "KHR_draco_mesh_compression": {} });
    assert!(file.sampled(&SampleOptions::default()).is_ok(), "they are there as they are too");
    let place = &mut file.json["accessors"][0];
    place.as_object_mut().unwrap().remove("bufferView");
    let message = file.error();
    assert!(message.contains("KHR_draco_mesh_compression: decompress it first"), "{message}");
}

#[test]
fn buffers_beside_the_file_are_found_unless_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = File::triangle();
    let mut json = file.json.clone();
    json["buffers"] = json!([{ "uri": "the%20data.bin", "byteLength": file.bytes.len() }]);
    let path = folder.path().join("scene.gltf");
    std::fs::write(&path, json.to_string()).unwrap();
    assert!(matches!(open(&path), Err(Error::Io { .. })));
    std::fs::write(folder.path().join("the data.bin"), &file.bytes).unwrap();
    assert_eq!(open(&path).unwrap().rig(&SampleOptions::default()).unwrap().rig.rest.len(), 3);
    let refused = parse_alone(json.to_string().as_bytes(), &path);
    assert!(matches!(refused, Err(Error::Unsupported { .. })));
    std::fs::write(folder.path().join("the data.bin"), &file.bytes[..8]).unwrap();
    assert!(matches!(open(&path), Err(Error::Truncated { .. })));
}

fn small_glb() -> Vec<u8> {
    let mut weights = [0.0; 12];
    weights.iter_mut().step_by(4).for_each(|w| *w = 1.0);
    let mut file = skinned(&weights);
    file.animate("translation", "LINEAR", &[0.0, 0.125], "VEC3", &[0.0; 6]);
    file.json["animations"][0]["channels"][0]["target"]["node"] = json!(1);
    to_bytes(&file.rig(), &WriteOptions::default()).unwrap().0
}

#[test]
fn every_cut_is_noticed() {
    let bytes = small_glb();
    for cut in 0..bytes.len() {
        let error = parse_alone(&bytes[..cut], Path::new("cut.glb")).err();
        assert!(matches!(error, Some(Error::Truncated { .. })), "{cut}: {error:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn damaged_files_never_panic(
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        in_json in any::<bool>(),
    ) {
        let mut bytes = small_glb();
        let json_end = 20 + u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
        for (place, byte) in damage {
            let at = if in_json { 20 + place.index(json_end - 20) } else { place.index(bytes.len()) };
            // Digits keep the JSON readable, so that the damage goes deeper.
            bytes[at] = if in_json && bytes[at].is_ascii_digit() { b'0' + byte % 10 } else { byte };
        }
        if let Ok(gltf) = parse_alone(&bytes, Path::new("damaged.glb")) {
            let _ = (gltf.info(), gltf.clips());
            if let Ok(sampled) = gltf.rig(&SampleOptions::default()) {
                prop_assert!(sampled.rig.validate().is_ok());
                let _ = to_bytes(&sampled.rig, &WriteOptions::default());
            }
        }
    }
}

/// Blender demands it of whoever reads a file with a light.
#[test]
fn lights_that_a_file_requires_are_read() {
    let mut file = File::triangle();
    let light = json!({ "type": "point", "intensity": 54.0 });
    file.json["extensionsUsed"] = json!(["KHR_lights_punctual"]);
    file.json["extensionsRequired"] = json!(["KHR_lights_punctual"]);
    file.json["extensions"] = json!({ "KHR_lights_punctual": { "lights": [light] } });
    file.push("nodes", json!({ "name": "bulb", "extensions": { "KHR_lights_punctual": { "light": 0 } } }));
    let nodes = file.rig().nodes;
    assert!(
        matches!(&nodes[0].kind, sinew::nodes::NodeKind::Light(light) if light.intensity == 54.0),
        "{nodes:?}"
    );
}

/// A file that is written of what another shows.
fn rewritten(file: &File) -> (Value, Rig) {
    let bytes = to_bytes(&file.rig(), &WriteOptions::default()).unwrap().0;
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let json = serde_json::from_slice(&bytes[20..20 + length]).unwrap();
    let back = parse_alone(&bytes, Path::new("a.glb")).unwrap().rig(&SampleOptions::default()).unwrap();
    (json, back.rig)
}

#[test]
fn colours_of_vertices_are_not_darkened_by_a_neutral_material() {
    let mut file = File::triangle();
    let color =
        |file: &File| rewritten(file).0["materials"][0]["pbrMetallicRoughness"]["baseColorFactor"].clone();
    assert_eq!(color(&file)[0].as_f64().map(|grey| grey < 0.7), Some(true));
    let painted = file.floats("VEC3", &[0.5; 9]);
    file.json["meshes"][0]["primitives"][0]["attributes"]["COLOR_0"] = json!(painted);
    assert_eq!(color(&file), json!([1.0, 1.0, 1.0, 1.0]));
}

#[test]
fn what_shines_more_than_white_keeps_its_hue() {
    let mut file = File::triangle();
    let strength = json!({ "KHR_materials_emissive_strength": { "emissiveStrength": 8.0 } });
    file.push("materials", json!({ "emissiveFactor": [1.0, 0.5, 0.0625], "extensions": strength }));
    file.json["meshes"][0]["primitives"][0]["material"] = json!(0);
    let emissive = [8.0, 4.0, 0.5];
    assert_eq!(file.rig().mesh.materials[0].emissive, emissive);
    let (json, back) = rewritten(&file);
    assert_eq!(json["extensionsUsed"], json!(["KHR_materials_emissive_strength"]));
    assert_eq!(json["materials"][0]["emissiveFactor"], json!([1.0, 0.5, 0.0625]));
    assert_eq!(back.mesh.materials[0].emissive, emissive);
}

#[test]
fn keys_before_zero_are_told() {
    let mut file = File::triangle();
    file.animate("translation", "LINEAR", &[-0.5, 1.0], "VEC3", &[0.0; 6]);
    assert!(file.error().ends_with("begin before 0"), "{}", file.error());
}

#[test]
fn what_is_not_read_is_told() {
    let unkept = |file: &File| -> Vec<Unkept> {
        let read = file.sampled(&SampleOptions::default()).unwrap();
        read.warnings.iter().filter_map(|warning| warning.unkept().cloned()).collect()
    };
    let mut file = File::triangle();
    let png = file.view(b"\x89PNG\r\n\x1a\n");
    file.push("images", json!({ "bufferView": png, "mimeType": "image/png" }));
    file.push("samplers", json!({ "magFilter": 9729, "minFilter": 9987, "wrapS": 10497 }));
    file.push("samplers", json!({ "wrapS": 33071 }));
    let usual = file.push("textures", json!({ "source": 0, "sampler": 0 }));
    let material = json!({ "pbrMetallicRoughness": { "baseColorTexture": { "index": usual } } });
    file.push("materials", material);
    file.json["meshes"][0]["primitives"][0]["material"] = json!(0);
    file.json["meshes"][0]["extras"] = json!({ "targetNames": [] });
    assert_eq!(unkept(&file), []);
    let clamped = file.push("textures", json!({ "source": 0, "sampler": 1 }));
    file.json["materials"][0] = json!({
        "extras": { "code": 7 },
        "extensions": { "KHR_materials_clearcoat": {}, "KHR_materials_emissive_strength": { "emissiveStrength": 2 } },
        "normalTexture": { "index": clamped, "scale": 0.5 },
        "pbrMetallicRoughness": {
            "baseColorTexture": { "index": usual, "extensions": { "KHR_texture_transform": {} } },
        },
    });
    file.json["nodes"][0]["extras"] = json!({ "note": "attach here" });
    file.animate(
        "translation",
        "STEP",
        &[0.0, 0.51, 1.0],
        "VEC3",
        &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    );
    let names = |names: &[&str]| names.iter().map(|name| name.to_string()).collect::<Vec<_>>();
    assert_eq!(
        unkept(&file),
        [
            Unkept::Steps(1),
            Unkept::KeysBetweenFrames { tracks: 1, fps: 30.0 },
            Unkept::MaterialExtensions(names(&["KHR_materials_clearcoat", "KHR_texture_transform"])),
            Unkept::TextureStrengths(1),
            Unkept::TextureSampling(1),
            Unkept::CustomProperties(names(&["code", "note"])),
        ]
    );
    file.json["extensionsRequired"] = json!(["KHR_materials_clearcoat"]);
    assert!(unkept(&file).contains(&Unkept::MaterialExtensions(names(&["KHR_texture_transform"]))));
}

#[test]
fn two_armatures_are_said_to_be_one() {
    let mut weights = [0.0; 12];
    weights.iter_mut().step_by(4).for_each(|w| *w = 1.0);
    let mut file = skinned(&weights);
    let joint = file.json["skins"][0]["joints"][0].clone();
    file.push("nodes", json!({ "name": "A", "children": [joint] }));
    let joint = file.push("nodes", json!({ "name": "other joint" }));
    file.push("nodes", json!({ "name": "B", "children": [joint] }));
    file.push("skins", json!({ "joints": [joint] }));
    let read = file.sampled(&SampleOptions::default()).unwrap();
    let found: Vec<&Unkept> = read.warnings.iter().filter_map(Warning::unkept).collect();
    assert_eq!(found, [&Unkept::Armatures(vec!["A".into(), "B".into()])]);
}

/// Blender demands that attributes of a file's own are equally wide, and no more.
#[test]
fn numbers_stay_numbers_where_no_attribute_is_wider() {
    let mut file = File::triangle();
    let heat = file.floats("SCALAR", &[0.0, 0.5, 1.0]);
    file.json["meshes"][0]["primitives"][0]["attributes"]["_HEAT"] = json!(heat);
    let kind = |file: &File| {
        let json = rewritten(file).0;
        let accessor = json["meshes"][0]["primitives"][0]["attributes"]["_HEAT"].as_u64().unwrap();
        json["accessors"][accessor as usize]["type"].clone()
    };
    assert_eq!(kind(&file), "SCALAR");
    let flow = file.floats("VEC3", &[0.5; 9]);
    file.json["meshes"][0]["primitives"][0]["attributes"]["_FLOW"] = json!(flow);
    assert_eq!(kind(&file), "VEC3");
}

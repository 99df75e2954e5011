//! Levels of detail in GLB files.

use std::path::Path;

use glam::Vec3;
use serde_json::Value;
use sinew::lod::{Detail, Level, LodOptions, simplify};
use sinew::progress::Silent;
use sinew::rig::{Corrections, Rig};
use sinew::skin;
use sinew_io::formats::gltf::{Gltf, WriteOptions, parse_alone, to_bytes, to_bytes_with_levels};
use sinew_io::scene::SampleOptions;

/// The creature: several parts, materials, UVs; here with a correction too.
fn creature() -> Rig {
    let animation = sinew_sample::creature(&sinew_sample::CreatureOptions {
        frames: 4,
        detail: 0.5,
        ..Default::default()
    });
    let options = skin::SkinOptions { bones: Some(8), ..Default::default() };
    let mut rig = skin::skin(&animation, &options, &Silent).unwrap().rig;
    rig.corrections = Some(Corrections {
        rank: 1,
        basis: rig.rest.iter().map(|p| Vec3::new(0.0, 0.01 * p.x.sin(), 0.0)).collect(),
        normals: Vec::new(),
        coefficients: vec![0.0, 0.5, 1.0, -1.0],
        names: Vec::new(),
    });
    rig
}

fn levels(rig: &Rig, parts: &[usize]) -> Vec<Level> {
    let full = rig.mesh.triangles(&rig.rest).len();
    let details: Vec<Detail> = parts.iter().map(|part| Detail::Triangles(full / part)).collect();
    simplify(rig, &details, &LodOptions::default(), &Silent).unwrap()
}

fn bytes(rig: &Rig, levels: &[Level]) -> Vec<u8> {
    let (bytes, warnings) = to_bytes_with_levels(rig, levels, &WriteOptions::default()).unwrap();
    assert!(warnings.is_empty(), "{warnings:?}");
    bytes
}

fn read(bytes: &[u8]) -> Gltf {
    parse_alone(bytes, Path::new("rig.glb")).unwrap()
}

fn json(bytes: &[u8]) -> Value {
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    serde_json::from_slice(&bytes[20..20 + length]).unwrap()
}

/// Replaces text by other text of the same length.
fn replaced(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let at = bytes.windows(from.len()).position(|w| w == from.as_bytes()).expect("the text is there");
    let mut out = bytes.to_vec();
    out[at..at + to.len()].copy_from_slice(to.as_bytes());
    out
}

#[test]
fn levels_come_back_as_they_were_written() {
    let rig = creature();
    let written = levels(&rig, &[2, 6]);
    let bytes = bytes(&rig, &written);
    let (plain, _) = to_bytes(&rig, &WriteOptions::default()).unwrap();
    let (sampled, found) = read(&bytes).rig_and_levels(&SampleOptions::default()).unwrap();
    assert_eq!(sampled.rig, read(&plain).rig(&SampleOptions::default()).unwrap().rig);
    assert_eq!(found.len(), 2);
    let full = rig.mesh.triangles(&rig.rest).len();
    let counts: Vec<usize> = written.iter().map(Level::triangle_count).collect();
    assert_eq!(read(&bytes).level_triangles().unwrap(), [full, counts[0], counts[1]]);
    for (level, back) in written.iter().zip(&found) {
        back.mesh.validate().unwrap();
        assert_eq!(back.triangle_count(), level.triangle_count());
        assert!((back.error - level.error).abs() < 1e-12);
        assert_eq!(back.vertices(), level.vertices());
        for (part, other) in level.mesh.parts.iter().zip(&back.mesh.parts) {
            assert_eq!((&part.name, part.faces.len()), (&other.name, other.faces.len()));
            // Faces of a part are sorted by material in the file.
            let described = |mesh: &sinew::geometry::Mesh, faces: std::ops::Range<usize>| {
                let uvs = mesh.uvs.as_ref().unwrap();
                let corner = |c: usize| {
                    let uv = uvs.values[uvs.indices[c] as usize];
                    (mesh.corners[c], uv.to_array().map(f32::to_bits))
                };
                let mut all: Vec<_> = faces
                    .map(|f| {
                        let material = &mesh.materials[mesh.face_materials[f] as usize].name;
                        (material.clone(), mesh.corner_range(f).map(corner).collect::<Vec<_>>())
                    })
                    .collect();
                all.sort();
                all
            };
            assert_eq!(
                described(&level.mesh, part.faces.clone()),
                described(&back.mesh, other.faces.clone())
            );
        }
    }
}

#[test]
fn readers_that_know_no_levels_see_the_mesh_alone() {
    let rig = creature();
    let written = levels(&rig, &[3, 9]);
    let bytes = bytes(&rig, &written);
    let root = json(&bytes);
    assert_eq!(root["extensionsUsed"], serde_json::json!(["MSFT_lod"]));
    assert!(root.get("extensionsRequired").is_none());
    let parts = rig.mesh.parts.len();
    let shown: Vec<usize> =
        root["scenes"][0]["nodes"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap() as usize).collect();
    let mut named = Vec::new();
    for (part, &node) in shown[..parts].iter().enumerate() {
        let node = &root["nodes"][node];
        let ids = node["extensions"]["MSFT_lod"]["ids"].as_array().unwrap();
        assert_eq!(ids.len(), 2);
        for id in ids.iter().map(|id| id.as_u64().unwrap() as usize) {
            assert!(!shown.contains(&id));
            named.push(id);
            let Some(mesh) = root["nodes"][id]["mesh"].as_u64() else { continue };
            assert_eq!(root["nodes"][id]["skin"], node["skin"]);
            let coarse = &root["meshes"][mesh as usize];
            assert_eq!(coarse["weights"], root["meshes"][part]["weights"]);
            for primitive in coarse["primitives"].as_array().unwrap() {
                let full = root["meshes"][part]["primitives"].as_array().unwrap();
                let same = full.iter().find(|p| p["material"] == primitive["material"]).unwrap();
                assert_eq!(primitive["attributes"], same["attributes"], "vertices are shared");
                assert_eq!(primitive["targets"], same["targets"]);
                assert_ne!(primitive["indices"], same["indices"]);
            }
        }
    }
    // The corrections move whatever is drawn.
    let moved: Vec<usize> = root["animations"][0]["channels"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|channel| channel["target"]["path"] == "weights")
        .map(|channel| channel["target"]["node"].as_u64().unwrap() as usize)
        .collect();
    assert!(named.iter().filter(|id| root["nodes"][**id].get("mesh").is_some()).all(|id| moved.contains(id)));
}

#[test]
fn levels_of_other_rigs_are_refused() {
    let rig = creature();
    let mut level = levels(&rig, &[3]).remove(0);
    level.mesh.vertex_count += 1;
    let refused = to_bytes_with_levels(&rig, &[level], &WriteOptions::default());
    assert!(refused.unwrap_err().to_string().contains("level 1 is not one of this rig"));
}

#[test]
fn levels_that_make_no_sense_are_left_out() {
    let mut rig = creature();
    // One part: its node names the nodes 1 and 2.
    rig.mesh.parts.clear();
    let whole = bytes(&rig, &levels(&rig, &[3, 9]));
    for ids in ["[-1 ]", "[1.5]", "\"a,b\"", "null "] {
        let changed = replaced(&whole, "\"ids\":[1,2]", &format!("\"ids\":{ids}"));
        let (sampled, found) = read(&changed).rig_and_levels(&SampleOptions::default()).unwrap();
        assert!(found.is_empty(), "{ids}");
        assert_eq!(sampled.rig.rest.len(), rig.rest.len());
    }
    // A node that is no mesh: nothing is left of the part in that level.
    let bone = json(&whole)["scenes"][0]["nodes"][1].as_u64().unwrap();
    let found = read(&replaced(&whole, "\"ids\":[1,2]", &format!("\"ids\":[1,{bone}]")))
        .rig_and_levels(&SampleOptions::default())
        .unwrap()
        .1;
    assert_eq!(found.iter().map(Level::triangle_count).filter(|n| *n == 0).count(), 1);
}

//! Files with a joint tree, through the commands that read rigs.

use crate::common::Lab;
use glam::{DQuat, DVec3, Vec3};
use sinew::geometry::Mesh;
use sinew::rig::{Bone, JointPose, Rig, Skeleton, SkinWeights};
use sinew_io::formats::gltf::{self, WriteOptions};
use sinew_io::formats::sinew_file;

/// A tube along x with a shoulder and an elbow; the elbow bends by 10° a frame, up to 50°.
fn arm() -> Rig {
    let places = [DVec3::ZERO, DVec3::X];
    let skeleton = Skeleton::new(vec![None, Some(0)]);
    let transforms = (0..6).flat_map(|f| {
        let bend = DQuat::from_rotation_z((10.0 * f64::from(f)).to_radians());
        let turns = vec![DQuat::IDENTITY, bend];
        skeleton.transforms(&places, &JointPose { turns, places: vec![DVec3::Y * f64::from(f); 2] })
    });
    let rest: Vec<Vec3> = (0..12)
        .map(|v| Vec3::new((v / 4) as f32, (v / 2 % 2) as f32 * 0.4 - 0.2, (v % 2) as f32 * 0.4 - 0.2))
        .collect();
    let ring = |r: u32| {
        let around = [0, 1, 3, 2].map(|v| v + 4 * r);
        (0..4).flat_map(move |i| {
            let (a, b) = (around[i], around[(i + 1) % 4]);
            [[a, b, b + 4], [a, b + 4, a + 4]]
        })
    };
    let triangles: Vec<[u32; 3]> = (0..2).flat_map(ring).collect();
    let bone = |name: &str, center| Bone { name: name.into(), center, rigid: true, axes: None };
    Rig {
        mesh: Mesh::from_triangles(12, &triangles),
        rest,
        weights: SkinWeights {
            per_vertex: 1,
            bones: (0..12).map(|v| u32::from(v >= 4)).collect(),
            weights: vec![1.0; 12],
        },
        bones: vec![bone("shoulder", places[0]), bone("elbow", places[1])],
        transforms: transforms.collect(),
        skeleton: Some(skeleton),
        corrections: None,
        fps: 24.0,
        clips: Vec::new(),
        nodes: Vec::new(),
        armature: String::new(),
    }
}

#[test]
fn info_shows_the_tree() {
    let lab = Lab::new();
    gltf::write(&lab.at("arm.glb"), &arm(), &WriteOptions::default()).unwrap();
    sinew_file::write_rig(&lab.at("arm.sinew"), &arm(), "bend").unwrap();
    for file in ["arm.glb", "arm.sinew"] {
        let info = lab.ok(&format!("info {file} --report info.json"));
        let lines: Vec<&str> = info.lines().collect();
        let at =
            lines.iter().position(|l| l.contains("skeleton  2 joints")).unwrap_or_else(|| panic!("{info}"));
        let column = lines[at].find("2 joints").unwrap();
        assert_eq!(lines[at + 1][column..], *"shoulder 0°");
        assert_eq!(lines[at + 2][column..], *"  elbow 50°");
        let joints = &lab.json("info.json")["skeleton"];
        assert_eq!(joints.as_array().unwrap().len(), 2);
        assert!(joints[0]["parent"].is_null());
        assert_eq!((&joints[1]["name"], &joints[1]["parent"]), (&"elbow".into(), &0.into()));
        assert!((joints[1]["swing_degrees"].as_f64().unwrap() - 50.0).abs() < 1e-3);
        assert_eq!(joints[1]["place"][0], 1.0);
    }
    let flat = Rig { skeleton: None, ..arm() };
    gltf::write(&lab.at("flat.glb"), &flat, &WriteOptions::default()).unwrap();
    assert!(!lab.ok("info flat.glb --report info.json").contains("skeleton"));
    assert!(lab.json("info.json")["skeleton"].is_null());
}

#[test]
fn rigs_with_a_skeleton_are_baked_compared_and_drawn() {
    let lab = Lab::new();
    gltf::write(&lab.at("arm.glb"), &arm(), &WriteOptions::default()).unwrap();
    sinew_file::write_rig(&lab.at("arm.sinew"), &arm(), "bend").unwrap();
    lab.ok("bake arm.glb -o arm.pc2 --rest-out arm.obj");
    for file in ["arm.glb", "arm.sinew"] {
        lab.ok(&format!("compare arm.pc2 {file} --rest arm.obj --report same.json"));
        let same = lab.json("same.json");
        assert!(same["error"]["percent"].as_f64().unwrap() < 1e-3, "{same}");
        lab.ok(&format!("picture {file} --frame 5 -o arm.png"));
        assert!(std::fs::read(lab.at("arm.png")).unwrap().starts_with(b"\x89PNG"));
    }
}

#[test]
fn pictures_show_the_skeleton() {
    let lab = Lab::new();
    gltf::write(&lab.at("arm.glb"), &arm(), &WriteOptions::default()).unwrap();
    sinew_file::write_rig(&lab.at("arm.sinew"), &arm(), "bend").unwrap();
    let picture = |options: &str| {
        lab.ok(&format!("picture {options} --size 120x90 -o p.png"));
        std::fs::read(lab.at("p.png")).unwrap()
    };
    for options in [
        "--color plain --frame 3",
        "--color weights --frame 0,5 --wireframe",
        "--color bones",
        "--bone elbow",
        "--color plain --view 90,20",
    ] {
        let body = picture(&format!("arm.glb {options}"));
        let bones = picture(&format!("arm.glb --skeleton {options}"));
        assert_ne!(bones, body, "{options}");
        assert_ne!(picture(&format!("arm.glb --skeleton --labels {options}")), bones, "{options}");
    }
    assert_eq!(picture("arm.sinew --skeleton --frame 0"), picture("arm.glb --skeleton --frame 0"));
    assert_ne!(picture("arm.glb --skeleton --bone elbow"), picture("arm.glb --skeleton --bone shoulder"));
}

//! Several clips on one skin, through a file and back.

use std::collections::BTreeSet;

use glam::{DAffine3, DMat3, DVec3, Vec3};
use serde_json::Value;
use sinew::animation::{Clip, Section, compare};
use sinew::geometry::{Bounds, Mesh};
use sinew::rig::{Bone, Corrections, Player, Rig, SkinWeights};
use sinew_io::formats::gltf::{Gltf, WriteOptions, parse_alone, to_bytes};
use sinew_io::scene::SampleOptions;

fn clip(name: &str, frames: std::ops::Range<usize>, fps: f64) -> Clip {
    Clip { name: name.into(), frames, fps }
}

/// A strip on two bones: a walk that shears, a run that only shifts and bulges, and a single pose at rest.
fn rig() -> Rig {
    let rest: Vec<Vec3> =
        (0..8).map(|i| Vec3::new((i / 2) as f32, (i % 2) as f32, 0.1 * (i % 3) as f32)).collect();
    let triangles: Vec<[u32; 3]> = (0..6).map(|i| [i, i + 1, i + 2]).collect();
    let weights = SkinWeights {
        per_vertex: 2,
        bones: [0, 1].repeat(8),
        weights: (0..8).flat_map(|i| [1.0 - i as f32 / 7.0, i as f32 / 7.0]).collect(),
    };
    let walk = (0..5).flat_map(|f| {
        let f = f64::from(f);
        let shear = DMat3::from_cols(DVec3::X, DVec3::new(0.2 * f, 1.0, 0.0), DVec3::new(0.0, 0.1 * f, 1.3));
        [
            DAffine3::IDENTITY,
            DAffine3 { matrix3: DMat3::from_rotation_z(0.2 * f) * shear, ..DAffine3::IDENTITY },
        ]
    });
    let run = (0..3).flat_map(|f| [DVec3::Y * f64::from(f), DVec3::ZERO].map(DAffine3::from_translation));
    let transforms = walk.chain(run).chain([DAffine3::IDENTITY; 2]).collect();
    let bone = |name: &str, x: f64| Bone {
        name: name.into(),
        center: DVec3::new(x, 0.5, 0.0),
        rigid: false,
        axes: None,
    };
    let corrections = Corrections {
        rank: 1,
        basis: vec![Vec3::Z; 8],
        normals: Vec::new(),
        coefficients: vec![0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.5, 1.0, 0.0],
        names: Vec::new(),
    };
    Rig {
        mesh: Mesh::from_triangles(8, &triangles),
        rest,
        weights,
        bones: vec![bone("a", 0.5), bone("b", 2.5)],
        transforms,
        skeleton: None,
        corrections: Some(corrections),
        fps: 24.0,
        clips: vec![clip("walk", 0..5, 24.0), clip("run", 5..8, 30.0), clip("stand", 8..9, 24.0)],
        nodes: Vec::new(),
        armature: String::new(),
    }
}

fn written(rig: &Rig, options: &WriteOptions) -> (Gltf, Value) {
    let bytes = to_bytes(rig, options).unwrap().0;
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let json = serde_json::from_slice(&bytes[20..20 + length]).unwrap();
    (parse_alone(&bytes, "test.glb".as_ref()).unwrap(), json)
}

fn read(gltf: &Gltf, clips: &[&str]) -> Rig {
    let clips = clips.iter().map(|c| (*c).into()).collect();
    gltf.rig(&SampleOptions { clips, ..SampleOptions::default() }).unwrap().rig
}

/// Largest distance of frames `of` of one rig from another, in percent of the diagonal.
fn distance(rig: &Rig, of: std::ops::Range<usize>, back: &Rig) -> f64 {
    compare(&Section::new(&Player::new(rig), of), &Player::new(back), Bounds::of(&rig.rest)).error.max
}

#[test]
fn clips_come_back_together_and_alone() {
    let rig = rig();
    for (compact, bound) in [(None, 1e-4), (Some(1e-3), 0.1)] {
        let (gltf, _) = written(&rig, &WriteOptions { compact, ..WriteOptions::default() });
        let all = read(&gltf, &["all"]);
        assert_eq!(all.clips, rig.clips);
        assert!(distance(&rig, 0..9, &all) < bound);
        for clip in &rig.clips {
            let one = read(&gltf, &[&clip.name]);
            assert_eq!((one.frame_count(), one.fps, one.clips.len()), (clip.frames.len(), clip.fps, 0));
            assert!(distance(&rig, clip.frames.clone(), &one) < bound, "{}", clip.name);
        }
        let two = read(&gltf, &["stand", "0"]);
        let expected = [clip("stand", 0..1, 24.0), clip("walk", 1..6, 24.0)];
        assert_eq!(two.clips, expected);
        assert_eq!(read(&gltf, &[]).frame_count(), 5);
    }
}

#[test]
fn every_clip_moves_what_any_clip_moves() {
    let (_, json) = written(&rig(), &WriteOptions::default());
    let targets = |animation: &Value| -> BTreeSet<String> {
        animation["channels"].as_array().unwrap().iter().map(|c| c["target"].to_string()).collect()
    };
    let animations = json["animations"].as_array().unwrap();
    assert_eq!(animations.len(), 3);
    // Bone a shifts; bone b, of two nodes, shifts, turns, scales and turns again; the mesh morphs.
    assert_eq!(targets(&animations[0]).len(), 6, "{:?}", targets(&animations[0]));
    assert!(animations.iter().all(|a| targets(a) == targets(&animations[0])));
}

#[test]
fn clips_get_names_of_their_own() {
    let mut rig = rig();
    rig.clips[1].name = "walk".into();
    rig.clips[2].name = String::new();
    let (gltf, _) = written(&rig, &WriteOptions { name: "dog".into(), ..WriteOptions::default() });
    let names: Vec<String> = gltf.clips().unwrap().into_iter().map(|c| c.name).collect();
    assert_eq!(names, ["walk", "walk.1", "dog"]);
}

#[test]
fn clips_that_do_not_cover_the_frames_are_refused() {
    let mut rig = rig();
    rig.clips.pop();
    let error = to_bytes(&rig, &WriteOptions::default()).unwrap_err().to_string();
    assert!(error.contains("the clips hold 8 of 9 frames"), "{error}");
}

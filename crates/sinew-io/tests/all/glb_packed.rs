//! Packed files: as exact as they say, much smaller, and read back as the rig they were written from.

use std::path::Path;

use glam::{DAffine3, DQuat, DVec3, Vec2, Vec3};
use serde_json::Value;
use sinew::animation::Clip;
use sinew::geometry::{Bounds, CornerLayer, Mesh};
use sinew::rig::{Bone, Corrections, Player, Rig, SkinWeights};
use sinew_io::formats::gltf::{WriteOptions, parse_alone, to_bytes};
use sinew_io::scene::{SampleOptions, SampledRig};

const RINGS: u32 = 40;
const AROUND: u32 = 24;
const FRAMES: usize = 20;

/// A tube of three bones that bend and stretch, with two shapes on it, far from the origin.
fn tube() -> Rig {
    let away = DVec3::new(30.0, -4.0, 7.0);
    let mut mesh = Mesh { vertex_count: (RINGS * AROUND) as usize, ..Mesh::default() };
    let mut rest = Vec::new();
    let mut weights = SkinWeights { per_vertex: 2, ..SkinWeights::default() };
    for ring in 0..RINGS {
        let along = f64::from(ring) / f64::from(RINGS - 1);
        for k in 0..AROUND {
            let (s, c) = (f64::from(k) * std::f64::consts::TAU / f64::from(AROUND)).sin_cos();
            rest.push((DVec3::new(4.0 * along, 0.5 * c, 0.5 * s) + away).as_vec3());
            let second = (3.0 * along).fract() as f32;
            let first = ((3.0 * along) as u32).min(2);
            let pair = [(first, 1.0 - second), ((first + 1).min(2), second)];
            let [large, small] = if second > 0.5 { [pair[1], pair[0]] } else { pair };
            weights.bones.extend([large.0, small.0]);
            weights.weights.extend([large.1, small.1]);
        }
    }
    for ring in 0..RINGS - 1 {
        for k in 0..AROUND {
            let (a, b) = (ring * AROUND + k, ring * AROUND + (k + 1) % AROUND);
            mesh.push_face(&[a, b, b + AROUND]);
            mesh.push_face(&[a, b + AROUND, a + AROUND]);
        }
    }
    let values = rest.iter().map(|p| Vec2::new((p.x - 30.0) / 4.0, p.y + 4.5)).collect();
    mesh.uvs = Some(CornerLayer { values, indices: mesh.corners.clone() });
    let turn = |frame: usize, bone: usize| {
        let angle = (0.3 * frame as f64 + bone as f64).sin() * 0.4 * bone as f64;
        let about = DAffine3::from_translation(away + DVec3::X * bone as f64);
        let stretch = DVec3::new(1.0, 1.0 + 0.1 * (0.2 * frame as f64).sin(), 1.0);
        let turn = DQuat::from_rotation_z(angle) * DQuat::from_rotation_x(0.1 * frame as f64);
        about * DAffine3::from_scale_rotation_translation(stretch, turn, DVec3::ZERO) * about.inverse()
    };
    let transforms = (0..FRAMES).flat_map(|f| (0..3).map(move |b| (f, b))).map(|(f, b)| turn(f, b)).collect();
    let bone = |b: usize| Bone {
        name: format!("bone{b}"),
        center: away + DVec3::X * b as f64,
        rigid: false,
        axes: None,
    };
    let shape = |r: usize, p: &Vec3| Vec3::new(0.0, (p.x * (1.0 + r as f32)).sin(), 0.2) * 0.05;
    let corrections = Corrections {
        rank: 2,
        basis: (0..2).flat_map(|r| rest.iter().map(move |p| shape(r, p))).collect(),
        normals: Vec::new(),
        coefficients: (0..2 * FRAMES).map(|i| (i as f32 * 0.4).cos()).collect(),
        names: Vec::new(),
    };
    let clip = |name: &str, frames: std::ops::Range<usize>| Clip { name: name.into(), frames, fps: 24.0 };
    Rig {
        mesh,
        rest,
        weights,
        bones: (0..3).map(bone).collect(),
        transforms,
        skeleton: None,
        corrections: Some(corrections),
        fps: 24.0,
        clips: vec![clip("bend", 0..12), clip("wave", 12..FRAMES)],
        nodes: Vec::new(),
        armature: String::new(),
    }
}

fn packed(rig: &Rig, bound: Option<f64>) -> Vec<u8> {
    let options = WriteOptions { pack: true, compact: bound, keep_normals: true, ..WriteOptions::default() };
    to_bytes(rig, &options).unwrap().0
}

fn read(bytes: &[u8]) -> SampledRig {
    let options = SampleOptions { clips: vec!["all".into()], ..SampleOptions::default() };
    parse_alone(bytes, Path::new("packed.glb")).unwrap().rig(&options).unwrap()
}

/// The largest distance of any vertex of `b` in any frame from the nearest of `a`, over the diagonal.
fn farthest(a: &Rig, b: &Rig) -> f64 {
    let (mut p, mut q) = (a.rest.clone(), b.rest.clone());
    let (first, second) = (Player::new(a), Player::new(b));
    // Vertices are in another order, which is the same in all frames.
    let partner: Vec<usize> = b.rest.iter().map(|x| nearest(&a.rest, *x)).collect();
    let mut worst = 0.0_f64;
    for frame in 0..a.frame_count() {
        first.pose_into(frame, &mut p);
        second.pose_into(frame, &mut q);
        let off = q.iter().zip(&partner).map(|(x, &i)| x.as_dvec3().distance(p[i].as_dvec3()));
        worst = off.fold(worst, f64::max);
    }
    worst / Bounds::of(&a.rest).diagonal()
}

fn nearest(points: &[Vec3], x: Vec3) -> usize {
    let closer =
        |a: &usize, b: &usize| points[*a].distance_squared(x).total_cmp(&points[*b].distance_squared(x));
    (0..points.len()).min_by(closer).unwrap()
}

#[test]
fn a_packed_file_keeps_its_bound_and_is_smaller() {
    let rig = tube();
    let plain = to_bytes(&rig, &WriteOptions::default()).unwrap().0;
    let mut last = plain.len();
    for bound in [1e-5, 1e-4, 1e-3] {
        let bytes = packed(&rig, Some(bound));
        let off = farthest(&rig, &read(&bytes).rig);
        assert!(off <= bound, "{off} with a bound of {bound}");
        assert!(bytes.len() < last, "{} bytes after {last}", bytes.len());
        last = bytes.len();
    }
    assert!(3 * last < plain.len(), "{last} of {} bytes", plain.len());
}

#[test]
fn a_packed_file_is_read_as_the_rig_it_was() {
    let rig = tube();
    let SampledRig { rig: back, warnings, .. } = read(&packed(&rig, None));
    assert!(warnings.is_empty(), "{warnings:?}");
    assert_eq!(back.clips, rig.clips);
    assert_eq!(back.rest.len(), rig.rest.len());
    assert_eq!(back.mesh.face_count(), rig.mesh.face_count());
    assert!(back.bones.iter().map(|b| &b.name).eq(rig.bones.iter().map(|b| &b.name)));
    assert_eq!(back.rank(), 2);
    let diagonal = Bounds::of(&rig.rest).diagonal();
    for (vertex, p) in back.rest.iter().enumerate() {
        let off = p.distance(rig.rest[nearest(&rig.rest, *p)]);
        assert!(f64::from(off) < 2e-4 * diagonal, "vertex {vertex} of the rest pose is off by {off}");
    }
    let (uvs, own) = (back.mesh.uvs.as_ref().unwrap(), rig.mesh.uvs.as_ref().unwrap());
    for (corner, &vertex) in back.mesh.corners.iter().enumerate() {
        let uv = uvs.values[uvs.indices[corner] as usize];
        let expected = own.values[nearest(&rig.rest, back.rest[vertex as usize])];
        assert!(uv.distance(expected) < 1e-4, "{uv} for {expected}");
    }
}

#[test]
fn readers_are_told_what_they_need() {
    let bytes = packed(&tube(), None);
    let length = u32::from_le_bytes([bytes[12], bytes[13], bytes[14], bytes[15]]) as usize;
    let json: Value = serde_json::from_slice(&bytes[20..20 + length]).unwrap();
    let required = json["extensionsRequired"].as_array().unwrap();
    assert!(required.iter().any(|e| e == "EXT_meshopt_compression"));
    assert!(required.iter().any(|e| e == "KHR_mesh_quantization"));
}

#[test]
fn packed_views_are_read_by_either_name_and_by_both() {
    let bytes = packed(&tube(), None);
    let length = u32::from_le_bytes([bytes[12], bytes[13], bytes[14], bytes[15]]) as usize;
    let json: Value = serde_json::from_slice(&bytes[20..20 + length]).unwrap();
    let wanted = read(&bytes).rig;
    for keep in [true, false] {
        let mut json = json.clone();
        for view in json["bufferViews"].as_array_mut().unwrap() {
            let Some(names) = view["extensions"].as_object_mut() else { continue };
            let stated = names["EXT_meshopt_compression"].clone();
            names.insert("KHR_meshopt_compression".into(), stated);
            if !keep {
                names.remove("EXT_meshopt_compression");
            }
        }
        let mut text = json.to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        let rest = &bytes[20 + length..];
        let head = |number: usize| (number as u32).to_le_bytes();
        let all = [b"glTF", &head(2)[..], &head(20 + text.len() + rest.len()), &head(text.len()), b"JSON"];
        let file = [&all.concat(), &text[..], rest].concat();
        assert_eq!(read(&file).rig, wanted);
    }
}

#[test]
fn damaged_files_are_refused_or_read() {
    let bytes = packed(&tube(), Some(1e-3));
    for cut in 0..64 {
        let _ = parse_alone(&bytes[..bytes.len() * cut / 64], Path::new("cut.glb"));
    }
    let start = bytes.len() / 2;
    for at in (start..bytes.len()).step_by(37) {
        let mut flipped = bytes.clone();
        flipped[at] ^= 1 << (at % 8);
        if let Ok(file) = parse_alone(&flipped, Path::new("flipped.glb")) {
            let _ = file.rig(&SampleOptions::default());
        }
    }
}

//! What a user can rely on about the creature.

use std::collections::HashMap;

use super::*;
use sinew::animation::{PoseSource, compare};

fn edges_of(mesh: &Mesh, part: &Part) -> HashMap<[u32; 2], (u32, u32)> {
    // How often each undirected edge is walked in either direction.
    let mut edges = HashMap::new();
    for face in part.faces.clone() {
        let v = mesh.face(face);
        for i in 0..v.len() {
            let (a, b) = (v[i], v[(i + 1) % v.len()]);
            let entry: &mut (u32, u32) = edges.entry([a.min(b), a.max(b)]).or_default();
            if a < b { entry.0 += 1 } else { entry.1 += 1 }
        }
    }
    edges
}

fn volume(mesh: &Mesh, part: &Part, pose: &[Vec3]) -> f64 {
    let triangles = |face: usize| {
        let v = mesh.face(face);
        (1..v.len() - 1).map(|i| [v[0], v[i], v[i + 1]]).collect::<Vec<_>>()
    };
    let cone = |t: [u32; 3]| {
        let [a, b, c] = t.map(|v| pose[v as usize].as_dvec3());
        a.dot(b.cross(c)) / 6.0
    };
    part.faces.clone().flat_map(triangles).map(cone).sum()
}

#[test]
fn every_part_is_closed_and_faces_outwards() {
    for detail in [0.6, 0.8, 1.0, 1.3, 1.7, 2.5] {
        let a = creature(&CreatureOptions { frames: 1, detail, ..Default::default() });
        assert_eq!(a.mesh.validate(), Ok(()));
        assert_eq!(a.validate(), Ok(()));
        for part in &a.mesh.parts {
            let edges = edges_of(&a.mesh, part);
            assert!(
                edges.values().all(|&e| e == (1, 1)),
                "{} at detail {detail}: an edge is not between two faces",
                part.name
            );
            let pieces = match part.name.as_str() {
                "body" => 1,
                "eye.L" | "eye.R" => 2,
                "smile" | "nails.hind.L" | "nails.hind.R" | "nails.fore.L" | "nails.fore.R" => 3,
                "crest" => part.vertices.len() / 42,
                other => panic!("{other}"),
            };
            let euler = part.vertices.len() as i64 - edges.len() as i64 + part.faces.len() as i64;
            assert_eq!(euler, 2 * pieces as i64, "{} at detail {detail}: not {pieces} spheres", part.name);
            let rest = a.rest.as_ref().unwrap();
            assert!(volume(&a.mesh, part, rest) > 0.0, "{} is inside out", part.name);
        }
    }
}

#[test]
fn it_is_about_the_promised_size() {
    let a = creature(&CreatureOptions { frames: 1, ..Default::default() });
    assert!((5000..=7200).contains(&a.mesh.vertex_count), "{}", a.mesh.vertex_count);
    let bounds = a.rest_bounds();
    let size = bounds.max - bounds.min;
    assert!((1.5..1.8).contains(&size.y) && (2.3..2.7).contains(&size.z), "{size}");
    assert!(bounds.min.y.abs() < 0.02, "feet at {}", bounds.min.y);
    let finer = creature(&CreatureOptions { frames: 1, detail: 2.0, ..Default::default() });
    let body = |a: &MeshAnimation| a.mesh.parts[0].vertices.len() as f64;
    assert!((3.5..4.5).contains(&(body(&finer) / body(&a))));
}

#[test]
fn the_same_options_give_the_same_bits() {
    let options = CreatureOptions { frames: 3, ..Default::default() };
    let here = creature(&options);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(5).build().unwrap();
    let there = pool.install(|| creature(&options));
    assert_eq!(here.mesh, there.mesh);
    assert_eq!(here.rest, there.rest);
    assert_eq!(here.frames.flat(), there.frames.flat());
}

/// Mean distance between the vertices of two poses.
fn apart(a: &[Vec3], b: &[Vec3]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).sum::<f32>() / a.len() as f32
}

#[test]
fn the_loop_closes_and_moves() {
    let a = creature(&CreatureOptions::default());
    assert_eq!(a.frame_count(), 48);
    let steps: Vec<f32> = (0..48).map(|f| apart(a.frames.frame(f), a.frames.frame((f + 1) % 48))).collect();
    let (least, most) = steps.iter().fold((f32::MAX, 0.0_f32), |(l, m), &s| (l.min(s), m.max(s)));
    assert!(least > 0.002, "it hardly moves: {steps:?}");
    assert!(steps[47] <= most && most < 3.0 * least, "it jumps: {steps:?}");
    // The second stride is not the first again.
    assert!(apart(a.frames.frame(5), a.frames.frame(29)) > 0.01);
}

#[test]
fn feet_stay_on_the_ground_and_do_not_sink() {
    let a = creature(&CreatureOptions::default());
    let lowest = (0..48).map(|f| {
        let body = a.mesh.parts[0].vertices.clone();
        a.frames.frame(f)[body].iter().fold(f32::MAX, |low, p| low.min(p.y))
    });
    for (frame, y) in lowest.enumerate() {
        assert!((-0.03..0.03).contains(&y), "frame {frame}: the lowest point is at {y}");
    }
}

#[test]
fn limbs_keep_their_volume() {
    let a = creature(&CreatureOptions { frames: 16, ..Default::default() });
    let rest = volume(&a.mesh, &a.mesh.parts[0], a.rest.as_ref().unwrap());
    for f in 0..16 {
        let now = volume(&a.mesh, &a.mesh.parts[0], a.frames.frame(f));
        assert!((now / rest - 1.0).abs() < 0.06, "frame {f}: {now} instead of {rest}");
    }
}

#[test]
fn faces_are_well_shaped() {
    let a = creature(&CreatureOptions { frames: 1, ..Default::default() });
    let rest = a.rest.as_ref().unwrap();
    let body = a.mesh.parts[0].faces.clone();
    let ratio = |face: usize| {
        let v = a.mesh.face(face);
        let length = |i: usize| rest[v[i] as usize].distance(rest[v[(i + 1) % v.len()] as usize]);
        let lengths: Vec<f32> = (0..v.len()).map(length).collect();
        lengths.iter().copied().fold(0.0, f32::max) / lengths.iter().copied().fold(f32::MAX, f32::min)
    };
    let mut ratios: Vec<f32> = body.map(ratio).collect();
    ratios.sort_by(f32::total_cmp);
    assert!(ratios[ratios.len() / 2] < 1.6, "median {}", ratios[ratios.len() / 2]);
    assert!(ratios[ratios.len() * 99 / 100] < 5.0, "99th percentile {}", ratios[ratios.len() * 99 / 100]);
    let quads = a.mesh.parts[0].faces.clone().filter(|&f| a.mesh.face(f).len() == 4).count();
    assert!(quads * 10 > a.mesh.parts[0].faces.len() * 9, "mostly quads");
}

#[test]
fn uvs_have_a_seam_but_no_face_across_it() {
    let a = creature(&CreatureOptions { frames: 1, ..Default::default() });
    let uvs = a.mesh.uvs.as_ref().unwrap();
    let span = |face: usize| {
        let u = a.mesh.corner_range(face).map(|c| uvs.values[uvs.indices[c] as usize].x);
        let (low, high) = u.fold((f32::MAX, f32::MIN), |(l, h), u| (l.min(u), h.max(u)));
        high - low
    };
    // A face that has the snout or the tip of the tail inside goes all around, whatever its corners have.
    let wide = (0..a.mesh.face_count()).filter(|&f| span(f) > 0.5).count();
    assert!(wide <= 4, "{wide} faces run across the seam");
    assert!(uvs.values.iter().any(|uv| uv.x > 1.0), "nothing repeats beyond the seam");
}

#[test]
fn both_sides_of_the_painted_line_are_used() {
    let a = creature(&CreatureOptions { frames: 1, ..Default::default() });
    let body = &a.mesh.face_materials[a.mesh.parts[0].faces.clone()];
    let belly = body.iter().filter(|&&m| m == material::BELLY).count();
    assert!((body.len() / 12..body.len() / 2).contains(&belly), "{belly} of {}", body.len());
    for m in 0..a.mesh.materials.len() as u32 {
        assert!(a.mesh.face_materials.contains(&m), "{} is never used", a.mesh.materials[m as usize].name);
    }
}

#[test]
fn strange_options_still_give_a_creature() {
    let a = creature(&CreatureOptions { frames: 0, detail: f64::NAN, ..Default::default() });
    assert_eq!(a.validate(), Ok(()));
    assert_eq!(a.frame_count(), 1);
}

#[test]
fn its_own_bones_come_near_but_do_not_replay_it() {
    let options = CreatureOptions { frames: 24, ..Default::default() };
    let bones = skeleton::bones();
    let assembly = assemble(&bones, options.detail);
    let poses: Vec<Vec<Vec3>> = (0..options.frames)
        .map(|f| {
            let moment = gait::walking(&bones, f as f64 / options.frames as f64);
            let tied = assembly.rest.iter().zip(&assembly.tie_of);
            tied.map(|(&p, &t)| assembly.ties[t].linear(p, &moment).as_vec3()).collect()
        })
        .collect();
    let real = assembly.animate(&bones, &options);
    let linear = MeshAnimation {
        mesh: real.mesh.clone(),
        rest: None,
        frames: Frames::from_poses(&poses),
        fps: 24.0,
        clips: Vec::new(),
        nodes: Vec::new(),
    };
    let percent = compare(&real, &linear, real.rest_bounds()).error.percent;
    assert!((2.0..6.0).contains(&percent), "{percent} percent");
}

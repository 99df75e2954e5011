//! Levels of detail.

use std::collections::BTreeSet;

use glam::{DAffine3, DVec3, Vec2, Vec3};
use proptest::prelude::*;
use sinew::geometry::{CornerLayer, Mesh, Part};
use sinew::lod::{Detail, Level, LodError, LodOptions, Measurer, simplify};
use sinew::progress::{Progress, Silent};
use sinew::rig::{Bone, Rig, SkinWeights};
use sinew_sample::CreatureOptions;

/// A square of so many cells, its height given by a function, with texture coordinates like its places.
fn square(cells: usize, height: impl Fn(f32, f32) -> f32) -> Rig {
    let side = cells + 1;
    let place = |i: usize| Vec2::new((i % side) as f32, (i / side) as f32) / cells as f32;
    let mut mesh = Mesh { vertex_count: side * side, ..Mesh::default() };
    for y in 0..cells {
        for x in 0..cells {
            let a = (y * side + x) as u32;
            mesh.push_face(&[a, a + 1, a + 1 + side as u32, a + side as u32]);
        }
    }
    let values = (0..side * side).map(place).collect();
    mesh.uvs = Some(CornerLayer { values, indices: mesh.corners.clone() });
    let rest = (0..side * side).map(place).map(|p| Vec3::new(p.x, p.y, height(p.x, p.y))).collect();
    one_bone(mesh, rest)
}

fn one_bone(mesh: Mesh, rest: Vec<Vec3>) -> Rig {
    let bone = Bone { name: "bone".into(), center: DVec3::ZERO, rigid: true, axes: None };
    Rig {
        weights: SkinWeights::single(rest.len()),
        mesh,
        rest,
        bones: vec![bone],
        transforms: vec![DAffine3::IDENTITY],
        skeleton: None,
        corrections: None,
        fps: 30.0,
        clips: Vec::new(),
        nodes: Vec::new(),
        armature: String::new(),
    }
}

/// The creature, skinned by the parts it is made of.
fn creature() -> Rig {
    let animation = sinew_sample::creature(&CreatureOptions { frames: 6, detail: 0.6, ..Default::default() });
    let options = sinew::skin::SkinOptions { bones: Some(12), ..Default::default() };
    sinew::skin::skin(&animation, &options, &Silent).unwrap().rig
}

fn levels(rig: &Rig, details: &[Detail]) -> Vec<Level> {
    simplify(rig, details, &LodOptions::default(), &Silent).unwrap()
}

fn to(rig: &Rig, triangles: usize) -> Level {
    levels(rig, &[Detail::Triangles(triangles)]).remove(0)
}

fn area(rig: &Rig) -> f32 {
    let triangles = rig.mesh.triangles(&rig.rest);
    let area = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| rig.rest[v as usize]);
        0.5 * (b - a).cross(c - a).length()
    };
    triangles.iter().map(area).sum()
}

#[test]
fn a_flat_square_becomes_two_triangles_and_stays_a_square() {
    let rig = square(12, |_, _| 0.0);
    let level = to(&rig, 2);
    assert_eq!(level.triangle_count(), 2);
    assert!(level.error < 1e-6, "{}", level.error);
    let coarse = level.rig(&rig);
    coarse.validate().unwrap();
    coarse.mesh.validate().unwrap();
    assert_eq!(coarse.rest.len(), 4);
    assert!((area(&coarse) - 1.0).abs() < 1e-5);
}

#[test]
fn bumps_keep_their_triangles_and_flat_places_lose_them() {
    let rig =
        square(24, |x, y| if x > 0.7 { 0.1 * ((x - 0.7) * 30.0).sin() * (y * 20.0).cos() } else { 0.0 });
    let coarse = to(&rig, 400).rig(&rig);
    let flat = coarse.rest.iter().filter(|p| p.x < 0.65).count();
    assert!(5 * flat < coarse.rest.len(), "{flat} of {} points are where nothing is", coarse.rest.len());
}

#[test]
fn texture_coordinates_stay_with_their_vertices() {
    let rig = square(16, |x, y| 0.2 * (x * 5.0).sin() * (y * 4.0).cos());
    let coarse = to(&rig, 100).rig(&rig);
    let uvs = coarse.mesh.uvs.as_ref().unwrap();
    for (corner, &v) in coarse.mesh.corners.iter().enumerate() {
        let uv = uvs.values[uvs.indices[corner] as usize];
        assert_eq!(uv, coarse.rest[v as usize].truncate());
    }
}

#[test]
fn a_seam_stays_closed_and_straight() {
    // The right half of the square has a texture of its own.
    let mut rig = square(16, |_, _| 0.0);
    let uvs = rig.mesh.uvs.as_mut().unwrap();
    let count = uvs.values.len() as u32;
    uvs.values.extend_from_within(..);
    uvs.values[count as usize..].iter_mut().for_each(|uv| *uv += 2.0);
    for face in 0..rig.mesh.face_starts.len() - 1 {
        let corners = rig.mesh.face_starts[face] as usize..rig.mesh.face_starts[face + 1] as usize;
        let middle: f32 =
            corners.clone().map(|c| rig.rest[rig.mesh.corners[c] as usize].x).sum::<f32>() / 4.0;
        if middle > 0.5 {
            uvs.indices[corners].iter_mut().for_each(|i| *i += count);
        }
    }
    let level = to(&rig, 4);
    assert_eq!(level.triangle_count(), 4);
    let coarse = level.rig(&rig);
    let uvs = coarse.mesh.uvs.as_ref().unwrap();
    for triangle in 0..4 {
        let corners = coarse.mesh.corner_range(triangle);
        let right =
            corners.clone().map(|c| coarse.rest[coarse.mesh.corners[c] as usize].x).sum::<f32>() > 1.5;
        for c in corners {
            let expected =
                coarse.rest[coarse.mesh.corners[c] as usize].truncate() + if right { 2.0 } else { 0.0 };
            assert!(uvs.values[uvs.indices[c] as usize].distance(expected) < 1e-5);
        }
    }
}

#[test]
fn vertices_move_as_before_in_every_frame() {
    let rig = creature();
    let level = to(&rig, 500);
    let (coarse, kept) = (level.rig(&rig), level.vertices());
    coarse.validate().unwrap();
    for frame in 0..rig.frame_count() {
        let (full, few) = (rig.pose(frame), coarse.pose(frame));
        for (&v, p) in kept.iter().zip(few) {
            assert!(full[v as usize].distance(p) < 1e-5);
        }
    }
}

#[test]
fn coarser_levels_are_of_the_finer_ones_vertices() {
    let rig = creature();
    let full = rig.mesh.triangles(&rig.rest).len();
    let found = levels(
        &rig,
        &[Detail::Triangles(full / 8), Detail::Triangles(full / 2), Detail::Triangles(full / 4)],
    );
    let sets: Vec<BTreeSet<u32>> = found.iter().map(|level| level.vertices().into_iter().collect()).collect();
    assert!(sets[0].is_subset(&sets[2]) && sets[2].is_subset(&sets[1]));
    assert!(found[1].error <= found[2].error && found[2].error <= found[0].error);
    for (level, part) in found.iter().zip([8, 2, 4]) {
        assert!(level.triangle_count() <= full / part);
    }
}

#[test]
fn an_error_is_kept_to() {
    let rig = creature();
    let found = levels(&rig, &[Detail::Error(0.0005), Detail::Error(0.005)]);
    let measurer = Measurer::new(&rig).unwrap();
    let accu = |level: &Level| measurer.measure(level, &Silent).unwrap().accu;
    assert!(accu(&found[0]) <= 0.05 && accu(&found[1]) <= 0.5);
    let counts = [&found[0], &found[1]].map(Level::triangle_count);
    assert!(2 * counts[1] < counts[0], "{counts:?} {} {}", accu(&found[0]), accu(&found[1]));
    // A tenth less would be too little.
    let fewer = to(&rig, found[1].triangle_count() * 9 / 10);
    assert!(accu(&fewer) > 0.5, "{} triangles are good enough", fewer.triangle_count());
}

#[test]
fn a_bump_that_is_cut_off_is_measured_in_every_frame() {
    // A flat square with one vertex pulled out by 0.1 at rest, by 0.2 in the second frame.
    let mut rig = square(8, |x, y| if x == 0.5 && y == 0.5 { 0.1 } else { 0.0 });
    rig.transforms.push(DAffine3::from_scale(DVec3::new(1.0, 1.0, 2.0)));
    let measurer = Measurer::new(&rig).unwrap();
    let corners = [0, 8, 80, 72].map(|v| v as u32);
    let mut mesh = Mesh { corners: corners.to_vec(), face_starts: vec![0, 4], ..rig.mesh.clone() };
    mesh.uvs = None;
    let level = Level { mesh, error: 0.0 };
    let error = measurer.measure(&level, &Silent).unwrap();
    let diagonal = (2.0_f64 + 0.01).sqrt();
    assert!((error.max - 100.0 * 0.2 / diagonal).abs() < 1e-4, "{error:?}");
    assert_eq!(error.max_frame, 1);
    // One of 81 vertices, by 0.15 in the mean; the other way, points of the level below the bump count too.
    assert!(error.accu >= 100.0 * 0.15 / 81.0 - 1e-4 && error.accu < 1.0, "{error:?}");
    let same = Level { mesh: rig.mesh.clone(), error: 0.0 };
    let none = measurer.measure(&same, &Silent).unwrap();
    assert!(none.max < 1e-6 && none.accu < 1e-6, "{none:?}");
}

#[test]
fn parts_that_meet_keep_their_own_vertices_and_stay_closed() {
    let mut rig = square(12, |x, y| 0.1 * (x * 7.0).sin() * (y * 5.0).cos());
    rig.mesh.uvs = None;
    // The upper half gets vertices of its own along the line where the halves meet.
    let (row, half) = (13_u32, 6_u32);
    let first = half * row;
    let line: Vec<Vec3> = (first..first + row).map(|v| rig.rest[v as usize]).collect();
    let lower = 12 * half as usize;
    for corner in 0..rig.mesh.corners.len() {
        let v = &mut rig.mesh.corners[corner];
        // The copies stand before the upper vertices.
        *v = if corner / 4 >= lower { *v + row } else { *v };
    }
    let at = (first + row) as usize;
    rig.rest.splice(at..at, line);
    rig.mesh.vertex_count = rig.rest.len();
    rig.weights = SkinWeights::single(rig.rest.len());
    let all = rig.rest.len();
    rig.mesh.parts = vec![
        Part { name: "lower".into(), faces: 0..lower, vertices: 0..at },
        Part { name: "upper".into(), faces: lower..144, vertices: at..all },
    ];
    rig.validate().unwrap();
    rig.mesh.validate().unwrap();
    let level = to(&rig, 60);
    assert!(level.triangle_count() <= 60);
    let mut ends = [BTreeSet::new(), BTreeSet::new()];
    for (part, ends) in level.mesh.parts.iter().zip(&mut ends) {
        for &v in part.faces.clone().flat_map(|f| level.mesh.face(f)) {
            assert!(part.vertices.contains(&(v as usize)));
            let p = rig.rest[v as usize];
            if p.y == 0.5 {
                ends.insert(p.to_array().map(f32::to_bits));
            }
        }
    }
    assert_eq!(ends[0], ends[1], "both sides of the seam have the same places");
    level.rig(&rig).mesh.validate().unwrap();
}

#[test]
fn what_cannot_be_simplified_is_refused() {
    let empty = one_bone(Mesh { vertex_count: 1, ..Mesh::default() }, vec![Vec3::ZERO]);
    let none = simplify(&empty, &[Detail::Triangles(1)], &LodOptions::default(), &Silent);
    assert_eq!(none, Err(LodError::NoTriangles));
    struct Never;
    impl Progress for Never {
        fn cancelled(&self) -> bool {
            true
        }
    }
    let many = square(48, |x, _| x * x);
    let stopped = simplify(&many, &[Detail::Triangles(2)], &LodOptions::default(), &Never);
    assert_eq!(stopped, Err(LodError::Cancelled));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever the triangles are, levels are meshes again and no longer than asked for where that is possible.
    #[test]
    fn any_triangles_give_valid_levels(
        places in prop::collection::vec(prop::array::uniform3(-1.0_f32..1.0), 4..30),
        corners in prop::collection::vec((0_usize..30, 0_usize..30, 0_usize..30), 1..60),
    ) {
        let n = places.len();
        let triangles: Vec<[u32; 3]> =
            corners.iter().map(|&(a, b, c)| [a % n, b % n, c % n].map(|v| v as u32)).collect();
        let rest: Vec<Vec3> = places.into_iter().map(Vec3::from_array).collect();
        let rig = one_bone(Mesh::from_triangles(n, &triangles), rest);
        match simplify(&rig, &[Detail::Triangles(5)], &LodOptions::default(), &Silent) {
            Ok(found) => {
                let coarse = found[0].rig(&rig);
                prop_assert!(coarse.validate().is_ok() && coarse.mesh.validate().is_ok());
                prop_assert!(coarse.mesh.face_count() <= triangles.len());
            }
            Err(error) => prop_assert_eq!(error, LodError::NoTriangles),
        }
    }
}

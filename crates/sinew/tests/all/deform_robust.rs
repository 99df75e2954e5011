//! Influences and poses on surfaces that plain cotangents fail on: needles, triangles without area, holes, fins.

use crate::common::limbs::Limb;
use glam::{DVec3, Vec3};
use proptest::prelude::*;
use sinew::deform::{DeformOptions, Deformer};
use sinew::geometry::Mesh;
use sinew::progress::Silent;
use sinew::rig::Skeleton;

const ACROSS: usize = 9;

/// A number from -1 to 1 that looks like any other.
fn noise(seed: usize) -> f32 {
    let mixed = (seed as u32).wrapping_mul(2_654_435_761) ^ 0x9E37_79B9;
    let mixed = (mixed ^ (mixed >> 15)).wrapping_mul(0x85EB_CA6B);
    ((mixed >> 8) & 0xFFFF) as f32 / 32_768.0 - 1.0
}

/// A sheet along x from 0 to 1 and along y from 0 to 8, with points on a grid that is shaken but for the edge, so
/// that the triangles are `squeezed` times as long as wide and most are obtuse; `lifted` out of the plane. The ends
/// are handles of two joints.
fn sheet(columns: usize, squeezed: f32, lifted: f32) -> Limb {
    let step = 1.0 / squeezed;
    let mut rest = Vec::new();
    for i in 0..=columns {
        for j in 0..ACROSS {
            let inner = (1..columns).contains(&i) && (1..ACROSS - 1).contains(&j);
            let shake = |k: usize| if inner { 0.35 * noise(3 * (i * ACROSS + j) + k) } else { 0.0 };
            rest.push(Vec3::new(step * (i as f32 + shake(0)), j as f32 + shake(1), lifted * shake(2)));
        }
    }
    let mut mesh = Mesh::default();
    for (i, j) in (0..columns).flat_map(|i| (0..ACROSS - 1).map(move |j| (i, j))) {
        let [a, b] = [i * ACROSS + j, (i + 1) * ACROSS + j].map(|v| v as u32);
        let cut = if (i + j) % 2 == 0 {
            [[a, b, b + 1], [a, b + 1, a + 1]]
        } else {
            [[a, b, a + 1], [b, b + 1, a + 1]]
        };
        cut.iter().for_each(|t| mesh.push_face(t));
    }
    mesh.vertex_count = rest.len();
    let column = |i: usize| Some((0..ACROSS).map(|j| (i * ACROSS + j) as u32).collect());
    let skeleton = Skeleton::new(vec![None, Some(0)]);
    let joints = vec![DVec3::ZERO, DVec3::X * f64::from(0.5 * step * columns as f32)];
    Limb { mesh, rest, skeleton, joints, lists: vec![column(0), column(columns)] }
}

/// The deformer with all influences, none cut off.
fn whole(limb: &Limb) -> Deformer {
    let options = DeformOptions { keep: 1.0, ..DeformOptions::default() };
    Deformer::new(&limb.character(), &limb.handles(), &[], &options, &Silent).unwrap()
}

/// Influence of the second joint.
fn second(deformer: &Deformer, v: usize) -> f32 {
    deformer.vertex_influences(v).iter().find(|i| i.0 == 1).map_or(0.0, |i| i.1)
}

/// Influences are shares, and every pose is one of numbers.
fn assert_sound(limb: &Limb, deformer: &Deformer) {
    for v in 0..limb.rest.len() {
        let list = deformer.vertex_influences(v);
        assert!(list.iter().all(|(_, share)| (0.0..=1.0).contains(share)), "{list:?} at {v}");
        assert!((list.iter().map(|(_, share)| share).sum::<f32>() - 1.0).abs() < 1e-5, "{list:?} at {v}");
    }
    for degrees in [0.0, 60.0, 170.0] {
        assert!(deformer.pose(&limb.bent(1, degrees)).iter().all(|p| p.is_finite()));
    }
    let rest = deformer.pose(&limb.rest_pose());
    let far = rest.iter().zip(&limb.rest).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
    assert!(far < 1e-5, "{far}");
}

/// Between two ends of a flat sheet the harmonic field is a straight line, however the sheet is cut into
/// triangles. Weights that are only cut off at zero are far from it.
#[test]
fn a_flat_sheet_of_needles_has_the_field_of_the_sheet() {
    for squeezed in [1.0, 10.0, 40.0] {
        let limb = sheet(24, squeezed, 0.0);
        let deformer = whole(&limb);
        assert_sound(&limb, &deformer);
        let length = 24.0 / squeezed;
        let off = (0..limb.rest.len()).map(|v| (second(&deformer, v) - limb.rest[v].x / length).abs());
        let off = off.fold(0.0, f32::max);
        assert!(off < 2e-3, "{off} at {squeezed}");
    }
}

/// Only handles have all of a joint or none of it. Plain cotangents on needles have negative weights, which push
/// the field around a point below zero, where it is then cut off: at forty of these vertices.
#[test]
fn fields_around_a_point_stay_above_zero_on_needles() {
    let columns = 24;
    for middle in [6, 12, 18] {
        let mut limb = sheet(columns, 10.0, 0.0);
        let point = middle * ACROSS + 4;
        let ends = (0..ACROSS).chain(columns * ACROSS..(columns + 1) * ACROSS);
        limb.lists = vec![Some(ends.map(|v| v as u32).collect()), Some(vec![point as u32])];
        let deformer = whole(&limb);
        assert_sound(&limb, &deformer);
        for v in (ACROSS..columns * ACROSS).filter(|&v| v != point) {
            let share = second(&deformer, v);
            assert!(share > 0.0 && share < 1.0, "{share} at {v}");
        }
    }
}

/// The same out of the plane, where triangles are glued at any angle.
#[test]
fn crumpled_needles_are_sound() {
    for squeezed in [3.0, 10.0, 40.0] {
        let limb = sheet(24, squeezed, 1.0);
        let deformer = whole(&limb);
        assert_sound(&limb, &deformer);
        let between = |v: usize| second(&deformer, v) > 0.0 && second(&deformer, v) < 1.0;
        assert!((ACROSS..24 * ACROSS).all(between));
    }
}

/// Triangles in line, folded onto each other and at one place, in the middle of the bend.
#[test]
fn triangles_without_area_change_nothing_around_them() {
    let plain = sheet(24, 3.0, 0.0);
    let mut limb = plain.clone();
    let middle = 12 * ACROSS as u32 + 4;
    // Three points of an edge in line, twice the same triangle, and one turned over.
    let between = limb.rest.len() as u32;
    let [a, b] = [middle, middle + 1].map(|v| limb.rest[v as usize]);
    limb.rest.push(a.lerp(b, 0.5));
    for face in [[middle, between, middle + 1], [middle, middle + 1, between], [middle, middle, between]] {
        limb.mesh.push_face(&face);
    }
    // Two faces whose three points are at one place.
    let point = limb.rest.len() as u32;
    limb.rest.extend([a; 3]);
    limb.mesh.push_face(&[point, point + 1, point + 2]);
    limb.mesh.vertex_count = limb.rest.len();
    let (deformer, before) = (whole(&limb), whole(&plain));
    assert_sound(&limb, &deformer);
    let posed = [deformer.pose(&limb.bent(1, 90.0)), before.pose(&plain.bent(1, 90.0))];
    for v in 0..plain.rest.len() {
        let [now, was] = [&deformer, &before].map(|d| second(d, v));
        assert!((now - was).abs() < 0.02, "{now} was {was} at {v}");
        assert!(posed[0][v].distance(posed[1][v]) < 0.1, "{v}");
    }
}

/// A hole in the middle, and a fin on an edge that two faces share already.
#[test]
fn holes_and_fins_are_bent_along() {
    let plain = sheet(24, 3.0, 0.3);
    let mut limb = plain.clone();
    let hole = |corner: &u32| {
        (9..15).contains(&(*corner as usize / ACROSS)) && (3..6).contains(&(*corner as usize % ACROSS))
    };
    let kept: Vec<[u32; 3]> = plain.triangles().into_iter().filter(|t| !t.iter().all(hole)).collect();
    assert!(kept.len() + 10 < plain.triangles().len());
    limb.mesh = Mesh::from_triangles(limb.rest.len(), &kept);
    let root = 18 * ACROSS as u32 + 4;
    let fin = limb.rest.len() as u32;
    limb.rest.push(limb.rest[root as usize] + Vec3::Z);
    limb.mesh.push_face(&[root, root + 1, fin]);
    limb.mesh.vertex_count = limb.rest.len();
    let deformer = whole(&limb);
    assert_sound(&limb, &deformer);
    // The fin has what it stands on, and stands on it as before.
    let [own, under] = [fin, root].map(|v| second(&deformer, v as usize));
    assert!((own - under).abs() < 0.1, "{own} on {under}");
    let posed = deformer.pose(&limb.bent(1, 120.0));
    let height = posed[fin as usize].distance(posed[root as usize]);
    assert!((height - 1.0).abs() < 0.1, "{height}");
    // Along every row the field rises from end to end, around the hole too.
    for row in 0..ACROSS {
        let ends = [3, 12, 21].map(|i| second(&deformer, i * ACROSS + row));
        assert!(ends[0] < ends[1] && ends[1] < ends[2], "{ends:?}");
    }
}

proptest! {
    /// Whatever the triangles, influences are shares and poses are numbers.
    #[test]
    fn any_soup_of_triangles_can_be_posed(
        places in prop::collection::vec((0..4_i8, 0..4_i8, 0..3_i8), 6..30),
        corners in prop::collection::vec(prop::array::uniform3(any::<prop::sample::Index>()), 1..40),
        flat in any::<bool>(),
    ) {
        let squash = if flat { 1e-6 } else { 1.0 };
        let place = |&(x, y, z): &(i8, i8, i8)| Vec3::new(x.into(), y.into(), squash * f32::from(z));
        let rest: Vec<Vec3> = places.iter().map(place).collect();
        let n = rest.len();
        let triangles: Vec<[u32; 3]> = corners.iter().map(|t| t.map(|v| v.index(n) as u32)).collect();
        let mesh = Mesh::from_triangles(n, &triangles);
        let skeleton = Skeleton::new(vec![None, Some(0)]);
        let (joints, lists) = (vec![DVec3::ZERO, DVec3::X], vec![Some(vec![0]), Some(vec![1])]);
        let limb = Limb { mesh, rest, skeleton, joints, lists };
        let options = DeformOptions { keep: 1.0, ..Default::default() };
        let made = Deformer::new(&limb.character(), &limb.handles(), &[], &options, &Silent);
        if let Ok(deformer) = made {
            assert_sound(&limb, &deformer);
        }
    }
}

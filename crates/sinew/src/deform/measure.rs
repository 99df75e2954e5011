//! What a deformation costs: volume and detail.

use std::collections::BTreeMap;

use glam::{DQuat, DVec3, Vec3};

use crate::geometry::laplacian::LaplacianPattern;

/// The volume inside triangles that face outwards; holes count as closed by fans from the middle of their
/// rims. Some triangles of a mesh are a limb: its ends are such holes.
///
/// # Panics
/// When a triangle names a vertex that does not exist.
pub fn signed_volume(triangles: &[[u32; 3]], positions: &[Vec3]) -> f64 {
    let place = |v: u32| positions[v as usize].as_dvec3();
    let Some(from) = triangles.first().map(|t| place(t[0])) else { return 0.0 };
    let six_volumes = |[a, b, c]: [DVec3; 3]| (a - from).cross(b - from).dot(c - from);
    let inside: f64 = triangles.iter().map(|t| six_volumes(t.map(place))).sum();
    // An edge whose other side no triangle has is on a rim; a fan runs along it the other way.
    let mut open: BTreeMap<[u32; 2], i32> = BTreeMap::new();
    for &[a, b, c] in triangles {
        for [a, b] in [[a, b], [b, c], [c, a]].into_iter().filter(|[a, b]| a != b) {
            *open.entry([a.min(b), a.max(b)]).or_default() += if a < b { 1 } else { -1 };
        }
    }
    let rims: Vec<[u32; 2]> = open
        .into_iter()
        .flat_map(|([a, b], times)| {
            let way = if times > 0 { [b, a] } else { [a, b] };
            std::iter::repeat_n(way, times.unsigned_abs() as usize)
        })
        .collect();
    let lids = loops(&rims).into_iter().map(|rim| {
        let middle = rim.iter().map(|e| place(e[0]) + place(e[1])).sum::<DVec3>() / (2 * rim.len()) as f64;
        rim.iter().map(|&[a, b]| six_volumes([place(a), place(b), middle])).sum::<f64>()
    });
    (inside + lids.sum::<f64>()) / 6.0
}

/// Edges that hang together.
fn loops(edges: &[[u32; 2]]) -> Vec<Vec<[u32; 2]>> {
    let most = edges.iter().flatten().max().map_or(0, |&v| v as usize + 1);
    let piece = crate::geometry::surface::pieces(most, edges);
    let mut out: BTreeMap<u32, Vec<[u32; 2]>> = BTreeMap::new();
    edges.iter().for_each(|edge| out.entry(piece[edge[0] as usize]).or_default().push(*edge));
    out.into_values().collect()
}

/// How far fine detail has changed, from 0: the deviation of the surface's Laplacian coordinates, each seen
/// in its own frame, as a share of what they are in the rest pose; root mean square over the vertices, which
/// count by their area.
///
/// A Laplacian coordinate is how far a vertex stands out from its neighbours, with the weights of the rest
/// pose; its frame is that of the vertex' normal and an edge. Bending a surface gently, or turning it,
/// changes little; what flattens, swells or shears detail shows.
///
/// # Panics
/// When there are not as many positions in one pose as in the other.
pub fn detail_deviation(triangles: &[[u32; 3]], rest: &[Vec3], posed: &[Vec3]) -> f64 {
    assert_eq!(rest.len(), posed.len(), "two poses of one mesh");
    let pattern = LaplacianPattern::new(rest.len(), triangles);
    let laplacian = pattern.laplacian(rest).without_negative_weights();
    let standing_out = |pose: &[Vec3]| {
        let mut out = vec![DVec3::ZERO; rest.len()];
        let mut sums = vec![0.0; rest.len()];
        for (&[a, b], &w) in laplacian.edges.iter().zip(&laplacian.weights) {
            let way = w * (pose[a as usize].as_dvec3() - pose[b as usize].as_dvec3());
            out[a as usize] += way;
            out[b as usize] -= way;
            sums[a as usize] += w;
            sums[b as usize] += w;
        }
        out.iter_mut().zip(sums).filter(|(_, sum)| *sum > 0.0).for_each(|(out, sum)| *out /= sum);
        out
    };
    let (before, after) = (standing_out(rest), standing_out(posed));
    let (frames, turned) = (frames(&pattern, rest), frames(&pattern, posed));
    let mut sums = (0.0, 0.0);
    for v in 0..rest.len() {
        let change = (turned[v].inverse() * after[v]).distance_squared(frames[v].inverse() * before[v]);
        sums.0 += laplacian.areas[v] * change;
        sums.1 += laplacian.areas[v] * before[v].length_squared();
    }
    if sums.1 > 0.0 { (sums.0 / sums.1).sqrt() } else { 0.0 }
}

/// A frame for every vertex: its normal, and the edge to its first neighbour beside it.
fn frames(pattern: &LaplacianPattern, pose: &[Vec3]) -> Vec<DQuat> {
    let place = |v: u32| pose[v as usize].as_dvec3();
    let mut normals = vec![DVec3::ZERO; pose.len()];
    for t in pattern.triangles() {
        let [a, b, c] = t.map(place);
        let normal = (b - a).cross(c - a);
        t.iter().for_each(|&v| normals[v as usize] += normal);
    }
    let mut aside = vec![DVec3::ZERO; pose.len()];
    for &[a, b] in pattern.edges().iter().rev() {
        aside[a as usize] = place(b) - place(a);
        aside[b as usize] = place(a) - place(b);
    }
    let frame = |(normal, aside): (&DVec3, &DVec3)| {
        let z = normal.try_normalize()?;
        let x = (*aside - z * z.dot(*aside)).try_normalize()?;
        Some(DQuat::from_mat3(&glam::DMat3::from_cols(x, z.cross(x), z)))
    };
    normals.iter().zip(&aside).map(|both| frame(both).unwrap_or(DQuat::IDENTITY)).collect()
}

#[cfg(test)]
#[path = "../../tests/unit/deform_measure.rs"]
mod tests;

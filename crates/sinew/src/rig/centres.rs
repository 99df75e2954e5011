//! What vertices turn about where several bones move them.
//!
//! Equations 1 and 4 of "Real-time Skeletal Skinning with Optimized Centers of Rotation" (Le and Hodgins
//! 2016): the mean of the surface, weighted by how alike a place's weights are to the vertex' own. Alike are
//! weights of the same proportion on two bones that both have. For a vertex at the elbow these are the places
//! round the elbow, and their mean is in its middle.

use std::collections::BTreeMap;

use glam::DVec3;
use rayon::prelude::*;

use super::{Rig, SkinWeights};

/// How much weights may differ in proportion, σ of the paper.
const WIDTH: f64 = 0.1;

/// A triangle that two bones move.
struct Shared {
    /// Its weights of the two.
    weights: [f64; 2],
    area: f64,
    middle: DVec3,
}

/// The centre of every vertex relative to `origin`; none for those of one bone, or without their like.
pub(super) fn centres(rig: &Rig, origin: DVec3) -> Vec<Option<DVec3>> {
    let shared = shared_triangles(rig, origin);
    let vertices = 0..rig.rest.len();
    vertices.into_par_iter().with_min_len(64).map(|v| centre(&rig.weights, v, &shared)).collect()
}

/// Triangles by the pairs of bones that move them, the smaller number first.
fn shared_triangles(rig: &Rig, origin: DVec3) -> BTreeMap<[u32; 2], Vec<Shared>> {
    let mut shared: BTreeMap<[u32; 2], Vec<Shared>> = BTreeMap::new();
    for corners in rig.mesh.triangles(&rig.rest) {
        let places = corners.map(|v| rig.rest[v as usize].as_dvec3() - origin);
        let area = 0.5 * (places[1] - places[0]).cross(places[2] - places[0]).length();
        let middle = places.iter().sum::<DVec3>() / 3.0;
        let mut means: BTreeMap<u32, f64> = BTreeMap::new();
        for (bone, weight) in corners.iter().flat_map(|&v| influences(&rig.weights, v as usize)) {
            *means.entry(bone).or_default() += weight / 3.0;
        }
        for (pair, weights) in pairs(&means.into_iter().collect::<Vec<_>>()) {
            shared.entry(pair).or_default().push(Shared { weights, area, middle });
        }
    }
    shared
}

fn centre(weights: &SkinWeights, vertex: usize, shared: &BTreeMap<[u32; 2], Vec<Shared>>) -> Option<DVec3> {
    let mut own: Vec<(u32, f64)> = influences(weights, vertex).collect();
    own.sort_by_key(|(bone, _)| *bone);
    let (mut sum, mut total) = (DVec3::ZERO, 0.0);
    for (pair, [a, b]) in pairs(&own) {
        for triangle in shared.get(&pair).into_iter().flatten() {
            let [c, d] = triangle.weights;
            let off = (a * d - b * c) / WIDTH;
            // Beyond this nothing is left of the exponential.
            if off.abs() < 6.0 {
                let like = a * b * c * d * (-off * off).exp() * triangle.area;
                sum += triangle.middle * like;
                total += like;
            }
        }
    }
    (total > 0.0).then(|| sum / total)
}

/// Influences that count: negative ones are alike to nothing.
fn influences(weights: &SkinWeights, vertex: usize) -> impl Iterator<Item = (u32, f64)> {
    weights.influences(vertex).filter(|(_, w)| *w > 0.0).map(|(bone, w)| (bone as u32, w))
}

/// All pairs of some bones, in the order they are given, with their weights.
fn pairs(bones: &[(u32, f64)]) -> impl Iterator<Item = ([u32; 2], [f64; 2])> {
    bones.iter().enumerate().flat_map(move |(i, a)| bones[i + 1..].iter().map(|b| ([a.0, b.0], [a.1, b.1])))
}

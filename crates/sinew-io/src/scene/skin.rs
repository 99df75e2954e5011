//! Bones and weights out of the nodes and influences of a file.

use glam::{DAffine3, DVec3, Vec3};
use sinew::rig::{Bone, SkinWeights};

use super::bones::RIGID_ROTATION;
use super::hierarchy::BoneSource;
use super::names::Names;
use super::turns::is_rotation;

/// Weights of vertices with these influences, the largest first.
pub(crate) fn skin_weights<'a>(rows: impl ExactSizeIterator<Item = &'a [(u32, f32)]> + Clone) -> SkinWeights {
    let per_vertex = rows.clone().map(<[_]>::len).max().unwrap_or(1);
    let slots = per_vertex * rows.len();
    let mut out = SkinWeights { per_vertex, bones: vec![0; slots], weights: vec![0.0; slots] };
    for (vertex, row) in rows.enumerate() {
        for (slot, &(bone, weight)) in row.iter().enumerate() {
            out.bones[vertex * per_vertex + slot] = bone;
            out.weights[vertex * per_vertex + slot] = weight;
        }
    }
    out
}

/// The bones of these names and sources, each in the middle of what it moves.
pub(crate) fn bones<'a>(
    sources: impl ExactSizeIterator<Item = (String, &'a BoneSource)>,
    transforms: &[DAffine3],
    weights: &SkinWeights,
    rest: &[Vec3],
) -> Vec<Bone> {
    let count = sources.len();
    let (mut sums, mut totals) = (vec![DVec3::ZERO; count], vec![0.0; count]);
    for (vertex, p) in rest.iter().enumerate() {
        let (bones, weights) = weights.of(vertex);
        for (&bone, &w) in bones.iter().zip(weights) {
            sums[bone as usize] += p.as_dvec3() * f64::from(w);
            totals[bone as usize] += f64::from(w);
        }
    }
    let mut rigid = vec![true; count];
    for frame in transforms.chunks_exact(count) {
        for (r, t) in rigid.iter_mut().zip(frame) {
            *r &= is_rotation(t.matrix3, RIGID_ROTATION);
        }
    }
    let mut names = Names::default();
    sources
        .enumerate()
        .map(|(b, (name, source))| {
            // A bone that moves nothing sits where its joint was when it was bound.
            let joint = source.inverse.inverse().translation;
            let idle = if joint.is_finite() { joint } else { DVec3::ZERO };
            let center = if totals[b] > 0.0 { sums[b] / totals[b] } else { idle };
            let name = names.unique(name);
            Bone { name, center, rigid: rigid[b], axes: None }
        })
        .collect()
}

//! Where joints would be by the shape of the body alone.
//!
//! The middle of the seam between what hangs on a joint and the rest, as in the paper's equation 2; the seam is where
//! the weights pass a half, so that broad blends have one, too. Along the axis of a hinge motion says nothing, and a
//! seam that runs askew over a hip has its middle off the limb: there the middle of the limb counts instead.

use glam::{DMat3, DVec3};

use super::{Articulation, TUNING};
use crate::rig::SkinWeights;
use crate::segment::SurfaceSamples;
use crate::solve::symmetric_eigen3;

/// The place of each joint; those of joints without a seam stay as they are.
pub(super) fn find(
    samples: &SurfaceSamples,
    moving: &Articulation,
    weights: &SkinWeights,
    contacts: &mut [DVec3],
) {
    let n = contacts.len();
    let below = weights_below(samples, moving, weights);
    for (k, seam) in seams(samples, &below, n).into_iter().enumerate().skip(1) {
        if let Some(seam) = seam {
            contacts[k] = seam;
        }
    }
    let (sizes, middles) = extents(samples, weights, n);
    for k in (1..n).filter(|&k| sizes[k] > 0.0) {
        contacts[k] += along_hinge(moving, k, middles[k] - contacts[k]);
    }
}

/// How far to go along the axis of a hinge to be level with the middle of the limb, given where that is.
fn along_hinge(moving: &Articulation, joint: usize, middle: DVec3) -> DVec3 {
    let Some(parent) = moving.skeleton.parents[joint] else { return DVec3::ZERO };
    let mut turned = DMat3::ZERO;
    for turns in moving.turns.chunks_exact(moving.joints.len()) {
        let apart = turns[parent] - turns[joint];
        turned += apart.transpose() * apart;
    }
    let (values, axes) = symmetric_eigen3(turned);
    let mut order = [0, 1, 2];
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let (least, next) = (values[order[0]].max(0.0), values[order[1]]);
    if next <= 0.0 || middle == DVec3::ZERO {
        return DVec3::ZERO;
    }
    let ratio = (least / next).sqrt() / TUNING.anchors.hinge;
    let axis = axes.col(order[0]);
    let along = middle.dot(axis);
    // An axis along the limb, as of a twist, does not lead to its middle.
    let across = 1.0 - along * along / middle.length_squared();
    axis * (along * across / (1.0 + ratio * ratio))
}

/// For each point the weight on each joint and all below it.
fn weights_below(samples: &SurfaceSamples, moving: &Articulation, weights: &SkinWeights) -> Vec<f64> {
    let n = moving.joints.len();
    let mut below = vec![0.0; samples.rest.len() * n];
    for (v, row) in below.chunks_exact_mut(n).enumerate() {
        weights.influences(v).for_each(|(b, w)| row[b] += w);
        moving.skeleton.links().rev().for_each(|(k, parent)| row[parent] += row[k]);
    }
    below
}

/// The middle of the edges over which what hangs on each joint takes over.
fn seams(samples: &SurfaceSamples, below: &[f64], n: usize) -> Vec<Option<DVec3>> {
    let mut most = vec![0.0_f64; n];
    below.chunks_exact(n).for_each(|row| most.iter_mut().zip(row).for_each(|(m, w)| *m = m.max(*w)));
    let mut sums = vec![(DVec3::ZERO, 0.0); n];
    for &[a, b] in &samples.edges {
        let (a, b) = (a as usize, b as usize);
        let middle = 0.5 * (samples.rest[a] + samples.rest[b]);
        for (k, (&one, &other)) in
            below[a * n..(a + 1) * n].iter().zip(&below[b * n..(b + 1) * n]).enumerate()
        {
            let half = 0.5 * most[k];
            if (one < half) != (other < half) {
                sums[k].0 += middle * (one - other).abs();
                sums[k].1 += (one - other).abs();
            }
        }
    }
    sums.into_iter().map(|(sum, total)| (total > 0.0).then(|| sum / total)).collect()
}

/// How many points each part moves, and their middles.
pub(super) fn extents(
    samples: &SurfaceSamples,
    weights: &SkinWeights,
    bones: usize,
) -> (Vec<f64>, Vec<DVec3>) {
    let mut sizes = vec![0.0; bones];
    let mut middles = vec![DVec3::ZERO; bones];
    for (v, p) in samples.rest.iter().enumerate() {
        for (b, w) in weights.influences(v) {
            sizes[b] += w;
            middles[b] += *p * w;
        }
    }
    middles.iter_mut().zip(&sizes).for_each(|(m, s)| *m /= s.max(1e-9));
    (sizes, middles)
}

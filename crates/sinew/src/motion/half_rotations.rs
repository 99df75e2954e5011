//! The equations of section 2.4: edges of the mesh between vertices whose main bones differ.
//!
//! With weights w and bone transforms x ↦ M x + t, an edge from p to q becomes Σ_b (w_qb − w_pb) t_b + Σ_b
//! M_b (w_qb q − w_pb p), which is to be H (q − p), where H is half way between the rotations of the two main
//! bones. All edges between the same two main bones share H, and what stands before M_b and t_b never
//! changes: sums over the edges are taken once, and a frame looks at bones only.

use std::collections::BTreeMap;

use glam::{DMat3, DQuat, DVec3};

use super::shared_points::System;
use crate::rig::Rig;
use crate::solve::procrustes::polar;

/// Pairs of main bones and, bone by bone, the sums of edges that each pair's half rotation turns.
pub(super) struct Halves {
    pub pairs: Vec<[usize; 2]>,
    /// bones × pairs.
    pub sums: Vec<DVec3>,
}

/// Adds the equations of all edges whose main bones differ.
pub(super) fn add_edges(
    system: &mut System,
    rig: &Rig,
    edges: &[[u32; 2]],
    main: &[usize],
    middle: DVec3,
) -> Halves {
    let n = system.bones;
    let mut sums: BTreeMap<[usize; 2], Vec<DVec3>> = BTreeMap::new();
    for &[p, q] in edges {
        let ends = [main[p as usize], main[q as usize]];
        if ends[0] == ends[1] {
            continue;
        }
        let [from, to] = [p, q].map(|v| rig.rest[v as usize].as_dvec3() - middle);
        // Each bone's share of the edge, and of the places it joins.
        let shares: Vec<(usize, f64, DVec3)> = rig
            .weights
            .influences(p as usize)
            .map(|(b, w)| (b, -w, from * -w))
            .chain(rig.weights.influences(q as usize).map(|(b, w)| (b, w, to * w)))
            .collect();
        let half =
            sums.entry([ends[0].min(ends[1]), ends[0].max(ends[1])]).or_insert_with(|| vec![DVec3::ZERO; n]);
        for &(i, share, _) in &shares {
            half[i] += (to - from) * share;
            for &(k, other, place) in &shares {
                system.matrix[i * n + k] += share * other;
                system.right[i * n + k] -= place * share;
            }
        }
    }
    let pairs: Vec<[usize; 2]> = sums.keys().copied().collect();
    let sums = (0..n).flat_map(|bone| sums.values().map(move |sum| sum[bone])).collect();
    Halves { pairs, sums }
}

impl Halves {
    /// Adds what half rotations do to edges.
    pub fn add(&self, turns: &[DMat3], places: &mut [DVec3]) {
        let turns: Vec<DQuat> = turns.iter().map(|turn| DQuat::from_mat3(&rotation(turn))).collect();
        let halves: Vec<DMat3> = self.pairs.iter().map(|&[a, b]| half_rotation(turns[a], turns[b])).collect();
        for (place, sums) in places.iter_mut().zip(self.sums.chunks_exact(halves.len().max(1))) {
            *place += halves.iter().zip(sums).map(|(half, sum)| *half * *sum).sum::<DVec3>();
        }
    }
}

/// The rotation half way between those of two bones: of two rotations, the polar part of their mean is the
/// middle of the shortest way from one to the other.
fn half_rotation(a: DQuat, b: DQuat) -> DMat3 {
    let b = if a.dot(b) < 0.0 { -b } else { b };
    DMat3::from_quat((a + b).normalize())
}

/// The rotation in a bone's linear part.
pub(super) fn rotation(m: &DMat3) -> DMat3 {
    let rigid = (m.transpose() * *m - DMat3::IDENTITY).to_cols_array().iter().all(|x| x.abs() < 1e-9);
    if rigid && m.determinant() > 0.0 { *m } else { polar(*m).unwrap_or(DMat3::IDENTITY) }
}

//! Which triangles lie nearest to which anchor, and anchors in groups of neighbours.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use glam::Vec3;

use super::dual::DualGraph;
use crate::geometry::bvh::Bvh;
use crate::geometry::grouped::{Lists, distinct};
use crate::geometry::surface::Distance;

/// Every triangle belongs to the anchor that is nearest along the surface. A cell holds together, and its
/// anchor is in it.
pub(super) struct Cells {
    /// The anchor of each triangle.
    pub owner: Vec<u32>,
    /// Triangles of each anchor.
    members: Lists<u32>,
    /// Cells that touch each cell.
    touching: Vec<Vec<u32>>,
}

impl Cells {
    /// The cells of the given anchors, of which there is at least one.
    pub fn new(graph: &DualGraph, anchors: &[u32]) -> Self {
        let owner = owners(graph, anchors);
        let members = Lists::grouped(anchors.len(), owner.iter().copied().zip(0..));
        let mut touching = vec![Vec::new(); anchors.len()];
        for pair in &graph.pairs {
            let [a, b] = pair.map(|t| owner[t as usize]);
            if a != b {
                touching[a as usize].push(b);
                touching[b as usize].push(a);
            }
        }
        let touching = touching.into_iter().map(distinct).collect();
        Self { owner, members, touching }
    }

    /// Number of cells.
    pub fn len(&self) -> usize {
        self.touching.len()
    }

    /// Triangles of one cell, in ascending order.
    pub fn members(&self, anchor: u32) -> &[u32] {
        self.members.of(anchor as usize)
    }

    /// The given anchors and those whose cells lie up to so many cells away, in ascending order.
    pub fn around(&self, anchors: &[u32], rings: usize) -> Vec<u32> {
        let mut all = anchors.to_vec();
        for _ in 0..rings {
            let more = all.iter().flat_map(|&a| &self.touching[a as usize]);
            all = distinct(all.iter().chain(more).copied());
        }
        all.sort_unstable();
        all
    }
}

fn owners(graph: &DualGraph, anchors: &[u32]) -> Vec<u32> {
    let mut owner = vec![u32::MAX; graph.len()];
    // First of all anchors own themselves, also where two are at the same place.
    anchors.iter().enumerate().for_each(|(a, &t)| owner[t as usize] = a as u32);
    let mut heap = BinaryHeap::new();
    let reach = |heap: &mut BinaryHeap<_>, owner: &[u32], distance: f64, a: u32, t: u32| {
        let centre = graph.centres[t as usize];
        for &(next, _) in graph.neighbours(t).iter().filter(|next| owner[next.0 as usize] == u32::MAX) {
            let way = f64::from(centre.distance(graph.centres[next as usize]));
            heap.push(Reverse((Distance(distance + way), a, next)));
        }
    };
    anchors.iter().enumerate().for_each(|(a, &t)| reach(&mut heap, &owner, 0.0, a as u32, t));
    while let Some(Reverse((Distance(distance), a, t))) = heap.pop() {
        if owner[t as usize] == u32::MAX {
            owner[t as usize] = a;
            reach(&mut heap, &owner, distance, a, t);
        }
    }
    owner
}

/// Numbers of the points in groups of at most `most` neighbours: the leaves of a hierarchy.
pub(super) fn groups(points: &[Vec3], most: usize) -> Vec<Vec<u32>> {
    let mut order: Vec<u32> = (0..points.len() as u32).collect();
    let bvh = Bvh::new(&mut order, most, |&i| points[i as usize], |&i| i);
    bvh.leaves().map(|some| order[some].to_vec()).collect()
}

#[cfg(test)]
#[path = "../../../tests/unit/deform_anchors_cells.rs"]
mod tests;

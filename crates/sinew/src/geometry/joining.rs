//! Pieces of a surface brought together: which points of different pieces lie nearest to each other.

use std::ops::Range;

use glam::Vec3;
use rayon::prelude::*;

use super::bvh::{Aabb, Bvh, around};
use super::union_find::{join, root};

/// Points in a leaf, at most.
const LEAF: usize = 8;

/// Points sorted into a hierarchy.
struct Tree<'a> {
    points: &'a [Vec3],
    order: Vec<u32>,
    bvh: Bvh,
    boxes: Vec<Aabb<Vec3>>,
    /// Of each node the piece that all points belong to, if it is one.
    pieces: Vec<Option<u32>>,
}

/// The shortest links that make one of all pieces, given the piece of each point: a spanning tree after
/// Borůvka, in which every piece but the largest asks for the nearest point of another.
pub fn joining_links(points: &[Vec3], mut piece: Vec<u32>) -> Vec<[u32; 2]> {
    let mut links = Vec::new();
    let mut tree = None;
    loop {
        let (largest, whole) = largest_piece(&piece);
        if whole {
            return links;
        }
        let tree = tree.get_or_insert_with(|| Tree::new(points));
        tree.label(&piece);
        let tree = &*tree;
        let mut nearest: Vec<(u32, f32, u32, u32)> = (0..points.len() as u32)
            .into_par_iter()
            .filter(|&i| piece[i as usize] != largest)
            .map(|i| {
                let (distance, other) = tree.nearest_elsewhere(i, &piece);
                (piece[i as usize], distance, i, other)
            })
            .collect();
        nearest.par_sort_unstable_by(|a, b| {
            a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then((a.2, a.3).cmp(&(b.2, b.3)))
        });
        nearest.dedup_by_key(|n| n.0);
        let mut roots: Vec<u32> = (0..points.len() as u32).collect();
        for &(_, _, a, b) in &nearest {
            if join(&mut roots, piece[a as usize], piece[b as usize]) {
                links.push([a, b]);
            }
        }
        piece.iter_mut().for_each(|p| *p = root(&mut roots, *p));
    }
}

/// The piece with the most points, and whether it is the only one.
fn largest_piece(piece: &[u32]) -> (u32, bool) {
    let mut counts = vec![0_u32; piece.len()];
    piece.iter().for_each(|&p| counts[p as usize] += 1);
    let largest = (0..counts.len()).rev().max_by_key(|&p| counts[p]).unwrap_or(0);
    (largest as u32, counts.is_empty() || counts[largest] as usize == piece.len())
}

impl<'a> Tree<'a> {
    fn new(points: &'a [Vec3]) -> Self {
        let mut order: Vec<u32> = (0..points.len() as u32).collect();
        let bvh = Bvh::new(&mut order, LEAF, |&i| points[i as usize], |&i| i);
        let boxes = bvh.fit(|some| around(order[some].iter().map(|&i| points[i as usize])));
        Self { points, order, bvh, boxes, pieces: Vec::new() }
    }

    /// Notes which nodes hold one piece only.
    fn label(&mut self, piece: &[u32]) {
        let of_leaf = |some: Range<usize>| {
            let mut some = self.order[some].iter().map(|&i| piece[i as usize]);
            let first = some.next();
            first.filter(|&f| some.all(|p| p == f))
        };
        self.pieces = self.bvh.bottom_up(None, of_leaf, |a, b| a.filter(|_| a == b));
    }

    /// The nearest point of another piece, and its squared distance.
    fn nearest_elsewhere(&self, from: u32, piece: &[u32]) -> (f32, u32) {
        let (p, mine) = (self.points[from as usize], piece[from as usize]);
        let mut best = (f32::INFINITY, from);
        self.bvh.nearest(
            &mut best,
            |node| {
                let [min, max] = self.boxes[node];
                (min - p).max(p - max).max(Vec3::ZERO).length_squared()
            },
            |node, distance, best| self.pieces[node] == Some(mine) || distance > best.0,
            |some, best| {
                for &i in self.order[some].iter().filter(|&&i| piece[i as usize] != mine) {
                    let distance = p.distance_squared(self.points[i as usize]);
                    if (distance, i) < *best || best.1 == from {
                        *best = (distance, i);
                    }
                }
            },
        );
        best
    }
}

#[cfg(test)]
#[path = "../../tests/unit/geometry_joining.rs"]
mod tests;

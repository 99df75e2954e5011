//! Distances along a surface, measured over the edges of its mesh.
//!
//! Vertices at the same place are one (files cut meshes along seams), and pieces that share no edge are
//! joined where they come nearest to each other, so that every vertex can be reached from every other.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use glam::Vec3;

use super::grouped::{Lists, distinct};
use super::joining::joining_links;
use super::union_find::{join, root};

/// Vertices and the edges between them.
pub(crate) struct SurfaceGraph {
    /// Neighbours of each vertex and how far they are.
    neighbours: Lists<(u32, f32)>,
    /// Whether a triangle uses each vertex.
    used: Vec<bool>,
}

/// A distance that can be queued.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Distance(pub f64);

impl Eq for Distance {}

impl Ord for Distance {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Distance {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl SurfaceGraph {
    /// The graph of a mesh in one pose.
    pub fn new(triangles: &[[u32; 3]], positions: &[Vec3]) -> Self {
        let mut used = vec![false; positions.len()];
        triangles.iter().flatten().for_each(|&v| used[v as usize] = true);
        let sides = triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
        let sides = sides.map(|[a, b]| [a.min(b), a.max(b)]).filter(|[a, b]| a != b);
        let mut edges: Vec<[u32; 2]> = distinct(sides.chain(same_places(positions)));
        edges.extend(joining_links(positions, pieces(positions.len(), &edges)));
        let place = |v: u32| positions[v as usize].as_dvec3();
        let both = |&[a, b]: &[u32; 2]| {
            let length = (place(a) - place(b)).length() as f32;
            [(a, (b, length)), (b, (a, length))]
        };
        Self { neighbours: Lists::grouped(positions.len(), edges.iter().flat_map(both)), used }
    }

    /// Neighbours of a vertex and how far they are.
    pub fn neighbours(&self, vertex: u32) -> &[(u32, f32)] {
        self.neighbours.of(vertex as usize)
    }

    /// All edges, each from both of its ends.
    pub fn edges(&self) -> impl Iterator<Item = [u32; 2]> {
        let from = |v: u32| self.neighbours(v).iter().map(move |&(next, _)| [v, next]);
        (0..self.used.len() as u32).flat_map(from)
    }

    /// Vertices that belong to a triangle.
    pub fn used(&self) -> impl Iterator<Item = u32> {
        (0..self.used.len() as u32).filter(|&v| self.used[v as usize])
    }

    /// Shortens `distance` where that takes more than `slack`, and notes `owner` where it does, by what is
    /// reached from `source`.
    pub fn spread_from(&self, source: u32, name: u32, slack: f64, distance: &mut [f64], owner: &mut [u32]) {
        let mut heap = BinaryHeap::from([Reverse((Distance(0.0), source))]);
        distance[source as usize] = 0.0;
        owner[source as usize] = name;
        while let Some(Reverse((Distance(d), v))) = heap.pop() {
            if d > distance[v as usize] {
                continue;
            }
            for &(next, length) in self.neighbours(v) {
                let through = d + f64::from(length);
                if through < distance[next as usize] - slack {
                    distance[next as usize] = through;
                    owner[next as usize] = name;
                    heap.push(Reverse((Distance(through), next)));
                }
            }
        }
    }

    /// For every vertex the `count` nearest of `sources` and their distances, nearest first; vertex after
    /// vertex.
    pub fn nearest_sources(&self, sources: &[u32], count: usize) -> Vec<(f64, u32)> {
        let count = count.min(sources.len());
        let mut found = vec![(f64::INFINITY, u32::MAX); count * self.used.len()];
        let mut known = vec![0_u8; self.used.len()];
        let mut heap: BinaryHeap<_> =
            sources.iter().enumerate().map(|(s, &v)| Reverse((Distance(0.0), s as u32, v))).collect();
        while let Some(Reverse((Distance(d), source, v))) = heap.pop() {
            let have = usize::from(known[v as usize]);
            let list = &mut found[v as usize * count..(v as usize + 1) * count];
            if have == count || list[..have].iter().any(|&(_, s)| s == source) {
                continue;
            }
            list[have] = (d, source);
            known[v as usize] += 1;
            for &(next, length) in self.neighbours(v) {
                if usize::from(known[next as usize]) < count {
                    heap.push(Reverse((Distance(d + f64::from(length)), source, next)));
                }
            }
        }
        found
    }
}

/// Pairs of vertices at the same place, each with the next.
pub(crate) fn same_places(positions: &[Vec3]) -> Vec<[u32; 2]> {
    // Adding zero makes one of the two zeros.
    let key = |&i: &u32| (positions[i as usize] + Vec3::ZERO).to_array().map(f32::to_bits);
    let mut order: Vec<u32> = (0..positions.len() as u32).collect();
    order.sort_by_key(|i| (key(i), *i));
    order.windows(2).filter(|w| key(&w[0]) == key(&w[1])).map(|w| [w[0], w[1]]).collect()
}

/// A number for each vertex, the same for all that edges connect.
pub(crate) fn pieces(vertices: usize, edges: &[[u32; 2]]) -> Vec<u32> {
    let mut roots: Vec<u32> = (0..vertices as u32).collect();
    for &[a, b] in edges {
        join(&mut roots, a, b);
    }
    (0..vertices as u32).map(|v| root(&mut roots, v)).collect()
}

/// The same where only edges inside a set count.
pub(crate) fn pieces_within(set_of: &[u32], edges: &[[u32; 2]]) -> Vec<u32> {
    let inside = |&&[a, b]: &&[u32; 2]| set_of[a as usize] == set_of[b as usize];
    pieces(set_of.len(), &edges.iter().filter(inside).copied().collect::<Vec<_>>())
}

#[cfg(test)]
#[path = "../../tests/unit/geometry_surface.rs"]
mod tests;

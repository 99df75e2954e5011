//! An order of triangles and vertices that packs well.
//!
//! The triangle codec ([`crate::meshopt::triangles`]) takes one byte for a triangle on one of the last edges
//! whose third corner is new or recent. So triangles go on from those edges, recent corners first, and vertices
//! are numbered as they are first used.

use std::collections::{HashMap, VecDeque};

use super::layout::Primitive;

/// Edges and vertices that the codec finds again.
const EDGES: usize = 15;
const VERTICES: usize = 12;

/// Puts the triangles of a primitive and its levels, and then its vertices, into such an order.
pub(super) fn for_packing(p: &mut Primitive) {
    let count = p.sources.len();
    p.indices = triangles_in_order(&p.indices, count);
    p.levels.iter_mut().for_each(|level| *level = triangles_in_order(level, count));
    let mut numbers = vec![None; count];
    let mut order = Vec::with_capacity(count);
    let used = p.indices.iter().chain(p.levels.iter().flatten()).copied();
    for vertex in used.chain(0..count as u32) {
        let number = &mut numbers[vertex as usize];
        if number.is_none() {
            *number = Some(order.len() as u32);
            order.push(vertex as usize);
        }
    }
    let renumber = |index: &mut u32| *index = numbers[*index as usize].unwrap_or_default();
    p.indices.iter_mut().for_each(renumber);
    p.levels.iter_mut().flatten().for_each(renumber);
    p.sources = order.iter().map(|&v| p.sources[v]).collect();
    p.normals = order.iter().map(|&v| p.normals[v]).collect();
    if !p.uvs.is_empty() {
        p.uvs = order.iter().map(|&v| p.uvs[v]).collect();
    }
    p.verbatim = false;
}

/// The triangles, each turned as it is, one after another along their edges.
fn triangles_in_order(indices: &[u32], vertices: usize) -> Vec<u32> {
    let triangles = indices.as_chunks::<3>().0;
    let mut walk = Walk::new(triangles, vertices);
    let mut out = Vec::with_capacity(indices.len());
    for first in 0..triangles.len() {
        let mut next = (!walk.done[first]).then_some((first, 0));
        while let Some((triangle, edge)) = next {
            out.extend(triangles[triangle]);
            walk.take(triangle, edge);
            next = walk.best();
        }
    }
    out
}

/// What was taken last.
struct Walk<'a> {
    triangles: &'a [[u32; 3]],
    done: Vec<bool>,
    /// Triangle and place of each directed edge. Edges of several triangles lead to the last of them.
    at_edge: HashMap<[u32; 2], (usize, usize)>,
    edges: VecDeque<[u32; 2]>,
    recent: VecDeque<u32>,
    seen: Vec<bool>,
    /// Triangles of each vertex that are not taken.
    left: Vec<u32>,
}

impl<'a> Walk<'a> {
    fn new(triangles: &'a [[u32; 3]], vertices: usize) -> Self {
        let mut at_edge = HashMap::with_capacity(3 * triangles.len());
        let mut left = vec![0; vertices];
        for (number, t) in triangles.iter().enumerate() {
            for i in 0..3 {
                at_edge.insert([t[i], t[(i + 1) % 3]], (number, i));
                left[t[i] as usize] += 1;
            }
        }
        Self {
            triangles,
            done: vec![false; triangles.len()],
            at_edge,
            edges: VecDeque::new(),
            recent: VecDeque::new(),
            seen: vec![false; vertices],
            left,
        }
    }

    fn take(&mut self, triangle: usize, edge: usize) {
        let t = self.triangles[triangle];
        let [a, b, c] = [t[edge], t[(edge + 1) % 3], t[(edge + 2) % 3]];
        self.done[triangle] = true;
        for vertex in [a, b, c] {
            self.left[vertex as usize] -= 1;
            if !std::mem::replace(&mut self.seen[vertex as usize], true) || !self.recent.contains(&vertex) {
                self.recent.push_front(vertex);
            }
        }
        self.recent.truncate(VERTICES);
        // Neighbours have the same edges the other way round.
        self.edges.push_front([c, b]);
        self.edges.push_front([a, c]);
        self.edges.truncate(EDGES);
    }

    /// The neighbour that costs least and leaves least behind.
    fn best(&self) -> Option<(usize, usize)> {
        let candidates = self.edges.iter().enumerate().filter_map(|(age, edge)| {
            let &(triangle, place) = self.at_edge.get(edge).filter(|(t, _)| !self.done[*t])?;
            let third = self.triangles[triangle][(place + 2) % 3];
            let cheap = self.recent.contains(&third) || !self.seen[third as usize];
            let left = self.triangles[triangle].iter().map(|v| self.left[*v as usize]).min().unwrap_or(0);
            Some(((!cheap, left, age), (triangle, place)))
        });
        candidates.min_by_key(|(cost, _)| *cost).map(|(_, found)| found)
    }
}

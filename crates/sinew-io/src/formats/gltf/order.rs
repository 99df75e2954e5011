//! An order of triangles and vertices that packs well.
//!
//! The triangle codec ([`crate::containers::meshopt::triangles`]) takes one byte for a triangle on one of the last edges
//! whose third corner is new, recent, or a neighbour in number of the last that was none of these. So the mesh is
//! taken ring by ring: always the triangle on one of the last edges that has the oldest vertex. All triangles around
//! a vertex then follow each other, and the last of them leads to the vertex that came after it. Vertices are
//! numbered as they are first used.

use std::collections::{HashMap, VecDeque};

use crate::scene::layout::Primitive;

/// Edges that the codec finds again.
const EDGES: usize = 15;

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
    for values in &mut p.attributes {
        let width = values.len() / count.max(1);
        *values = order.iter().flat_map(|&v| &values[v * width..(v + 1) * width]).copied().collect();
    }
    p.verbatim = false;
}

/// The triangles, each turned as it is, one after another along their edges.
fn triangles_in_order(indices: &[u32], vertices: usize) -> Vec<u32> {
    let triangles = indices.as_chunks::<3>().0;
    let mut walk = Walk::new(triangles, vertices);
    let mut out = Vec::with_capacity(indices.len());
    for first in 0..triangles.len() {
        if walk.done[first] {
            continue;
        }
        out.extend(triangles[first]);
        walk.take(first, 0, false);
        while let Some((triangle, place)) = walk.next() {
            out.extend(triangles[triangle]);
            walk.take(triangle, place, true);
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
    /// How many vertices came before each, of those that came at all.
    age: Vec<Option<u32>>,
    seen: u32,
}

impl<'a> Walk<'a> {
    fn new(triangles: &'a [[u32; 3]], vertices: usize) -> Self {
        let mut at_edge = HashMap::with_capacity(3 * triangles.len());
        for (number, t) in triangles.iter().enumerate() {
            for i in 0..3 {
                at_edge.insert([t[i], t[(i + 1) % 3]], (number, i));
            }
        }
        let done = vec![false; triangles.len()];
        Self { triangles, done, at_edge, edges: VecDeque::new(), age: vec![None; vertices], seen: 0 }
    }

    /// Takes a triangle, which starts with one of the last edges at this place or with none of them.
    fn take(&mut self, triangle: usize, place: usize, on_edge: bool) {
        let t = self.triangles[triangle];
        let [a, b, c] = [t[place], t[(place + 1) % 3], t[(place + 2) % 3]];
        self.done[triangle] = true;
        for vertex in [a, b, c] {
            let age = &mut self.age[vertex as usize];
            self.seen += u32::from(age.is_none());
            age.get_or_insert(self.seen - 1);
        }
        // Neighbours have the same edges the other way round.
        if !on_edge {
            self.edges.push_front([b, a]);
        }
        self.edges.push_front([c, b]);
        self.edges.push_front([a, c]);
        self.edges.truncate(EDGES);
    }

    /// The neighbour with the oldest vertex; of several, one that brings no new vertex, on the latest edge.
    fn next(&self) -> Option<(usize, usize)> {
        let candidates = self.edges.iter().enumerate().filter_map(|(back, edge)| {
            let &(triangle, place) = self.at_edge.get(edge).filter(|(t, _)| !self.done[*t])?;
            let ages = self.triangles[triangle].map(|v| self.age[v as usize]);
            let oldest = ages.iter().flatten().min().copied();
            Some(((oldest, ages[(place + 2) % 3].is_none(), back), (triangle, place)))
        });
        candidates.min_by_key(|(cost, _)| *cost).map(|(_, found)| found)
    }
}

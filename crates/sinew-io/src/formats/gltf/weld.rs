//! Making one vertex of those that a file had to split.
//!
//! glTF stores one normal and one UV per vertex, so seams and hard edges double vertices. Copies move
//! alike; as one vertex they cost less and normals can be smoothed across them.

use std::collections::HashMap;

use sinew::geometry::Part;

use super::primitives::Assembly;
use crate::scene::shapes::Shape;

/// Which stored vertices are one.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Weld {
    /// None: vertices stay as stored.
    Nothing,
    /// Those of a part with the same position, influences and morph displacements, to the bit.
    Equal,
    /// Those the file says were one, in the order it says they had.
    Sources,
}

/// Stored vertices and the vertices they become.
pub(super) struct Welded {
    /// New vertex of each stored one.
    pub to_new: Vec<u32>,
    /// A stored vertex for each new one.
    pub first: Vec<usize>,
    /// The parts, with ranges of new vertices.
    pub parts: Vec<Part>,
}

/// Merges vertices part by part. New vertices are in order of first appearance, or of their sources.
pub(super) fn weld(assembly: &Assembly, how: Weld) -> Welded {
    let mut out = Welded {
        to_new: vec![0; assembly.positions.len()],
        first: Vec::with_capacity(assembly.positions.len()),
        parts: assembly.parts.clone(),
    };
    for index in 0..assembly.parts.len() {
        let start = out.first.len();
        match how {
            Weld::Nothing => keep(assembly, index, &mut out),
            Weld::Equal => merge_equal(assembly, index, &mut out),
            Weld::Sources => merge_sources(assembly, index, &mut out),
        }
        out.parts[index].vertices = start..out.first.len();
    }
    out
}

fn keep(assembly: &Assembly, part: usize, out: &mut Welded) {
    for vertex in assembly.parts[part].vertices.clone() {
        out.to_new[vertex] = out.first.len() as u32;
        out.first.push(vertex);
    }
}

fn merge_equal(assembly: &Assembly, part: usize, out: &mut Welded) {
    let vertices = assembly.parts[part].vertices.clone();
    let shapes: Vec<&Shape> = assembly.shapes.iter().filter(|s| s.part == part).collect();
    let mut at_position: HashMap<[u32; 3], Vec<u32>> = HashMap::new();
    for vertex in vertices.clone() {
        // Adding zero makes one of the two zeros.
        let bits = assembly.positions[vertex].to_array().map(|x| (x + 0.0).to_bits());
        let candidates = at_position.entry(bits).or_default();
        let moves_alike = |&new: &u32| {
            let other = out.first[new as usize];
            let (a, b) = (vertex - vertices.start, other - vertices.start);
            assembly.influences_of(vertex) == assembly.influences_of(other)
                && shapes.iter().all(|s| s.deltas[a] == s.deltas[b])
        };
        let new = candidates.iter().copied().find(|c| moves_alike(c)).unwrap_or_else(|| {
            let new = out.first.len() as u32;
            candidates.push(new);
            new
        });
        if new as usize == out.first.len() {
            out.first.push(vertex);
        }
        out.to_new[vertex] = new;
    }
}

fn merge_sources(assembly: &Assembly, part: usize, out: &mut Welded) {
    let vertices = assembly.parts[part].vertices.clone();
    let mut by_source: Vec<(u32, usize)> =
        vertices.clone().filter_map(|v| Some((assembly.sources[v]?, v))).collect();
    if by_source.len() < vertices.len() {
        return keep(assembly, part, out);
    }
    by_source.sort_unstable();
    let mut last = None;
    for (source, vertex) in by_source {
        if last != Some(source) {
            out.first.push(vertex);
            last = Some(source);
        }
        out.to_new[vertex] = out.first.len() as u32 - 1;
    }
}

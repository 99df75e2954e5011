//! The graph of a mesh's triangles, joined where they share an edge.

use glam::{DVec3, Vec3};

use crate::geometry::grouped::{Lists, summed};
use crate::geometry::joining::joining_links;
use crate::geometry::surface::pieces;
use crate::geometry::weld::weld;

/// Triangles and how strongly neighbours hold together.
///
/// The weight of two neighbours is the length of their edge over the way from one centre to the other across
/// the edge's middle: what flows between two cells. It is never negative. (The paper's weights are all one.)
pub(super) struct DualGraph {
    /// Neighbours, the smaller first, all different, in ascending order.
    pub pairs: Vec<[u32; 2]>,
    /// Area of each triangle.
    pub areas: Vec<f64>,
    /// Middle of each triangle.
    pub centres: Vec<Vec3>,
    neighbours: Lists<(u32, f64)>,
}

/// Edges and ways from centre to centre count as at least this share of the mean edge.
const LEAST_LENGTH: f64 = 1e-3;
/// Weight of the links between pieces that share no edge: a piece with anchors of its own hardly feels them,
/// one without takes its neighbour's values.
const LINK_WEIGHT: f64 = 1e-2;

impl DualGraph {
    /// The graph of a mesh in its rest pose.
    ///
    /// Vertices at the same place are one, since files cut meshes along seams. An edge of more than two
    /// triangles joins each to the next, an edge of one joins nothing, and pieces that share no edge are
    /// linked where they come nearest to each other: all triangles can be reached from each.
    pub fn new(triangles: &[[u32; 3]], rest: &[Vec3]) -> Self {
        let place = |v: u32| rest[v as usize].as_dvec3();
        let corners = |t: &[u32; 3]| t.map(place);
        let areas =
            triangles.iter().map(corners).map(|[a, b, c]| 0.5 * (b - a).cross(c - a).length()).collect();
        let middles: Vec<DVec3> = triangles.iter().map(corners).map(|[a, b, c]| (a + b + c) / 3.0).collect();
        let centres: Vec<Vec3> = middles.iter().map(|c| c.as_vec3()).collect();

        let sides = sides(triangles, rest);
        let length = |[a, b, _]: &[u32; 3]| place(*a).distance(place(*b));
        let mean = sides.iter().map(length).sum::<f64>() / sides.len().max(1) as f64;
        // A mesh shrunk to a point has edges of any length, all the same.
        let least = if mean > 0.0 { LEAST_LENGTH * mean } else { 1.0 };
        let mut links: Vec<([u32; 2], f64)> = Vec::with_capacity(sides.len() / 2);
        for two in sides.windows(2).filter(|two| two[0][..2] == two[1][..2]) {
            let [a, b, first] = two[0];
            let second = two[1][2];
            let middle = 0.5 * (place(a) + place(b));
            let way = [first, second].map(|t| middles[t as usize].distance(middle)).iter().sum::<f64>();
            let weight = length(&two[0]).max(least) / way.max(least);
            links.push(([first.min(second), first.max(second)], weight));
        }
        let found: Vec<[u32; 2]> = links.iter().map(|link| link.0).collect();
        let joining = joining_links(&centres, pieces(triangles.len(), &found));
        links.extend(joining.into_iter().map(|[a, b]| ([a.min(b), a.max(b)], LINK_WEIGHT)));
        // Triangles that lie on each other share several edges; a collapsed one may meet itself.
        let (pairs, weights) = summed(links);
        let both = |(&[a, b], &weight): (&[u32; 2], &f64)| [(a, (b, weight)), (b, (a, weight))];
        let neighbours = Lists::grouped(triangles.len(), pairs.iter().zip(&weights).flat_map(both));
        Self { pairs, areas, centres, neighbours }
    }

    /// Number of triangles.
    pub fn len(&self) -> usize {
        self.areas.len()
    }

    /// Neighbours of a triangle and their weights.
    pub fn neighbours(&self, triangle: u32) -> &[(u32, f64)] {
        self.neighbours.of(triangle as usize)
    }
}

/// Every triangle's edges with ends, the smaller first, and triangle; the same edges side by side.
fn sides(triangles: &[[u32; 3]], rest: &[Vec3]) -> Vec<[u32; 3]> {
    let (point_of, first) = weld(rest.len(), 1, |_, v| rest[v as usize]);
    let vertex = |v: u32| first[point_of[v as usize] as usize];
    let mut sides = Vec::with_capacity(3 * triangles.len());
    for (t, corners) in triangles.iter().enumerate() {
        let [a, b, c] = corners.map(vertex);
        let ends = [[a, b], [b, c], [c, a]].into_iter().filter(|[a, b]| a != b);
        sides.extend(ends.map(|[a, b]| [a.min(b), a.max(b), t as u32]));
    }
    sides.sort_unstable();
    sides
}

#[cfg(test)]
#[path = "../../../tests/unit/deform_anchors_dual.rs"]
mod tests;

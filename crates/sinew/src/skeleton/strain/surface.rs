//! The surface as weights see it: points and the edges between them.

use std::collections::BTreeMap;

use glam::{DVec3, Vec3};

use crate::animation::Frames;
use crate::geometry::grouped::Lists;
use crate::geometry::joining::joining_links;
use crate::geometry::surface::pieces;
use crate::geometry::weld::weld;

/// The least area of an edge, in squares of its length: thin triangles hold together, too.
const LEAST_AREA: f64 = 0.1;
/// The least share of the mean area that a point counts.
const LEAST_MASS: f64 = 0.1;
/// The least squared length that an edge is taken to have, in mean areas.
const LEAST_SQUARED: f64 = 1e-6;

/// Points and edges. Vertices that are at the same place in the rest pose and in every frame are one point,
/// so that no seam opens; pieces that share no edge are joined where they come nearest to each other.
pub(super) struct Surface {
    /// A vertex of each point.
    pub points: Vec<u32>,
    /// The point of each vertex.
    pub point_of: Vec<u32>,
    /// Area of each point, in mean ones.
    pub masses: Vec<f64>,
    /// Mean area of a point.
    pub mean_area: f64,
    /// Points of which no two share an edge, together all of them.
    pub colours: Vec<Vec<u32>>,
    /// Area of each edge, in squares of its length.
    pub shares: Vec<f64>,
    /// Neighbours of each point, and the number of the edge.
    neighbours: Lists<(u32, u32)>,
}

impl Surface {
    pub fn new(triangles: &[[u32; 3]], rest: &[Vec3], frames: &Frames) -> Self {
        let (point_of, points) = weld(rest.len(), 1 + frames.len(), |pose, v| match pose {
            0 => rest[v as usize],
            _ => frames.frame(pose - 1)[v as usize],
        });
        let places: Vec<Vec3> = points.iter().map(|&v| rest[v as usize]).collect();
        let (areas, thirds) = areas(triangles, &point_of, &places);
        let mean_area = (areas.iter().sum::<f64>() / points.len() as f64).max(f64::MIN_POSITIVE);
        let place = |i: u32| places[i as usize].as_dvec3();
        let share = |(&[a, b], area): (&[u32; 2], &f64)| {
            let squared = place(a).distance_squared(place(b)).max(LEAST_SQUARED * mean_area);
            (area / squared).max(LEAST_AREA)
        };
        let shares = thirds.iter().map(share).collect();
        let edges: Vec<[u32; 2]> = thirds.into_keys().collect();
        let both = |(number, [a, b]): (u32, &[u32; 2])| [(*a, (*b, number)), (*b, (*a, number))];
        let neighbours = Lists::grouped(points.len(), (0..).zip(&edges).flat_map(both));
        let masses = areas.iter().map(|a| (a / mean_area).max(LEAST_MASS)).collect();
        let mut surface =
            Self { points, point_of, masses, mean_area, colours: Vec::new(), shares, neighbours };
        surface.colour();
        surface
    }

    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Neighbours of a point, and the numbers of the edges to them.
    pub fn neighbours(&self, point: usize) -> &[(u32, u32)] {
        self.neighbours.of(point)
    }

    /// Gives every point the first colour that no neighbour has.
    fn colour(&mut self) {
        let mut colour_of = vec![usize::MAX; self.len()];
        for i in 0..self.len() {
            let taken = |c: usize| self.neighbours(i).iter().any(|n| colour_of[n.0 as usize] == c);
            let colour = (0..=self.colours.len()).find(|&c| !taken(c)).expect("a new one is free");
            colour_of[i] = colour;
            if colour == self.colours.len() {
                self.colours.push(Vec::new());
            }
            self.colours[colour].push(i as u32);
        }
    }
}

/// Areas of all points and of all edges, smaller point first, in ascending order: a third of their triangles.
/// Edges that join pieces have none.
fn areas(triangles: &[[u32; 3]], point_of: &[u32], places: &[Vec3]) -> (Vec<f64>, BTreeMap<[u32; 2], f64>) {
    let mut areas = vec![0.0; places.len()];
    let mut edges: BTreeMap<[u32; 2], f64> = BTreeMap::new();
    for triangle in triangles {
        let corners = triangle.map(|v| point_of[v as usize]);
        let [a, b, c]: [DVec3; 3] = corners.map(|i| places[i as usize].as_dvec3());
        let third = (b - a).cross(c - a).length() / 6.0;
        for i in 0..3 {
            areas[corners[i] as usize] += third;
            let (a, b) = (corners[i], corners[(i + 1) % 3]);
            if a != b {
                *edges.entry([a.min(b), a.max(b)]).or_default() += third;
            }
        }
    }
    let known: Vec<[u32; 2]> = edges.keys().copied().collect();
    for [a, b] in joining_links(places, pieces(places.len(), &known)) {
        edges.insert([a.min(b), a.max(b)], 0.0);
    }
    (areas, edges)
}

#[cfg(test)]
#[path = "../../../tests/unit/skeleton_strain_surface.rs"]
mod tests;

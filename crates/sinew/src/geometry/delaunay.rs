//! The Laplacian of a surface's intrinsic Delaunay triangulation.
//!
//! Fisher, Springborn, Bobenko and Schröder 2006: where the angles opposite an edge sum to more than 180°, the edge
//! is replaced by the other diagonal of its two triangles, laid out flat, until there is no such edge left. The
//! surface stays as it is, only its triangles change, so the Laplacian stays as exact as the plain one (linear
//! functions on flat parts are harmonic) and loses its negative weights. Edges of one triangle, of more than two,
//! and those at which triangles face opposite ways are left as they are; a negative weight there is raised to
//! almost nothing, as in [`Laplacian::without_negative_weights`].

use std::collections::VecDeque;

use glam::Vec3;

use super::grouped::summed;
use super::laplacian::{Laplacian, LaplacianPattern, half_cotangents};
use super::vertex_areas;

/// Stands for no side.
const NONE: u32 = u32::MAX;
/// Cotangents that sum to less than this are of an edge to be replaced. A little below zero, so that rounding
/// does not flip an edge back and forth.
const FLIPPED: f64 = -1e-9;
/// Flips at most, for each side of a triangle. Few are needed; flipping always ends, but not always soon.
const MOST_FLIPS: usize = 16;

/// Triangles glued side to side. Side 3 t + k lies opposite corner k of triangle t and runs from corner k + 1 to
/// corner k + 2.
struct Glued {
    corners: Vec<[u32; 3]>,
    /// Length of each side.
    lengths: Vec<[f64; 3]>,
    /// Half the cotangent of the angle opposite each side.
    cotangents: Vec<[f64; 3]>,
    /// The side on the other triangle, if the two can be replaced together.
    twins: Vec<[u32; 3]>,
}

impl LaplacianPattern {
    /// The Laplacian of the intrinsic Delaunay triangulation in one pose, without negative weights. Its edges are
    /// not those of the pattern.
    ///
    /// # Panics
    /// When there are not as many positions as vertices.
    pub fn delaunay_laplacian(&self, positions: &[Vec3]) -> Laplacian {
        let areas = vertex_areas(self.triangles(), positions);
        let mut glued = Glued::new(self, positions);
        glued.flip_all();
        let mut all: Vec<([u32; 2], f64)> = Vec::with_capacity(3 * glued.corners.len());
        for (corners, halves) in glued.corners.iter().zip(&glued.cotangents) {
            for k in 0..3 {
                let [a, b] = [corners[(k + 1) % 3], corners[(k + 2) % 3]];
                all.push(([a.min(b), a.max(b)], halves[k]));
            }
        }
        let (edges, weights) = summed(all);
        Laplacian { edges: edges.into(), weights, areas }.without_negative_weights()
    }
}

impl Glued {
    fn new(pattern: &LaplacianPattern, positions: &[Vec3]) -> Self {
        let of_edge = pattern.lengths(positions);
        let lengths: Vec<[f64; 3]> =
            pattern.opposite_edges().iter().map(|sides| sides.map(|side| of_edge[side as usize])).collect();
        let cotangents = lengths.iter().map(|sides| half_cotangents(*sides)).collect();
        let corners = pattern.triangles().to_vec();
        let twins = twins(pattern);
        Self { corners, lengths, cotangents, twins }
    }

    /// Replaces edges until none is left to be replaced.
    fn flip_all(&mut self) {
        let mut waiting: VecDeque<u32> = (0..3 * self.corners.len() as u32).collect();
        let mut left = MOST_FLIPS * waiting.len();
        while let Some(side) = waiting.pop_front().filter(|_| left > 0) {
            let ([t, k], twin) = (place(side), self.twin(side));
            let [s, j] = place(twin);
            // A triangle glued to itself has no other diagonal.
            if twin == NONE || s == t || self.cotangents[t][k] + self.cotangents[s][j] >= FLIPPED {
                continue;
            }
            if self.flip([t, k], [s, j]) {
                left -= 1;
                waiting.extend([t, s].iter().flat_map(|t| (0..3).map(move |k| (3 * t + k) as u32)));
            }
        }
    }

    fn twin(&self, side: u32) -> u32 {
        self.twins.as_flattened()[side as usize]
    }

    /// Replaces the edge between a, b, c and d, c, b by the one from a to d, unless rounding stands against it.
    fn flip(&mut self, [t, k]: [usize; 2], [s, j]: [usize; 2]) -> bool {
        let next = |k: usize| ((k + 1) % 3, (k + 2) % 3);
        let ((k1, k2), (j1, j2)) = (next(k), next(j));
        let [a, b, c] = [k, k1, k2].map(|k| self.corners[t][k]);
        let d = self.corners[s][j];
        let [bc, ca, ab] = [k, k1, k2].map(|k| self.lengths[t][k]);
        let [bd, dc] = [j1, j2].map(|j| self.lengths[s][j]);
        // Laid out flat, with b at the origin and c on the x axis.
        let apex = |near: f64, far: f64| {
            let x = (near * near + bc * bc - far * far) / (2.0 * bc);
            (x, (near * near - x * x).max(0.0).sqrt())
        };
        let ((ax, ay), (dx, dy)) = (apex(ab, ca), apex(bd, dc));
        let ad = (ax - dx).hypot(ay + dy);
        let lengths = [[bd, ad, ab], [ca, ad, dc]];
        let cotangents = lengths.map(half_cotangents);
        if !cotangents.as_flattened().iter().all(|c| c.is_finite()) {
            return false;
        }
        // The four sides around, where they were and where they come.
        let at = |t: usize, k: usize| (3 * t + k) as u32;
        let moved =
            [(at(t, k1), at(s, 0)), (at(t, k2), at(t, 2)), (at(s, j1), at(t, 0)), (at(s, j2), at(s, 2))];
        let now = |side: u32| moved.iter().find(|m| m.0 == side).map_or(side, |m| m.1);
        let glued = moved.map(|(was, is)| (is, now(self.twin(was))));
        let twins = self.twins.as_flattened_mut();
        for (side, twin) in glued {
            twins[side as usize] = twin;
            if twin != NONE {
                twins[twin as usize] = side;
            }
        }
        (twins[3 * t + 1], twins[3 * s + 1]) = (at(s, 1), at(t, 1));
        (self.corners[t], self.corners[s]) = ([a, b, d], [d, c, a]);
        [self.lengths[t], self.lengths[s]] = lengths;
        [self.cotangents[t], self.cotangents[s]] = cotangents;
        true
    }
}

/// Triangle and corner of a side.
fn place(side: u32) -> [usize; 2] {
    [side as usize / 3, side as usize % 3]
}

/// For every side the only other one on its edge, if the two run opposite ways.
fn twins(pattern: &LaplacianPattern) -> Vec<[u32; 3]> {
    let sides = pattern.opposite_edges().as_flattened();
    let mut of_edge: Vec<Vec<u32>> = vec![Vec::new(); pattern.edges().len()];
    (0..).zip(sides).for_each(|(side, &edge)| of_edge[edge as usize].push(side));
    let start = |side: u32| {
        let [t, k] = place(side);
        pattern.triangles()[t][(k + 1) % 3]
    };
    let mut twins = vec![[NONE; 3]; pattern.triangles().len()];
    for edge in of_edge {
        if let [first, second] = edge[..]
            && start(first) != start(second)
        {
            let all = twins.as_flattened_mut();
            (all[first as usize], all[second as usize]) = (second, first);
        }
    }
    twins
}

//! The cotangent Laplacian of a surface, and the areas that belong to its vertices.
//!
//! (L f)_i = Σ_j w_ij (f_i − f_j) with w_ij half the sum of the cotangents opposite edge ij (Pinkall and
//! Polthier 1993): the operator −Δ times the vertex areas, symmetric, never below zero, with the constants
//! of every piece as its kernel. Edges of one triangle or of many simply sum over what they have; vertices
//! without triangles have a row of zeros.
//!
//! Cotangents come from edge lengths. Where a triangle is (nearly) collapsed, all lengths are raised by the
//! same little until every triangle has an area ("mollified", Sharp and Crane 2020): the cotangents stay
//! finite and each triangle's share stays definite. Meshes without such triangles are not changed at all.
//!
//! Where two angles opposite an edge sum to more than 180° its weight is negative. Poisson systems want it
//! so; where values must stay between those given, use [`LaplacianPattern::delaunay_laplacian`], or where the edges
//! must be those of the mesh, [`Laplacian::without_negative_weights`].
//!
//! What depends on the topology alone, [`LaplacianPattern`], is made once for all poses.

use std::sync::Arc;

use glam::Vec3;

use super::grouped::distinct;
use super::vertex_areas;
use crate::solve::sparse::{SymmetricPattern, column_values};

/// Which vertices of a mesh share an edge: the pattern of its Laplacians in all poses.
#[derive(Clone, Debug)]
pub struct LaplacianPattern {
    vertex_count: usize,
    triangles: Vec<[u32; 3]>,
    /// The edge opposite each corner of each triangle.
    opposite: Vec<[u32; 3]>,
    edges: Arc<[[u32; 2]]>,
}

/// The cotangent Laplacian in one pose.
#[derive(Clone, Debug)]
pub struct Laplacian {
    /// The edges, smaller vertex first, in ascending order.
    pub edges: Arc<[[u32; 2]]>,
    /// Weight of each edge; does not change when the mesh is scaled or moved.
    pub weights: Vec<f64>,
    /// Area of each vertex: a third of its triangles, 0 without.
    pub areas: Vec<f64>,
}

/// Every triangle's two shorter sides exceed the longest by this share of the mean edge.
const LEAST_SLACK: f64 = 1e-5;
/// The least weight of an edge in a Laplacian without negative weights: far below any that matters, but all
/// that share an edge stay connected.
const LEAST_WEIGHT: f64 = 1e-6;

impl LaplacianPattern {
    /// The pattern of a mesh. Triangles that name a vertex twice are left out.
    ///
    /// # Panics
    /// When a triangle names a vertex that does not exist.
    pub fn new(vertex_count: usize, triangles: &[[u32; 3]]) -> Self {
        assert!(triangles.iter().flatten().all(|&v| (v as usize) < vertex_count), "vertices exist");
        let triangles: Vec<[u32; 3]> =
            triangles.iter().filter(|[a, b, c]| a != b && b != c && c != a).copied().collect();
        let sides = |&[a, b, c]: &[u32; 3]| [[b, c], [c, a], [a, b]].map(|[i, j]| [i.min(j), i.max(j)]);
        let edges: Vec<[u32; 2]> = distinct(triangles.iter().flat_map(sides));
        let number = |edge| edges.partition_point(|e| *e < edge) as u32;
        let opposite = triangles.iter().map(|t| sides(t).map(number)).collect();
        Self { vertex_count, triangles, opposite, edges: edges.into() }
    }

    /// The triangles that count.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The edges, smaller vertex first, in ascending order.
    pub fn edges(&self) -> &[[u32; 2]] {
        &self.edges
    }

    /// Where the matrices L + D have entries, for any diagonal D.
    pub fn matrix_pattern(&self) -> SymmetricPattern {
        SymmetricPattern::new(self.vertex_count, &self.edges)
    }

    /// The Laplacian of one pose.
    ///
    /// # Panics
    /// When there are not as many positions as vertices.
    pub fn laplacian(&self, positions: &[Vec3]) -> Laplacian {
        let mut weights = vec![0.0; self.edges.len()];
        for (sides, halves) in self.opposite.iter().zip(self.half_cotangents(positions)) {
            (0..3).for_each(|k| weights[sides[k] as usize] += halves[k]);
        }
        Laplacian { edges: self.edges.clone(), weights, areas: vertex_areas(&self.triangles, positions) }
    }

    /// Half the cotangents of the angles of every triangle that counts, corner after corner: what each adds
    /// to the weight of the edge opposite.
    ///
    /// # Panics
    /// When there are not as many positions as vertices.
    pub fn half_cotangents(&self, positions: &[Vec3]) -> Vec<[f64; 3]> {
        let lengths = self.lengths(positions);
        self.opposite.iter().map(|sides| half_cotangents(sides.map(|side| lengths[side as usize]))).collect()
    }

    /// The edges opposite the corners of every triangle that counts, as numbers of [`Self::edges`].
    pub fn opposite_edges(&self) -> &[[u32; 3]] {
        &self.opposite
    }

    /// Lengths of the edges, raised where triangles have no area.
    pub(super) fn lengths(&self, positions: &[Vec3]) -> Vec<f64> {
        assert_eq!(positions.len(), self.vertex_count, "one position per vertex");
        let place = |v: u32| positions[v as usize].as_dvec3();
        let mut lengths: Vec<f64> = self.edges.iter().map(|&[a, b]| place(a).distance(place(b))).collect();
        let mean = lengths.iter().sum::<f64>() / lengths.len().max(1) as f64;
        // A mesh shrunk to a point is one of equilateral triangles, of any size.
        let wanted = if mean > 0.0 { LEAST_SLACK * mean } else { 1.0 };
        let lack = |sides: &[u32; 3]| {
            let [a, b, c] = sides.map(|side| lengths[side as usize]);
            wanted - (a + b + c - 2.0 * a.max(b).max(c))
        };
        let raise = self.opposite.iter().map(lack).fold(0.0, f64::max);
        lengths.iter_mut().for_each(|length| *length += raise);
        lengths
    }
}

impl Laplacian {
    /// The Laplacian of a mesh in a single pose. For many poses keep a [`LaplacianPattern`].
    pub fn new(triangles: &[[u32; 3]], positions: &[Vec3]) -> Self {
        LaplacianPattern::new(positions.len(), triangles).laplacian(positions)
    }

    /// The same with the negative weights, and those near zero, raised to almost nothing. With it every
    /// solution of (L + D) f = D g, D ≥ 0, lies between the smallest and the largest g.
    pub fn without_negative_weights(mut self) -> Self {
        self.weights.iter_mut().for_each(|w| *w = w.max(LEAST_WEIGHT));
        self
    }

    /// L f.
    ///
    /// # Panics
    /// When there are not as many values as vertices.
    pub fn apply(&self, values: &[f64]) -> Vec<f64> {
        assert_eq!(values.len(), self.areas.len(), "one value per vertex");
        let mut out = vec![0.0; values.len()];
        for (&[a, b], w) in self.edges.iter().zip(&self.weights) {
            let flow = w * (values[a as usize] - values[b as usize]);
            out[a as usize] += flow;
            out[b as usize] -= flow;
        }
        out
    }

    /// The entries of L + D for the pattern of [`LaplacianPattern::matrix_pattern`].
    ///
    /// # Panics
    /// When there are not as many entries of D as vertices.
    pub fn plus_diagonal(&self, diagonal: &[f64]) -> Vec<f64> {
        assert_eq!(diagonal.len(), self.areas.len(), "one entry per vertex");
        let mut sums = diagonal.to_vec();
        for (&[a, b], w) in self.edges.iter().zip(&self.weights) {
            sums[a as usize] += w;
            sums[b as usize] += w;
        }
        column_values(&sums, self.edges.iter().copied().zip(self.weights.iter().map(|w| -w)))
    }
}

/// Half the cotangents of a triangle's angles, each opposite the side of the given length.
pub(super) fn half_cotangents([a, b, c]: [f64; 3]) -> [f64; 3] {
    // Heron's formula in the order that keeps thin triangles exact (Kahan).
    let mut sides = [a, b, c];
    sides.sort_unstable_by(|x, y| y.total_cmp(x));
    let [x, y, z] = sides;
    let four_areas = ((x + (y + z)) * (z - (x - y)) * (z + (x - y)) * (x + (y - z))).max(0.0).sqrt();
    [b * b + c * c - a * a, c * c + a * a - b * b, a * a + b * b - c * c].map(|s| 0.5 * s / four_areas)
}

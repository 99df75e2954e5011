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

use crate::solve::sparse::SymmetricPattern;

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
        let mut edges: Vec<[u32; 2]> = triangles.iter().flat_map(sides).collect();
        edges.sort_unstable();
        edges.dedup();
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
        Laplacian { edges: self.edges.clone(), weights, areas: self.areas(positions) }
    }

    /// Area of each vertex.
    pub(super) fn areas(&self, positions: &[Vec3]) -> Vec<f64> {
        let mut areas = vec![0.0; self.vertex_count];
        for corners in &self.triangles {
            let [a, b, c] = corners.map(|v| positions[v as usize].as_dvec3());
            let third = (b - a).cross(c - a).length() / 6.0;
            corners.iter().for_each(|&v| areas[v as usize] += third);
        }
        areas
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
        let mut entries = Vec::with_capacity(sums.len() + self.edges.len());
        let mut next = 0;
        for (column, sum) in sums.iter().enumerate() {
            entries.push(*sum);
            while self.edges.get(next).is_some_and(|edge| edge[0] as usize == column) {
                entries.push(-self.weights[next]);
                next += 1;
            }
        }
        entries
    }
}

/// Half the cotangents of a triangle's angles, each opposite the side of the given length.
pub(super) fn half_cotangents([a, b, c]: [f64; 3]) -> [f64; 3] {
    // Heron's formula in the order that keeps thin triangles exact (Kahan).
    let (x, y, z) = sorted(a, b, c);
    let four_areas = ((x + (y + z)) * (z - (x - y)) * (z + (x - y)) * (x + (y - z))).max(0.0).sqrt();
    [b * b + c * c - a * a, c * c + a * a - b * b, a * a + b * b - c * c].map(|s| 0.5 * s / four_areas)
}

/// Largest first.
fn sorted(a: f64, b: f64, c: f64) -> (f64, f64, f64) {
    let mut all = [a, b, c];
    all.sort_unstable_by(|x, y| y.total_cmp(x));
    (all[0], all[1], all[2])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::sparse::SymbolicCholesky;
    use proptest::prelude::*;

    /// A square of `n` × `n` cells, each vertex moved by `shift`, the cells' diagonals in no one direction.
    fn square(n: usize, shift: impl Fn(usize) -> (f32, f32)) -> (Vec<[u32; 3]>, Vec<Vec3>) {
        let mut positions = Vec::new();
        let mut triangles = Vec::new();
        for y in 0..=n {
            for x in 0..=n {
                let (dx, dy) = shift(positions.len());
                positions.push(Vec3::new(x as f32 + dx, y as f32 + dy, 0.0));
                if x < n && y < n {
                    let at = (y * (n + 1) + x) as u32;
                    let [a, b, c, d] = [at, at + 1, at + 2 + n as u32, at + 1 + n as u32];
                    let odd = (x + y) % 2 == 1;
                    triangles.extend(if odd { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] });
                }
            }
        }
        (triangles, positions)
    }

    /// A sphere of radius 1: a cube's faces of `n` × `n` cells blown up.
    fn sphere(n: i32) -> (Vec<[u32; 3]>, Vec<Vec3>) {
        let mut positions: Vec<Vec3> = Vec::new();
        let mut numbers = std::collections::BTreeMap::new();
        let mut triangles = Vec::new();
        for (axis, side) in (0..3).flat_map(|axis| [(axis, -n), (axis, n)]) {
            let mut vertex = |i: i32, j: i32| {
                let mut p = [0; 3];
                (p[axis], p[(axis + 1) % 3], p[(axis + 2) % 3]) = (side, 2 * i - n, 2 * j - n);
                *numbers.entry(p).or_insert_with(|| {
                    positions.push(Vec3::from_array(p.map(|x| x as f32)).normalize());
                    positions.len() as u32 - 1
                })
            };
            for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
                let [a, b, c, d] = [vertex(i, j), vertex(i + 1, j), vertex(i + 1, j + 1), vertex(i, j + 1)];
                triangles.extend([[a, b, c], [a, c, d]]);
            }
        }
        (triangles, positions)
    }

    proptest! {
        #[test]
        fn linear_functions_are_harmonic_inside_a_flat_mesh(
            shifts in prop::collection::vec((-0.15..0.15_f32, -0.15..0.15_f32), 36),
            (gx, gy) in (-2.0..2.0_f64, -2.0..2.0_f64),
        ) {
            let n = 5;
            let (triangles, p) = square(n, |i| shifts[i]);
            let laplacian = Laplacian::new(&triangles, &p);
            let f: Vec<f64> = p.iter().map(|p| 3.0 + gx * f64::from(p.x) + gy * f64::from(p.y)).collect();
            let lf = laplacian.apply(&f);
            for i in (1..n).flat_map(|y| (1..n).map(move |x| y * (n + 1) + x)) {
                prop_assert!(lf[i].abs() < 1e-9, "{} at {}", lf[i], i);
            }
            // The energy of a linear function is its slope squared times the area.
            let energy: f64 = f.iter().zip(&lf).map(|(f, l)| f * l).sum();
            let area: f64 = laplacian.areas.iter().sum();
            prop_assert!((energy - (gx * gx + gy * gy) * area).abs() < 1e-9 * (1.0 + energy));
        }

        #[test]
        fn no_function_has_negative_energy_however_the_triangles_lie(
            points in prop::collection::vec((0..4_u8, 0..4_u8, 0..2_u8), 12),
            corners in prop::collection::vec((0..12_u32, 0..12_u32, 0..12_u32), 1..30),
            f in prop::collection::vec(-1.0..1.0_f64, 12),
        ) {
            // Small whole numbers: many triangles are collapsed, doubled, or share an edge with many.
            let place = |&(x, y, z): &(u8, u8, u8)| Vec3::new(x.into(), y.into(), z.into());
            let p: Vec<Vec3> = points.iter().map(place).collect();
            let triangles: Vec<[u32; 3]> = corners.iter().map(|&(a, b, c)| [a, b, c]).collect();
            let laplacian = Laplacian::new(&triangles, &p);
            prop_assert!(laplacian.weights.iter().all(|w| w.is_finite()));
            prop_assert!(laplacian.apply(&[1.0; 12]).iter().all(|x| *x == 0.0), "constants are the kernel");
            let scale: f64 = laplacian.weights.iter().map(|w| w.abs()).sum();
            let energy = |l: &Laplacian| f.iter().zip(l.apply(&f)).map(|(f, l)| f * l).sum::<f64>();
            prop_assert!(energy(&laplacian) >= -1e-9 * scale);
            let positive = laplacian.without_negative_weights();
            prop_assert!(positive.weights.iter().all(|w| *w > 0.0));
            prop_assert!(energy(&positive) >= 0.0);
        }
    }

    proptest! {
        #[test]
        fn without_negative_weights_solutions_stay_between_what_is_given(
            shifts in prop::collection::vec((-0.9..0.9_f32, -0.9..0.9_f32), 36),
            given in prop::collection::vec((0.0..1.0_f64, 0..3_u8), 36),
        ) {
            // Vertices moved so far that many triangles are obtuse or fold over; a third of them is held.
            let (triangles, p) = square(5, |i| shifts[i]);
            let pattern = LaplacianPattern::new(p.len(), &triangles);
            let laplacian = pattern.laplacian(&p).without_negative_weights();
            let held: Vec<f64> =
                given.iter().enumerate().map(|(i, g)| if g.1 == 0 || i == 0 { 0.5 } else { 0.0 }).collect();
            let symbolic = SymbolicCholesky::new(pattern.matrix_pattern()).unwrap();
            let mut f: Vec<f64> = given.iter().zip(&held).map(|(g, h)| g.0 * h).collect();
            symbolic.factor(&laplacian.plus_diagonal(&held)).unwrap().solve(&mut f).unwrap();
            let of_held = || given.iter().zip(&held).filter(|(_, h)| **h > 0.0).map(|(g, _)| g.0);
            let (low, high) = (of_held().fold(1.0, f64::min), of_held().fold(0.0, f64::max));
            prop_assert!(f.iter().all(|f| (low - 1e-9..=high + 1e-9).contains(f)), "{:?}", f);
        }
    }

    #[test]
    fn a_sphere_has_its_area_and_its_first_harmonics() {
        let (triangles, p) = sphere(24);
        let laplacian = Laplacian::new(&triangles, &p);
        let area: f64 = laplacian.areas.iter().sum();
        assert!((area / (4.0 * std::f64::consts::PI) - 1.0).abs() < 3e-3, "{area}");
        // −Δ x = 2 x on the unit sphere; in the mean, since single vertices converge more slowly.
        for axis in 0..3 {
            let x: Vec<f64> = p.iter().map(|p| f64::from(p[axis])).collect();
            let energy: f64 = laplacian.apply(&x).iter().zip(&x).map(|(l, x)| l * x).sum();
            let mass: f64 = laplacian.areas.iter().zip(&x).map(|(a, x)| a * x * x).sum();
            assert!((energy / mass - 2.0).abs() < 5e-3, "{}", energy / mass);
        }
    }

    #[test]
    fn entries_are_those_of_the_operator() {
        let (triangles, p) = square(3, |i| ((i * 7 % 5) as f32 * 0.05, (i * 3 % 4) as f32 * 0.05));
        let pattern = LaplacianPattern::new(p.len(), &triangles);
        let laplacian = pattern.laplacian(&p);
        let diagonal: Vec<f64> = (0..p.len()).map(|i| 0.1 * i as f64).collect();
        let f: Vec<f64> = (0..p.len()).map(|i| (i as f64).sin()).collect();
        let out = pattern.matrix_pattern().times(&laplacian.plus_diagonal(&diagonal), &f);
        for (i, lf) in laplacian.apply(&f).iter().enumerate() {
            assert!((out[i] - lf - diagonal[i] * f[i]).abs() < 1e-12);
        }
    }

    #[test]
    fn right_triangles_have_the_weights_of_the_textbook() {
        // A unit square cut along its diagonal: sides 1/2, diagonal 0.
        let (triangles, p) = square(1, |_| (0.0, 0.0));
        let laplacian = Laplacian::new(&triangles, &p);
        for (&[a, b], w) in laplacian.edges.iter().zip(&laplacian.weights) {
            let diagonal = p[a as usize].distance(p[b as usize]) > 1.2;
            assert!((w - if diagonal { 0.0 } else { 0.5 }).abs() < 1e-12);
        }
        assert!((laplacian.areas.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }
}

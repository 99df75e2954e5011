//! Normal equations of correction shapes.
//!
//! Of one vertex with blended matrices T and errors e they are A = Σ (q qᵀ) ⊗ (TᵀT), b = Σ q ⊗ Tᵀe over the frames. The
//! products of coefficients are the same for all vertices, and a symmetric TᵀT has six numbers: A is a matrix product of
//! the two.

use glam::{Mat3A, Vec3A};

use crate::solve::dense::{cholesky, cholesky_solve};
use crate::wide::for_wide_machines;

/// Room for what one frame adds: TᵀT, padded.
const LANES: usize = 8;
/// Pairs of shapes that are summed side by side.
const TOGETHER: usize = 4;
/// Where the entries of a symmetric 3 × 3 matrix stand among its six.
const ENTRY: [[usize; 3]; 3] = [[0, 1, 2], [1, 3, 4], [2, 4, 5]];

/// What the equations of all vertices have in common.
pub struct Equations<'a> {
    /// Coefficients, frame after frame.
    q: &'a [f64],
    /// Number of shapes.
    shapes: usize,
    /// Products of all pairs of coefficients, the first not after the second: of some pairs for every frame, then of the
    /// next.
    products: Vec<[f64; TOGETHER]>,
}

/// Where a vertex' equations are made and solved.
pub struct Room {
    squares: Vec<[f64; LANES]>,
    backs: Vec<[f64; 3]>,
    /// TᵀT for every pair of shapes.
    sums: Vec<f64>,
    /// The upper triangle of A.
    a: Vec<f64>,
    b: Vec<f64>,
}

impl<'a> Equations<'a> {
    /// For given coefficients of so many shapes.
    pub fn new(q: &'a [f64], shapes: usize) -> Self {
        let pairs: Vec<(usize, usize)> = (0..shapes).flat_map(|i| (i..shapes).map(move |j| (i, j))).collect();
        let product = |q: &[f64], pair: Option<&(usize, usize)>| pair.map_or(0.0, |&(i, j)| q[i] * q[j]);
        let some = |pairs: &[(usize, usize)], q: &[f64]| std::array::from_fn(|p| product(q, pairs.get(p)));
        let products =
            pairs.chunks(TOGETHER).flat_map(|pairs| q.chunks_exact(shapes).map(move |q| some(pairs, q)));
        Self { q, shapes, products: products.collect() }
    }

    /// Room for one vertex.
    pub fn room(&self) -> Room {
        let (n, frames) = (3 * self.shapes, self.q.len() / self.shapes);
        Room {
            squares: vec![[0.0; LANES]; frames],
            backs: vec![[0.0; 3]; frames],
            sums: vec![0.0; LANES * TOGETHER * (self.products.len() / frames)],
            a: vec![0.0; n * n],
            b: vec![0.0; n],
        }
    }

    /// The shapes of a vertex, x, y and z of each, given its matrix and error in every frame; `ridge` is a share of the
    /// mean diagonal that is added to it. `None` where that is not enough.
    pub fn solve<'r>(
        &self,
        vertex: impl Fn(usize) -> (Mat3A, Vec3A),
        ridge: f64,
        room: &'r mut Room,
    ) -> Option<&'r [f64]> {
        let Room { squares, backs, sums, a, b } = room;
        for (frame, (square, back)) in squares.iter_mut().zip(backs.iter_mut()).enumerate() {
            let (matrix, error) = vertex(frame);
            let s = (matrix.transpose() * matrix).to_cols_array().map(f64::from);
            *square = [s[0], s[1], s[2], s[4], s[5], s[8], 0.0, 0.0];
            *back = (matrix.transpose() * error).to_array().map(f64::from);
        }
        sum_products(&self.products, squares, sums);
        b.fill(0.0);
        for (q, back) in self.q.chunks_exact(self.shapes).zip(backs) {
            for (b, q) in b.chunks_exact_mut(3).zip(q) {
                b.iter_mut().zip(&*back).for_each(|(b, x)| *b += q * x);
            }
        }
        self.spread(sums, a);
        hold(a, b.len(), ridge);
        solve_upper(a, b).then_some(b)
    }

    /// Writes the upper triangle of A.
    fn spread(&self, sums: &[f64], a: &mut [f64]) {
        let (n, mut sums) = (3 * self.shapes, sums.chunks_exact(LANES));
        for i in 0..self.shapes {
            for (j, sum) in (i..self.shapes).zip(&mut sums) {
                for (axis, entries) in ENTRY.iter().enumerate() {
                    let row = &mut a[(3 * i + axis) * n + 3 * j..][..3];
                    row.iter_mut().zip(entries).for_each(|(x, &entry)| *x = sum[entry]);
                }
            }
        }
    }
}

/// Adds a share of the mean diagonal to it.
fn hold(a: &mut [f64], n: usize, ridge: f64) {
    let trace: f64 = (0..n).map(|i| a[i * n + i]).sum();
    (0..n).for_each(|i| a[i * n + i] += ridge * trace / n as f64 + f64::MIN_POSITIVE);
}

/// Solves normal equations, given by their lower triangle, with a share of their mean diagonal added to it; `false` where
/// that is not enough.
pub fn solve_damped(a: &mut [f64], b: &mut [f64], ridge: f64) -> bool {
    hold(a, b.len(), ridge);
    let sound = cholesky(a, b.len());
    if sound {
        cholesky_solve(a, b.len(), b);
    }
    sound
}

for_wide_machines!(
    /// For each product, what belongs to the frames times the product, summed over all of them.
    fn sum_products(products: &[[f64; TOGETHER]], squares: &[[f64; LANES]], sums: &mut [f64]) {
        for (products, sums) in
            products.chunks_exact(squares.len()).zip(sums.chunks_exact_mut(TOGETHER * LANES))
        {
            let mut some = [[0.0; LANES]; TOGETHER];
            for (products, square) in products.iter().zip(squares) {
                for pair in 0..TOGETHER {
                    for lane in 0..LANES {
                        some[pair][lane] += products[pair] * square[lane];
                    }
                }
            }
            sums.copy_from_slice(some.as_flattened());
        }
    }
);

for_wide_machines!(
    /// Solves A x = b in place, given the upper triangle of A, which its factor replaces: row by row from the top, whole
    /// rows at a time, which suits a few dozen of them. `false` when there is no factor.
    fn solve_upper(a: &mut [f64], b: &mut [f64]) -> bool {
        let n = b.len();
        for k in 0..n {
            let (done, below) = a.split_at_mut((k + 1) * n);
            let row = &mut done[k * n..];
            if row[k].is_nan() || row[k] <= 0.0 {
                return false;
            }
            let scale = 1.0 / row[k].sqrt();
            row[k..].iter_mut().for_each(|x| *x *= scale);
            for (i, other) in (k + 1..n).zip(below.chunks_exact_mut(n)) {
                let factor = row[i];
                other[i..].iter_mut().zip(&row[i..]).for_each(|(x, y)| *x -= factor * y);
            }
            b[k] *= scale;
            let solved = b[k];
            b[k + 1..].iter_mut().zip(&row[k + 1..]).for_each(|(x, y)| *x -= solved * y);
        }
        for k in (0..n).rev() {
            let row = &a[k * n..(k + 1) * n];
            let known: f64 = row[k + 1..].iter().zip(&b[k + 1..]).map(|(x, y)| x * y).sum();
            b[k] = (b[k] - known) / row[k];
        }
        true
    }
);

//! Which bones predict a set of vertices best, told without looking at each vertex.
//!
//! With H = Σ h hᵀ and G = Σ p hᵀ over the vertices, whose rest positions are h = (x, y, z, 1) and whose paths are p,
//! bone c, whose motion is R_c, has the squared error Σ‖R_c h − p‖² = tr R_c H R_cᵀ − 2 tr R_c Gᵀ and a number that is the
//! same for all bones.

use glam::Vec3;
use rayon::prelude::*;

use super::Tables;
use super::kernels::dot;

/// Tells which bones predict a set of vertices best.
pub struct Ranking<'a> {
    runs: &'a Tables<'a>,
    /// For each bone R Rᵀ, as [`products`] lays it out.
    squares: Vec<[f32; 10]>,
}

impl<'a> Ranking<'a> {
    /// For bones that are laid out.
    pub fn new(runs: &'a Tables<'a>) -> Self {
        let d = runs.dims;
        let run = |b: usize, c: usize| &runs.row(b)[c * d..(c + 1) * d];
        let square = |b: usize| products(|i, j| dot(run(b, i), run(b, j)));
        Self { runs, squares: (0..runs.count).into_par_iter().map(square).collect() }
    }

    /// The bones that predict all of the vertices best, at most so many, in no order.
    pub fn nearest<'v>(&self, vertices: impl Iterator<Item = (Vec3, &'v [f32])>, most: usize) -> Vec<u32> {
        let d = self.runs.dims;
        let (mut outer, mut targets) = ([0.0_f32; 10], vec![0.0_f32; 4 * d]);
        for (rest, path) in vertices {
            let h = rest.extend(1.0).to_array();
            outer.iter_mut().zip(products(|i, j| h[i] * h[j])).for_each(|(sum, x)| *sum += x);
            for (x, targets) in h.iter().zip(targets.chunks_exact_mut(d)) {
                targets.iter_mut().zip(path).for_each(|(sum, p)| *sum += x * p);
            }
        }
        let score = |b: usize| {
            let square: f32 = self.squares[b].iter().zip(&outer).map(|(a, b)| a * b).sum();
            square - 2.0 * dot(self.runs.row(b), &targets)
        };
        let mut scored: Vec<(f32, u32)> = (0..self.runs.count).map(|b| (score(b), b as u32)).collect();
        if most < scored.len() {
            scored.select_nth_unstable_by(most, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            scored.truncate(most);
        }
        scored.into_iter().map(|(_, bone)| bone).collect()
    }
}

/// What a symmetric 4 × 4 matrix of products has, such that Σ over both of such lists multiplied is the trace of the
/// product of the matrices.
fn products(product: impl Fn(usize, usize) -> f32) -> [f32; 10] {
    let mut all = [0.0; 10];
    let upper = (0..4).flat_map(|i| (i..4).map(move |j| (i, j)));
    for (out, (i, j)) in all.iter_mut().zip(upper) {
        *out = if i == j { product(i, j) } else { std::f32::consts::SQRT_2 * product(i, j) };
    }
    all
}

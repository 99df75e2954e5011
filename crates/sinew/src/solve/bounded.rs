//! Mixtures of a few bones whose weights are bounded below, or not bounded at all.
//!
//! With r_b the residual of bone b (its prediction minus the vertex, over all frames) and weights that
//! sum to one, the error of a mixture is ‖Σ w_b r_b‖². Everything here works on the small Gram matrix
//! G = RᵀR in double precision and allocates nothing.
//!
//! Apart from [`super::nnls`], which starts from a mixture that is known and has no bound but zero: its systems have no
//! linear term and sizes known when compiling, which makes it fast enough for every vertex of every round. Here mixtures
//! are found once, from nothing; only the steps between minima are the same ([`settle`]).

use super::jacobi::symmetric_eigen;
use super::nnls::settle;

/// The most influences a vertex can have.
pub const MOST_INFLUENCES: usize = 16;

/// A symmetric matrix of which the first `len` rows and columns are used.
pub type Gram = [[f64; MOST_INFLUENCES]; MOST_INFLUENCES];

/// Minimises wᵀGw over Σw = 1 and w ≥ −`bound`: the active-set method of Lawson and Hanson, with the sum
/// held exactly. The first `len` entries of the result are the weights.
///
/// A nearly singular G (two bones that move alike) is damped by a 1e-10 share of its trace.
pub fn bounded_mixture(gram: &Gram, len: usize, bound: f64) -> [f64; MOST_INFLUENCES] {
    let k = len;
    let trace: f64 = (0..k).map(|i| gram[i][i]).sum();
    let damping = 1e-10 * trace / k as f64;
    let entry = |i: usize, j: usize| gram[i][j] + if i == j { damping } else { 0.0 };
    // In v = w + bound the bound is zero: minimise ½vᵀGv − fᵀv with f = bound·G1, Σv = 1 + k·bound.
    let total = 1.0 + k as f64 * bound;
    let f: [f64; MOST_INFLUENCES] =
        std::array::from_fn(|i| if i < k { bound * (0..k).map(|j| entry(i, j)).sum::<f64>() } else { 0.0 });
    let mut v = [0.0; MOST_INFLUENCES];
    let start = (0..k).min_by(|&a, &b| gram[a][a].total_cmp(&gram[b][b])).unwrap_or(0);
    v[start] = total;
    let mut free = 1_u32 << start;
    for _ in 0..3 * MOST_INFLUENCES {
        let blocks = |now: f64, then: f64, step: f64| now / (now - then) < step;
        settle(k, &mut free, &mut v, blocks, |members| minimum_on_plane(&entry, &f, members, total));
        // A bone outside the mixture enters if some of it lowers the error.
        let slope = |i: usize| (0..k).map(|j| entry(i, j) * v[j]).sum::<f64>() - f[i];
        let level = (0..k).filter(|i| free >> i & 1 == 1).map(slope).fold(f64::INFINITY, f64::min);
        let candidate = (0..k).filter(|i| free >> i & 1 == 0).min_by(|&a, &b| slope(a).total_cmp(&slope(b)));
        match candidate {
            Some(i) if slope(i) < level - 1e-12 * trace => free |= 1 << i,
            _ => break,
        }
    }
    std::array::from_fn(|i| if i < k { v[i] - bound } else { 0.0 })
}

/// The minimum of ½vᵀGv − fᵀv over the members' entries with Σv = total: G v = f + λ1.
fn minimum_on_plane(
    entry: &impl Fn(usize, usize) -> f64,
    f: &[f64; MOST_INFLUENCES],
    members: &[usize],
    total: f64,
) -> Option<[f64; MOST_INFLUENCES]> {
    let n = members.len();
    let mut l = [[0.0; MOST_INFLUENCES]; MOST_INFLUENCES];
    for i in 0..n {
        for j in 0..=i {
            let dot: f64 = (0..j).map(|m| l[i][m] * l[j][m]).sum();
            let rest = entry(members[i], members[j]) - dot;
            if i == j {
                if rest <= 0.0 {
                    // A single member needs no matrix: it takes all.
                    return (n == 1).then(|| std::array::from_fn(|i| if i == 0 { total } else { 0.0 }));
                }
                l[i][i] = rest.sqrt();
            } else {
                l[i][j] = rest / l[j][j];
            }
        }
    }
    let solve = |b: &dyn Fn(usize) -> f64| {
        let mut x = [0.0; MOST_INFLUENCES];
        for i in 0..n {
            x[i] = (b(i) - (0..i).map(|j| l[i][j] * x[j]).sum::<f64>()) / l[i][i];
        }
        for i in (0..n).rev() {
            x[i] = (x[i] - (i + 1..n).map(|j| l[j][i] * x[j]).sum::<f64>()) / l[i][i];
        }
        x
    };
    let ones = solve(&|_| 1.0);
    let linear = solve(&|i| f[members[i]]);
    let lambda = (total - linear[..n].iter().sum::<f64>()) / ones[..n].iter().sum::<f64>();
    let v: [f64; MOST_INFLUENCES] = std::array::from_fn(|i| linear[i] + lambda * ones[i]);
    v[..n].iter().all(|x| x.is_finite()).then_some(v)
}

/// Minimises wᵀGw over Σw = 1 alone, by an eigendecomposition of G on the plane Σw = 0 that leaves out
/// directions with eigenvalues below `smallest`: in those, bones differ too little to tell their weights.
pub fn truncated_mixture(gram: &Gram, len: usize, smallest: f64) -> [f64; MOST_INFLUENCES] {
    match len {
        0..=4 => truncated::<4>(gram, len, smallest),
        5..=8 => truncated::<8>(gram, len, smallest),
        _ => truncated::<MOST_INFLUENCES>(gram, len, smallest),
    }
}

fn truncated<const N: usize>(gram: &Gram, k: usize, smallest: f64) -> [f64; MOST_INFLUENCES] {
    // w = 1/k + P u with P = 1 − 11ᵀ/k: no bone is preferred, unlike when one weight is eliminated.
    let inv = 1.0 / k as f64;
    let row_mean: [f64; N] =
        std::array::from_fn(|i| if i < k { inv * (0..k).map(|j| gram[i][j]).sum::<f64>() } else { 0.0 });
    let mean = inv * row_mean[..k].iter().sum::<f64>();
    let projected: [[f64; N]; N] = std::array::from_fn(|i| {
        std::array::from_fn(
            |j| if i < k && j < k { gram[i][j] - row_mean[i] - row_mean[j] + mean } else { 0.0 },
        )
    });
    let (values, vectors) = symmetric_eigen(projected);
    let mut w: [f64; MOST_INFLUENCES] = std::array::from_fn(|i| if i < k { inv } else { 0.0 });
    for e in (0..N).filter(|&e| values[e] > smallest) {
        let slope: f64 = (0..k).map(|i| vectors[i][e] * (row_mean[i] - mean)).sum();
        for i in 0..k {
            w[i] -= vectors[i][e] * slope / values[e];
        }
    }
    w
}

#[cfg(test)]
#[path = "../../tests/unit/solve_bounded.rs"]
mod tests;

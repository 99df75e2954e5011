//! Small dense linear algebra of a size known only when running.
//!
//! Matrices are row-major slices. The sizes here are tens, where a library's blocking and threading cost
//! more than they save, and the calls sit inside loops that must not allocate.

use crate::wide::for_wide_machines;

/// Replaces the lower triangle of a symmetric positive definite n×n matrix by its Cholesky factor.
/// `false` when the matrix is not positive definite.
pub(crate) fn cholesky(a: &mut [f64], n: usize) -> bool {
    for i in 0..n {
        for j in 0..=i {
            let dot = dot(&a[i * n..i * n + j], &a[j * n..j * n + j]);
            let rest = a[i * n + j] - dot;
            if i == j {
                if rest.is_nan() || rest <= 0.0 {
                    return false;
                }
                a[i * n + i] = rest.sqrt();
            } else {
                a[i * n + j] = rest / a[j * n + j];
            }
        }
    }
    true
}

/// Rows shorter than this are summed one by one.
const SHORT: usize = 32;

/// Inner product.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    if a.len() < SHORT { a.iter().zip(b).map(|(x, y)| x * y).sum() } else { long_dot(a, b) }
}

#[inline(always)]
fn long_dot_body(a: &[f64], b: &[f64]) -> f64 {
    const LANES: usize = 16;
    let mut lanes = [0.0_f64; LANES];
    let (a_chunks, b_chunks) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let rest: f64 = a_chunks.remainder().iter().zip(b_chunks.remainder()).map(|(x, y)| x * y).sum();
    for (a, b) in a_chunks.zip(b_chunks) {
        for lane in 0..LANES {
            lanes[lane] += a[lane] * b[lane];
        }
    }
    lanes.iter().sum::<f64>() + rest
}

for_wide_machines! {
    /// Inner product of long rows.
    long_dot, long_dot_body, (a: &[f64], b: &[f64]) -> f64
}

/// Solves A x = b in place, given the factor from [`cholesky`].
pub(crate) fn cholesky_solve(l: &[f64], n: usize, b: &mut [f64]) {
    for i in 0..n {
        let dot = dot(&l[i * n..i * n + i], &b[..i]);
        b[i] = (b[i] - dot) / l[i * n + i];
    }
    for i in (0..n).rev() {
        b[i] /= l[i * n + i];
        // Row by row, which is how the factor lies in memory.
        let (before, x) = (&l[i * n..i * n + i], b[i]);
        b[..i].iter_mut().zip(before).for_each(|(b, l)| *b -= l * x);
    }
}

/// Solves A X = B in place for a B of `width` columns, stored row by row, given the factor from [`cholesky`].
pub(crate) fn cholesky_solve_rows(l: &[f64], n: usize, b: &mut [f64], width: usize) {
    let take = |to: &mut [f64], from: &[f64], factor: f64| {
        to.iter_mut().zip(from).for_each(|(x, y)| *x -= factor * y);
    };
    for i in 0..n {
        let (done, row) = b.split_at_mut(i * width);
        let row = &mut row[..width];
        for (j, solved) in done.chunks_exact(width).enumerate() {
            take(row, solved, l[i * n + j]);
        }
        row.iter_mut().for_each(|x| *x /= l[i * n + i]);
    }
    for i in (0..n).rev() {
        let (above, row) = b.split_at_mut(i * width);
        let row = &mut row[..width];
        row.iter_mut().for_each(|x| *x /= l[i * n + i]);
        for (j, waiting) in above.chunks_exact_mut(width).enumerate() {
            take(waiting, row, l[i * n + j]);
        }
    }
}

/// Eigenvalues, largest first, and eigenvectors as columns of a symmetric n×n matrix, by cyclic Jacobi
/// rotations.
pub(crate) fn symmetric_eigen_sorted(a: &mut [f64], n: usize) -> (Vec<f64>, Vec<f64>) {
    let mut v = vec![0.0; n * n];
    for i in 0..n {
        v[i * n + i] = 1.0;
    }
    let scale = a.iter().fold(0.0_f64, |s, x| s.max(x.abs()));
    for _ in 0..40 {
        let mut off = 0.0_f64;
        for p in 0..n {
            for q in p + 1..n {
                off = off.max(a[p * n + q].abs());
                rotate(a, &mut v, n, p, q, 1e-16 * scale);
            }
        }
        if off <= 1e-14 * scale {
            break;
        }
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| a[j * n + j].total_cmp(&a[i * n + i]));
    let values = order.iter().map(|&i| a[i * n + i]).collect();
    let vectors =
        (0..n).flat_map(|row| order.iter().map(move |&i| (row, i))).map(|(r, i)| v[r * n + i]).collect();
    (values, vectors)
}

fn rotate(a: &mut [f64], v: &mut [f64], n: usize, p: usize, q: usize, tiny: f64) {
    let apq = a[p * n + q];
    if apq.abs() <= tiny {
        return;
    }
    let theta = (a[q * n + q] - a[p * n + p]) / (2.0 * apq);
    let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    for k in 0..n {
        let (x, y) = (a[k * n + p], a[k * n + q]);
        a[k * n + p] = c * x - s * y;
        a[k * n + q] = s * x + c * y;
        let (x, y) = (v[k * n + p], v[k * n + q]);
        v[k * n + p] = c * x - s * y;
        v[k * n + q] = s * x + c * y;
    }
    for k in 0..n {
        let (x, y) = (a[p * n + k], a[q * n + k]);
        a[p * n + k] = c * x - s * y;
        a[q * n + k] = s * x + c * y;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn factors_and_eigenvectors_rebuild_the_matrix(
            (n, entries) in (1..9_usize).prop_flat_map(|n| (Just(n), prop::collection::vec(-1.0..1.0_f64, n * n)))
        ) {
            // BᵀB + 1 is positive definite.
            let mut a = vec![0.0; n * n];
            for i in 0..n {
                for j in 0..n {
                    a[i * n + j] = (0..n).map(|k| entries[k * n + i] * entries[k * n + j]).sum::<f64>()
                        + f64::from(u8::from(i == j));
                }
            }
            let mut l = a.clone();
            prop_assert!(cholesky(&mut l, n));
            let mut x: Vec<f64> = (0..n).map(|i| a[i * n..(i + 1) * n].iter().sum()).collect();
            cholesky_solve(&l, n, &mut x);
            prop_assert!(x.iter().all(|x| (x - 1.0).abs() < 1e-9));

            let (values, vectors) = symmetric_eigen_sorted(&mut a.clone(), n);
            prop_assert!(values.windows(2).all(|w| w[0] >= w[1]));
            for i in 0..n {
                for j in 0..n {
                    let back: f64 = (0..n).map(|e| vectors[i * n + e] * values[e] * vectors[j * n + e]).sum();
                    prop_assert!((back - a[i * n + j]).abs() < 1e-9);
                }
            }
        }
    }

    #[test]
    fn indefinite_matrices_are_refused() {
        assert!(!cholesky(&mut [1.0, 2.0, 2.0, 1.0], 2));
        assert!(!cholesky(&mut [f64::NAN], 1));
    }
}

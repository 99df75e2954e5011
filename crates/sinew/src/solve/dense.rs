//! Cholesky factors of small dense matrices, of a size known only when running.
//!
//! Matrices are row-major slices. The sizes here are tens, where a library's blocking and threading cost
//! more than they save, and the calls sit inside loops that must not allocate.

use crate::progress::{Cancelled, Progress, Silent};
use crate::wide::{dot_in_lanes, for_wide_machines};

/// Replaces the lower triangle of a symmetric positive definite n×n matrix by its Cholesky factor.
/// `false` when the matrix is not positive definite.
pub(crate) fn cholesky(a: &mut [f64], n: usize) -> bool {
    (0..n).all(|i| cholesky_row(a, n, i))
}

/// [`cholesky`] of matrices so large that it may be cancelled.
pub(crate) fn cholesky_large(a: &mut [f64], n: usize, progress: &dyn Progress) -> Result<bool, Cancelled> {
    for i in 0..n {
        progress.check()?;
        if !cholesky_row(a, n, i) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// One row of the factor, those above being done.
fn cholesky_row(a: &mut [f64], n: usize, i: usize) -> bool {
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
    true
}

/// Rows shorter than this are summed one by one.
const SHORT: usize = 32;

/// Inner product.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    if a.len() < SHORT { a.iter().zip(b).map(|(x, y)| x * y).sum() } else { long_dot(a, b) }
}

for_wide_machines!(
    /// Inner product of long rows.
    fn long_dot(a: &[f64], b: &[f64]) -> f64 {
        let whole = a.len() / 16 * 16;
        let rest: f64 = a[whole..].iter().zip(&b[whole..]).map(|(x, y)| x * y).sum();
        dot_in_lanes::<16>(&a[..whole], &b[..whole]) + rest
    }
);

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
    let solved = cholesky_solve_rows_large(l, n, b, width, &Silent);
    debug_assert!(solved.is_ok(), "nobody cancels");
}

/// Solves A X = B in place likewise, given the matrix, which its factor replaces. `false` when it has none.
pub(crate) fn solve_rows(a: &mut [f64], n: usize, b: &mut [f64], width: usize) -> bool {
    let factored = cholesky(a, n);
    if factored {
        cholesky_solve_rows(a, n, b, width);
    }
    factored
}

/// [`cholesky_solve_rows`] of matrices so large that it may be cancelled.
pub(crate) fn cholesky_solve_rows_large(
    l: &[f64],
    n: usize,
    b: &mut [f64],
    width: usize,
    progress: &dyn Progress,
) -> Result<(), Cancelled> {
    let take = |to: &mut [f64], from: &[f64], factor: f64| {
        to.iter_mut().zip(from).for_each(|(x, y)| *x -= factor * y);
    };
    for i in 0..n {
        progress.check()?;
        let (done, row) = b.split_at_mut(i * width);
        let row = &mut row[..width];
        for (j, solved) in done.chunks_exact(width).enumerate() {
            take(row, solved, l[i * n + j]);
        }
        row.iter_mut().for_each(|x| *x /= l[i * n + i]);
    }
    for i in (0..n).rev() {
        progress.check()?;
        let (above, row) = b.split_at_mut(i * width);
        let row = &mut row[..width];
        row.iter_mut().for_each(|x| *x /= l[i * n + i]);
        for (j, waiting) in above.chunks_exact_mut(width).enumerate() {
            take(waiting, row, l[i * n + j]);
        }
    }
    Ok(())
}

#[cfg(test)]
#[path = "../../tests/unit/solve_dense.rs"]
mod tests;

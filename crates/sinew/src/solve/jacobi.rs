//! Eigenvalues and eigenvectors of small symmetric matrices by cyclic Jacobi rotations.
//!
//! Golub and Van Loan, "Matrix Computations", section 8.5. Every rotation is by at most 45°, which keeps the columns
//! in the order and, as far as possible, the direction of the axes. For hundreds of rows see [`super::tridiagonal`].

use std::convert::Infallible;

use glam::{DMat3, DVec3};

/// When to stop, as shares of the largest entry.
struct Limits {
    /// Entries that are not worth a rotation.
    negligible: f64,
    /// A sweep that meets nothing larger off the diagonal is the last.
    enough: f64,
    sweeps: usize,
}

/// Eigenvalues and eigenvectors of a symmetric 3×3 matrix, as (values, matrix of column vectors).
///
/// The values are in no particular order: the vectors stay as near to the axes as the matrix allows, so
/// that a slowly changing matrix, expressed in its last eigenvectors, changes them slowly. The vectors
/// form a rotation.
pub fn symmetric_eigen3(m: DMat3) -> (DVec3, DMat3) {
    let a = [
        [m.x_axis.x, m.y_axis.x, m.z_axis.x],
        [m.y_axis.x, m.y_axis.y, m.z_axis.y],
        [m.z_axis.x, m.z_axis.y, m.z_axis.z],
    ];
    let (values, v) = symmetric_eigen(a);
    let column = |j: usize| DVec3::new(v[0][j], v[1][j], v[2][j]);
    (DVec3::from_array(values), DMat3::from_cols(column(0), column(1), column(2)))
}

/// Eigenvalues, in the order of the axes, and column eigenvectors (`v[row][column]`) of a matrix on the stack.
pub(crate) fn symmetric_eigen<const N: usize>(mut a: [[f64; N]; N]) -> ([f64; N], [[f64; N]; N]) {
    let mut v = [[0.0; N]; N];
    let limits = Limits { negligible: 1e-15, enough: 1e-15, sweeps: 32 };
    let Ok(()) =
        diagonalise(a.as_flattened_mut(), v.as_flattened_mut(), N, &limits, || Ok::<_, Infallible>(()));
    (std::array::from_fn(|i| a[i][i]), v)
}

/// Eigenvalues, largest first, and eigenvectors as columns of a symmetric n×n matrix.
pub(crate) fn symmetric_eigen_sorted(a: &mut [f64], n: usize) -> (Vec<f64>, Vec<f64>) {
    let Ok(found) = try_symmetric_eigen_sorted(a, n, || Ok::<_, Infallible>(()));
    found
}

/// The same for matrices so large that somebody may want to end it: asks `check` after every row.
pub(crate) fn try_symmetric_eigen_sorted<E>(
    a: &mut [f64],
    n: usize,
    check: impl FnMut() -> Result<(), E>,
) -> Result<(Vec<f64>, Vec<f64>), E> {
    let mut v = vec![0.0; n * n];
    diagonalise(a, &mut v, n, &Limits { negligible: 1e-16, enough: 1e-14, sweeps: 40 }, check)?;
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| a[j * n + j].total_cmp(&a[i * n + i]));
    let values = order.iter().map(|&i| a[i * n + i]).collect();
    let vectors =
        (0..n).flat_map(|row| order.iter().map(move |&i| (row, i))).map(|(r, i)| v[r * n + i]).collect();
    Ok((values, vectors))
}

/// Leaves eigenvalues on the diagonal of `a` and eigenvectors in the columns of `v`, which comes as zeros.
#[inline(always)]
fn diagonalise<E>(
    a: &mut [f64],
    v: &mut [f64],
    n: usize,
    limits: &Limits,
    mut check: impl FnMut() -> Result<(), E>,
) -> Result<(), E> {
    for i in 0..n {
        v[i * n + i] = 1.0;
    }
    let scale = a.iter().fold(0.0_f64, |s, x| s.max(x.abs()));
    for _ in 0..limits.sweeps {
        let mut off = 0.0_f64;
        for p in 0..n {
            check()?;
            for q in p + 1..n {
                off = off.max(a[p * n + q].abs());
                if a[p * n + q].abs() > limits.negligible * scale {
                    rotate(a, v, n, p, q);
                }
            }
        }
        if off <= limits.enough * scale {
            break;
        }
    }
    Ok(())
}

/// The plane rotation that makes the entry of row `p` and column `q` zero.
#[inline(always)]
fn rotate(a: &mut [f64], v: &mut [f64], n: usize, p: usize, q: usize) {
    let theta = (a[q * n + q] - a[p * n + p]) / (2.0 * a[p * n + q]);
    let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    let turn = |all: &mut [f64], i: usize, j: usize| {
        let (x, y) = (all[i], all[j]);
        all[i] = c * x - s * y;
        all[j] = s * x + c * y;
    };
    for k in 0..n {
        turn(a, k * n + p, k * n + q);
        turn(v, k * n + p, k * n + q);
    }
    for k in 0..n {
        turn(a, p * n + k, q * n + k);
    }
}

#[cfg(test)]
#[path = "../../tests/unit/solve_jacobi.rs"]
mod tests;

//! All eigenvalues and eigenvectors of symmetric matrices with hundreds of rows.
//!
//! Householder reflections bring the matrix to tridiagonal form, implicit QL steps empty the outer two diagonals
//! (Golub and Van Loan, "Matrix Computations", section 8.3). Work grows with n³ and is bounded: every
//! eigenvalue gets a fixed number of steps. For small matrices the Jacobi rotations of [`super::jacobi`] are
//! shorter and as fast.
//!
//! Not by the crate `faer`, although it is faster here: its sums are as wide as the machine's registers, and what
//! comes of this goes into files that shall have the same bits on every processor.

use super::dense::dot;
use crate::progress::{Cancelled, Progress, Silent};

/// The most QL steps an eigenvalue gets; two or three are usual.
const MOST_STEPS: usize = 64;

/// Eigenvalues, largest first, and eigenvectors, each a row of an n×n matrix, of a symmetric n×n matrix.
pub(crate) fn eigen_rows(a: Vec<f64>, n: usize) -> (Vec<f64>, Vec<f64>) {
    eigen_rows_unless_cancelled(a, n, &Silent).expect("nobody cancels")
}

/// The same for matrices so large that somebody may not want to wait.
pub(crate) fn eigen_rows_unless_cancelled(
    mut a: Vec<f64>,
    n: usize,
    progress: &dyn Progress,
) -> Result<(Vec<f64>, Vec<f64>), Cancelled> {
    let [mut values, mut outer, mut rows] = tridiagonal(&mut a, n, progress)?;
    empty_outer(&mut values, &mut outer, &mut rows, n, progress)?;
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| values[j].total_cmp(&values[i]));
    let sorted = order.iter().flat_map(|&i| &rows[i * n..(i + 1) * n]).copied().collect();
    Ok((order.iter().map(|&i| values[i]).collect(), sorted))
}

/// Q, T with A = Q T Qᵀ: the diagonal of T, the diagonal beside it (padded to n), and Qᵀ.
fn tridiagonal(a: &mut [f64], n: usize, progress: &dyn Progress) -> Result<[Vec<f64>; 3], Cancelled> {
    let (mut outer, mut factors) = (vec![0.0; n], vec![0.0; n]);
    for k in 0..n.saturating_sub(1) {
        progress.check()?;
        let (top, below) = a.split_at_mut((k + 1) * n);
        let v = &mut top[k * n + k + 1..];
        let tail = dot(&v[1..], &v[1..]);
        if tail == 0.0 {
            outer[k] = v[0];
            continue;
        }
        // The reflection that leaves of v its first entry only.
        outer[k] = -(v[0] * v[0] + tail).sqrt().copysign(v[0]);
        v[0] -= outer[k];
        let factor = 2.0 / (v[0] * v[0] + tail);
        factors[k] = factor;
        reflect_both_sides(below, n, k + 1, v, factor);
    }
    let diagonal = (0..n).map(|i| a[i * n + i]).collect();
    Ok([diagonal, outer, transposed_product(a, n, &factors, progress)?])
}

/// B ← H B H with H = 1 − factor·v vᵀ, on the block of `rows` from column `start` on.
fn reflect_both_sides(rows: &mut [f64], n: usize, start: usize, v: &[f64], factor: f64) {
    let mut w: Vec<f64> = rows.chunks_exact(n).map(|row| factor * dot(&row[start..], v)).collect();
    let half = 0.5 * factor * dot(&w, v);
    w.iter_mut().zip(v).for_each(|(w, v)| *w -= half * v);
    for (row, (&vi, &wi)) in rows.chunks_exact_mut(n).zip(v.iter().zip(&w)) {
        row[start..].iter_mut().zip(v.iter().zip(&w)).for_each(|(b, (vj, wj))| *b -= vi * wj + wi * vj);
    }
}

/// Qᵀ for the product Q of all reflections, whose vectors lie right of the diagonal.
fn transposed_product(
    a: &[f64],
    n: usize,
    factors: &[f64],
    progress: &dyn Progress,
) -> Result<Vec<f64>, Cancelled> {
    let mut q = vec![0.0; n * n];
    (0..n).for_each(|i| q[i * n + i] = 1.0);
    let mut sum = vec![0.0; n];
    for k in (0..n).rev().filter(|&k| factors[k] != 0.0) {
        progress.check()?;
        let v = &a[k * n + k + 1..(k + 1) * n];
        let block = &mut q[(k + 1) * n..];
        sum.fill(0.0);
        for (row, &vi) in block.chunks_exact(n).zip(v) {
            sum.iter_mut().zip(row).for_each(|(s, x)| *s += vi * x);
        }
        for (row, &vi) in block.chunks_exact_mut(n).zip(v) {
            let step = factors[k] * vi;
            row.iter_mut().zip(&sum).for_each(|(x, s)| *x -= step * s);
        }
    }
    Ok((0..n * n).map(|i| q[(i % n) * n + i / n]).collect())
}

/// Turns `rows` along until nothing is left beside the diagonal.
fn empty_outer(
    d: &mut [f64],
    e: &mut [f64],
    rows: &mut [f64],
    n: usize,
    progress: &dyn Progress,
) -> Result<(), Cancelled> {
    let norm = d.iter().zip(&*e).fold(0.0_f64, |most, (d, e)| most.max(d.abs() + e.abs()));
    let nothing = f64::EPSILON * norm;
    for l in 0..n {
        for _ in 0..MOST_STEPS {
            let m = (l..n - 1).find(|&m| e[m].abs() <= nothing).unwrap_or(n - 1);
            if m == l {
                break;
            }
            progress.check()?;
            ql_step(d, e, rows, n, l, m);
        }
    }
    Ok(())
}

/// One implicit QL step with Wilkinson's shift on the block from `l` to `m`.
fn ql_step(d: &mut [f64], e: &mut [f64], rows: &mut [f64], n: usize, l: usize, m: usize) {
    let ratio = (d[l + 1] - d[l]) / (2.0 * e[l]);
    let mut g = d[m] - d[l] + e[l] / (ratio + ratio.hypot(1.0).copysign(ratio));
    let (mut s, mut c, mut p) = (1.0, 1.0, 0.0);
    for i in (l..m).rev() {
        let (f, b) = (s * e[i], c * e[i]);
        let r = f.hypot(g);
        e[i + 1] = r;
        if r == 0.0 {
            // The block has come apart here.
            d[i + 1] -= p;
            e[m] = 0.0;
            return;
        }
        (s, c) = (f / r, g / r);
        g = d[i + 1] - p;
        let turned = (d[i] - g) * s + 2.0 * c * b;
        p = s * turned;
        d[i + 1] = g + p;
        g = c * turned - b;
        let (upper, lower) = rows[i * n..(i + 2) * n].split_at_mut(n);
        for (x, y) in upper.iter_mut().zip(lower) {
            (*x, *y) = (c * *x - s * *y, s * *x + c * *y);
        }
    }
    d[l] -= p;
    e[l] = g;
    e[m] = 0.0;
}

#[cfg(test)]
#[path = "../../tests/unit/solve_tridiagonal.rs"]
mod tests;

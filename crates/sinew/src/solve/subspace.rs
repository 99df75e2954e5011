//! Leading singular vectors and eigenvectors by subspace (orthogonal) iteration.
//!
//! Golub and Van Loan, "Matrix Computations", section 8.2.4: columns that are multiplied and made orthonormal in turn
//! come to span the strongest directions. A few columns more than are wanted make the last ones sharp. Matrices of
//! columns are stored row after row.

/// Multiplies and orthonormalises the columns of `basis`, `passes` times; `times` is the product with the matrix.
/// `vanishes` as in [`orthonormalise`].
pub(crate) fn subspace_iteration<E>(
    mut basis: Vec<f64>,
    width: usize,
    passes: usize,
    vanishes: impl Fn(f64) -> f64,
    mut times: impl FnMut(&[f64]) -> Result<Vec<f64>, E>,
) -> Result<Vec<f64>, E> {
    orthonormalise(&mut basis, width, &vanishes);
    for _ in 0..passes {
        basis = times(&basis)?;
        orthonormalise(&mut basis, width, &vanishes);
    }
    Ok(basis)
}

/// Orthonormalises the columns of a tall matrix (modified Gram-Schmidt, twice, which is enough) and returns the
/// triangular factor. A column that is no longer than `vanishes` says, given its length before, becomes zero.
pub(crate) fn orthonormalise(q: &mut [f64], width: usize, vanishes: impl Fn(f64) -> f64) -> Vec<f64> {
    let rows = q.len() / width;
    let mut r = vec![0.0; width * width];
    for j in 0..width {
        let length = |q: &[f64]| (0..rows).map(|t| q[t * width + j].powi(2)).sum::<f64>().sqrt();
        let before = length(q);
        for _ in 0..2 {
            for i in 0..j {
                let dot: f64 = (0..rows).map(|t| q[t * width + i] * q[t * width + j]).sum();
                r[i * width + j] += dot;
                (0..rows).for_each(|t| q[t * width + j] -= dot * q[t * width + i]);
            }
        }
        let after = length(q);
        let scale = if after > vanishes(before) { 1.0 / after } else { 0.0 };
        r[j * width + j] = if scale > 0.0 { after } else { 0.0 };
        (0..rows).for_each(|t| q[t * width + j] *= scale);
    }
    r
}

/// The first `keep` columns of `a · b`, with a of rows `width` long and b width×width.
pub(crate) fn multiply(a: &[f64], width: usize, b: &[f64], keep: usize) -> Vec<f64> {
    a.chunks_exact(width)
        .flat_map(|row| (0..keep).map(move |j| (0..width).map(|k| row[k] * b[k * width + j]).sum()))
        .collect()
}

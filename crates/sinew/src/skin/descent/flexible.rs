//! Bones that may stretch: all of them together, for all reduced coordinates, by the normal equations.

use glam::DAffine3;

use super::{Bones, Normal};
use crate::progress::{Cancelled, Progress};
use crate::solve::dense::{cholesky_large, cholesky_solve_rows_large};

/// How strongly a bone is held to its last motion, relative to the weight it carries: enough where its
/// vertices leave a direction open (a flat patch, a bone hardly used), nothing elsewhere.
const HOLD: f64 = 1e-6;
/// The same relative to the bone that carries most, for bones that carry nothing.
const LEAST_HOLD: f64 = 1e-9;

/// The factored equations of the bones that are free to move.
pub struct Factor {
    /// Bones that are free.
    free: Vec<usize>,
    /// Cholesky factor of their part of the normal matrix, held.
    factor: Vec<f64>,
    /// How strongly each is held.
    holds: Vec<f64>,
    /// For each row the entries of the normal matrix that belong to locked bones: bone, row of it, entry.
    locked: Vec<Vec<(usize, usize, f64)>>,
}

impl Factor {
    /// Factors; `None` where rounding leaves nothing to factor.
    pub fn new(bones: &Bones, normal: &Normal, progress: &dyn Progress) -> Result<Option<Self>, Cancelled> {
        let free: Vec<usize> = (0..bones.count()).filter(|&b| !bones.locked[b]).collect();
        let rows: Vec<usize> = free.iter().flat_map(|b| (0..4).map(move |r| b * 4 + r)).collect();
        let n = rows.len();
        let entry = |row: usize, column: usize| normal.matrix[row * normal.rows + column];
        let mut factor: Vec<f64> = rows
            .iter()
            .flat_map(|&row| rows.iter().map(move |&column| (row, column)))
            .map(|(r, c)| entry(r, c))
            .collect();
        let largest = (0..bones.count()).map(|b| normal.block(b, b)[3][3]).fold(f64::MIN_POSITIVE, f64::max);
        let holds: Vec<f64> =
            free.iter().map(|&b| HOLD * normal.block(b, b)[3][3] + LEAST_HOLD * largest).collect();
        (0..n).for_each(|i| factor[i * n + i] += holds[i / 4]);
        let locked = rows
            .iter()
            .map(|&row| {
                (0..bones.count())
                    .filter(|&b| bones.locked[b])
                    .flat_map(|b| (0..4).map(move |r| (b, r)))
                    .map(|(b, r)| (b, r, entry(row, b * 4 + r)))
                    .filter(|e| e.2 != 0.0)
                    .collect()
            })
            .collect();
        let sound = cholesky_large(&mut factor, n, progress)?;
        Ok(sound.then_some(Self { free, factor, holds, locked }))
    }

    /// Moves free bones to the minimum: `last` and `target` give the runs of a bone's row, `set` takes them.
    fn solve<'a>(
        &self,
        width: usize,
        last: impl Fn(usize, usize) -> &'a [f64],
        target: impl Fn(usize, usize) -> &'a [f64],
        progress: &dyn Progress,
    ) -> Result<Vec<f64>, Cancelled> {
        let n = 4 * self.free.len();
        let mut right = vec![0.0; n * width];
        for (i, out) in right.chunks_exact_mut(width).enumerate() {
            let (b, r) = (self.free[i / 4], i % 4);
            out.copy_from_slice(target(b, r));
            // Locked bones take their share of the target.
            for &(bone, row, factor) in &self.locked[i] {
                out.iter_mut().zip(last(bone, row)).for_each(|(x, y)| *x -= factor * y);
            }
            let hold = self.holds[i / 4];
            out.iter_mut().zip(last(b, r)).for_each(|(x, y)| *x += hold * y);
        }
        cholesky_solve_rows_large(&self.factor, n, &mut right, width, progress)?;
        Ok(right)
    }

    /// Moves the free bones of one frame to the minimum for given right-hand sides.
    pub fn solve_frame(
        &self,
        transforms: &mut [DAffine3],
        targets: &[[[f64; 4]; 3]],
        progress: &dyn Progress,
    ) -> Result<(), Cancelled> {
        let columns = |t: &DAffine3| {
            [
                t.matrix3.x_axis.to_array(),
                t.matrix3.y_axis.to_array(),
                t.matrix3.z_axis.to_array(),
                t.translation.to_array(),
            ]
        };
        let last: Vec<[[f64; 3]; 4]> = transforms.iter().map(columns).collect();
        let turned: Vec<[[f64; 3]; 4]> = targets
            .iter()
            .map(|t| std::array::from_fn(|column| std::array::from_fn(|axis| t[axis][column])))
            .collect();
        let solved = self.solve(3, |b, r| &last[b][r], |b, r| &turned[b][r], progress)?;
        for (&b, rows) in self.free.iter().zip(solved.chunks_exact(12)) {
            transforms[b] = DAffine3::from_cols_slice(rows);
        }
        Ok(())
    }
}

/// Moves the bones to the minimum. Locked ones stay, and all of them where the equations cannot be solved.
pub fn solve(bones: &mut Bones, normal: &Normal, progress: &dyn Progress) -> Result<(), Cancelled> {
    let Some(factor) = Factor::new(bones, normal, progress)? else { return Ok(()) };
    let dims = normal.dims;
    let runs = &bones.runs;
    let row = |b: usize, r: usize| (b * 4 + r) * dims..(b * 4 + r + 1) * dims;
    let solved = factor.solve(dims, |b, r| &runs[row(b, r)], |b, r| &normal.right[row(b, r)], progress)?;
    for (&b, rows) in factor.free.iter().zip(solved.chunks_exact(4 * dims)) {
        bones.runs[b * 4 * dims..(b + 1) * 4 * dims].copy_from_slice(rows);
    }
    Ok(())
}

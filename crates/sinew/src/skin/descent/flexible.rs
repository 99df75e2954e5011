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

/// The factored equations of the bones that are free to move. Each bone has four rows.
pub struct Factor {
    /// Rows of the bones that are free.
    rows: Vec<usize>,
    /// Cholesky factor of their part of the normal matrix, held.
    factor: Vec<f64>,
    /// How strongly each bone that is free is held.
    holds: Vec<f64>,
    /// For each row the entries of the normal matrix that belong to locked bones, and their columns.
    locked: Vec<Vec<(usize, f64)>>,
}

impl Factor {
    /// Factors; `None` where rounding leaves nothing to factor.
    pub fn new(bones: &Bones, normal: &Normal, progress: &dyn Progress) -> Result<Option<Self>, Cancelled> {
        let (locked, rows): (Vec<usize>, Vec<usize>) = (0..normal.rows).partition(|r| bones.locked[r / 4]);
        let n = rows.len();
        let entry = |row: usize, column: usize| normal.matrix[row * normal.rows + column];
        let mass = |bone: usize| entry(4 * bone + 3, 4 * bone + 3);
        let mut factor: Vec<f64> =
            rows.iter().flat_map(|&row| rows.iter().map(move |&column| entry(row, column))).collect();
        let largest = (0..bones.count()).map(mass).fold(f64::MIN_POSITIVE, f64::max);
        let hold = |row: &usize| HOLD * mass(row / 4) + LEAST_HOLD * largest;
        let holds: Vec<f64> = rows.iter().step_by(4).map(hold).collect();
        (0..n).for_each(|i| factor[i * n + i] += holds[i / 4]);
        let others = |&row: &usize| {
            let entries = locked.iter().map(|&column| (column, entry(row, column)));
            entries.filter(|(_, entry)| *entry != 0.0).collect()
        };
        let locked = rows.iter().map(others).collect();
        let sound = cholesky_large(&mut factor, n, progress)?;
        Ok(sound.then_some(Self { rows, factor, holds, locked }))
    }

    /// Moves free bones to the minimum: of `motions`, rows of `width` numbers, those that are theirs.
    fn solve(
        &self,
        motions: &mut [f64],
        targets: &[f64],
        width: usize,
        progress: &dyn Progress,
    ) -> Result<(), Cancelled> {
        let row = |r: usize| r * width..(r + 1) * width;
        let mut right = vec![0.0; self.rows.len() * width];
        for (i, out) in right.chunks_exact_mut(width).enumerate() {
            out.copy_from_slice(&targets[row(self.rows[i])]);
            // Locked bones take their share of the target.
            for &(column, factor) in &self.locked[i] {
                out.iter_mut().zip(&motions[row(column)]).for_each(|(x, y)| *x -= factor * y);
            }
            let hold = self.holds[i / 4];
            out.iter_mut().zip(&motions[row(self.rows[i])]).for_each(|(x, y)| *x += hold * y);
        }
        cholesky_solve_rows_large(&self.factor, self.rows.len(), &mut right, width, progress)?;
        for (&r, solved) in self.rows.iter().zip(right.chunks_exact(width)) {
            motions[row(r)].copy_from_slice(solved);
        }
        Ok(())
    }

    /// Moves the free bones of one frame to the minimum for given right-hand sides.
    pub fn solve_frame(
        &self,
        transforms: &mut [DAffine3],
        targets: &[[[f64; 4]; 3]],
        progress: &dyn Progress,
    ) -> Result<(), Cancelled> {
        let mut columns: Vec<f64> = transforms.iter().flat_map(DAffine3::to_cols_array).collect();
        let turned = |target: &[[f64; 4]; 3]| -> [f64; 12] { std::array::from_fn(|i| target[i % 3][i / 3]) };
        let targets: Vec<f64> = targets.iter().flat_map(turned).collect();
        self.solve(&mut columns, &targets, 3, progress)?;
        for (transform, columns) in transforms.iter_mut().zip(columns.chunks_exact(12)) {
            *transform = DAffine3::from_cols_slice(columns);
        }
        Ok(())
    }
}

/// Moves the bones to the minimum. Locked ones stay, and all of them where the equations cannot be solved.
pub fn solve(bones: &mut Bones, normal: &Normal, progress: &dyn Progress) -> Result<(), Cancelled> {
    match Factor::new(bones, normal, progress)? {
        Some(factor) => factor.solve(&mut bones.runs, &normal.right, normal.dims, progress),
        None => Ok(()),
    }
}

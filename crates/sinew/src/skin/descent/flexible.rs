//! Bones that may stretch: all of them together, for all reduced coordinates, by the normal equations.

use glam::DAffine3;

use super::normal::Block;
use super::{Bones, Normal};
use crate::progress::{Cancelled, Progress, in_parallel};
use crate::solve::dense::{cholesky_large, cholesky_solve_rows_large};
use crate::solve::sparse::{Cholesky, SymbolicCholesky, SymmetricPattern, column_values};

/// How strongly a bone is held to its last motion, relative to the weight it carries: enough where its
/// vertices leave a direction open (a flat patch, a bone hardly used), nothing elsewhere.
const HOLD: f64 = 1e-6;
/// The same relative to the bone that carries most, for bones that carry nothing.
const LEAST_HOLD: f64 = 1e-9;

/// The most bones whose equations are factored with their zeros: below, what finding the others takes is more.
const DENSE: usize = 128;
/// Right-hand sides that are solved together where zeros are left out.
const TOGETHER: usize = 16;

/// The factored equations of the bones that are free to move. Each bone has four rows.
pub struct Factor {
    /// The bones that are free.
    free: Vec<u32>,
    /// Cholesky factor of their part of the normal matrix, held.
    factor: Factored,
    /// How strongly each of them is held.
    holds: Vec<f64>,
    /// For each row the entries of the normal matrix that belong to locked bones, and their columns.
    locked: Vec<Vec<(usize, f64)>>,
}

enum Factored {
    Dense(Vec<f64>),
    Sparse(Cholesky),
}

impl Factor {
    /// Factors; `None` where rounding leaves nothing to factor.
    pub fn new(bones: &Bones, normal: &Normal, progress: &dyn Progress) -> Result<Option<Self>, Cancelled> {
        let free: Vec<u32> = (0..normal.bones as u32).filter(|&b| !bones.locked[b as usize]).collect();
        let mut place = vec![None; normal.bones];
        free.iter().enumerate().for_each(|(at, &b)| place[b as usize] = Some(at));
        let largest = (0..normal.bones).map(|b| normal.mass(b)).fold(f64::MIN_POSITIVE, f64::max);
        let hold = |&bone: &u32| HOLD * normal.mass(bone as usize) + LEAST_HOLD * largest;
        let holds: Vec<f64> = free.iter().map(hold).collect();
        let mut locked = vec![Vec::new(); 4 * free.len()];
        for ([a, b], block) in normal.blocks() {
            let (at, other) = match (place[a], place[b]) {
                (Some(at), None) => (at, b),
                (None, Some(at)) => (at, a),
                _ => continue,
            };
            for (row, entries) in block.iter().enumerate() {
                let entries = entries.iter().enumerate().filter(|(_, entry)| **entry != 0.0);
                locked[4 * at + row].extend(entries.map(|(column, entry)| (4 * other + column, *entry)));
            }
        }
        let blocks: Vec<Entries> = normal
            .blocks()
            .filter_map(|([a, b], block)| Some(Entries { at: place[a]?, and: place[b]?, block }))
            .collect();
        let factor = match free.len() {
            ..=DENSE => dense(&blocks, &holds, progress)?,
            _ => sparse(&blocks, &holds),
        };
        Ok(factor.map(|factor| Self { free, factor, holds, locked }))
    }

    /// Moves free bones to the minimum: of `motions`, rows of `width` numbers, those that are theirs.
    fn solve(
        &self,
        motions: &mut [f64],
        targets: &[f64],
        width: usize,
        progress: &dyn Progress,
    ) -> Result<(), Cancelled> {
        let n = 4 * self.free.len();
        let row = |i: usize| {
            let first = (4 * self.free[i / 4] as usize + i % 4) * width;
            first..first + width
        };
        let mut right = vec![0.0; n * width];
        for (i, out) in right.chunks_exact_mut(width).enumerate() {
            out.copy_from_slice(&targets[row(i)]);
            // Locked bones take their share of the target.
            for &(column, factor) in &self.locked[i] {
                let other = &motions[column * width..(column + 1) * width];
                out.iter_mut().zip(other).for_each(|(x, y)| *x -= factor * y);
            }
            let hold = self.holds[i / 4];
            out.iter_mut().zip(&motions[row(i)]).for_each(|(x, y)| *x += hold * y);
        }
        match &self.factor {
            Factored::Dense(factor) => cholesky_solve_rows_large(factor, n, &mut right, width, progress)?,
            Factored::Sparse(factor) => {
                // Columns, so many together whatever the number of threads.
                let solved = in_parallel(progress, width.div_ceil(TOGETHER), |part| {
                    let columns = part * TOGETHER..((part + 1) * TOGETHER).min(width);
                    let mut some: Vec<f64> =
                        columns.flat_map(|c| right.iter().skip(c).step_by(width)).copied().collect();
                    Ok(factor.solve(&mut some).map(|()| some))
                })?;
                // With no memory to solve them in, bones stay where they are.
                let Ok(solved) = solved.into_iter().collect::<Result<Vec<Vec<f64>>, _>>() else {
                    return Ok(());
                };
                for (c, column) in solved.iter().flat_map(|some| some.chunks_exact(n)).enumerate() {
                    right.iter_mut().skip(c).step_by(width).zip(column).for_each(|(x, y)| *x = *y);
                }
            }
        }
        for (i, solved) in right.chunks_exact(width).enumerate() {
            motions[row(i)].copy_from_slice(solved);
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

/// The block of two free bones, told by their places among these, the first not after the second.
struct Entries<'a> {
    at: usize,
    and: usize,
    block: &'a Block,
}

fn dense(blocks: &[Entries], holds: &[f64], progress: &dyn Progress) -> Result<Option<Factored>, Cancelled> {
    let n = 4 * holds.len();
    let mut matrix = vec![0.0; n * n];
    for Entries { at, and, block } in blocks {
        for (row, entries) in block.iter().enumerate() {
            for (first, second) in [(at, and), (and, at)] {
                matrix[(4 * first + row) * n + 4 * second..][..4].copy_from_slice(entries);
            }
        }
    }
    (0..n).for_each(|i| matrix[i * n + i] += holds[i / 4]);
    let sound = cholesky_large(&mut matrix, n, progress)?;
    Ok(sound.then_some(Factored::Dense(matrix)))
}

fn sparse(blocks: &[Entries], holds: &[f64]) -> Option<Factored> {
    let n = 4 * holds.len();
    let mut diagonal: Vec<f64> = (0..n).map(|i| holds[i / 4]).collect();
    let mut entries = Vec::with_capacity(16 * blocks.len());
    for Entries { at, and, block } in blocks {
        for (row, column) in (0..16).map(|i| (i / 4, i % 4)) {
            let (i, j) = (4 * at + row, 4 * and + column);
            if i == j {
                diagonal[i] += block[row][column];
            } else if i < j {
                entries.push(([i as u32, j as u32], block[row][column]));
            }
        }
    }
    entries.sort_unstable_by_key(|(pair, _)| *pair);
    let pairs: Vec<[u32; 2]> = entries.iter().map(|(pair, _)| *pair).collect();
    let symbolic = SymbolicCholesky::new(SymmetricPattern::new(n, &pairs)).ok()?;
    symbolic.factor(&column_values(&diagonal, entries.into_iter())).ok().map(Factored::Sparse)
}

/// Moves the bones to the minimum. Locked ones stay, and all of them where the equations cannot be solved.
pub fn solve(bones: &mut Bones, normal: &Normal, progress: &dyn Progress) -> Result<(), Cancelled> {
    match Factor::new(bones, normal, progress)? {
        Some(factor) => factor.solve(&mut bones.runs, &normal.right, normal.dims, progress),
        None => Ok(()),
    }
}

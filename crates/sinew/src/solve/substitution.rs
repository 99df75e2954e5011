//! A Cholesky factor laid out for solving three right-hand sides at a time, again and again.
//!
//! The factor's columns that share their rows lie together in blocks, row after row, so that a solve reads
//! it twice from one end to the other and allocates nothing. The three right-hand sides of a row lie side by
//! side, in the order of elimination; [`Substitution::place`] says where each row of the matrix went.

use faer::sparse::linalg::cholesky::{SymbolicCholeskyRaw, supernodal::SupernodalLltRef};

use super::sparse::{SolveError, SymbolicCholesky, SymmetricPattern};
use crate::wide::for_wide_machines;

/// The right-hand sides of one row, and one lane that is not used.
pub(crate) type Row = [f64; 4];

/// A factor, ready for many solves.
#[derive(Clone, Debug, Default)]
pub(crate) struct Substitution {
    places: Vec<u32>,
    blocks: Vec<Block>,
    /// Rows below the blocks.
    rows: Vec<u32>,
    /// Of every block the triangle on the diagonal, row after row, with inverse diagonal entries, then the
    /// rows below it.
    values: Vec<f64>,
}

/// Neighbouring columns with the same rows below them.
#[derive(Clone, Copy, Debug)]
struct Block {
    first: u32,
    width: u32,
    /// How many rows are below.
    below: u32,
}

impl Substitution {
    /// Factors the matrix with the given values.
    pub fn new(pattern: SymmetricPattern, values: &[f64]) -> Result<Self, SolveError> {
        let size = pattern.size();
        if size == 0 {
            return Ok(Self::default());
        }
        let factor = SymbolicCholesky::in_blocks(pattern)?.factor(values)?;
        let (symbolic, values) = factor.parts();
        let mut out = Self { places: (0..size as u32).collect(), ..Self::default() };
        if let Some(order) = symbolic.perm() {
            out.places.copy_from_slice(order.arrays().1);
        }
        match symbolic.raw() {
            SymbolicCholeskyRaw::Supernodal(supernodal) => {
                let factor = SupernodalLltRef::new(supernodal, values);
                for number in 0..supernodal.n_supernodes() {
                    let node = factor.supernode(number);
                    let (block, width) = (node.val(), node.val().ncols());
                    out.push(node.start(), width, node.pattern(), |row, column| block[(row, column)]);
                }
            }
            // What has hardly an entry off its diagonal is not worth blocks.
            SymbolicCholeskyRaw::Simplicial(simplicial) => {
                let (starts, rows) = (simplicial.col_ptr(), simplicial.row_idx());
                for column in 0..size {
                    let slots = starts[column] as usize..starts[column + 1] as usize;
                    let entries = &values[slots.clone()];
                    out.push(column, 1, &rows[slots][1..], |row, _| entries[row]);
                }
            }
        }
        Ok(out)
    }

    /// Adds the next block: its first column, how many there are, the rows below, and the entries.
    fn push(&mut self, first: usize, width: usize, below: &[u32], entry: impl Fn(usize, usize) -> f64) {
        self.blocks.push(Block { first: first as u32, width: width as u32, below: below.len() as u32 });
        self.rows.extend_from_slice(below);
        for row in 0..width {
            self.values.extend((0..row).map(|column| entry(row, column)));
            self.values.push(1.0 / entry(row, row));
        }
        for row in width..width + below.len() {
            self.values.extend((0..width).map(|column| entry(row, column)));
        }
    }

    /// Number of rows.
    pub fn size(&self) -> usize {
        self.places.len()
    }

    /// Where a row of the matrix lies among the right-hand sides.
    pub fn place(&self, row: u32) -> u32 {
        self.places[row as usize]
    }

    /// Replaces right-hand sides by solutions.
    ///
    /// # Panics
    /// When there are not as many as the matrix has rows.
    pub fn solve(&self, x: &mut [Row]) {
        assert_eq!(x.len(), self.size(), "a right-hand side per row");
        forwards(self, x);
        backwards(self, x);
    }
}

#[inline(always)]
fn take(from: &mut Row, factor: f64, x: &Row) {
    for lane in 0..4 {
        from[lane] -= factor * x[lane];
    }
}

for_wide_machines!(
    /// Solves with the factor.
    pub fn forwards(s: &Substitution, x: &mut [Row]) {
        let (mut rows, mut values) = (&s.rows[..], &s.values[..]);
        for block in &s.blocks {
            let (first, width, below) = (block.first as usize, block.width as usize, block.below as usize);
            for i in 0..width {
                let (before, rest) = values.split_at(i + 1);
                let mut sum = x[first + i];
                for (l, x) in before[..i].iter().zip(&x[first..first + i]) {
                    take(&mut sum, *l, x);
                }
                x[first + i] = sum.map(|s| s * before[i]);
                values = rest;
            }
            let (dense, rest) = values.split_at(width * below);
            let (some, others) = rows.split_at(below);
            let (known, open) = x.split_at_mut(first + width);
            let known = &known[first..];
            for (row, l) in some.iter().zip(dense.chunks_exact(width)) {
                let mut sum = [0.0; 4];
                for (l, x) in l.iter().zip(known) {
                    take(&mut sum, *l, x);
                }
                let to = &mut open[*row as usize - first - width];
                for lane in 0..4 {
                    to[lane] += sum[lane];
                }
            }
            (rows, values) = (others, rest);
        }
    }
);

for_wide_machines!(
    /// Solves with the factor turned over.
    pub fn backwards(s: &Substitution, x: &mut [Row]) {
        let (mut rows, mut values) = (&s.rows[..], &s.values[..]);
        for block in s.blocks.iter().rev() {
            let (first, width, below) = (block.first as usize, block.width as usize, block.below as usize);
            let (others, some) = rows.split_at(rows.len() - below);
            let (rest, dense) = values.split_at(values.len() - width * below);
            let (open, known) = x.split_at_mut(first + width);
            let open = &mut open[first..];
            for (row, l) in some.iter().zip(dense.chunks_exact(width)) {
                let x = known[*row as usize - first - width];
                for (l, to) in l.iter().zip(open.iter_mut()) {
                    take(to, *l, &x);
                }
            }
            values = rest;
            for i in (0..width).rev() {
                let (rest, line) = values.split_at(values.len() - i - 1);
                let (before, at) = open.split_at_mut(i);
                at[0] = at[0].map(|x| x * line[i]);
                for (l, to) in line[..i].iter().zip(before) {
                    take(to, *l, &at[0]);
                }
                values = rest;
            }
            rows = others;
        }
    }
);

#[cfg(test)]
#[path = "../../tests/unit/solve_substitution.rs"]
mod tests;

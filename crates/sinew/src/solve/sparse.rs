//! Sparse symmetric positive definite systems, solved by Cholesky factors.
//!
//! Three steps, each of which can be kept: what depends on the pattern of entries alone
//! ([`SymbolicCholesky`], for all poses of a mesh), the factor of one matrix ([`Cholesky`]), and solving
//! with it for as many right-hand sides as come. The work is that of the crate `faer`, on the calling
//! thread: the same bits whoever calls, and callers spread frames or columns over threads themselves.

use std::sync::Arc;

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::cholesky::{
    self as faer_cholesky, CholeskySymbolicParams, LltRef, SymmetricOrdering,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Side};

/// Where a symmetric matrix has entries: of every column its diagonal, then what lies below it, in
/// ascending order. Values of a matrix are given in the same order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymmetricPattern {
    /// Where each column starts in `rows`; one more than there are columns.
    starts: Vec<u32>,
    rows: Vec<u32>,
}

/// Values of a matrix of a [`SymmetricPattern`]: those on its diagonal, and those of its pairs in their order.
pub(crate) fn column_values(diagonal: &[f64], pairs: impl Iterator<Item = ([u32; 2], f64)>) -> Vec<f64> {
    let mut pairs = pairs.peekable();
    let mut values = Vec::with_capacity(diagonal.len() + pairs.size_hint().0);
    for (column, entry) in (0..).zip(diagonal) {
        values.push(*entry);
        values.extend(std::iter::from_fn(|| pairs.next_if(|(pair, _)| pair[0] == column)).map(|(_, x)| x));
    }
    values
}

/// Ways in which a system cannot be solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SolveError {
    /// The matrix has a negative direction, a value that is not a number or, as far as rounding shows it, a
    /// kernel.
    #[error("the system of equations has no unique solution")]
    NotPositiveDefinite,
    /// More memory or larger numbers than there are.
    #[error("the system of equations is too large")]
    TooLarge,
}

/// The shape of the factors of all matrices with one pattern.
#[derive(Clone, Debug)]
pub struct SymbolicCholesky {
    inner: Arc<Symbolic>,
}

#[derive(Debug)]
struct Symbolic {
    pattern: SymmetricPattern,
    factor: faer_cholesky::SymbolicCholesky<u32>,
}

/// The Cholesky factor of a matrix.
#[derive(Clone, Debug)]
pub struct Cholesky {
    symbolic: Arc<Symbolic>,
    values: Vec<f64>,
}

impl SymmetricPattern {
    /// The pattern with the whole diagonal and one entry for each of `pairs`: row and column, the smaller
    /// first, all different, in ascending order.
    ///
    /// # Panics
    /// When the pairs are not so, or of rows that do not exist.
    pub fn new(size: usize, pairs: &[[u32; 2]]) -> Self {
        assert!(pairs.is_sorted_by(|a, b| a < b), "pairs in ascending order");
        assert!(pairs.iter().all(|[a, b]| a < b && (*b as usize) < size), "rows below the diagonal");
        let mut starts = Vec::with_capacity(size + 1);
        let mut rows = Vec::with_capacity(size + pairs.len());
        let mut next = 0;
        for column in 0..size as u32 {
            starts.push(rows.len() as u32);
            rows.push(column);
            while pairs.get(next).is_some_and(|pair| pair[0] == column) {
                rows.push(pairs[next][1]);
                next += 1;
            }
        }
        starts.push(rows.len() as u32);
        Self { starts, rows }
    }

    /// Number of rows, and of columns.
    pub fn size(&self) -> usize {
        self.starts.len() - 1
    }

    /// Number of values a matrix of this pattern has.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// A x, for the matrix with the given values.
    ///
    /// # Panics
    /// When the lengths do not fit.
    pub fn times(&self, values: &[f64], x: &[f64]) -> Vec<f64> {
        assert_eq!((values.len(), x.len()), (self.len(), self.size()), "values fit the pattern");
        let mut out = vec![0.0; x.len()];
        for column in 0..self.size() {
            for slot in self.starts[column] as usize..self.starts[column + 1] as usize {
                let row = self.rows[slot] as usize;
                out[row] += values[slot] * x[column];
                if row != column {
                    out[column] += values[slot] * x[row];
                }
            }
        }
        out
    }

    fn symbolic(&self) -> SymbolicSparseColMatRef<'_, u32> {
        SymbolicSparseColMatRef::new_checked(self.size(), self.size(), &self.starts, None, &self.rows)
    }
}

impl SymbolicCholesky {
    /// Finds an order of elimination with few entries to fill in, and what they are.
    pub fn new(pattern: SymmetricPattern) -> Result<Self, SolveError> {
        Self::with(pattern, Default::default())
    }

    /// The same with columns that have the same rows below them always in blocks.
    pub(crate) fn in_blocks(pattern: SymmetricPattern) -> Result<Self, SolveError> {
        let supernodal_flop_ratio_threshold = SupernodalThreshold::FORCE_SUPERNODAL;
        Self::with(pattern, CholeskySymbolicParams { supernodal_flop_ratio_threshold, ..Default::default() })
    }

    fn with(pattern: SymmetricPattern, params: CholeskySymbolicParams) -> Result<Self, SolveError> {
        let ordering = SymmetricOrdering::Amd;
        let factor =
            faer_cholesky::factorize_symbolic_cholesky(pattern.symbolic(), Side::Lower, ordering, params);
        let factor = factor.map_err(|_| SolveError::TooLarge)?;
        Ok(Self { inner: Arc::new(Symbolic { pattern, factor }) })
    }

    /// Factors the matrix with the given values.
    ///
    /// # Panics
    /// When there are not as many values as the pattern has.
    pub fn factor(&self, values: &[f64]) -> Result<Cholesky, SolveError> {
        let Symbolic { pattern, factor } = &*self.inner;
        assert_eq!(values.len(), pattern.len(), "values fit the pattern");
        // The factorisation looks for pivots at or below zero, which what is not a number is not.
        if !values.iter().all(|value| value.is_finite()) {
            return Err(SolveError::NotPositiveDefinite);
        }
        let mut out = vec![0.0; factor.len_val()];
        let needed = factor.factorize_numeric_llt_scratch::<f64>(Par::Seq, Default::default());
        let mut memory = MemBuffer::try_new(needed).map_err(|_| SolveError::TooLarge)?;
        let done = factor.factorize_numeric_llt(
            &mut out,
            SparseColMatRef::new(pattern.symbolic(), values),
            Side::Lower,
            Default::default(),
            Par::Seq,
            MemStack::new(&mut memory),
            Default::default(),
        );
        done.map_err(|_| SolveError::NotPositiveDefinite)?;
        Ok(Cholesky { symbolic: self.inner.clone(), values: out })
    }
}

impl Cholesky {
    /// Number of rows.
    pub fn size(&self) -> usize {
        self.symbolic.pattern.size()
    }

    /// The factor's shape and its entries.
    pub(crate) fn parts(&self) -> (&faer_cholesky::SymbolicCholesky<u32>, &[f64]) {
        (&self.symbolic.factor, &self.values)
    }

    /// Replaces right-hand sides, one column after the other, by their solutions.
    ///
    /// # Panics
    /// When the columns are not whole.
    pub fn solve(&self, columns: &mut [f64]) -> Result<(), SolveError> {
        let size = self.size();
        if columns.is_empty() {
            return Ok(());
        }
        assert!(size > 0 && columns.len().is_multiple_of(size), "whole columns");
        let width = columns.len() / size;
        let needed = self.symbolic.factor.solve_in_place_scratch::<f64>(width, Par::Seq);
        let mut memory = MemBuffer::try_new(needed).map_err(|_| SolveError::TooLarge)?;
        LltRef::new(&self.symbolic.factor, &self.values).solve_in_place_with_conj(
            Conj::No,
            MatMut::from_column_major_slice_mut(columns, size, width),
            Par::Seq,
            MemStack::new(&mut memory),
        );
        Ok(())
    }
}

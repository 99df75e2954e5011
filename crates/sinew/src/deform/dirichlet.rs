//! Laplace and Poisson systems with some values given.

use crate::solve::sparse::{SymmetricPattern, column_values};

/// Stands for no row.
pub(super) const NONE: u32 = u32::MAX;

/// The rows of a Laplacian that belong to points without a given value.
pub(super) struct Dirichlet {
    /// The row of each point, [`NONE`] where the value is given.
    pub row_of: Vec<u32>,
    pub pattern: SymmetricPattern,
    pub values: Vec<f64>,
    /// What given values add to the right-hand side: row, point, weight.
    pub given: Vec<(u32, u32, f64)>,
}

impl Dirichlet {
    /// The system of a Laplacian with these weights on edges, which are different, smaller point first.
    pub fn new(edges: impl Iterator<Item = ([u32; 2], f64)>, given: &[bool]) -> Self {
        let mut row_of = vec![NONE; given.len()];
        let mut rows = 0;
        for point in (0..given.len()).filter(|&p| !given[p]) {
            row_of[point] = rows;
            rows += 1;
        }
        let mut diagonal = vec![0.0; rows as usize];
        let mut pairs: Vec<([u32; 2], f64)> = Vec::new();
        let mut known = Vec::new();
        for ([a, b], weight) in edges {
            let ends = [a, b].map(|p| row_of[p as usize]);
            ends.iter().filter(|row| **row != NONE).for_each(|&row| diagonal[row as usize] += weight);
            match ends {
                [NONE, NONE] => {}
                [NONE, row] => known.push((row, a, weight)),
                [row, NONE] => known.push((row, b, weight)),
                [x, y] => pairs.push(([x.min(y), x.max(y)], weight)),
            }
        }
        pairs.sort_unstable_by_key(|pair| pair.0);
        let values = column_values(&diagonal, pairs.iter().map(|&(pair, weight)| (pair, -weight)));
        let pairs: Vec<[u32; 2]> = pairs.into_iter().map(|pair| pair.0).collect();
        Self { row_of, pattern: SymmetricPattern::new(diagonal.len(), &pairs), values, given: known }
    }
}

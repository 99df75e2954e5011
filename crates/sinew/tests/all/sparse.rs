//! Sparse Cholesky factors.

use proptest::prelude::*;
use sinew::solve::sparse::{SolveError, SymbolicCholesky, SymmetricPattern};

/// A random graph's Laplacian plus a diagonal: pattern and values.
fn system(size: usize, pairs: &[(usize, usize)], weight: f64, diagonal: f64) -> (SymmetricPattern, Vec<f64>) {
    let mut pairs: Vec<[u32; 2]> = pairs
        .iter()
        .map(|&(a, b)| (a % size, b % size))
        .filter(|(a, b)| a != b)
        .map(|(a, b)| [a.min(b) as u32, a.max(b) as u32])
        .collect();
    pairs.sort_unstable();
    pairs.dedup();
    let pattern = SymmetricPattern::new(size, &pairs);
    let mut degree = vec![0.0; size];
    pairs.iter().flatten().for_each(|&v| degree[v as usize] += weight);
    let mut values = Vec::new();
    for column in 0..size as u32 {
        values.push(degree[column as usize] + diagonal);
        values.extend(pairs.iter().filter(|p| p[0] == column).map(|_| -weight));
    }
    (pattern, values)
}

proptest! {
    #[test]
    fn solutions_solve(
        size in 1..200_usize,
        pairs in prop::collection::vec((0..200_usize, 0..200_usize), 0..600),
        width in 1..5_usize,
        weight in 0.01..10.0_f64,
    ) {
        let (pattern, values) = system(size, &pairs, weight, 0.1);
        let symbolic = SymbolicCholesky::new(pattern.clone()).unwrap();
        let x: Vec<f64> = (0..size * width).map(|i| (i as f64 * 0.7).sin()).collect();
        // One symbolic factor serves several matrices.
        for factor in [1.0, 3.0] {
            let values: Vec<f64> = values.iter().map(|v| v * factor).collect();
            let cholesky = symbolic.factor(&values).unwrap();
            let mut b: Vec<f64> = x.chunks(size).flat_map(|x| pattern.times(&values, x)).collect();
            cholesky.solve(&mut b).unwrap();
            prop_assert!(b.iter().zip(&x).all(|(b, x)| (b - x).abs() < 1e-8));
        }
    }
}

#[test]
fn what_cannot_be_solved_is_said() {
    let (pattern, mut values) = system(3, &[(0, 1), (1, 2)], 1.0, 0.0);
    let symbolic = SymbolicCholesky::new(pattern).unwrap();
    values[0] = -1.0;
    assert_eq!(symbolic.factor(&values).unwrap_err(), SolveError::NotPositiveDefinite);
    values[0] = f64::NAN;
    assert_eq!(symbolic.factor(&values).unwrap_err(), SolveError::NotPositiveDefinite);
}

#[test]
fn nothing_has_the_solution_nothing() {
    let symbolic = SymbolicCholesky::new(SymmetricPattern::new(0, &[])).unwrap();
    assert_eq!(symbolic.factor(&[]).unwrap().solve(&mut []), Ok(()));
}

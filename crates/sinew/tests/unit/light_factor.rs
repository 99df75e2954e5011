use super::*;
use crate::progress::Silent;

#[test]
fn leading_vectors_are_those_of_the_whole() {
    let (n, rank) = (60, 4);
    // A sum of squares of ever weaker vectors.
    let part = |r: usize, i: usize| ((1 + r) as f64 * i as f64 * 0.37).sin() * 0.6_f64.powi(r as i32);
    let entry = |i: usize, j: usize| (0..12).map(|r| part(r, i) * part(r, j)).sum::<f64>();
    let matrix: Vec<f64> = (0..n * n).map(|at| entry(at / n, at % n)).collect();
    let some = leading(&matrix, n, rank, &Silent).unwrap();
    let (_, all) = symmetric_eigen_sorted(&mut matrix.clone(), n);
    for c in 0..rank {
        let along: f64 = (0..n).map(|t| some[t * rank + c] * all[t * n + c]).sum();
        assert!(along.abs() > 1.0 - 1e-9, "vector {c}: {along}");
    }
}

use super::*;
use proptest::prelude::*;

proptest! {
    #[test]
    fn factors_solve(
        (n, entries) in (1..9_usize).prop_flat_map(|n| (Just(n), prop::collection::vec(-1.0..1.0_f64, n * n)))
    ) {
        // BᵀB + 1 is positive definite.
        let mut a = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..n {
                a[i * n + j] = (0..n).map(|k| entries[k * n + i] * entries[k * n + j]).sum::<f64>()
                    + f64::from(u8::from(i == j));
            }
        }
        let mut l = a.clone();
        prop_assert!(cholesky(&mut l, n));
        let mut x: Vec<f64> = (0..n).map(|i| a[i * n..(i + 1) * n].iter().sum()).collect();
        cholesky_solve(&l, n, &mut x);
        prop_assert!(x.iter().all(|x| (x - 1.0).abs() < 1e-9));
    }
}

#[test]
fn indefinite_matrices_are_refused() {
    assert!(!cholesky(&mut [1.0, 2.0, 2.0, 1.0], 2));
    assert!(!cholesky(&mut [f64::NAN], 1));
}

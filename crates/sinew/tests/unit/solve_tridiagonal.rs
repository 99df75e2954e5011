use super::*;
use proptest::prelude::*;

fn check(a: &[f64], n: usize) -> Vec<f64> {
    let (values, rows) = eigen_rows(a.to_vec(), n);
    let scale = a.iter().fold(1e-300_f64, |s, x| s.max(x.abs()));
    assert!(values.windows(2).all(|w| w[0] >= w[1]), "{values:?}");
    for i in 0..n {
        for j in 0..n {
            let back: f64 = (0..n).map(|k| rows[k * n + i] * values[k] * rows[k * n + j]).sum();
            assert!((back - a[i * n + j]).abs() < 1e-12 * n as f64 * scale, "entry {i}, {j}");
            let product = dot(&rows[i * n..(i + 1) * n], &rows[j * n..(j + 1) * n]);
            assert!((product - f64::from(u8::from(i == j))).abs() < 1e-12 * n as f64);
        }
    }
    values
}

proptest! {
    #[test]
    fn vectors_rebuild_the_matrix_and_are_orthonormal(
        (n, entries) in (1..40_usize)
            .prop_flat_map(|n| (Just(n), prop::collection::vec(-1.0..1.0_f64, n * n))),
        holes in any::<bool>(),
        scale in -200..200_i32,
    ) {
        let mut a = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..=i {
                // Matrices of unconnected blocks have many equal eigenvalues.
                let entry = if holes && (i / 3 != j / 3) { 0.0 } else { entries[i * n + j] };
                a[i * n + j] = entry * 10.0_f64.powi(scale / 2);
                a[j * n + i] = a[i * n + j];
            }
        }
        check(&a, n);
    }
}

#[test]
fn known_spectra() {
    assert_eq!(check(&[0.0; 25], 5), [0.0; 5]);
    // All ones: n once and zeros; far more equal eigenvalues than different ones.
    let n = 150;
    let values = check(&vec![1.0; n * n], n);
    assert!((values[0] - n as f64).abs() < 1e-10 && values[1..].iter().all(|v| v.abs() < 1e-10));
    // A path of masses and springs: 2 − 2 cos(π j / (n + 1)).
    let spring = |i: usize, j: usize| [2.0, -1.0, 0.0][i.abs_diff(j).min(2)];
    let values = check(&(0..n * n).map(|i| spring(i / n, i % n)).collect::<Vec<_>>(), n);
    for (j, value) in values.iter().rev().enumerate() {
        let known = 2.0 - 2.0 * (std::f64::consts::PI * (j + 1) as f64 / (n + 1) as f64).cos();
        assert!((value - known).abs() < 1e-12);
    }
}

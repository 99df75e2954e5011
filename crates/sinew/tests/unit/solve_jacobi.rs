use super::*;
use proptest::prelude::*;

proptest! {
    #[test]
    fn eigenvectors_rebuild_the_matrix(e in prop::array::uniform6(-5.0..5.0_f64)) {
        let m = DMat3::from_cols_array(&[e[0], e[1], e[2], e[1], e[3], e[4], e[2], e[4], e[5]]);
        let (values, v) = symmetric_eigen3(m);
        let back = v * DMat3::from_diagonal(values) * v.transpose();
        prop_assert!((back - m).to_cols_array().iter().all(|x| x.abs() < 1e-9));
        prop_assert!((v.determinant() - 1.0).abs() < 1e-9);
    }

    #[test]
    fn sorted_eigenvectors_rebuild_the_matrix(
        (n, entries) in (1..9_usize).prop_flat_map(|n| (Just(n), prop::collection::vec(-1.0..1.0_f64, n * n)))
    ) {
        let a: Vec<f64> = (0..n * n).map(|k| entries[k] + entries[k % n * n + k / n]).collect();
        let (values, vectors) = symmetric_eigen_sorted(&mut a.clone(), n);
        prop_assert!(values.windows(2).all(|w| w[0] >= w[1]));
        for i in 0..n {
            for j in 0..n {
                let back: f64 = (0..n).map(|e| vectors[i * n + e] * values[e] * vectors[j * n + e]).sum();
                prop_assert!((back - a[i * n + j]).abs() < 1e-9);
            }
        }
    }
}

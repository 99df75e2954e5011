//! Unit tests of `segment/spectral/row_kmeans.rs`, which reach what is private there.

use super::*;
use crate::progress::Silent;

#[test]
fn heaps_are_told_apart_whatever_the_order() {
    let heaps = [[0.0, 0.0], [5.0, 0.0], [0.0, 7.0]];
    let rows: Vec<f64> =
        (0..30).flat_map(|i| heaps[i % 3].map(|x| x + 0.3 * (1.7 * i as f64).sin())).collect();
    let found = cluster(&rows, 2, 3, &Silent).unwrap();
    assert!((0..30).all(|i| found[i] == found[i % 3]), "{found:?}");
    assert_eq!(found.iter().collect::<std::collections::BTreeSet<_>>().len(), 3);
}

#[test]
fn no_cluster_is_empty_even_where_rows_are_equal() {
    for count in 1..=5 {
        let found = cluster(&[1.0; 10], 2, count, &Silent).unwrap();
        assert_eq!(found.iter().collect::<std::collections::BTreeSet<_>>().len(), count);
    }
}

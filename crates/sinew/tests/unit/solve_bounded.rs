use super::*;
use proptest::prelude::*;

fn gram_of(residuals: &[Vec<f64>]) -> Gram {
    let mut g = [[0.0; MOST_INFLUENCES]; MOST_INFLUENCES];
    for (i, a) in residuals.iter().enumerate() {
        for (j, b) in residuals.iter().enumerate() {
            g[i][j] = a.iter().zip(b).map(|(a, b)| a * b).sum();
        }
    }
    g
}

fn energy(g: &Gram, w: &[f64]) -> f64 {
    (0..w.len()).map(|i| (0..w.len()).map(|j| w[i] * g[i][j] * w[j]).sum::<f64>()).sum()
}

/// The best mixture on a fine grid of the simplex, for three bones.
fn by_search(g: &Gram, bound: f64) -> f64 {
    let steps = 60;
    let span = 1.0 + 3.0 * bound;
    let mut best = f64::INFINITY;
    for a in 0..=steps {
        for b in 0..=steps - a {
            let (x, y) = (span * a as f64 / steps as f64, span * b as f64 / steps as f64);
            best = best.min(energy(g, &[x - bound, y - bound, span - x - y - bound]));
        }
    }
    best
}

proptest! {
    #[test]
    fn nothing_on_the_simplex_is_better(
        r in prop::collection::vec(prop::collection::vec(-1.0..1.0_f64, 6), 3),
        bound in prop_oneof![Just(0.0), 0.0..0.5_f64],
    ) {
        let g = gram_of(&r);
        let w = bounded_mixture(&g, 3, bound);
        prop_assert!((w.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        prop_assert!(w[..3].iter().all(|x| *x >= -bound - 1e-12));
        prop_assert!(energy(&g, &w[..3]) <= by_search(&g, bound) + 1e-9);
    }

    #[test]
    fn free_weights_are_never_worse_than_bounded_ones(
        r in prop::collection::vec(prop::collection::vec(-1.0..1.0_f64, 9), 2..7),
    ) {
        let g = gram_of(&r);
        let free = truncated_mixture(&g, r.len(), 1e-12);
        let bounded = bounded_mixture(&g, r.len(), 0.0);
        prop_assert!((free.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        prop_assert!(energy(&g, &free[..r.len()]) <= energy(&g, &bounded[..r.len()]) + 1e-9);
    }
}

#[test]
fn equal_bones_and_perfect_bones_are_no_trouble() {
    let zero = [[0.0; MOST_INFLUENCES]; MOST_INFLUENCES];
    assert_eq!(bounded_mixture(&zero, 4, 0.0)[..4].iter().sum::<f64>(), 1.0);
    let same = gram_of(&vec![vec![1.0, 2.0]; 4]);
    let w = bounded_mixture(&same, 4, 0.0);
    assert!((w.iter().sum::<f64>() - 1.0).abs() < 1e-12 && w.iter().all(|x| (0.0..=1.0).contains(x)));
    assert_eq!(truncated_mixture(&same, 4, 1e-9)[..4], [0.25; 4]);
}

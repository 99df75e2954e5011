use super::*;
use proptest::prelude::*;

fn gram_of(residuals: &[Vec<f64>]) -> [[f64; 5]; 5] {
    let mut gram = [[0.0; 5]; 5];
    for (i, a) in residuals.iter().enumerate() {
        for (j, b) in residuals.iter().enumerate() {
            gram[i][j] = a.iter().zip(b).map(|(a, b)| a * b).sum();
        }
    }
    gram
}

fn even(len: usize) -> [f64; 5] {
    std::array::from_fn(|i| if i < len { 1.0 / len as f64 } else { 0.0 })
}

proptest! {
    #[test]
    fn no_other_mixture_is_better(
        residuals in prop::collection::vec(prop::collection::vec(-1.0..1.0_f64, 7), 1..6),
        other in prop::array::uniform5(0.0..1.0_f64),
    ) {
        let (gram, len) = (gram_of(&residuals), residuals.len());
        let mut w = even(len);
        let error = best_mixture(&gram, len, &mut w);
        prop_assert!((w.iter().sum::<f64>() - 1.0).abs() < 1e-9 && w.iter().all(|w| *w >= 0.0));
        let total: f64 = other[..len].iter().sum::<f64>() + 1e-9;
        let mut other: [f64; 5] = std::array::from_fn(|i| if i < len { other[i] / total } else { 0.0 });
        other[0] += 1.0 - other.iter().sum::<f64>();
        prop_assert!(error <= energy(&gram, len, &other) + 1e-6);
        prop_assert!((0..len).all(|i| error <= gram[i][i] + 1e-6));
    }

    #[test]
    fn what_is_needed_least_costs_least_to_leave_out(
        residuals in prop::collection::vec(prop::collection::vec(-1.0..1.0_f64, 7), 3..6),
    ) {
        let (gram, len) = (gram_of(&residuals), residuals.len());
        let without = |out: usize| {
            let members: Vec<usize> = (0..len).filter(|&i| i != out).collect();
            minimum_on_plane(&gram, 0.0, &members).map(|w| {
                let mut all = [0.0; 5];
                members.iter().zip(w).for_each(|(&m, w)| all[m] = w);
                (0..len).map(|i| all[i] * (0..len).map(|j| gram[i][j] * all[j]).sum::<f64>()).sum::<f64>()
            })
        };
        let chosen = without(least_needed(&gram, len));
        for other in 0..len {
            if let (Some(chosen), Some(other)) = (chosen, without(other)) {
                prop_assert!(chosen <= other * (1.0 + 1e-4) + 1e-9);
            }
        }
    }
}

#[test]
fn equal_and_perfect_bones_are_no_trouble() {
    let mut w = even(3);
    assert_eq!(best_mixture(&[[0.0; 5]; 5], 3, &mut w), 0.0);
    let mut w = even(4);
    let same = gram_of(&vec![vec![1.0, 2.0]; 4]);
    assert!((best_mixture(&same, 4, &mut w) - 5.0).abs() < 1e-6);
    assert!((w.iter().sum::<f64>() - 1.0).abs() < 1e-9);
}

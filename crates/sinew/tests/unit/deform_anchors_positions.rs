use super::*;
use crate::deform::transformation;

fn numbers(seed: usize) -> [f64; NUMBERS] {
    std::array::from_fn(|k| ((seed * 9 + k) as f64 * 1.7).sin())
}

#[test]
fn changes_are_derivatives_and_transposes() {
    let matrix_of =
        |n: &[f64; NUMBERS]| transformation(DVec3::from_slice(&n[..3]), [n[3], n[4], n[5], n[6], n[7], n[8]]);
    let plain = DQuat::from_scaled_axis(DVec3::new(0.3, -1.0, 0.4));
    let (at, by) = (numbers(1), numbers(2));
    let change = Change::new(&at, plain);
    let h = 1e-6;
    let moved = |sign: f64| matrix_of(&std::array::from_fn(|k| at[k] + sign * h * by[k]));
    let slope = DMat3::from_quat(plain) * ((moved(1.0) - moved(-1.0)) * (0.5 / h));
    assert!((slope - change.apply(&by)).abs_diff_eq(DMat3::ZERO, 1e-8));
    let some = DMat3::from_cols_slice(&numbers(3));
    let product = |a: &DMat3, b: &DMat3| {
        a.to_cols_array().iter().zip(b.to_cols_array()).map(|(a, b)| a * b).sum::<f64>()
    };
    let back: f64 = change.transposed(&some).iter().zip(by).map(|(a, b)| a * b).sum();
    assert!((product(&some, &change.apply(&by)) - back).abs() < 1e-12);
}

use super::*;
use proptest::prelude::*;

proptest! {
    #[test]
    fn exp_is_the_exponential(turn in prop::array::uniform3(-4.0..4.0_f64), small in 0.0..1.0_f64) {
        let turn = DVec3::from(turn) * small * small * small;
        let (got, wanted) = (exp(turn), DQuat::from_scaled_axis(turn));
        prop_assert!((got - wanted).length() < 1e-12);
    }
}

use super::*;
use crate::geometry::angle_between;
use proptest::prelude::*;
use std::f64::consts::PI;

proptest! {
    #[test]
    fn swing_and_twist_make_the_turn(x in -2.0..2.0_f64, z in -2.0..2.0_f64, twist in -3.1..3.1_f64) {
        let swing = DQuat::from_scaled_axis(DVec3::new(x, 0.0, z));
        let turn = swing * DQuat::from_rotation_y(twist);
        for turn in [turn, -turn] {
            let found = swing_and_twist(turn);
            prop_assert!(found.distance(DVec3::new(x, twist, z)) < 1e-9, "{found}");
        }
    }

    #[test]
    fn any_turn_has_both_within_half_a_circle(q in prop::array::uniform4(-1.0..1.0_f64)) {
        prop_assume!(q.iter().map(|c| c * c).sum::<f64>() > 0.01);
        let turn = DQuat::from_array(q).normalize();
        let found = swing_and_twist(turn);
        prop_assert!(found.abs().max_element() <= PI + 1e-12);
        let swing = DQuat::from_scaled_axis(DVec3::new(found.x, 0.0, found.z));
        prop_assert!(angle_between(swing * DQuat::from_rotation_y(found.y), turn) < 1e-7);
    }
}

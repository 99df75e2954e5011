use super::*;
use glam::DVec3;
use proptest::prelude::*;

proptest! {
    #[test]
    fn angles_are_those_of_the_turn_and_near_the_last(
        angles in prop::array::uniform3(-3.0..3.0_f64),
        last in prop::array::uniform3(-30.0..30.0_f64),
    ) {
        let turn = DQuat::from_euler(EulerRot::ZXY, angles[0], angles[1], angles[2]);
        let last = EulerAngles { z: last[0], x: last[1], y: last[2] };
        let found = EulerAngles::nearest(turn, last);
        prop_assert!(angle_between(found.turn(), turn) < 1e-9);
        // From any turn to any other it is at most half a circle about each axis.
        prop_assert!(found.distance(last) <= 3.0 * PI);
    }

    #[test]
    fn angles_between_turns_are_exact(angle in -3.1..3.1_f64, place in 0..3_usize) {
        let small = angle * [1.0, 1e-6, 1e-12][place];
        let from = DQuat::from_euler(EulerRot::ZXY, 0.3, 2.0, -1.0);
        let to = from * DQuat::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), small);
        prop_assert!((angle_between(from, to) - small.abs()).abs() < 1e-7 * small.abs() + 4e-15);
        prop_assert_eq!(angle_between(from, -to), angle_between(from, to));
    }
}

#[test]
fn right_angles_leave_the_turn_as_it_is() {
    for x in [PI / 2.0, -PI / 2.0] {
        let turn = EulerAngles { z: 0.4, x, y: 1.1 }.turn();
        let last = EulerAngles { z: 0.3, x, y: 1.3 };
        assert!(angle_between(EulerAngles::nearest(turn, last).turn(), turn) < 1e-7);
    }
}

//! Turns as the three angles of FBX: about x first, then y, then z.
//!
//! [`EulerAngles`] are about y first, then x, then z. Seen in a mirror that swaps x and y, the one is the
//! other with all angles turned round.

use glam::{DQuat, DVec3};
use sinew::geometry::EulerAngles;

/// Angles of a turn in degrees, as near to others as there are: give those of the key before.
pub(super) fn degrees(turn: DQuat, last: DVec3) -> DVec3 {
    let mirrored = DQuat::from_xyzw(-turn.y, -turn.x, -turn.z, turn.w);
    let [x, y, z] = last.to_array().map(f64::to_radians);
    let found = EulerAngles::nearest(mirrored, EulerAngles { y: -x, x: -y, z: -z });
    DVec3::new(-found.y, -found.x, -found.z).map(f64::to_degrees)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use sinew::geometry::angle_between;

    fn turn(degrees: DVec3) -> DQuat {
        let [x, y, z] = degrees.to_array().map(f64::to_radians);
        DQuat::from_rotation_z(z) * DQuat::from_rotation_y(y) * DQuat::from_rotation_x(x)
    }

    proptest! {
        #[test]
        fn angles_are_those_of_the_turn_and_near_the_last(
            angles in prop::array::uniform3(-180.0..180.0_f64),
            last in prop::array::uniform3(-1000.0..1000.0_f64),
        ) {
            let wanted = turn(angles.into());
            let found = degrees(wanted, last.into());
            prop_assert!(angle_between(turn(found), wanted) < 1e-7);
            prop_assert!((found - DVec3::from(last)).abs().max_element() <= 360.0);
        }
    }

    #[test]
    fn a_joint_that_goes_round_and_round_has_no_jump() {
        let mut last = DVec3::ZERO;
        for step in 0..200 {
            let next = degrees(turn(DVec3::new(17.0 * f64::from(step), 20.0, -30.0)), last);
            assert!(step == 0 || (next - last).abs().max_element() < 17.1, "{last} to {next}");
            last = next;
        }
        assert!(last.x > 3000.0);
    }
}

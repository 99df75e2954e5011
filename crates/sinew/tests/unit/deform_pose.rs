use super::*;
use proptest::prelude::*;

proptest! {
    #[test]
    fn turns_go_on_beyond_half_a_circle(axis in prop::array::uniform3(-1.0..1.0_f64), step in 0.01..0.4_f64) {
        prop_assume!(DVec3::from(axis).length() > 0.1);
        let axis = DVec3::from(axis).normalize();
        let mut before = Pose { turns: vec![DVec3::ZERO], places: vec![DVec3::ZERO] };
        for i in 1..60 {
            let turn = DQuat::from_axis_angle(axis, step * f64::from(i));
            let pose = JointPose { turns: vec![turn], places: vec![DVec3::ZERO] };
            let pose = Pose::from(&pose).after(&before);
            prop_assert!(pose.turns[0].distance(axis * step * f64::from(i)) < 1e-6, "{:?} at {}", pose, i);
            before = pose;
        }
    }
}

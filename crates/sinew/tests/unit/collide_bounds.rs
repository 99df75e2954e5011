use glam::{Mat3, Quat};
use proptest::prelude::*;

use super::*;

#[test]
fn rotations_stretch_by_one() {
    let turn = Mat3A::from_quat(Quat::from_rotation_x(1.1) * Quat::from_rotation_z(0.3));
    assert!((largest_stretch(&turn) - 1.0).abs() < 1e-3);
}

proptest! {
    #[test]
    fn nothing_is_stretched_more(
        entries in prop::array::uniform9(-2.0..2.0_f32),
        way in prop::array::uniform3(-1.0..1.0_f32),
    ) {
        let m = Mat3A::from(Mat3::from_cols_array(&entries));
        let way = Vec3A::from_array(way);
        let most = largest_stretch(&m);
        prop_assert!((m * way).length() <= most * way.length() * 1.00001);
        // And it is no idle bound.
        let norm = [m.x_axis, m.y_axis, m.z_axis].iter().map(|c| c.length()).fold(0.0, f32::max);
        prop_assert!(most <= 1.8 * norm);
    }

    #[test]
    fn spheres_hold_their_points(
        places in prop::collection::vec(prop::array::uniform3(-1.0..1.0_f32), 1..20),
    ) {
        let places: Vec<Vec3> = places.into_iter().map(Vec3::from_array).collect();
        let (middle, radius) = sphere_around(&places);
        prop_assert!(places.iter().all(|p| p.distance(middle) <= radius));
    }
}

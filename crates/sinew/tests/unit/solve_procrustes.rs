use super::*;
use glam::EulerRot;
use proptest::prelude::*;

proptest! {
    #[test]
    fn polar_recovers_the_rotation_before_a_stretch(
        angles in prop::array::uniform3(-3.0..3.0_f64),
        stretch in prop::array::uniform3(0.05..20.0_f64),
        axes in prop::array::uniform3(-3.0..3.0_f64),
    ) {
        let rotation = DMat3::from_quat(DQuat::from_euler(EulerRot::XYZ, angles[0], angles[1], angles[2]));
        let v = DMat3::from_quat(DQuat::from_euler(EulerRot::XYZ, axes[0], axes[1], axes[2]));
        let w = v * DMat3::from_diagonal(DVec3::from_array(stretch)) * v.transpose();
        let got = polar(rotation * w).unwrap();
        prop_assert!((got - rotation).to_cols_array().iter().all(|x| x.abs() < 1e-6));
    }

    #[test]
    fn newton_and_jacobi_find_the_same_rotation(e in prop::array::uniform9(-1.0..1.0_f64)) {
        let m = DMat3::from_cols_array(&e);
        if let (Some(a), Some(b)) = (nearest_rotation(m), polar(m)) {
            let score = |r: DMat3| r.x_axis.dot(m.x_axis) + r.y_axis.dot(m.y_axis) + r.z_axis.dot(m.z_axis);
            prop_assert!((a.determinant() - 1.0).abs() < 1e-9);
            prop_assert!((score(a) - score(b)).abs() < 1e-9);
        }
    }

    #[test]
    fn side_by_side_they_are_the_same_as_alone(all in prop::array::uniform4(prop::array::uniform9(-1.0..1.0_f64))) {
        // Of matrices that say nothing, too.
        let mut all = all.map(|e| DMat3::from_cols_array(&e));
        all[2] = DMat3::ZERO;
        let columns = all.map(|m| m.to_cols_array_2d());
        let m = std::array::from_fn(|c| std::array::from_fn(|r| Lanes::<4>::of(|i| columns[i][c][r])));
        prop_assert_eq!(nearest_rotations(&m), all.map(nearest_rotation));
    }
}

#[test]
fn undetermined_rotations_are_refused() {
    assert_eq!(polar(DMat3::ZERO), None);
    assert_eq!(polar(DMat3::from_cols(DVec3::X, DVec3::ZERO, DVec3::ZERO)), None);
    assert_eq!(polar(DMat3::from_cols(DVec3::splat(f64::NAN), DVec3::X, DVec3::Y)), None);
}

#[test]
fn reflections_still_give_a_rotation() {
    let r = polar(DMat3::from_diagonal(DVec3::new(3.0, 2.0, -1.0))).unwrap();
    assert!((r.determinant() - 1.0).abs() < 1e-12);
    assert!((r - DMat3::IDENTITY).to_cols_array().iter().all(|x| x.abs() < 1e-9));
}

//! Unit tests of `segment/triangle_rotations.rs`, which reach what is private there.

use super::*;
use crate::solve::polar;
use glam::{DMat3, EulerRot, Quat};
use proptest::prelude::*;

/// The paper's definition: polar factor of O Õ⁻¹.
fn by_definition(rest: [Vec3; 3], now: [Vec3; 3]) -> Option<DMat3> {
    let orientation = |[a, b, c]: [Vec3; 3]| {
        let (v1, v2) = (b.as_dvec3() - a.as_dvec3(), c.as_dvec3() - a.as_dvec3());
        DMat3::from_cols(v1, v2, v1.cross(v2).normalize())
    };
    polar(orientation(now) * orientation(rest).inverse())
}

fn points() -> impl Strategy<Value = [Vec3; 3]> {
    prop::array::uniform9(-2.0..2.0_f32)
        .prop_map(|p| [0, 3, 6].map(|i| Vec3::new(p[i], p[i + 1], p[i + 2])))
        .prop_filter("a real triangle", |[a, b, c]| (*b - *a).cross(*c - *a).length() > 0.2)
}

proptest! {
    #[test]
    fn closed_form_agrees_with_the_polar_decomposition(rest in points(), now in points()) {
        let all = TriangleRotations::new(&[[0, 1, 2]], &rest);
        let got = all.rotation(0, &now).unwrap();
        let want = by_definition(rest, now).unwrap().as_mat3();
        for (g, w) in got.to_cols_array().iter().zip(want.to_cols_array()) {
            prop_assert!((g - w).abs() < 2e-3, "{got} against {want}");
        }
    }

    #[test]
    fn rigid_motion_gives_its_own_rotation(rest in points(), angles in prop::array::uniform3(-3.0..3.0_f32)) {
        let turn = Mat3::from_quat(Quat::from_euler(EulerRot::XYZ, angles[0], angles[1], angles[2]));
        let now = rest.map(|p| turn * p + Vec3::new(3.0, -1.0, 2.0));
        let got = TriangleRotations::new(&[[0, 1, 2]], &rest).rotation(0, &now).unwrap();
        prop_assert!((got - turn).to_cols_array().iter().all(|x| x.abs() < 1e-4));
    }
}

#[test]
fn collapsed_triangles_have_no_rotation() {
    let flat = [Vec3::ZERO, Vec3::X, Vec3::X * 2.0];
    let sound = [Vec3::ZERO, Vec3::X, Vec3::Y];
    let all = TriangleRotations::new(&[[0, 1, 2], [0, 0, 1]], &flat);
    assert!(!all.is_sound(0) && !all.is_sound(1));
    assert_eq!(TriangleRotations::new(&[[0, 1, 2]], &sound).rotation(0, &flat), None);
    assert_eq!(TriangleRotations::new(&[[0, 1, 2]], &sound).rotation(0, &[Vec3::ONE; 3]), None);
}

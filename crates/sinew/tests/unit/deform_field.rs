use super::*;

#[test]
fn nothing_is_the_identity_and_turns_come_after_skews() {
    assert_eq!(transformation(DVec3::ZERO, [0.0; 6]), DMat3::IDENTITY);
    let quarter = DVec3::new(0.0, 0.0, std::f64::consts::FRAC_PI_2);
    let stretched = transformation(quarter, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]) * DVec3::X;
    assert!(stretched.distance(2.0 * DVec3::Y) < 1e-12, "{stretched}");
}

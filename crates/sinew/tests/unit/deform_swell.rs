use super::*;
use glam::{DMat3, DQuat};

/// A straight limb of length two along x whose joint is in its middle, or aside of it.
fn swelling(aside: f64, degrees: f64, shift: DVec3) -> f64 {
    let coefficients = [DVec3::ZERO, 2.0 * DVec3::X, DVec3::ZERO];
    let line = MiddleLine { coefficients, joint: DVec3::new(0.0, aside, 0.0) };
    let turn = DVec3::Z * degrees.to_radians();
    let rotation = DMat3::from_quat(DQuat::from_scaled_axis(turn));
    line.swelling(|place| (rotation - DMat3::IDENTITY) * place + shift, turn)
}

#[test]
fn what_is_not_bent_does_not_swell() {
    assert_eq!(swelling(0.3, 0.0, DVec3::ZERO), 0.0);
}

#[test]
fn a_limb_swells_the_more_the_farther_its_joint_is_outside_the_bend() {
    // Turned about z, what is ahead along x goes to y: the outside of the bend is at negative y.
    let [inside, middle, outside] = [0.2, 0.0, -0.2].map(|aside| swelling(aside, 90.0, DVec3::ZERO));
    assert!(inside < middle && middle < outside, "{inside} {middle} {outside}");
    assert!(inside == 0.0 && middle < 0.1 && outside > 0.05);
}

#[test]
fn a_limb_swells_where_it_is_pushed_together_within_bounds() {
    assert_eq!(swelling(0.0, 0.0, 0.5 * DVec3::X), 0.0);
    let some = swelling(0.0, 0.0, -0.2 * DVec3::X);
    assert!(some > 0.05 && some < TUNING.most_swelling);
    assert_eq!(swelling(0.0, 0.0, -1.5 * DVec3::X), TUNING.most_swelling);
}

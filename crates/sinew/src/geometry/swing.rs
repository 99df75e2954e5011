//! Turns of a bone that runs along y: how far it leaves its rest direction, and how far it turns about
//! itself.
//!
//! Any turn is a turn about y, the twist, and then one about an axis across y, the swing, by no more than
//! half a circle each. Unlike three angles one after the other they stay small where the turn is small and
//! change gently until the bone points backwards.

use glam::{DQuat, DVec3};

/// The axis of a turn, as long as its angle in radians, which is at most π.
pub fn rotation_vector(turn: DQuat) -> DVec3 {
    if turn.w < 0.0 { (-turn).to_scaled_axis() } else { turn.to_scaled_axis() }
}

/// The turn about an axis, one of x, y and z, that leaves the least of `turn`, in radians from −π to π.
pub(crate) fn angle_about(turn: DQuat, axis: DVec3) -> f64 {
    let along = DVec3::new(turn.x, turn.y, turn.z).dot(axis);
    if turn.w < 0.0 { 2.0 * (-along).atan2(-turn.w) } else { 2.0 * along.atan2(turn.w) }
}

/// A turn as its twist about y, in the y coordinate, and the rotation vector of the swing after it, in x and
/// z; in radians, from −π to π each.
pub fn swing_and_twist(turn: DQuat) -> DVec3 {
    let twist = angle_about(turn, DVec3::Y);
    let swing = rotation_vector(turn * DQuat::from_rotation_y(-twist));
    DVec3::new(swing.x, twist, swing.z)
}

#[cfg(test)]
#[path = "../../tests/unit/geometry_swing.rs"]
mod tests;

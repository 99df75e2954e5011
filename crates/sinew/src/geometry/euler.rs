//! Turns as three angles, the way BVH files tell them.
//!
//! Any turn is two triples of angles and their multiples of a full circle. Those nearest to the frame
//! before are taken, so that curves over time make no detours.

use std::f64::consts::{PI, TAU};

use glam::{DMat3, DQuat, EulerRot};

/// Where the middle angle is this close to a right one, only sum or difference of the others is known.
const GIMBAL: f64 = 1e-7;

/// Angles of a turn R = Rz Rx Ry, in radians; any number of full circles.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EulerAngles {
    /// Angle about z, which acts last.
    pub z: f64,
    /// Angle about x.
    pub x: f64,
    /// Angle about y, which acts first.
    pub y: f64,
}

impl EulerAngles {
    /// Those of a turn that are nearest to others: give those of the frame before.
    pub fn nearest(turn: DQuat, last: Self) -> Self {
        let m = DMat3::from_quat(turn);
        let cosine = m.y_axis.x.hypot(m.y_axis.y);
        let x = m.y_axis.z.atan2(cosine);
        if cosine < GIMBAL {
            return Self::locked(m, x, last);
        }
        let z = (-m.y_axis.x).atan2(m.y_axis.y);
        let y = (-m.x_axis.z).atan2(m.z_axis.z);
        let one = Self { z, x, y }.near(last);
        let other = Self { z: z + PI, x: PI - x, y: y + PI }.near(last);
        if other.distance(last) < one.distance(last) { other } else { one }
    }

    /// The turn with these angles.
    pub fn turn(self) -> DQuat {
        DQuat::from_euler(EulerRot::ZXY, self.z, self.x, self.y)
    }

    /// Where x is a right angle, z and y turn about the same axis; each takes half of what changed.
    fn locked(m: DMat3, x: f64, last: Self) -> Self {
        let sign = x.signum();
        let change = wrapped(m.x_axis.y.atan2(m.x_axis.x) - (last.z + sign * last.y));
        let x = last.x + wrapped(x - last.x);
        Self { z: last.z + 0.5 * change, x, y: last.y + sign * 0.5 * change }
    }

    /// The same up to full circles, within half a circle of others.
    fn near(self, last: Self) -> Self {
        let near = |angle: f64, last: f64| last + wrapped(angle - last);
        Self { z: near(self.z, last.z), x: near(self.x, last.x), y: near(self.y, last.y) }
    }

    fn distance(self, other: Self) -> f64 {
        (self.z - other.z).abs() + (self.x - other.x).abs() + (self.y - other.y).abs()
    }
}

/// An angle less whole circles, from −π to π.
pub(crate) fn wrapped(angle: f64) -> f64 {
    angle - TAU * (angle / TAU).round()
}

/// The angle between two turns, in radians from 0 to π; exact for small ones too.
pub fn angle_between(a: DQuat, b: DQuat) -> f64 {
    let chord = (a - b).length().min((a + b).length());
    4.0 * (0.5 * chord).min(1.0).asin()
}

#[cfg(test)]
#[path = "../../tests/unit/geometry_euler.rs"]
mod tests;

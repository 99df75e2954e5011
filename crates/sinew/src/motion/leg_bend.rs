//! A leg of two parts that is to reach a place: the knee bends about its own axis until the ankle is as far from the
//! hip as the place is, and the hip turns the whole leg there. Exact, and the shortest turns there are.

use glam::{DAffine3, DQuat, DVec3};

use super::tuning::TUNING;

/// Hip, knee and ankle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LegPose {
    pub hip: DVec3,
    pub knee: DVec3,
    pub ankle: DVec3,
}

/// What brings the parts of a leg where they are to be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bent {
    pub thigh: DAffine3,
    pub shin: DAffine3,
    /// Where the ankle comes to.
    pub ankle: DVec3,
}

impl LegPose {
    /// How long the leg is.
    pub fn length(&self) -> f64 {
        self.hip.distance(self.knee) + self.knee.distance(self.ankle)
    }

    /// The axis about which the knee bends, as long as the sine of its angle times both parts.
    pub fn axis(&self) -> DVec3 {
        (self.knee - self.hip).cross(self.ankle - self.knee)
    }

    /// Brings the ankle to a place, or as near as the leg reaches; `usual` is the axis of the knee where that is straight.
    pub fn bent_to(&self, place: DVec3, usual: DVec3) -> Bent {
        let Self { hip, knee, ankle } = *self;
        let (upper, lower) = (hip.distance(knee), knee.distance(ankle));
        let own = self.axis();
        let is_bent = own.length() > TUNING.planting.bent * upper * lower;
        let axis = if is_bent { own } else { usual }.normalize_or(DVec3::X);
        let least = (upper - lower).abs() * (2.0 - TUNING.planting.stretched);
        let far = hip.distance(place).clamp(least, (upper + lower) * TUNING.planting.stretched);
        // The angle between thigh and shin, by the law of cosines, now and then.
        let inside = |far: f64| {
            let cosine = (upper * upper + lower * lower - far * far) / (2.0 * upper * lower);
            cosine.clamp(-1.0, 1.0).acos()
        };
        let more = inside(hip.distance(ankle)) - inside(far);
        let bend = about(knee, DQuat::from_axis_angle(axis, more));
        let bent = bend.transform_point3(ankle);
        let aim = |from: DVec3, to: DVec3| match (from.try_normalize(), to.try_normalize()) {
            (Some(from), Some(to)) => DQuat::from_rotation_arc(from, to),
            _ => DQuat::IDENTITY,
        };
        let thigh = about(hip, aim(bent - hip, place - hip));
        Bent { thigh, shin: thigh * bend, ankle: thigh.transform_point3(bent) }
    }
}

/// A turn about a point.
fn about(point: DVec3, turn: DQuat) -> DAffine3 {
    DAffine3::from_rotation_translation(turn, point - turn * point)
}

#[cfg(test)]
#[path = "../../tests/unit/motion_leg_bend.rs"]
mod tests;

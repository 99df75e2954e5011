//! Where a source stands if it is laid over a rig: scale, facing and place.

use std::f64::consts::TAU;

use glam::{DQuat, DVec3};

use super::tuning::TUNING;

/// Turns below this many radians are none: poses that face the same way but for what their shapes leave open.
const SAME_WAY: f64 = 10.0 * TAU / 360.0;

/// A turn about the vertical, a scale and a shift that lay a source over a rig.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// Turn about the vertical, in radians.
    pub facing: f64,
    /// How many times as large the rig is.
    pub scale: f64,
    /// Where the origin of the source goes.
    pub shift: DVec3,
}

impl Placement {
    /// The source is taken as it stands.
    pub const AS_IT_STANDS: Self = Self { facing: 0.0, scale: 1.0, shift: DVec3::ZERO };

    /// The turn.
    pub fn turn(&self) -> DQuat {
        DQuat::from_rotation_y(self.facing)
    }

    /// Whether the source has the size of the rig and stands where it stands, whichever way it faces.
    pub fn is_as_it_stands(&self) -> bool {
        self.scale == 1.0 && self.shift == DVec3::ZERO
    }

    /// Where a point of the source goes.
    pub fn apply(&self, point: DVec3) -> DVec3 {
        self.turn() * point * self.scale + self.shift
    }

    /// Undoes [`apply`](Self::apply).
    pub fn back(&self, point: DVec3) -> DVec3 {
        self.turn().inverse() * (point - self.shift) / self.scale
    }

    /// The placement that brings points of the source (first) nearest to those of the rig (second), each pair
    /// with a weight. None where the points are too few to tell.
    pub(super) fn fit(pairs: &[(DVec3, DVec3, f64)], facing: Option<f64>) -> Option<Self> {
        let total: f64 = pairs.iter().map(|pair| pair.2).sum();
        if total.is_nan() || total <= 0.0 {
            return None;
        }
        let middle_q = pairs.iter().map(|(q, _, w)| *q * *w).sum::<DVec3>() / total;
        let middle_p = pairs.iter().map(|(_, p, w)| *p * *w).sum::<DVec3>() / total;
        let centered = || pairs.iter().map(|(q, p, w)| (*q - middle_q, *p - middle_p, *w));
        let facing = facing.unwrap_or_else(|| {
            let across: f64 = centered().map(|(q, p, w)| w * (p.x * q.z - p.z * q.x)).sum();
            let along: f64 = centered().map(|(q, p, w)| w * (p.x * q.x + p.z * q.z)).sum();
            across.atan2(along)
        });
        let turn = DQuat::from_rotation_y(facing);
        let spread: f64 = centered().map(|(q, _, w)| w * q.length_squared()).sum();
        let along: f64 = centered().map(|(q, p, w)| w * p.dot(turn * q)).sum();
        let scale = along / spread;
        let shift = middle_p - turn * middle_q * scale;
        (scale.is_finite() && scale > 0.0).then_some(Self { facing, scale, shift })
    }

    /// Whether it faces the way the rig does, nearly.
    pub(super) fn faces_the_same_way(&self) -> bool {
        let turned = self.facing.rem_euclid(TAU);
        turned.min(TAU - turned) < SAME_WAY
    }
}

/// The middle of points by weight, and their mean squared distance from it.
pub(super) fn middle_and_spread(points: impl Iterator<Item = (DVec3, f64)> + Clone) -> (DVec3, f64) {
    let total: f64 = points.clone().map(|(_, weight)| weight).sum();
    let middle = points.clone().map(|(at, weight)| at * weight).sum::<DVec3>() / total;
    (middle, points.map(|(at, weight)| at.distance_squared(middle) * weight).sum::<f64>() / total)
}

/// The source as it stands, or only turned, where that is about as good as the best placement.
pub(super) fn simplest(best: Placement, apart: impl Fn(&Placement) -> f64) -> (Placement, f64) {
    let least = apart(&best);
    let turned = Placement { facing: best.facing, ..Placement::AS_IT_STANDS };
    for simple in [Placement::AS_IT_STANDS, turned] {
        let so = apart(&simple);
        if so <= (1.0 + TUNING.alignment.as_good) * least + 1e-9 {
            return (simple, so);
        }
    }
    (best, least)
}

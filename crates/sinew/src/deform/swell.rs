//! How much a limb swells where a bend takes some of its length.
//!
//! A tube around a line has the volume of its cross-section times the way of the line across it. Where bones take the
//! middle line P of a limb (`bend`), that way is ∫ P' · exp(H l) m' / |m'| dH, which is less than the length ∫ |m'| dH at
//! rest where the joint lies to the outside of the bend, or near one end of what bends. What is missing is made up by a
//! wider cross-section: outside the bend everything is 1 + σ 6 H (1 − H) times as far from the middle line, and inside, where
//! the surface is folded, as far along the axis of the turn. σ is such that a cross-section that grew on all sides would
//! keep the volume, times [`Tuning::swelling`](super::Tuning::swelling).

use glam::DVec3;

use super::exp::exp;
use super::tuning::TUNING;

/// Places and weights of Gauss's rule with four points from 0 to 1.
const RULE: [(f64, f64); 4] = [
    (0.069_431_844_202_973_71, 0.173_927_422_568_726_93),
    (0.330_009_478_207_571_87, 0.326_072_577_431_273_07),
    (0.669_990_521_792_428_1, 0.326_072_577_431_273_07),
    (0.930_568_155_797_026_3, 0.173_927_422_568_726_93),
];

/// The middle line of what bends about a joint.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct MiddleLine {
    /// Coefficients of 1, H − ½ and its square.
    pub coefficients: [DVec3; 3],
    /// Where the joint is.
    pub joint: DVec3,
}

/// The share of σ at some H, 1 on average.
pub(super) fn share(h: f64) -> f64 {
    6.0 * h * (1.0 - h)
}

/// How [`share`] changes with H.
pub(super) fn share_change(h: f64) -> f64 {
    6.0 - 12.0 * h
}

impl MiddleLine {
    /// The line and its slope at some H.
    pub fn at(&self, h: f64) -> (DVec3, DVec3) {
        let [a, b, c] = self.coefficients;
        let x = h - 0.5;
        (a + x * (b + x * c), b + 2.0 * x * c)
    }

    /// m − J + H m', which a turn of the joint takes along.
    pub fn ahead(&self, h: f64) -> DVec3 {
        let (place, slope) = self.at(h);
        place - self.joint + h * slope
    }

    /// σ for what a joint does: `step` says where it takes a place, from there, and its turn is the logarithm of that of
    /// the step.
    pub fn swelling(&self, step: impl Fn(DVec3) -> DVec3, turn: DVec3) -> f64 {
        // σ solves square σ² + 2 linear σ + missing = 0.
        let (mut square, mut linear, mut missing) = (0.0, 0.0, 0.0);
        for (h, weight) in RULE {
            let slope = self.at(h).1;
            let length = slope.length();
            let across = exp(h * turn) * slope.normalize_or_zero();
            let way = (slope + step(self.ahead(h))).dot(across).max(0.0);
            square += weight * way * share(h) * share(h);
            linear += weight * way * share(h);
            missing += weight * (way - length);
        }
        let root = linear * linear - square * missing;
        if missing >= 0.0 || square <= 0.0 || root <= 0.0 {
            return 0.0;
        }
        (TUNING.swelling * (root.sqrt() - linear) / square).min(TUNING.most_swelling)
    }
}

#[cfg(test)]
#[path = "../../tests/unit/deform_swell.rs"]
mod tests;

//! From turns to rotations.

use glam::{DQuat, DVec3};

/// The rotation by a turn.
#[inline]
pub(super) fn exp(turn: DVec3) -> DQuat {
    let squared = 0.25 * turn.length_squared();
    let (over, cos) = if squared < SHORT { short(squared) } else { long(squared.sqrt()) };
    let v = turn * (0.5 * over);
    DQuat::from_xyzw(v.x, v.y, v.z, cos)
}

/// The square of a half turn up to which series are as exact as anything: turns by up to 229°.
const SHORT: f64 = 4.0;

/// What each term of a series is of the one before, from the last to the first: −1/(n (n + step)).
const fn shares(step: f64) -> [f64; 11] {
    let mut out = [0.0; 11];
    let mut i = 0;
    while i < 11 {
        let n = 22.0 - 2.0 * i as f64;
        out[i] = -1.0 / (n * (n + step));
        i += 1;
    }
    out
}

/// sin x / x and cos x for the square of a short x, by their series.
#[inline]
fn short(squared: f64) -> (f64, f64) {
    const SIN: [f64; 11] = shares(1.0);
    const COS: [f64; 11] = shares(-1.0);
    let mut sums = (1.0, 1.0);
    for i in 0..11 {
        sums = (1.0 + squared * SIN[i] * sums.0, 1.0 + squared * COS[i] * sums.1);
    }
    sums
}

/// The same for any x.
fn long(x: f64) -> (f64, f64) {
    let (sin, cos) = x.sin_cos();
    (sin / x, cos)
}

#[cfg(test)]
#[path = "../../tests/unit/deform_exp.rs"]
mod tests;

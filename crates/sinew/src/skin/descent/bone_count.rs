//! How many bones an animation needs: the fewest with which the error is small and no part of the surface is far behind.

use super::curve::{Level, crossing};
use super::{Curve, Problem};
use crate::progress::{Cancelled, Progress};

/// The fewest bones with which the curve tells of an error of about `percent` and of no more than a few vertices far behind;
/// the most it may have where it never does.
pub fn needed(
    curve: &mut Curve,
    problem: &Problem,
    percent: f64,
    progress: &dyn Progress,
) -> Result<usize, Cancelled> {
    let tuning = &problem.tuning.bone_count;
    // Where the whole travels, the error is small beside the motion and parts may be far behind all the same.
    let far = |level: &Level| level.far(tuning.left_behind) / tuning.far;
    let excess = |level: &Level| (level.percent(0) / percent).max(far(level));
    while curve.levels().last().is_none_or(|level| excess(level) > 1.0) {
        if !curve.grow(progress)? {
            return Ok(curve.levels().last().map_or(1, |level| level.bones));
        }
    }
    Ok(crossing(curve.levels(), excess, 1.0).unwrap_or(1))
}

//! How many bones an animation needs.

use super::start::{self, Wanted};
use super::{ATTEMPTS, DescentOptions, Freedom, Problem, SkinSize};
use crate::progress::{Cancelled, Progress};

/// Counts tried grow by this factor.
const STEP: f64 = 1.35;
/// How far off a vertex may be, over time, relative to the mean distance of vertices from their middle.
const WORST: f64 = 0.04;
/// What the rounds after a start take off its error, about.
const TO_COME: f64 = 0.85;

/// See [`super::Descent::bones_for`].
pub fn bones_for(
    problem: &Problem,
    percent: f64,
    most: SkinSize,
    options: &DescentOptions,
    progress: &dyn Progress,
) -> Result<usize, Cancelled> {
    let freedom =
        Freedom { weights: true, rest: !options.keep_rest, attempts: ATTEMPTS, locked: None, pull: None };
    let mut bones = 1;
    while bones < most.bones {
        let influences = most.influences.min(bones);
        let wanted = Wanted { bones, influences, kind: most.kind, freedom };
        let (model, points) = start::one(problem, wanted, progress)?;
        let share = problem.scaled.len() as f64 / points.len() as f64;
        let left = (model.error() * share + problem.reduced.left_out) / problem.reduced.motion_in_place;
        let close = problem.reduced.motion_in_place <= 0.0 || TO_COME * 100.0 * left.sqrt() <= percent;
        let worst = model.errors.iter().fold(0.0, |m: f64, e| m.max(*e)) / problem.frames.len() as f64;
        if close && TO_COME * worst.sqrt() <= WORST {
            break;
        }
        bones = ((bones as f64 * STEP).ceil() as usize).max(bones + 1).min(most.bones);
    }
    Ok(bones)
}

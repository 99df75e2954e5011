//! How many bones an animation needs.

use glam::Vec3;

use super::start::{self, Wanted};
use super::{ATTEMPTS, DescentOptions, Freedom, Problem};
use crate::animation::Frames;
use crate::progress::Progress;

/// Counts tried grow by this factor.
const STEP: f64 = 1.35;
/// How far off a vertex may be, over time, relative to the mean distance of vertices from their middle.
const WORST: f64 = 0.04;
/// What the rounds after a start take off its error, about.
const TO_COME: f64 = 0.85;

/// The least of some numbers of bones that brings the error to about `percent` of the motion, the common travel of
/// all vertices left out, and leaves no vertex far behind, judged by a start with each; `most` where none does.
/// `None` when cancelled.
pub fn bones_for(
    frames: &Frames,
    triangles: &[[u32; 3]],
    rest: &[Vec3],
    options: &DescentOptions,
    percent: f64,
    most: usize,
    progress: &dyn Progress,
) -> Option<usize> {
    let problem = Problem::new(frames, triangles, rest);
    let freedom =
        Freedom { weights: true, rest: !options.keep_rest, attempts: ATTEMPTS, locked: None, pull: None };
    let mut bones = 1;
    while bones < most {
        let influences = options.influences.min(bones);
        let wanted = Wanted { bones, influences, kind: options.kind, freedom };
        let (model, points) = start::one(&problem, wanted, progress)?;
        let share = problem.scaled.len() as f64 / points.len() as f64;
        let left = (model.error() * share + problem.reduced.left_out) / problem.reduced.motion_in_place;
        let close = problem.reduced.motion_in_place <= 0.0 || TO_COME * 100.0 * left.sqrt() <= percent;
        let worst = model.errors.iter().fold(0.0, |m: f64, e| m.max(*e)) / frames.len() as f64;
        if close && TO_COME * worst.sqrt() <= WORST {
            break;
        }
        bones = ((bones as f64 * STEP).ceil() as usize).max(bones + 1).min(most);
    }
    Some(bones)
}

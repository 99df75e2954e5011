//! How many bones an animation needs.

use glam::Vec3;

use super::start::{self, Wanted};
use super::{ATTEMPTS, DescentOptions, Freedom, Problem};
use crate::animation::Frames;
use crate::progress::Progress;

/// Counts tried grow by this factor.
const STEP: f64 = 1.35;
/// What the rounds after a start take off its error, about.
const TO_COME: f64 = 0.85;

/// The least of some numbers of bones that brings the error to about `percent`, judged by a start with each;
/// `most` where none does. `None` when cancelled.
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
        if TO_COME * problem.percent(model.error(), points.len()) <= percent {
            break;
        }
        bones = ((bones as f64 * STEP).ceil() as usize).max(bones + 1).min(most);
    }
    Some(bones)
}

//! Motion between frames.
//!
//! Viewers interpolate a bone's shift, its two turns and its scale apart from each other. Where the axes of
//! its stretch turn far from one frame to the next, what comes out in between is none of the shapes on the
//! way: the skin bulges for the time between two frames. And a bone that turns about one of its ends would
//! swing that end out, because its center goes straight.
//!
//! The way that is wanted is that of [`super::way`]. Where interpolation strays from it by more than can be seen,
//! keys on the way are added.

use super::bones::BoneTracks;
use super::way::{Outer, STEPS};

/// How far a bone may carry a vertex off its way, as a fraction of the rest pose's diagonal.
const TOLERANCE: f64 = 1e-3;

/// Adds keys to `tracks`, chosen from `fine`, which has one at every step, wherever neighbouring frames need
/// some between them.
pub(crate) fn refine(
    tracks: BoneTracks,
    fine: &BoneTracks,
    outermost: &[Outer],
    diagonal: f64,
) -> BoneTracks {
    let mut places = tracks.keys.clone();
    // Tracks that were simplified were chosen as they are.
    if tracks.keys.last().is_none_or(|last| *last >= fine.keys.len()) || fine.kept(&places) != tracks {
        return tracks;
    }
    for pair in tracks.keys.windows(2).filter(|pair| pair[1] - pair[0] == STEPS) {
        let mut open = vec![(pair[0], pair[1])];
        while let Some((a, b)) = open.pop() {
            let mut worst = (TOLERANCE * diagonal, None);
            for step in a + 1..b {
                let found = deviation(fine, a, b, step, outermost);
                if found > worst.0 {
                    worst = (found, Some(step));
                }
            }
            if let Some(step) = worst.1 {
                places.push(step);
                open.extend([(a, step), (step, b)]);
            }
        }
    }
    if places.len() == tracks.keys.len() {
        return tracks;
    }
    places.sort_unstable();
    fine.kept(&places)
}

/// How far interpolation between two keys carries a vertex off its way at a step between them.
fn deviation(fine: &BoneTracks, a: usize, b: usize, step: usize, outermost: &[Outer]) -> f64 {
    let t = (step - a) as f64 / (b - a) as f64;
    let (here, wanted) = (fine.between(a, b, t), fine.between(step, step, 0.0));
    let (off, shift) = (here.matrix3 - wanted.matrix3, here.translation - wanted.translation);
    outermost.iter().map(|o| (off * o.offset + shift * o.weight).length()).fold(0.0, f64::max)
}

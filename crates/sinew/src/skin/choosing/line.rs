//! Rigs that differ in one number only, and the one of them at which a goal is met.

use super::search::Search;
use super::{Choice, ChooseError, Goal};
use crate::skin::BoneKind;

/// The most rigs tried on a line.
const MOST_TRIES: usize = 12;
/// A search ends when what could still be gained is less than this share of the size.
const WORTHWHILE: f64 = 0.004;
/// Where the error is this small in percent there is nothing left to gain.
const NOTHING_LEFT: f64 = 1e-3;

/// Rigs of one kind with one number of influences. Either the bones or the shapes are free.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    pub kind: BoneKind,
    pub influences: usize,
    pub free: Free,
    pub first: usize,
    pub last: usize,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Free {
    Bones { rank: usize },
    Rank { bones: usize },
}

impl Line {
    /// The least rank of its rigs.
    pub fn rank(&self) -> usize {
        match self.free {
            Free::Bones { rank } => rank,
            Free::Rank { .. } => 0,
        }
    }

    /// Bones and rank of the rig at `x`.
    pub fn at(&self, x: usize) -> (usize, usize) {
        match self.free {
            Free::Bones { rank } => (x, rank),
            Free::Rank { bones } => (bones, x),
        }
    }
}

/// A rig on a line.
#[derive(Clone, Copy)]
struct Place {
    x: usize,
    choice: Choice,
}

impl Search<'_> {
    /// Searches a line for the rig at which the goal changes from met to missed, beginning at `guess`. Returns
    /// the outermost rig that meets it; all that are tried compete anyway.
    pub fn along(&mut self, line: &Line, guess: usize) -> Result<Option<Choice>, ChooseError> {
        let mut ends = Ends::default();
        let mut x = guess.clamp(line.first, line.last);
        for tries in 0..MOST_TRIES {
            let (bones, rank) = line.at(x);
            let choice = self.attempt(line.kind, line.influences, bones, rank)?;
            let place = Place { x, choice };
            if self.is_high(&choice) {
                ends.high = Some(place);
            } else {
                ends.low = Some(place);
            }
            if self.is_beaten(&choice) {
                break;
            }
            let Some(next) = ends.next(line, self.options.goal, self.lightest_of(line)?, tries) else {
                break;
            };
            x = self.small_enough(line, &place)?.map_or(next, |most| next.min(most));
            if x < line.first || ends.low.is_some_and(|low| x <= low.x) {
                break;
            }
        }
        // Errors are uneven: one more, beyond the edge, where it matters.
        if let (Some(low), Some(high)) = (ends.low, ends.high) {
            let beyond = low.x.saturating_sub(1);
            let dear = low.choice.bytes + low.choice.bytes / 50 < high.choice.bytes;
            if dear && beyond >= line.first && low.choice.bytes <= self.limit() {
                let (bones, rank) = line.at(beyond);
                self.attempt(line.kind, line.influences, bones, rank)?;
            }
        }
        let met = match self.options.goal {
            Goal::Percent(_) => ends.high,
            Goal::Bytes(_) => ends.low,
        };
        Ok(met.map(|p| p.choice))
    }

    /// How far up its line a rig may stand to be smaller than the best, where one is that is not. The best may
    /// be of another line.
    fn small_enough(&mut self, line: &Line, place: &Place) -> Result<Option<usize>, ChooseError> {
        let (limit, bytes) = (self.limit(), place.choice.bytes);
        if matches!(self.options.goal, Goal::Bytes(_)) || bytes.saturating_sub(1) <= limit || place.x == 0 {
            return Ok(None);
        }
        let lightest = self.lightest_of(line)?;
        let each = bytes.saturating_sub(lightest) as f64 / place.x as f64;
        Ok(Some((limit.saturating_sub(lightest) as f64 / each.max(1.0)) as usize))
    }

    /// Whether a rig stands on the upper side of the goal: close enough, or too large.
    fn is_high(&self, choice: &Choice) -> bool {
        match self.options.goal {
            Goal::Percent(percent) => choice.percent <= percent,
            Goal::Bytes(bytes) => choice.bytes > bytes,
        }
    }

    /// Whether neither this rig nor any further up its line can win.
    fn is_beaten(&self, choice: &Choice) -> bool {
        match (self.options.goal, &self.best) {
            (Goal::Percent(percent), Some((best, _))) => {
                choice.percent > percent && choice.bytes >= best.bytes
            }
            (Goal::Percent(_), None) => false,
            (Goal::Bytes(bytes), _) => choice.percent < NOTHING_LEFT && choice.bytes <= bytes,
        }
    }
}

/// The innermost rigs on either side of the goal.
#[derive(Default)]
struct Ends {
    low: Option<Place>,
    high: Option<Place>,
}

impl Ends {
    /// Where to look next, strictly between the ends. `lightest` is the size at zero.
    fn next(&self, line: &Line, goal: Goal, lightest: u64, tries: usize) -> Option<usize> {
        let first = self.low.map_or(line.first, |p| p.x + 1);
        let last = self.high.map_or(line.last, |p| p.x.saturating_sub(1));
        if first > last || self.high.is_some_and(|p| p.x == 0) {
            return None;
        }
        let aim = match (self.low, self.high) {
            (Some(low), Some(high)) => {
                let gain = high.choice.bytes.saturating_sub(low.choice.bytes) as f64;
                if gain < WORTHWHILE * high.choice.bytes as f64 {
                    return None;
                }
                // Aiming alone may creep up from one side.
                if tries % 2 == 1 {
                    between(goal, low, high)
                } else {
                    ((low.x + 1) as f64 * (high.x + 1) as f64).sqrt() - 1.0
                }
            }
            (Some(only), None) | (None, Some(only)) => beyond(goal, only, lightest),
            (None, None) => return None,
        };
        Some((aim.round().max(0.0) as usize).clamp(first, last))
    }
}

/// Where the goal is met between two rigs: errors follow a power of the number, sizes a straight line.
fn between(goal: Goal, low: Place, high: Place) -> f64 {
    let (a, b) = ((low.x + 1) as f64, (high.x + 1) as f64);
    match goal {
        Goal::Percent(percent) => {
            let fall = (low.choice.percent / high.choice.percent).ln() / (b / a).ln();
            a * (low.choice.percent / percent).powf(1.0 / fall) - 1.0
        }
        Goal::Bytes(bytes) => {
            let each = (high.choice.bytes as f64 - low.choice.bytes as f64) / (b - a);
            a + (bytes as f64 - low.choice.bytes as f64) / each - 1.0
        }
    }
}

/// Where the goal is met, judged by one rig: half the error takes about twice as many.
fn beyond(goal: Goal, only: Place, lightest: u64) -> f64 {
    let x = (only.x + 1) as f64;
    let (least, most) = (0.5 * x - 1.0, 2.0 * x);
    match goal {
        Goal::Percent(percent) => (x * only.choice.percent / percent - 1.0).clamp(least, most),
        Goal::Bytes(bytes) => {
            let each = only.choice.bytes.saturating_sub(lightest) as f64 / only.x.max(1) as f64;
            ((bytes as f64 - lightest as f64) / each.max(1.0)).clamp(0.0, most)
        }
    }
}

//! Rigs that differ in one number only, and where between two of them a goal is met: a bracketed root search.

use sinew::skin::BoneKind;

use super::options::{Candidate, Goal};

/// Rigs of one kind with one number of influences. Either the bones or the shapes are free.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    pub kind: BoneKind,
    pub influences: usize,
    pub free: Free,
    pub first: usize,
    pub last: usize,
}

#[derive(Clone, Copy, Debug)]
pub enum Free {
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
pub struct Place {
    pub x: usize,
    pub candidate: Candidate,
}

/// The innermost rigs on either side of the goal.
#[derive(Default)]
pub struct Bracket {
    pub low: Option<Place>,
    pub high: Option<Place>,
}

impl Bracket {
    /// Where to look next, strictly between the ends; nowhere where what could be gained is less than `worthwhile` of the
    /// size. `lightest` is the size at zero.
    pub fn next(
        &self,
        line: &Line,
        goal: Goal,
        (lightest, worthwhile): (u64, f64),
        tries: usize,
    ) -> Option<usize> {
        let first = self.low.map_or(line.first, |p| p.x + 1);
        let last = self.high.map_or(line.last, |p| p.x.saturating_sub(1));
        if first > last || self.high.is_some_and(|p| p.x == 0) {
            return None;
        }
        let aim = match (self.low, self.high) {
            (Some(low), Some(high)) => {
                let gain = high.candidate.bytes.saturating_sub(low.candidate.bytes) as f64;
                if gain < worthwhile * high.candidate.bytes as f64 {
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
            let fall = (low.candidate.percent / high.candidate.percent).ln() / (b / a).ln();
            a * (low.candidate.percent / percent).powf(1.0 / fall) - 1.0
        }
        Goal::Bytes(bytes) => {
            let each = (high.candidate.bytes as f64 - low.candidate.bytes as f64) / (b - a);
            a + (bytes as f64 - low.candidate.bytes as f64) / each - 1.0
        }
    }
}

/// Where the goal is met, judged by one rig: half the error takes about twice as many.
fn beyond(goal: Goal, only: Place, lightest: u64) -> f64 {
    let x = (only.x + 1) as f64;
    let (least, most) = (0.5 * x - 1.0, 2.0 * x);
    match goal {
        Goal::Percent(percent) => (x * only.candidate.percent / percent - 1.0).clamp(least, most),
        Goal::Bytes(bytes) => {
            let each = only.candidate.bytes.saturating_sub(lightest) as f64 / only.x.max(1) as f64;
            ((bytes as f64 - lightest as f64) / each.max(1.0)).clamp(0.0, most)
        }
    }
}

//! Rigs of one kind with one number of influences: what they take and how far they are off, about, before they are
//! fitted; and, for each number of shapes, between which numbers of bones the goal is met.

use sinew::progress::{Cancelled, Progress};
use sinew::skin::{BoneKind, Curve};

use super::options::Candidate;

/// Rigs of one kind with one number of influences.
pub(super) struct Line<'a> {
    pub kind: BoneKind,
    pub influences: usize,
    pub curve: Curve<'a>,
    /// Bytes of a bone.
    pub each: f64,
    /// The error of the last fit, as it counts for the goal, beside what the curve told of it, without shapes and with some.
    pub off: [f64; 2],
}

impl Line<'_> {
    /// Whether a rig is one of these.
    pub fn has(&self, candidate: &Candidate) -> bool {
        (candidate.kind, candidate.influences) == (self.kind, self.influences)
    }

    /// The fewest bones, up to `most`, with at most so much error, about.
    pub fn bones_for(
        &mut self,
        percent: f64,
        rank: usize,
        most: usize,
        progress: &dyn Progress,
    ) -> Result<Option<usize>, Cancelled> {
        self.curve.bones_for(percent / self.off[rank.min(1)], rank, most, progress)
    }

    /// The error with so many bones, about.
    pub fn percent_at(
        &mut self,
        bones: usize,
        rank: usize,
        progress: &dyn Progress,
    ) -> Result<f64, Cancelled> {
        Ok(self.off[rank.min(1)] * self.curve.percent_at(bones, rank, progress)?)
    }

    /// Takes down what a fit came to, beside a rig that does not move.
    pub fn learn(&mut self, fit: &Candidate, still: u64, progress: &dyn Progress) -> Result<(), Cancelled> {
        let told = self.curve.percent_at(fit.bones, fit.rank, progress)?;
        if told > 0.0 && fit.error > 0.0 {
            self.off[fit.rank.min(1)] = fit.error / told;
        }
        self.each = (fit.bytes.saturating_sub(still) as f64 / fit.bones as f64).max(1.0);
        Ok(())
    }
}

//! Going round: weights, transforms and rest pose in turn, each round kept only if the error falls.

use super::ahead::look_ahead;
use super::rest_step::move_rest;
use super::weight_step::{WeightStep, between, solved_weights};
use super::{Model, PoseToPoseOptions, Scheme, ahead};
use crate::animation::Frames;
use crate::progress::{Cancelled, Progress};

/// Vertices look for other bones in every so-manieth round and keep theirs in between.
const LOOKING: usize = 3;
/// A round of looking that lowers the error by less than this share is the last.
const SETTLED: f64 = 1e-4;
/// Times that a round is repeated because it gave poses up.
const REPEATS: usize = 10;
/// How much more a pose that was given up counts.
const RAISE: f64 = 4.0;
/// What a pose's squared error may become of what it was, if it is to be held.
const HELD: f64 = 1.004;

/// Fits the transforms and goes round. Returns the squared error of the first fit and of every round that
/// was kept.
pub fn go_round(
    model: &mut Model,
    frames: &Frames,
    options: &PoseToPoseOptions,
    progress: &dyn Progress,
) -> Result<Vec<f64>, Cancelled> {
    model.fit_transforms(frames, progress)?;
    let mut errors = vec![model.squared_error(frames)];
    let mut rounds = Rounds::new(model, frames, options, progress);
    for round in 0..options.rounds {
        progress.check()?;
        progress.advance(round as f64 / options.rounds as f64);
        let last = errors[errors.len() - 1];
        let looking = round % LOOKING == 0;
        let next = rounds.next(model, last, looking)?;
        let settled = next.as_ref().is_none_or(|(_, error)| *error > (1.0 - SETTLED) * last);
        if let Some((better, error)) = next {
            *model = better;
            errors.push(error);
        }
        if looking && settled {
            break;
        }
    }
    Ok(errors)
}

struct Rounds<'a> {
    frames: &'a Frames,
    options: &'a PoseToPoseOptions,
    progress: &'a dyn Progress,
    ahead: bool,
    /// How much each pose counts, looking ahead.
    counts: Vec<f64>,
    /// What no pose may exceed, if poses are to be held.
    bounds: Option<Vec<f64>>,
}

impl<'a> Rounds<'a> {
    fn new(
        model: &Model,
        frames: &'a Frames,
        options: &'a PoseToPoseOptions,
        progress: &'a dyn Progress,
    ) -> Self {
        let ahead =
            options.look_ahead && model.scheme == Scheme::PoseToPose && model.skin.bones <= ahead::MOST_BONES;
        let mut rounds =
            Self { frames, options, progress, ahead, counts: vec![1.0; frames.len()], bounds: None };
        if options.hold_poses && ahead {
            let first = model.error_per_frame(frames);
            let mean = first.iter().sum::<f64>() / first.len() as f64;
            // What is met closely must count more from the beginning; how much more shows.
            let count = |e: &f64| if mean > 0.0 { (e / mean).max(1e-3).powi(-2) } else { 1.0 };
            rounds.counts = first.iter().map(count).collect();
            rounds.bounds = Some(first.iter().map(|e| HELD * e + 1e-6 * mean).collect());
        }
        rounds
    }

    /// The first way of going round that lowers the error.
    ///
    /// From pose to pose, equations 3 and 6 solve steps and weights as if the poses before stayed where
    /// they are and nothing came after: a round may lead nowhere. Then weights go only part of the way, and
    /// at last stay.
    fn next(&mut self, model: &Model, last: f64, looking: bool) -> Result<Option<(Model, f64)>, Cancelled> {
        let how = WeightStep { influences: self.options.influences, ahead: self.ahead, looking };
        let target = match self.options.solve_weights {
            true => Some(solved_weights(model, self.frames, how, self.progress)?),
            false => None,
        };
        let shares: &[f32] = match (model.scheme, &target) {
            (_, None) => &[0.0],
            (Scheme::PoseToPose, _) if !self.ahead => &[1.0, 0.5, 0.25, 0.0],
            _ => &[1.0, 0.0],
        };
        for &share in shares {
            let mut start = model.clone();
            if let Some(target) = target.as_ref().filter(|_| share > 0.0) {
                start.skin.weights = between(&model.skin.weights, target, share);
            }
            let better = self.rest_of_round(start, last)?;
            if better.is_some() {
                return Ok(better);
            }
        }
        let mut tried = model.clone();
        if self.options.move_rest {
            move_rest(&mut tried, self.frames);
        }
        Ok(self.better(tried, last))
    }

    /// Transforms and rest pose; repeated while poses are given up that should not be.
    fn rest_of_round(&mut self, start: Model, last: f64) -> Result<Option<(Model, f64)>, Cancelled> {
        for _ in 0..REPEATS {
            let mut tried = start.clone();
            if self.ahead {
                look_ahead(&mut tried, self.frames, &self.counts, self.progress)?;
            } else {
                tried.fit_transforms(self.frames, self.progress)?;
            }
            if self.options.move_rest {
                move_rest(&mut tried, self.frames);
            }
            if !self.raise_counts(&tried) {
                return Ok(self.better(tried, last));
            }
        }
        Ok(None)
    }

    fn better(&self, tried: Model, last: f64) -> Option<(Model, f64)> {
        let error = tried.squared_error(self.frames);
        (error < last).then_some((tried, error))
    }

    /// Lets poses that exceed their bound count more; `false` when none does.
    fn raise_counts(&mut self, tried: &Model) -> bool {
        let Some(bounds) = &self.bounds else { return false };
        let errors = tried.error_per_frame(self.frames);
        let mut raised = false;
        for ((count, error), bound) in self.counts.iter_mut().zip(errors).zip(bounds) {
            if error > *bound {
                *count *= RAISE;
                raised = true;
            }
        }
        raised
    }
}

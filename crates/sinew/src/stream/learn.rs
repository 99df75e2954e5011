//! Weights learned from the frames that have gone by.
//!
//! Bones spread evenly are a guess about the motion, and frames tell better. So at times the stream looks back at
//! some of the frames it has seen ([`super::past`]), solves new weights for them and, where those would have
//! followed the latest clearly better, goes on with them: a choice that whoever encodes cannot know earlier and
//! that takes nothing from the frames to come.
//!
//! Weights are solved as in a rig of few frames, from the rest pose and from the groups of vertices that bones
//! move now ([`crate::skin::Descent`], briefly). Times to look back lie an eighth of the stream apart, so
//! that their number grows with the logarithm of that of the frames, and are let pass while errors are about what
//! the last look back made one expect.

use glam::Vec3;

use super::StreamOptions;
use super::fitter::Fitter;
use super::past::Past;
use crate::progress::Silent;
use crate::rig::SkinWeights;
use crate::segment::NO_BONE;
use crate::skin::{Descent, DescentOptions, Effort, Initialisation, SkinSize};

/// Frames seen before the first look back: of fewer, weights learn what does not last.
const FIRST: usize = 4;
/// The stream grows by one part in so many from one look back to the next.
const APART: usize = 8;
/// Frames from one look back to the next, at least.
const LEAST_APART: usize = 2;
/// Error against what was expected that makes looking back worth its time.
const GROWN: f64 = 1.5;
/// The latest frames that new weights are judged by, of those remembered.
const JUDGED: usize = 8;
/// Share of the error that new weights may have at most.
const CLEARLY: f64 = 0.85;

/// When to look back.
pub struct Learner {
    triangles: Vec<[u32; 3]>,
    rest: Vec<Vec3>,
    options: StreamOptions,
    past: Past,
    /// Frames seen.
    frames: usize,
    /// Frames to have seen at the next look back.
    next: usize,
    /// Squared error of a frame that the last look back made one expect.
    expected: f64,
    /// Squared error of the frames since, and their number.
    since: (f64, usize),
}

impl Learner {
    /// Has seen nothing yet.
    pub fn new(triangles: Vec<[u32; 3]>, rest: &[Vec3], options: &StreamOptions) -> Self {
        Self {
            triangles,
            rest: rest.to_vec(),
            options: options.clone(),
            past: Past::default(),
            frames: 0,
            next: FIRST,
            expected: 0.0,
            since: (0.0, 0),
        }
    }

    /// Takes note of a frame and of how far from it the stream was.
    pub fn see(&mut self, pose: &[Vec3], squared_error: f64) {
        self.past.add(self.frames, pose);
        self.frames += 1;
        self.since = (self.since.0 + squared_error, self.since.1 + 1);
    }

    /// Better weights for the frames to come than those of `now`, where it is time and there are any.
    pub fn learned(&mut self, now: &SkinWeights) -> Option<SkinWeights> {
        if self.frames < self.next {
            return None;
        }
        self.next = self.frames + (self.frames / APART).max(LEAST_APART);
        let (error, frames) = self.since;
        if error <= GROWN * GROWN * self.expected * frames as f64 {
            return None;
        }
        let found = rounded(self.solve(now)?);
        let [old, new] = [now, &found].map(|weights| self.squared_error(weights));
        let better = new < CLEARLY * CLEARLY * old;
        self.expected = if better { new } else { old };
        self.since = (0.0, 0);
        better.then_some(found)
    }

    fn solve(&self, now: &SkinWeights) -> Option<SkinWeights> {
        let mut groups = vec![NO_BONE; self.rest.len()];
        for &v in self.triangles.as_flattened() {
            groups[v as usize] = now.of(v as usize).0[0];
        }
        let StreamOptions { bones, influences, kind, .. } = self.options;
        let options = DescentOptions {
            keep_rest: true,
            smoothness: 0.0,
            effort: Effort::Quick,
            initialisation: Initialisation::Groups(groups),
            ..DescentOptions::default()
        };
        let frames = self.past.frames();
        let descent = Descent::new(&frames, &self.triangles, &self.rest, &Silent).ok()?;
        let (skin, _) = descent.fit(SkinSize { bones, influences, kind }, &options, &Silent).ok()?;
        Some(skin.weights)
    }

    /// Squared error of one of the latest frames, had these weights been there.
    fn squared_error(&self, weights: &SkinWeights) -> f64 {
        let latest = self.past.len().min(JUDGED);
        let poses = self.past.poses().skip(self.past.len() - latest);
        Fitter::new(weights, &self.rest, &self.options).play(poses) / latest.max(1) as f64
    }
}

/// Weights in steps that files write in two bytes, each vertex' still summing to one, the largest first.
fn rounded(mut weights: SkinWeights) -> SkinWeights {
    let (whole, k) = (i32::from(u16::MAX), weights.per_vertex);
    for (bones, weights) in weights.bones.chunks_mut(k).zip(weights.weights.chunks_mut(k)) {
        let counted = weights.iter().map(|w| (f64::from(*w) * f64::from(whole)).round() as i32);
        let mut slots: Vec<(i32, u32)> = counted.zip(bones.iter().copied()).collect();
        slots[0].0 += whole - slots.iter().map(|slot| slot.0).sum::<i32>();
        slots.sort_by_key(|slot| std::cmp::Reverse(slot.0));
        for (i, (count, bone)) in slots.into_iter().enumerate() {
            weights[i] = count as f32 / whole as f32;
            bones[i] = if count == 0 { 0 } else { bone };
        }
    }
    weights
}

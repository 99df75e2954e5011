//! Weights from the first frames of a stream.
//!
//! A vertex that follows one bone alone ends where that bone's steps, multiplied, take it, whatever the
//! number of frames. A vertex between bones is blended anew in every step, and what the blends miss adds up:
//! weights that fit the frames seen best drift the most in those to come. So weights are made in three steps:
//!
//! 1. each vertex goes to the one bone that predicts it best, and bones are fitted again, in turn;
//! 2. with those bones, the best mixture of a few is found for each vertex (equations 6 to 8 of PPS, but from
//!    the true pose before and over two lengths of steps: from approximated poses, weights would chase errors
//!    of steps long past);
//! 3. of some shares between the two, the one is taken that follows the frames seen best, played forth and
//!    back so that drift has time to show.
//!
//! What hardly moves in these frames says little about its weights: a deviation of a thousandth of the mesh's
//! diagonal from the motion costs as much as one from SAD's weights, which thus stay where nothing is known.

use glam::{DAffine3, DVec3, Vec3};
use rayon::prelude::*;

use super::StreamOptions;
use super::fitter::Fitter;
use super::steps::StepSolver;
use crate::geometry::Bounds;
use crate::rig::SkinWeights;
use crate::skin::{MOST_INFLUENCES, insert};
use crate::solve::bounded::{Gram, bounded_mixture};

/// Frames from where steps start to where they end. Short ones are what will be played, longer ones tell
/// bones apart.
const STRIDES: [usize; 2] = [1, 4];
/// The most rounds in which vertices choose a bone.
const ROUNDS: usize = 6;
/// Shares of the mixture that are tried.
const SHARES: [f32; 4] = [0.2, 0.4, 0.7, 1.0];
/// What motion has to differ by to count as much as a difference in weights, as a share of the diagonal.
const SMALL: f64 = 1e-3;

/// The first frames of a stream, and what weights would be without them.
pub struct Seen<'a> {
    points: &'a [u32],
    even: &'a SkinWeights,
    ahead: &'a [&'a [Vec3]],
    poses: Vec<Vec<DVec3>>,
    /// Pairs of frames.
    steps: Vec<[usize; 2]>,
    /// What it costs to deviate from the even weights.
    doubt: f64,
    rest: &'a [Vec3],
    options: &'a StreamOptions,
}

impl<'a> Seen<'a> {
    /// `even` are the weights where the frames say nothing, `points` the vertices where bones are.
    pub fn new(
        points: &'a [u32],
        even: &'a SkinWeights,
        rest: &'a [Vec3],
        ahead: &'a [&'a [Vec3]],
        options: &'a StreamOptions,
    ) -> Self {
        let poses = ahead.iter().map(|p| p.iter().map(|p| p.as_dvec3()).collect()).collect();
        let steps: Vec<[usize; 2]> = STRIDES
            .iter()
            .flat_map(|&stride| (stride..ahead.len()).map(move |to| [to - stride, to]))
            .collect();
        let doubt = steps.len() as f64 * (SMALL * Bounds::of(rest).diagonal()).powi(2);
        Self { points, even, ahead, poses, steps, doubt, rest, options }
    }

    /// The weights that follow these frames with the least drift.
    pub fn weights(&self) -> SkinWeights {
        let mut alone = self.even.clone();
        for _ in 0..ROUNDS {
            let chosen = self.alone(&self.fit(&alone));
            if chosen == alone {
                break;
            }
            alone = chosen;
        }
        let mixture = self.mixture(&self.fit(&alone), self.options.influences);
        let tried = SHARES.map(|share| {
            let weights = between(&alone, &mixture, share);
            (self.squared_error(&weights), weights)
        });
        let best = tried.into_iter().reduce(|a, b| if b.0 < a.0 { b } else { a });
        best.map_or(mixture, |(_, weights)| weights)
    }

    /// Transforms of all bones in all steps between true poses.
    fn fit(&self, weights: &SkinWeights) -> Vec<DAffine3> {
        let b = self.points.len();
        let mut solver = StepSolver::new(weights, b, self.options.kind);
        let mut transforms = vec![DAffine3::IDENTITY; b * self.steps.len()];
        for (&[from, to], out) in self.steps.iter().zip(transforms.chunks_exact_mut(b)) {
            solver.set_source(&self.poses[from]);
            solver.solve(self.ahead[to], out);
        }
        transforms
    }

    /// Each vertex with the one bone that predicts it best. Points stay with their bones, so that none is
    /// left without vertices.
    fn alone(&self, transforms: &[DAffine3]) -> SkinWeights {
        let mut bones: Vec<u32> = (0..self.poses[0].len())
            .into_par_iter()
            .with_min_len(64)
            .map_init(|| vec![0.0; self.points.len()], |costs, v| self.cheapest(transforms, v, 1, costs)[0])
            .collect();
        for (bone, &v) in self.points.iter().enumerate() {
            bones[v as usize] = bone as u32;
        }
        SkinWeights::of_one_each(bones)
    }

    /// The bones that alone predict a vertex best, as many as asked for. `costs` is room for all bones.
    fn cheapest(
        &self,
        transforms: &[DAffine3],
        v: usize,
        count: usize,
        costs: &mut [f64],
    ) -> [u32; MOST_INFLUENCES] {
        let (bones, weights) = self.even.of(v);
        let square: f64 = weights.iter().map(|w| f64::from(w * w)).sum();
        costs.fill(self.doubt * (1.0 + square));
        for (&bone, &weight) in bones.iter().zip(weights) {
            costs[bone as usize] -= 2.0 * self.doubt * f64::from(weight);
        }
        for (step, transforms) in self.steps.iter().zip(transforms.chunks_exact(costs.len())) {
            for (cost, transform) in costs.iter_mut().zip(transforms) {
                *cost += self.residual(transform, step, v).length_squared();
            }
        }
        let mut best = [(f64::INFINITY, 0); MOST_INFLUENCES];
        for (bone, &cost) in costs.iter().enumerate() {
            insert(&mut best[..count], (cost, bone as u32));
        }
        best.map(|(_, bone)| bone)
    }

    fn residual(&self, transform: &DAffine3, step: &[usize; 2], v: usize) -> DVec3 {
        transform.transform_point3(self.poses[step[0]][v]) - self.poses[step[1]][v]
    }

    /// Entry of the matrix D for which wᵀDw is the doubt times ‖w − even‖², with weights that sum to one.
    fn doubt_of(&self, v: usize, a: u32, b: u32) -> f64 {
        let (bones, weights) = self.even.of(v);
        let even =
            |bone: u32| -> f32 { bones.iter().zip(weights).filter(|x| *x.0 == bone).map(|x| x.1).sum() };
        let square: f32 = weights.iter().map(|w| w * w).sum();
        let same = if a == b { 1.0 } else { 0.0 };
        self.doubt * f64::from(same - even(a) - even(b) + square)
    }

    /// The best mixture of the few bones that alone predict each vertex best.
    fn mixture(&self, transforms: &[DAffine3], influences: usize) -> SkinWeights {
        let (n, b) = (self.poses[0].len(), self.points.len());
        let k = influences.min(b);
        let (mut bones, mut weights) = (vec![0; n * k], vec![0.0; n * k]);
        bones.par_chunks_mut(k).zip(weights.par_chunks_mut(k)).enumerate().with_min_len(64).for_each_init(
            || vec![0.0; b],
            |costs, (v, (bones, weights))| {
                bones.copy_from_slice(&self.cheapest(transforms, v, k, costs)[..k]);
                let mixture = bounded_mixture(&self.gram(transforms, v, bones), k, 0.0);
                weights.iter_mut().zip(mixture).for_each(|(w, m)| *w = m as f32);
            },
        );
        SkinWeights { per_vertex: k, bones, weights }
    }

    fn gram(&self, transforms: &[DAffine3], v: usize, bones: &[u32]) -> Gram {
        let (b, k) = (self.points.len(), bones.len());
        let mut gram: Gram = [[0.0; MOST_INFLUENCES]; MOST_INFLUENCES];
        let mut missed = [DVec3::ZERO; MOST_INFLUENCES];
        for (i, step) in self.steps.iter().enumerate() {
            for (missed, &bone) in missed.iter_mut().zip(bones) {
                *missed = self.residual(&transforms[i * b + bone as usize], step, v);
            }
            for i in 0..k {
                for j in 0..=i {
                    gram[i][j] += missed[i].dot(missed[j]);
                }
            }
        }
        for i in 0..k {
            for j in 0..=i {
                gram[i][j] += self.doubt_of(v, bones[i], bones[j]);
                gram[j][i] = gram[i][j];
            }
        }
        gram
    }

    /// Squared distance from the frames, played forth and back as a stream would be.
    fn squared_error(&self, weights: &SkinWeights) -> f64 {
        let forth_and_back = self.ahead.iter().chain(self.ahead.iter().rev());
        Fitter::new(weights, self.rest, self.options).play(forth_and_back.copied())
    }
}

/// Weights between one bone alone and a mixture, the largest first and summing to one.
fn between(alone: &SkinWeights, mixture: &SkinWeights, share: f32) -> SkinWeights {
    let k = mixture.per_vertex;
    let mut blend = mixture.clone();
    for (v, (bones, weights)) in blend.bones.chunks_mut(k).zip(blend.weights.chunks_mut(k)).enumerate() {
        let mut slots = [(0.0, 0); MOST_INFLUENCES];
        for (slot, (&bone, &weight)) in slots.iter_mut().zip(bones.iter().zip(weights.iter())) {
            let own = if bone == alone.bones[v] { 1.0 - share } else { 0.0 };
            *slot = (share * weight + own, bone);
        }
        slots[..k].sort_by(|a, b| b.0.total_cmp(&a.0));
        let sum: f32 = slots[..k].iter().map(|slot| slot.0).sum();
        for (i, slot) in slots[..k].iter().enumerate() {
            weights[i] = slot.0 / sum;
            bones[i] = if weights[i] == 0.0 { 0 } else { slot.1 };
        }
    }
    blend
}

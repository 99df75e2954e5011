//! Weights for given bones (equations 6 to 8 of PPS): with y_b what bone b alone makes of a vertex in each
//! frame, the mixture Σ w_b y_b nearest to its path, with weights that are not negative and sum to one.
//!
//! The bones are applied to the rest pose or, from pose to pose, to the approximated pose before. The paper
//! holds that pose as it is, although it moves with the weights. Looking ahead, it is followed: with r what
//! the vertex misses now and D_b how much more it would miss, in each frame, per share of its weights given
//! to bone b, D_b = (y_b − Σ w y) + Q D_b of the frame before, mixtures of r + D_b are the error of new
//! weights to first order. They are then taken as far as the true error falls.
//!
//! At most K of all bones are kept. Those that have influence now, those towards which the error falls
//! fastest and those that alone come nearest are mixed, until the K are left that are missed most; in steps that do not look
//! for others, those that have influence alone. No vertex gets worse by the measure of the step.

use glam::{DMat3, DVec3, Vec3};
use rayon::prelude::*;

use super::candidates::{Candidates, NEAREST, STEEPEST, mix};
use super::{Model, Scheme};
use crate::animation::Frames;
use crate::progress::{Cancelled, Progress};
use crate::rig::SkinWeights;
use crate::skin::weights::insert;
use crate::solve::bounded::MOST_INFLUENCES;
use crate::tracks::{Origins, Tracks, dot, residual_along};

/// Shares of the way to new weights that are tried, looking ahead.
const SHARES: [f32; 4] = [1.0, 0.5, 0.25, 0.125];

/// How the weights are solved.
#[derive(Clone, Copy)]
pub struct WeightStep {
    /// The most bones of a vertex.
    pub influences: usize,
    /// Whether the poses after are looked at.
    pub ahead: bool,
    /// Whether vertices look for bones that they do not have.
    pub looking: bool,
}

/// The weights that fit best while everything else stays.
pub fn solved_weights(
    model: &Model,
    frames: &Frames,
    how: WeightStep,
    progress: &dyn Progress,
) -> Result<SkinWeights, Cancelled> {
    let k = how.influences.min(model.skin.bones);
    let step = Step::new(model, frames, how);
    let vertices = model.skin.rest.len();
    let mut weights =
        SkinWeights { per_vertex: k, bones: vec![0; vertices * k], weights: vec![0.0; vertices * k] };
    let slots = weights.bones.par_chunks_mut(k).zip(weights.weights.par_chunks_mut(k));
    slots.with_min_len(32).enumerate().try_for_each_init(
        || Scratch::new(&step),
        |scratch, (v, (bones, weights))| {
            progress.check()?;
            scratch.solve(&step, v, bones, weights);
            Ok(())
        },
    )?;
    Ok(weights)
}

struct Step<'a> {
    model: &'a Model,
    frames: &'a Frames,
    origins: Origins,
    tracks: Tracks,
    ahead: bool,
    looking: bool,
}

impl<'a> Step<'a> {
    fn new(model: &'a Model, frames: &'a Frames, WeightStep { ahead, looking, .. }: WeightStep) -> Self {
        let origins = Origins::new(frames, &model.skin.rest);
        let tracks = Tracks::between(&origins, &model.skin.transforms, |t| source_origin(model, &origins, t));
        Self { model, frames, origins, tracks, ahead, looking }
    }
}

/// The middle of the pose that a frame's transforms start from.
fn source_origin(model: &Model, origins: &Origins, frame: usize) -> DVec3 {
    match (model.scheme, frame) {
        (Scheme::RestPose, _) | (_, 0) => origins.rest,
        (Scheme::PoseToPose, t) => origins.frames[t - 1],
    }
}

/// Buffers of one worker. Runs hold x, y and z over all frames.
struct Scratch {
    sources: Vec<f32>,
    path: Vec<f32>,
    /// What the vertex misses now.
    missed: Vec<f32>,
    /// How the error changes with its place in each frame, what follows from that included.
    slopes: Vec<f32>,
    /// Linear parts of the blends.
    blends: Vec<DMat3>,
    residuals: Vec<f32>,
    unused: Vec<f32>,
}

impl Scratch {
    fn new(step: &Step) -> Self {
        let run = 3 * step.origins.padded();
        let buffer = || vec![0.0; run];
        Self {
            sources: buffer(),
            path: buffer(),
            missed: buffer(),
            slopes: buffer(),
            blends: vec![DMat3::ZERO; step.origins.frames.len()],
            residuals: vec![0.0; MOST_INFLUENCES * run],
            unused: buffer(),
        }
    }

    fn solve(&mut self, step: &Step, vertex: usize, bones: &mut [u32], weights: &mut [f32]) {
        self.gather(step, vertex);
        let now = step.model.skin.weights.of(vertex);
        let candidates = self.candidates(step, now);
        let run = self.path.len();
        for (out, &bone) in self.residuals.chunks_exact_mut(run).zip(candidates.bones()) {
            residual_along(step.tracks.bone(bone as usize), &self.sources, &self.path, out);
            if step.ahead {
                follow(out, &self.missed, &self.blends);
            }
        }
        let gram = candidates.gram(&self.residuals, run);
        mix(&candidates, &gram, now, bones, weights);
        let better = if step.ahead {
            self.true_share(step, vertex, bones, weights)
        } else {
            candidates.energy(&gram, (bones, weights)) < candidates.energy(&gram, now)
        };
        if !better && now.0.len() <= bones.len() {
            bones.fill(0);
            weights.fill(0.0);
            bones[..now.0.len()].copy_from_slice(now.0);
            weights[..now.1.len()].copy_from_slice(now.1);
        }
    }

    /// Goes as far towards new weights as the true error falls; `false` when it does not.
    fn true_share(&self, step: &Step, vertex: usize, bones: &mut [u32], weights: &mut [f32]) -> bool {
        let now = step.model.skin.weights.of(vertex);
        let error = |w: (&[u32], &[f32])| step.model.vertex_error(step.frames, vertex, w);
        let before = error(now);
        let (mut tried_bones, mut tried_weights) = ([0; MOST_INFLUENCES], [0.0; MOST_INFLUENCES]);
        let k = bones.len();
        for share in SHARES {
            let tried = (&mut tried_bones[..k], &mut tried_weights[..k]);
            mixed(now, (bones, weights), share, tried);
            if error((&tried_bones[..k], &tried_weights[..k])) < before {
                bones.copy_from_slice(&tried_bones[..k]);
                weights.copy_from_slice(&tried_weights[..k]);
                return true;
            }
        }
        false
    }

    /// Where the vertex starts from, where it should arrive and what it misses, in every frame.
    fn gather(&mut self, step: &Step, vertex: usize) {
        let n = step.origins.padded();
        step.model.walk(vertex, |t, here| {
            let target = step.frames.frame(t)[vertex].as_dvec3();
            set(&mut self.sources, n, t, here.source - source_origin(step.model, &step.origins, t));
            set(&mut self.path, n, t, target - step.origins.frames[t]);
            set(&mut self.missed, n, t, here.place - target);
            self.blends[t] = here.blend.matrix3;
        });
        self.slopes.copy_from_slice(&self.missed);
        if step.ahead {
            let frames = self.blends.len();
            for t in (0..frames.saturating_sub(1)).rev() {
                let later = self.blends[t + 1].transpose() * get(&self.slopes, n, t + 1);
                let slope = get(&self.slopes, n, t) + later;
                set(&mut self.slopes, n, t, slope);
            }
        }
    }

    fn candidates(&mut self, step: &Step, now: (&[u32], &[f32])) -> Candidates {
        let mut candidates = Candidates::default();
        for (&bone, _) in now.0.iter().zip(now.1).filter(|(_, w)| **w != 0.0) {
            candidates.add(bone);
        }
        if !step.looking && candidates.count() > 0 {
            return candidates;
        }
        let mut alone = [(f64::INFINITY, 0); NEAREST];
        let mut steepest = [(f64::INFINITY, 0); STEEPEST];
        for bone in 0..step.tracks.bone_count() {
            let track = step.tracks.bone(bone);
            let error = residual_along(track, &self.sources, &self.path, &mut self.unused);
            insert(&mut alone, (error, bone as u32));
            insert(&mut steepest, (dot(&self.slopes, &self.unused), bone as u32));
        }
        for &(_, bone) in steepest.iter().chain(&alone).filter(|(order, _)| order.is_finite()) {
            candidates.add(bone);
        }
        candidates
    }
}

fn set(runs: &mut [f32], n: usize, t: usize, value: DVec3) {
    (0..3).for_each(|axis| runs[axis * n + t] = value[axis] as f32);
}

fn get(runs: &[f32], n: usize, t: usize) -> DVec3 {
    Vec3::new(runs[t], runs[n + t], runs[2 * n + t]).as_dvec3()
}

/// From y_b minus the path to r + D_b.
fn follow(residual: &mut [f32], missed: &[f32], blends: &[DMat3]) {
    let n = residual.len() / 3;
    let mut more = DVec3::ZERO;
    for (t, blend) in blends.iter().enumerate() {
        let now = get(missed, n, t);
        more = get(residual, n, t) - now + *blend * more;
        set(residual, n, t, now + more);
    }
}

/// Weights a share of the way from `from` to `to`, with no more influences than `to` has.
pub fn between(from: &SkinWeights, to: &SkinWeights, share: f32) -> SkinWeights {
    let mut out = to.clone();
    let k = to.per_vertex;
    let slots = out.bones.chunks_exact_mut(k).zip(out.weights.chunks_exact_mut(k));
    for (v, slots) in slots.enumerate() {
        mixed(from.of(v), to.of(v), share, slots);
    }
    out
}

/// The same for one vertex.
fn mixed(from: (&[u32], &[f32]), to: (&[u32], &[f32]), share: f32, out: (&mut [u32], &mut [f32])) {
    let mut both = [(0.0_f32, 0_u32); 2 * MOST_INFLUENCES];
    let mut count = 0;
    for ((bones, weights), share) in [(from, 1.0 - share), (to, share)] {
        for (&bone, &weight) in bones.iter().zip(weights).filter(|(_, w)| share * **w != 0.0) {
            match both[..count].iter_mut().find(|(_, b)| *b == bone) {
                Some((sum, _)) => *sum += share * weight,
                None => {
                    both[count] = (share * weight, bone);
                    count += 1;
                }
            }
        }
    }
    both[..count].sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let kept = &both[..count.min(out.0.len())];
    let sum: f32 = kept.iter().map(|b| b.0).sum();
    out.0.fill(0);
    out.1.fill(0.0);
    for (slot, (weight, bone)) in kept.iter().enumerate() {
        out.0[slot] = *bone;
        out.1[slot] = weight / sum;
    }
}

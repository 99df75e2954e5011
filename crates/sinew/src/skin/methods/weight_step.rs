//! Weights for given bones (equations 6 to 8 of PPS): with y_b what bone b alone makes of a vertex in each
//! frame, the mixture Σ w_b y_b nearest to its path, with weights that are not negative and sum to one.
//!
//! The bones are applied to the rest pose or, from pose to pose, to the approximated pose before, which is
//! held as it is. At most K of all bones are kept: those that have influence now and those that alone come
//! nearest are mixed, the K strongest of them once more. No vertex gets worse by the measure of the step.

use rayon::prelude::*;

use super::Scheme;
use super::model::Model;
use crate::animation::Frames;
use crate::rig::SkinWeights;
use crate::skin::influences::{Gram, MOST_INFLUENCES, bounded_mixture};
use crate::skin::weights::{insert, store};
use crate::tracks::{Origins, Tracks, dot, residual_along};

/// The weights that fit best while everything else stays.
pub fn solved_weights(model: &Model, frames: &Frames, influences: usize) -> SkinWeights {
    let k = influences.min(model.bones);
    let step = Step::new(model, frames);
    let vertices = model.rest.len();
    let mut weights =
        SkinWeights { per_vertex: k, bones: vec![0; vertices * k], weights: vec![0.0; vertices * k] };
    let slots = weights.bones.par_chunks_mut(k).zip(weights.weights.par_chunks_mut(k));
    slots.with_min_len(32).enumerate().for_each_init(
        || Scratch::new(&step),
        |scratch, (v, (bones, weights))| scratch.solve(&step, v, bones, weights),
    );
    weights
}

struct Step<'a> {
    model: &'a Model,
    frames: &'a Frames,
    origins: Origins,
    tracks: Tracks,
}

impl<'a> Step<'a> {
    fn new(model: &'a Model, frames: &'a Frames) -> Self {
        let origins = Origins::new(frames, &model.rest);
        let tracks = Tracks::between(&origins, &model.transforms, |t| source_origin(model, &origins, t));
        Self { model, frames, origins, tracks }
    }
}

/// The middle of the pose that a frame's transforms start from.
fn source_origin(model: &Model, origins: &Origins, frame: usize) -> glam::DVec3 {
    match (model.scheme, frame) {
        (Scheme::RestPose, _) | (_, 0) => origins.rest,
        (Scheme::PoseToPose, t) => origins.frames[t - 1],
    }
}

/// Buffers of one worker.
struct Scratch {
    sources: Vec<f32>,
    path: Vec<f32>,
    residuals: Vec<f32>,
    unused: Vec<f32>,
}

/// Bones looked at together for one vertex.
#[derive(Default)]
struct Candidates {
    bones: [u32; MOST_INFLUENCES],
    count: usize,
}

impl Candidates {
    fn add(&mut self, bone: u32) {
        if self.count < MOST_INFLUENCES && !self.bones[..self.count].contains(&bone) {
            self.bones[self.count] = bone;
            self.count += 1;
        }
    }
}

impl Scratch {
    fn new(step: &Step) -> Self {
        let run = 3 * step.origins.padded();
        let buffer = |runs: usize| vec![0.0; runs * run];
        Self { sources: buffer(1), path: buffer(1), residuals: buffer(MOST_INFLUENCES), unused: buffer(1) }
    }

    fn solve(&mut self, step: &Step, vertex: usize, bones: &mut [u32], weights: &mut [f32]) {
        self.gather(step, vertex);
        let k = bones.len();
        let (now_bones, now_weights) = step.model.weights.of(vertex);
        let mut candidates = Candidates::default();
        for (&bone, _) in now_bones.iter().zip(now_weights).filter(|(_, w)| **w != 0.0) {
            candidates.add(bone);
        }
        let mut alone = [(f64::INFINITY, 0); MOST_INFLUENCES];
        for bone in 0..step.tracks.bone_count() {
            let track = step.tracks.bone(bone);
            let error = residual_along(track, &self.sources, &self.path, &mut self.unused);
            insert(&mut alone, (error, bone as u32));
        }
        alone.iter().filter(|(error, _)| error.is_finite()).for_each(|&(_, bone)| candidates.add(bone));
        let gram = self.gram(step, &candidates);
        let many = bounded_mixture(&gram, candidates.count, 0.0);
        let chosen = strongest(&many[..candidates.count], k);
        let some: Gram = std::array::from_fn(|i| {
            std::array::from_fn(|j| if i < k && j < k { gram[chosen[i]][chosen[j]] } else { 0.0 })
        });
        let mixture = bounded_mixture(&some, k, 0.0);
        let named: [(f64, u32); MOST_INFLUENCES] =
            std::array::from_fn(|i| (0.0, candidates.bones[chosen[i]]));
        store(&mixture[..k], &named[..k], bones, weights);
        let energy = |bones: &[u32], weights: &[f32]| candidates.energy(&gram, bones, weights);
        if now_bones.len() <= k && energy(bones, weights) >= energy(now_bones, now_weights) {
            bones.fill(0);
            weights.fill(0.0);
            bones[..now_bones.len()].copy_from_slice(now_bones);
            weights[..now_bones.len()].copy_from_slice(now_weights);
        }
    }

    /// Where the vertex starts from and where it should arrive, in every frame.
    fn gather(&mut self, step: &Step, vertex: usize) {
        let n = step.origins.padded();
        let Self { sources, path, .. } = self;
        step.model.walk(vertex, |t, here| {
            let source = here.source - source_origin(step.model, &step.origins, t);
            let target = step.frames.frame(t)[vertex].as_dvec3() - step.origins.frames[t];
            for axis in 0..3 {
                sources[axis * n + t] = source[axis] as f32;
                path[axis * n + t] = target[axis] as f32;
            }
        });
    }

    /// Inner products of what the candidates leave over.
    fn gram(&mut self, step: &Step, candidates: &Candidates) -> Gram {
        let run = self.path.len();
        let chosen = &candidates.bones[..candidates.count];
        for (out, &bone) in self.residuals.chunks_exact_mut(run).zip(chosen) {
            residual_along(step.tracks.bone(bone as usize), &self.sources, &self.path, out);
        }
        let residual = |i: usize| &self.residuals[i * run..(i + 1) * run];
        let mut gram: Gram = [[0.0; MOST_INFLUENCES]; MOST_INFLUENCES];
        for i in 0..chosen.len() {
            for j in 0..=i {
                let g = dot(residual(i), residual(j));
                gram[i][j] = g;
                gram[j][i] = g;
            }
        }
        gram
    }
}

impl Candidates {
    /// The squared error of a mixture of candidates.
    fn energy(&self, gram: &Gram, bones: &[u32], weights: &[f32]) -> f64 {
        let mut mixture = [0.0; MOST_INFLUENCES];
        for (&bone, &weight) in bones.iter().zip(weights).filter(|(_, w)| **w != 0.0) {
            if let Some(i) = self.bones[..self.count].iter().position(|&b| b == bone) {
                mixture[i] += f64::from(weight);
            }
        }
        let n = self.count;
        (0..n).map(|i| (0..n).map(|j| mixture[i] * gram[i][j] * mixture[j]).sum::<f64>()).sum()
    }
}

/// Where the `k` largest of some weights are; those after are of no use.
fn strongest(mixture: &[f64], k: usize) -> [usize; MOST_INFLUENCES] {
    let mut order: [usize; MOST_INFLUENCES] = std::array::from_fn(|i| i);
    order[..mixture.len()].sort_by(|&a, &b| mixture[b].total_cmp(&mixture[a]).then(a.cmp(&b)));
    debug_assert!(k <= mixture.len());
    order
}

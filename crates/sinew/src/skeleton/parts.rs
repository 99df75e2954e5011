//! Parts of a body: near-rigid stretches of its surface and how they move.
//!
//! More bones than a body has parts are found first, one for each patch that keeps its shape ([`super::patches`]) or
//! of other segments; those go whose points other bones, blended, move nearly as well. A bone in the middle of a bend is
//! such a one, and so is one of two that share a thigh. A bone that serves both hands becomes two.

use glam::{DAffine3, DMat3, DVec3};
use rayon::prelude::*;

use super::blends::{Blend, Leftovers, NOBODY, Nearby, owners, regions, weights_of};
use super::bodies::motions;
use super::moments::Moments;
use super::options::Segments;
use super::patches::Patches;
use super::scene::Scene;
use crate::geometry::{outer, polar};
use crate::progress::Progress;
use crate::rig::SkinWeights;
use crate::segment::{MeanShiftOptions, Segmentation, SpectralOptions, mean_shift, spectral};

/// Share of the points that a piece needs to become a part of its own.
const LEAST_PIECE: f64 = 0.004;
/// Rounds of weights and transforms before bones go, and after some went.
const ROUNDS: usize = 4;
const ROUNDS_BETWEEN: usize = 3;
/// Sweeps over the bones of one fit.
const SWEEPS: usize = 4;
/// How firmly turns stay as they are where points do not tell: see [`fit_rigid`]. In distances between points.
const HELD: f64 = 0.2;

/// How parts are found.
#[derive(Clone, Copy)]
pub(super) struct Plan {
    pub segments: Segments,
    /// Bones at first.
    pub bones: usize,
    /// The most parts in the end.
    pub most: usize,
    /// The fewest.
    pub fewest: usize,
    /// A bone goes if its loss is below this, in percent of the body's length, times its share of the points to the
    /// power of `favour`, which speaks for small parts.
    pub stop: f64,
    pub favour: f64,
}

/// Bones of a sketch, in units.
pub(super) struct Parts {
    pub bones: usize,
    pub weights: SkinWeights,
    /// All bones of the first frame, then of the second, and so on.
    pub transforms: Vec<DAffine3>,
}

/// Finds the parts of a body; `None` when cancelled.
pub(super) fn find(scene: &Scene, plan: &Plan, progress: &dyn Progress) -> Option<Parts> {
    let (mut weights, bones) = first_bones(scene, plan, progress)?;
    let least = 1 + (LEAST_PIECE * scene.rest.len() as f64) as usize;
    let bones = split_pieces(scene, &mut weights, bones, least);
    let first = motions(scene, &owners(&weights, scene.rest.len()), bones);
    let transforms = (0..scene.posed.len()).flat_map(|t| first.iter().map(move |motion| motion[t])).collect();
    let mut parts = Parts { bones, weights, transforms };
    parts.fit(scene);
    if plan.segments == Segments::Spectral {
        return Some(parts);
    }
    for _ in 0..ROUNDS {
        parts.round(scene);
    }
    while !progress.cancelled() {
        if !parts.drop_some(scene, plan) {
            return Some(parts);
        }
        for _ in 0..ROUNDS_BETWEEN {
            parts.round(scene);
        }
    }
    None
}

/// The bones to begin with, and how many.
fn first_bones(scene: &Scene, plan: &Plan, progress: &dyn Progress) -> Option<(SkinWeights, usize)> {
    let sketch = scene.sketch;
    match plan.segments {
        Segments::Best => {
            let patches = Patches::find(scene, plan.bones, progress)?;
            Some((patches.weights(), patches.count()))
        }
        Segments::Spectral => {
            let options = SpectralOptions {
                count: (plan.fewest == plan.most).then_some(plan.most),
                ..Default::default()
            };
            let found = spectral(&sketch.frames, &sketch.triangles, &sketch.rest, &options, progress)?;
            Some(hard_weights(scene, &found))
        }
        Segments::MeanShift => {
            let options = MeanShiftOptions::default();
            let found = mean_shift(&sketch.frames, &sketch.triangles, &sketch.rest, &options, progress)?;
            Some(hard_weights(scene, &found))
        }
    }
}

/// Every point follows the segment of most of its triangles.
fn hard_weights(scene: &Scene, found: &Segmentation) -> (SkinWeights, usize) {
    let n = scene.rest.len();
    let mut votes = vec![vec![0_u32; found.bone_count]; n];
    for (triangle, &bone) in scene.sketch.triangles.iter().zip(&found.bone_of_triangle) {
        for &v in triangle {
            if let Some(votes) = votes[v as usize].get_mut(bone as usize) {
                *votes += 1;
            }
        }
    }
    let most = |votes: &Vec<u32>| (0..votes.len()).rev().max_by_key(|&b| votes[b]).filter(|&b| votes[b] > 0);
    let owners: Vec<Option<usize>> = votes.iter().map(most).collect();
    let weights = SkinWeights {
        per_vertex: 1,
        bones: owners.iter().map(|o| o.map_or(0, |b| b as u32)).collect(),
        weights: owners.iter().map(|o| if o.is_some() { 1.0 } else { 0.0 }).collect(),
    };
    (weights, found.bone_count)
}

impl Parts {
    fn leftovers(&self, scene: &Scene) -> Leftovers {
        Leftovers::new(scene, &self.transforms, Nearby::new(scene, &self.weights, self.bones))
    }

    fn fit(&mut self, scene: &Scene) {
        let held = (HELD * f64::from(scene.spacing)).powi(2);
        fit_rigid(&scene.moments(&self.weights, self.bones), held, &mut self.transforms);
    }

    /// Weights anew, then transforms anew.
    fn round(&mut self, scene: &Scene) {
        let blends = self.leftovers(scene).blends(|_| true);
        self.weights = weights_of(&blends, |b| b as u32);
        self.fit(scene);
    }

    /// Takes out a few of the bones that are missed least. `false` when all that are left are needed.
    fn drop_some(&mut self, scene: &Scene, plan: &Plan) -> bool {
        let left = self.leftovers(scene);
        let mut alive = vec![true; self.bones];
        let mut blends = left.blends(|_| true);
        let (mut count, mut gone) = (self.bones, 0);
        while gone <= self.bones / 12 && count > plan.fewest.max(1) {
            let lost = left.losses(&alive, &blends);
            let sizes = sizes(&blends, self.bones);
            let score = |b: usize| {
                let share = sizes[b].max(1.0) / scene.rest.len() as f64;
                scene.percent(lost[b]) / share.powf(plan.favour)
            };
            let least = (0..self.bones).filter(|&b| alive[b]).map(|b| (score(b), b));
            let Some((score, bone)) = least.min_by(|a, b| a.0.total_cmp(&b.0)) else { break };
            if score > plan.stop && count <= plan.most {
                break;
            }
            alive[bone] = false;
            (count, gone) = (count - 1, gone + 1);
            blends = left.blends(|b| alive[b]);
        }
        if gone > 0 {
            self.keep(scene, &alive, &blends);
        }
        gone > 0
    }

    /// The region of each bone ([`regions`]); bones that have none go.
    pub fn regions(&mut self, scene: &Scene) -> Vec<u32> {
        loop {
            let owner = regions(scene, &self.weights, self.bones);
            let mut alive = vec![false; self.bones];
            owner.iter().filter(|o| **o != NOBODY).for_each(|&o| alive[o as usize] = true);
            // Each round takes bones out, so the rounds come to an end.
            if alive.iter().all(|a| *a) || !alive.contains(&true) {
                return owner;
            }
            let blends = self.leftovers(scene).blends(|b| alive[b]);
            self.keep(scene, &alive, &blends);
        }
    }

    fn keep(&mut self, scene: &Scene, alive: &[bool], blends: &[Blend]) {
        let kept: Vec<usize> = (0..self.bones).filter(|&b| alive[b]).collect();
        let number =
            |b: usize| kept.iter().position(|k| *k == b).expect("only those alive are blended") as u32;
        self.weights = weights_of(blends, number);
        let frames = self.transforms.chunks_exact(self.bones);
        self.transforms = frames.flat_map(|frame| kept.iter().map(|&b| frame[b])).collect();
        self.bones = kept.len();
        self.fit(scene);
    }
}

/// How many points each bone moves.
pub(super) fn sizes(blends: &[Blend], bones: usize) -> Vec<f64> {
    let mut sizes = vec![0.0; bones];
    for blend in blends {
        for i in 0..blend.len {
            sizes[blend.bones[i]] += blend.weights[i];
        }
    }
    sizes
}

/// Bones whose regions lie in several pieces become several, each with the points it moves most to itself; small
/// pieces are left to nobody. Returns the new number of bones.
fn split_pieces(scene: &Scene, weights: &mut SkinWeights, bones: usize, least: usize) -> usize {
    let owner = owners(weights, scene.rest.len());
    let piece = scene.pieces(&owner);
    let mut sizes = vec![0_usize; owner.len()];
    piece.iter().for_each(|&p| sizes[p as usize] += 1);
    // The largest piece of a bone, and others that are large enough; largest first.
    let mut first: Vec<usize> =
        (0..owner.len()).filter(|&v| piece[v] as usize == v && owner[v] != NOBODY).collect();
    first.sort_by_key(|&v| std::cmp::Reverse(sizes[v]));
    let mut seen = vec![false; bones];
    first.retain(|&v| !std::mem::replace(&mut seen[owner[v] as usize], true) || sizes[v] >= least);
    if first.is_empty() {
        *weights = SkinWeights::single(owner.len());
        return 1;
    }
    let mut number = vec![None; owner.len()];
    first.iter().enumerate().for_each(|(part, &v)| number[v] = Some(part as u32));
    let parts: Vec<Option<u32>> = piece.iter().map(|&p| number[p as usize]).collect();
    *weights = SkinWeights {
        per_vertex: 1,
        bones: parts.iter().map(|part| part.unwrap_or(0)).collect(),
        weights: parts.iter().map(|part| if part.is_some() { 1.0 } else { 0.0 }).collect(),
    };
    first.len()
}

/// Fits rigid transforms of all bones, between poses in units, to their weights; `transforms` are improved. What points
/// do not tell about a turn stays as it is: every point counts as a body of the squared size `held`.
fn fit_rigid(moments: &Moments, held: f64, transforms: &mut [DAffine3]) {
    let n = moments.bones;
    transforms.par_chunks_mut(n).enumerate().for_each(|(frame, now)| {
        for _ in 0..SWEEPS {
            for b in 0..n {
                let mut turned = moments.turned(frame, b);
                let mut carried = moments.carried(frame, b);
                for c in (0..n).filter(|&c| c != b) {
                    let pair = moments.pairs[c * n + b];
                    if pair.w_axis.w == 0.0 {
                        continue;
                    }
                    let (x, one) = (DMat3::from_mat4(pair), pair.w_axis.truncate());
                    let t = &now[c];
                    turned -= t.matrix3 * x + outer(t.translation, one);
                    carried -= t.matrix3 * one + t.translation * pair.w_axis.w;
                }
                let own = moments.pairs[b * n + b].w_axis;
                if own.w <= 1e-9 {
                    continue;
                }
                let middle: DVec3 = own.truncate() / own.w;
                let turn = polar(turned - outer(carried, middle) + now[b].matrix3 * (held * own.w))
                    .unwrap_or(now[b].matrix3);
                now[b] = DAffine3 { matrix3: turn, translation: carried / own.w - turn * middle };
            }
        }
    });
}

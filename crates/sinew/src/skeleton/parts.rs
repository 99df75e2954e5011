//! Parts of a body: near-rigid stretches of its surface and how they move.
//!
//! More bones than a body has parts are found first, one for each patch that keeps its shape
//! ([`crate::segment::Patches`]) or of other segments; those go whose points other bones, blended, move nearly as well. A bone in the middle of a bend is
//! such a one, and so is one of two that share a thigh. A bone that serves both hands becomes two.

use glam::{DAffine3, DMat3, DVec3};
use rayon::prelude::*;

use super::blends::regions;
use super::{Blend, Moments, Nearby, PartsTuning, Residuals, Sampled, SkeletonError, TUNING, weights_of};
use crate::progress::{Cancelled, Part};
use crate::rig::{SkinWeights, picked};
use crate::segment::rigid_bodies::motions;
use crate::segment::{CountRule, NO_BONE, SegmentOptions, Segmenter, SurfaceSamples};
use crate::solve::procrustes::{outer, polar};

const TUNED: PartsTuning = TUNING.parts;

/// How parts are found.
#[derive(Clone, Copy)]
pub(super) struct Plan {
    pub segmenter: &'static dyn Segmenter,
    /// Bones at first.
    pub bones: usize,
    /// The most parts in the end.
    pub most: usize,
    /// The fewest.
    pub fewest: usize,
}

/// Bones of samples, in units.
pub(super) struct Parts {
    pub bones: usize,
    pub weights: SkinWeights,
    /// All bones of the first frame, then of the second, and so on.
    pub transforms: Vec<DAffine3>,
}

/// Finds the parts of a body.
///
/// # Errors
/// [`SkeletonError::Cancelled`], and whatever the segmenter cannot do.
pub(super) fn find(on: Sampled, plan: &Plan) -> Result<Parts, SkeletonError> {
    let count = match plan.segmenter.facts().count {
        CountRule::Optional => (plan.fewest == plan.most).then_some(plan.most),
        CountRule::Needed | CountRule::AtMost => Some(plan.bones),
    };
    let options = SegmentOptions { count, rigid: true };
    let begin = Part { whole: on.progress, from: 0.0, to: 0.3 };
    let found = plan.segmenter.segment_samples(on.samples, &options, &begin)?;
    let least = 1 + (TUNED.least_piece * on.samples.rest.len() as f64) as usize;
    let mut owner = found.of_vertex;
    let bones = split_pieces(on.samples, &mut owner, found.count, least);
    let first = motions(on.samples, &owner, bones);
    let transforms =
        (0..on.samples.posed.len()).flat_map(|t| first.iter().map(move |motion| motion[t])).collect();
    let mut parts = Parts { bones, weights: hard_weights(&owner), transforms };
    parts.fit(on)?;
    if plan.segmenter.facts().whole_parts {
        return Ok(parts);
    }
    for _ in 0..TUNED.rounds[0] {
        parts.round(on)?;
    }
    while parts.drop_some(on, plan)? {
        on.progress.advance(1.0 - 0.7 * parts.bones as f64 / bones as f64);
        for _ in 0..TUNED.rounds[1] {
            parts.round(on)?;
        }
    }
    Ok(parts)
}

/// Every point follows its owner alone.
fn hard_weights(owner: &[u32]) -> SkinWeights {
    let owned = |o: &u32| *o != NO_BONE;
    SkinWeights {
        per_vertex: 1,
        bones: owner.iter().map(|o| if owned(o) { *o } else { 0 }).collect(),
        weights: owner.iter().map(|o| if owned(o) { 1.0 } else { 0.0 }).collect(),
    }
}

impl Parts {
    fn residuals(&self, samples: &SurfaceSamples) -> Residuals {
        Residuals::new(samples, &self.transforms, Nearby::new(samples, &self.weights, self.bones))
    }

    fn fit(&mut self, on: Sampled) -> Result<(), Cancelled> {
        let held = (TUNED.held * f64::from(on.samples.spacing)).powi(2);
        let moments = Moments::of_samples(on, &self.weights, self.bones)?;
        fit_rigid(&moments, held, &mut self.transforms);
        Ok(())
    }

    /// Weights anew, then transforms anew.
    fn round(&mut self, on: Sampled) -> Result<(), Cancelled> {
        let blends = self.residuals(on.samples).blends(|_| true);
        self.weights = weights_of(&blends, |b| b as u32);
        self.fit(on)
    }

    /// Takes out a few of the bones that are missed least. `false` when all that are left are needed.
    fn drop_some(&mut self, on: Sampled, plan: &Plan) -> Result<bool, Cancelled> {
        let left = self.residuals(on.samples);
        let mut alive = vec![true; self.bones];
        let mut blends = left.blends(|_| true);
        let (mut count, mut gone) = (self.bones, 0);
        while gone <= self.bones / 12 && count > plan.fewest.max(1) {
            on.progress.check()?;
            let lost = left.losses(&alive, &blends);
            let sizes = sizes(&blends, self.bones);
            let score = |b: usize| {
                let share = sizes[b].max(1.0) / on.samples.rest.len() as f64;
                on.samples.percent(lost[b]) / share.powf(TUNED.favour)
            };
            let least = (0..self.bones).filter(|&b| alive[b]).map(|b| (score(b), b));
            let Some((score, bone)) = least.min_by(|a, b| a.0.total_cmp(&b.0)) else { break };
            if score > TUNED.stop && count <= plan.most {
                break;
            }
            alive[bone] = false;
            (count, gone) = (count - 1, gone + 1);
            blends = left.blends(|b| alive[b]);
        }
        if gone > 0 {
            self.keep(on, &alive, &blends)?;
        }
        Ok(gone > 0)
    }

    /// The region of each bone ([`regions`]); bones that have none go.
    pub fn regions(&mut self, on: Sampled) -> Result<Vec<u32>, Cancelled> {
        loop {
            let owner = regions(on.samples, &self.weights, self.bones);
            let mut alive = vec![false; self.bones];
            owner.iter().filter(|o| **o != NO_BONE).for_each(|&o| alive[o as usize] = true);
            // Each round takes bones out, so the rounds come to an end.
            if alive.iter().all(|a| *a) || !alive.contains(&true) {
                return Ok(owner);
            }
            let blends = self.residuals(on.samples).blends(|b| alive[b]);
            self.keep(on, &alive, &blends)?;
        }
    }

    fn keep(&mut self, on: Sampled, alive: &[bool], blends: &[Blend]) -> Result<(), Cancelled> {
        let kept: Vec<usize> = (0..self.bones).filter(|&b| alive[b]).collect();
        let number =
            |b: usize| kept.iter().position(|k| *k == b).expect("only those alive are blended") as u32;
        self.weights = weights_of(blends, number);
        self.transforms = picked(&self.transforms, self.bones, &kept);
        self.bones = kept.len();
        self.fit(on)
    }
}

/// How many points each bone moves.
pub(super) fn sizes(blends: &[Blend], bones: usize) -> Vec<f64> {
    let mut sizes = vec![0.0; bones];
    for blend in blends {
        (0..blend.len).for_each(|i| sizes[blend.bones[i]] += blend.weights[i]);
    }
    sizes
}

/// Bones whose points lie in several pieces become several; small pieces are left to nobody. Returns the new number of
/// bones.
fn split_pieces(samples: &SurfaceSamples, owner: &mut [u32], bones: usize, least: usize) -> usize {
    let piece = samples.pieces(owner);
    let mut sizes = vec![0_usize; owner.len()];
    piece.iter().for_each(|&p| sizes[p as usize] += 1);
    // The largest piece of a bone, and others that are large enough; largest first.
    let mut first: Vec<usize> =
        (0..owner.len()).filter(|&v| piece[v] as usize == v && owner[v] != NO_BONE).collect();
    first.sort_by_key(|&v| std::cmp::Reverse(sizes[v]));
    let mut seen = vec![false; bones];
    first.retain(|&v| !std::mem::replace(&mut seen[owner[v] as usize], true) || sizes[v] >= least);
    if first.is_empty() {
        owner.fill(0);
        return 1;
    }
    let mut number = vec![NO_BONE; owner.len()];
    first.iter().enumerate().for_each(|(part, &v)| number[v] = part as u32);
    owner.iter_mut().zip(&piece).for_each(|(o, &p)| *o = number[p as usize]);
    first.len()
}

/// Fits rigid transforms of all bones, between poses in units, to their weights; `transforms` are improved. What points
/// do not tell about a turn stays as it is: every point counts as a body of the squared size `held`.
fn fit_rigid(moments: &Moments, held: f64, transforms: &mut [DAffine3]) {
    let n = moments.bones;
    transforms.par_chunks_mut(n).enumerate().for_each(|(frame, now)| {
        for _ in 0..TUNED.sweeps {
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

//! Bones blended: which bones may move a point, and how well.
//!
//! Unlike a skin's bones, a part of a body is in one piece, and what moves a point is near it: a bone of one hand
//! may not help out at the other, however alike they move.

use glam::DAffine3;
use rayon::prelude::*;

use super::{BlendTuning, TUNING};
use crate::rig::SkinWeights;
use crate::segment::{NO_BONE, SurfaceSamples};
use crate::solve::nnls::{Mixture, best_mixture};

/// The most bones blended.
pub(super) const MOST: usize = 4;
pub(super) type Blend = Mixture<{ MOST + 1 }>;
const TUNED: BlendTuning = TUNING.blends;
/// A point's error counts as if each bone's place for it was uncertain by this, in units: bones that move a point alike,
/// but for rounding, share it evenly.
const SPREAD: f64 = 1e-5;

/// Bones that may move each point.
pub(super) struct Nearby(Vec<Vec<u32>>);

impl Nearby {
    /// Those whose region stays near, and those that move it already.
    pub fn new(samples: &SurfaceSamples, weights: &SkinWeights, bones: usize) -> Self {
        let owner = regions(samples, weights, bones);
        let n = owner.len();
        let reach = TUNED.near.max(TUNED.near_points * samples.spacing);
        let lists = (0..n)
            .into_par_iter()
            .map(|v| {
                let mut least = vec![f32::INFINITY; bones];
                for (u, d) in samples.distances[v * n..(v + 1) * n].iter().enumerate() {
                    if let Some(l) = least.get_mut(owner[u] as usize) {
                        *l = l.min(*d);
                    }
                }
                let nearest = least.iter().copied().fold(f32::INFINITY, f32::min);
                weights.influences(v).filter(|u| u.1 > TUNED.kept).for_each(|u| least[u.0] = 0.0);
                (0..bones as u32).filter(|&b| least[b as usize] <= reach.max(1.01 * nearest)).collect()
            })
            .collect();
        Self(lists)
    }
}

/// Gram matrices of residuals: products of what each pair of nearby bones leaves over, for every point.
pub(super) struct Residuals {
    bones: usize,
    frames: usize,
    /// What a point without a bone costs.
    lost: f64,
    /// What [`SPREAD`] adds.
    spread: f64,
    near: Nearby,
    grams: Vec<Vec<f32>>,
}

impl Residuals {
    /// Of `transforms` between poses in units, frame after frame.
    pub fn new(samples: &SurfaceSamples, transforms: &[DAffine3], near: Nearby) -> Self {
        let frames = samples.posed.len();
        let bones = transforms.len() / frames;
        let grams = (0..samples.rest.len())
            .into_par_iter()
            .map_init(Vec::new, |left: &mut Vec<f32>, v| {
                let near = &near.0[v];
                left.clear();
                for &b in near {
                    for t in 0..frames {
                        let off = transforms[t * bones + b as usize].transform_point3(samples.rest[v])
                            - samples.posed[t][v];
                        left.extend(off.as_vec3().to_array());
                    }
                }
                let k = near.len();
                let mut gram = vec![0.0; k * k];
                let row = |i: usize| &left[i * 3 * frames..(i + 1) * 3 * frames];
                for i in 0..k {
                    for j in 0..=i {
                        let product = dot(row(i), row(j));
                        gram[i * k + j] = product;
                        gram[j * k + i] = product;
                    }
                }
                gram
            })
            .collect();
        Self {
            bones,
            frames,
            lost: TUNED.lost * TUNED.lost * frames as f64,
            spread: SPREAD * SPREAD * frames as f64,
            near,
            grams,
        }
    }

    /// The best blend of the bones that are allowed, of every point.
    pub fn blends(&self, allowed: impl Fn(usize) -> bool + Sync) -> Vec<Blend> {
        (0..self.grams.len()).into_par_iter().map(|v| self.blend(v, &allowed)).collect()
    }

    /// The best blend of the bones that are allowed; of none where none are near.
    pub fn blend(&self, point: usize, allowed: impl Fn(usize) -> bool) -> Blend {
        let (near, gram) = (&self.near.0[point], &self.grams[point]);
        let k = near.len();
        let at = |i: usize, j: usize| f64::from(gram[i * k + j]) + if i == j { self.spread } else { 0.0 };
        let may: Vec<usize> = (0..k).filter(|&i| allowed(near[i] as usize)).collect();
        let mut blend = Blend::empty();
        let Some(&first) = may.iter().min_by(|&&a, &&b| at(a, a).total_cmp(&at(b, b))) else { return blend };
        // The blend is of places in the list at first.
        let enter = |blend: &mut Blend, bone: usize| {
            let i = blend.len;
            blend.bones[i] = bone;
            blend.weights[i] = 0.0;
            blend.len += 1;
            for j in 0..=i {
                let g = at(bone, blend.bones[j]);
                blend.gram[i][j] = g;
                blend.gram[j][i] = g;
            }
        };
        enter(&mut blend, first);
        blend.weights[0] = 1.0;
        blend.error = at(first, first);
        for _ in 0..2 * MOST {
            let slope =
                |b: usize| (0..blend.len).map(|i| blend.weights[i] * at(b, blend.bones[i])).sum::<f64>();
            let gain = |b: usize| {
                let drop = blend.error - slope(b);
                if drop > 0.0 { drop * drop / (2.0 * drop - blend.error + at(b, b)).max(1e-30) } else { 0.0 }
            };
            let next = may
                .iter()
                .filter(|b| !blend.bones[..blend.len].contains(b))
                .map(|&b| (gain(b), b))
                .max_by(|a, b| a.0.total_cmp(&b.0));
            let Some((gain, bone)) = next else { break };
            if gain <= 1e-3 * blend.error || blend.len == MOST {
                break;
            }
            let before = blend.error;
            enter(&mut blend, bone);
            blend.error = best_mixture(&blend.gram, blend.len, &mut blend.weights);
            blend.drop_negligible();
            if blend.error >= before * (1.0 - 1e-4) {
                break;
            }
        }
        (0..blend.len).for_each(|i| blend.bones[i] = near[blend.bones[i]] as usize);
        blend
    }

    /// Share of the points that one bone alone keeps within a distance in units, in the mean frame.
    pub fn rigid_share(&self, within: f64) -> f64 {
        let rigid = (0..self.grams.len()).filter(|&v| {
            let k = self.near.0[v].len();
            let least = (0..k).map(|i| self.grams[v][i * k + i]).fold(f32::INFINITY, f32::min);
            f64::from(least) <= within * within * self.frames as f64
        });
        rigid.count() as f64 / self.grams.len().max(1) as f64
    }

    /// How much is lost without each bone: the rise of the squared error, summed over the points. Points that no
    /// other bone is near to would be lost altogether.
    pub fn losses(&self, alive: &[bool], blends: &[Blend]) -> Vec<f64> {
        let parts: Vec<Vec<(usize, f64)>> = blends
            .par_iter()
            .enumerate()
            .map(|(v, blend)| {
                (0..blend.len)
                    .map(|i| {
                        let out = blend.bones[i];
                        let without = self.blend(v, |b| alive[b] && b != out);
                        let loss = if without.len == 0 { self.lost } else { without.error - blend.error };
                        (out, loss.max(0.0))
                    })
                    .collect()
            })
            .collect();
        let mut losses = vec![0.0; self.bones];
        parts.into_iter().flatten().for_each(|(bone, loss)| losses[bone] += loss);
        losses
    }
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    const LANES: usize = 16;
    let mut lanes = [0.0_f32; LANES];
    let (x, y) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let rest: f32 = x.remainder().iter().zip(y.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in x.zip(y) {
        for i in 0..LANES {
            lanes[i] += a[i] * b[i];
        }
    }
    lanes.iter().sum::<f32>() + rest
}

/// Blends as weights; `number` tells the new numbers of bones.
pub(super) fn weights_of(blends: &[Blend], number: impl Fn(usize) -> u32) -> SkinWeights {
    let mut weights = SkinWeights { per_vertex: MOST, bones: Vec::new(), weights: Vec::new() };
    for blend in blends {
        let (mut bones, mut of) = ([0; MOST], [0.0; MOST]);
        blend.store(&mut bones, &mut of);
        let numbered = bones.iter().zip(&of).map(|(&b, &w)| if w > 0.0 { number(b as usize) } else { 0 });
        weights.bones.extend(numbered);
        weights.weights.extend(of);
    }
    weights
}

/// The bone that moves each point most.
pub(super) fn owners(weights: &SkinWeights, points: usize) -> Vec<u32> {
    let most = |v: usize| {
        weights.influences(v).fold((NO_BONE, 0.0), |m, (b, w)| if w > m.1 { (b as u32, w) } else { m })
    };
    (0..points).map(|v| most(v).0).collect()
}

/// The region of each bone: points it moves most, in one piece. Points of other pieces have [`NO_BONE`].
pub(super) fn regions(samples: &SurfaceSamples, weights: &SkinWeights, bones: usize) -> Vec<u32> {
    let mut owner = owners(weights, samples.rest.len());
    let piece = samples.pieces(&owner);
    let mut sizes = vec![0_u32; owner.len()];
    piece.iter().for_each(|&p| sizes[p as usize] += 1);
    let mut largest = vec![(0, NO_BONE); bones];
    for (v, &p) in piece.iter().enumerate() {
        let size = sizes[p as usize];
        if let Some(best) = largest.get_mut(owner[v] as usize).filter(|best| size > best.0) {
            *best = (size, p);
        }
    }
    for (v, &p) in piece.iter().enumerate() {
        if largest.get(owner[v] as usize).is_none_or(|l| l.1 != p) {
            owner[v] = NO_BONE;
        }
    }
    // A bone that nowhere moves most has the point it moves most.
    for bone in (0..bones as u32).filter(|b| largest[*b as usize].0 == 0) {
        let share = |v: usize| weights.influences(v).find(|u| u.0 == bone as usize).map_or(0.0, |u| u.1);
        let most = (0..owner.len()).fold((0, 0.0), |m, v| if share(v) > m.1 { (v, share(v)) } else { m });
        if most.1 > 0.0 {
            owner[most.0] = bone;
        }
    }
    owner
}

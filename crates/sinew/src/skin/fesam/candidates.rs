//! The bones that are looked at together for one vertex, and their best mixture.

use crate::skin::weights::{gram, store};
use crate::solve::bounded::{Gram, MOST_INFLUENCES, bounded_mixture};
use crate::solve::nnls::part;

/// Bones towards which the error falls fastest that are looked at.
pub const STEEPEST: usize = 6;

/// Some different bones.
#[derive(Default)]
pub struct Candidates {
    bones: [u32; MOST_INFLUENCES],
    count: usize,
}

impl Candidates {
    /// Adds a bone, if there is room.
    pub fn add(&mut self, bone: u32) {
        if self.count < MOST_INFLUENCES && !self.bones().contains(&bone) {
            self.bones[self.count] = bone;
            self.count += 1;
        }
    }

    /// The bones.
    pub fn bones(&self) -> &[u32] {
        &self.bones[..self.count]
    }

    /// Inner products of what the candidates leave over, a run of `run` numbers for each.
    pub fn gram(&self, residuals: &[f32], run: usize) -> Gram {
        gram(&residuals[..self.count * run], run)
    }

    /// The squared error of a mixture of candidates.
    pub fn energy(&self, gram: &Gram, (bones, weights): (&[u32], &[f32])) -> f64 {
        let mut mixture = [0.0; MOST_INFLUENCES];
        for (&bone, &weight) in bones.iter().zip(weights).filter(|(_, w)| **w != 0.0) {
            if let Some(i) = self.bones().iter().position(|&b| b == bone) {
                mixture[i] += f64::from(weight);
            }
        }
        let n = self.count;
        (0..n).map(|i| (0..n).map(|j| mixture[i] * gram[i][j] * mixture[j]).sum::<f64>()).sum()
    }
}

/// Writes a mixture of no more candidates than there are slots: the best of all, from which the weakest
/// bone is taken away, and the others mixed again, until it is few enough.
pub fn mix(candidates: &Candidates, gram: &Gram, bones: &mut [u32], weights: &mut [f32]) {
    let k = bones.len().min(candidates.count);
    let mut chosen: [usize; MOST_INFLUENCES] = std::array::from_fn(|i| i);
    let mut count = candidates.count;
    let mixture = loop {
        let mixture = bounded_mixture(&part(gram, &chosen[..count]), count, 0.0);
        let mut order: [usize; MOST_INFLUENCES] = std::array::from_fn(|i| i);
        order[..count].sort_by(|&a, &b| mixture[b].total_cmp(&mixture[a]).then(a.cmp(&b)));
        if count == k {
            break mixture;
        }
        // Those without weight go at once.
        let strong = order[..count].iter().filter(|&&i| mixture[i] > 0.0).count();
        chosen = std::array::from_fn(|i| chosen[order[i]]);
        count = strong.min(count - 1).max(k);
    };
    let named: [(f64, u32); MOST_INFLUENCES] = std::array::from_fn(|i| (0.0, candidates.bones[chosen[i]]));
    bones.fill(0);
    weights.fill(0.0);
    store(&mixture[..k], &named[..k], &mut bones[..k], &mut weights[..k]);
}

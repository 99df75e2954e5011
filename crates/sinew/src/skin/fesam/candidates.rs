//! The bones that are looked at together for one vertex, and their best mixture.

use crate::skin::weights::gram;
use crate::solve::bounded::{Gram, MOST_INFLUENCES};
use crate::solve::nnls::{Mixture, best_mixture, least_needed};

/// Bones towards which the error falls fastest that are looked at.
pub const STEEPEST: usize = 5;
/// Bones that alone come nearest that are looked at.
pub const NEAREST: usize = 3;

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

    /// How many there are.
    pub fn count(&self) -> usize {
        self.count
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

/// Writes a mixture of no more candidates than there are slots: the best of all, begun with the one a vertex has, from which
/// the bone that is missed least is taken away, and the others mixed again, until it is few enough.
pub fn mix(
    candidates: &Candidates,
    gram: &Gram,
    now: (&[u32], &[f32]),
    bones: &mut [u32],
    weights: &mut [f32],
) {
    let mut mixture = Mixture::<MOST_INFLUENCES>::empty();
    for (i, &bone) in candidates.bones().iter().enumerate() {
        let own = now.0.iter().zip(now.1).filter(|(b, _)| **b == bone).map(|(_, w)| f64::from(*w)).sum();
        mixture.push(bone as usize, own, |j, _| gram[i][j]);
    }
    if mixture.weights[..mixture.len].iter().sum::<f64>() <= 0.0 {
        mixture.weights[0] = 1.0;
    }
    loop {
        mixture.error = best_mixture(&mixture.gram, mixture.len, &mut mixture.weights);
        mixture.drop_negligible();
        if mixture.len <= bones.len() {
            break;
        }
        mixture.remove(least_needed(&mixture.gram, mixture.len));
    }
    mixture.store(bones, weights);
}

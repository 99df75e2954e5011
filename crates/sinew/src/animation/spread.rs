//! How distances are spread: counts in steps that grow with the distance, so that percentiles of any number of them cost
//! the same.

use crate::geometry::Bounds;

/// Steps to a doubling: percentiles are known up to half a percent of themselves.
const STEPS: f64 = 128.0;
/// Doublings that are told apart, from a 2⁻³²th of the diagonal on.
const DOUBLINGS: f64 = 40.0;
/// The least distance that is told from none, in diagonals.
const LEAST: f64 = 1.0 / (1_u64 << 32) as f64;

/// Counts of distances.
#[derive(Clone)]
pub(super) struct Spread {
    /// The least distance that is told from none.
    least: f64,
    counts: Vec<u64>,
}

impl Spread {
    /// Of no distances, on a body with this box.
    pub fn new(rest: Bounds) -> Self {
        let least = (rest.diagonal() * LEAST).max(f64::MIN_POSITIVE);
        Self { least, counts: vec![0; (STEPS * DOUBLINGS) as usize] }
    }

    /// Forgets all counts.
    pub fn clear(&mut self) {
        self.counts.fill(0);
    }

    /// Takes in a distance.
    pub fn count(&mut self, distance: f64) {
        let step = ((distance / self.least).log2() * STEPS).max(0.0) as usize;
        let last = self.counts.len() - 1;
        self.counts[step.min(last)] += 1;
    }

    /// Takes in the counts of others on the same body.
    pub fn add(&mut self, other: &Self) {
        self.counts.iter_mut().zip(&other.counts).for_each(|(a, b)| *a += b);
    }

    /// The distance that no more than this share is above.
    pub fn above(&self, share: f64) -> f64 {
        let all: u64 = self.counts.iter().sum();
        let allowed = (all as f64 * share) as u64;
        let mut above = 0;
        for (step, count) in self.counts.iter().enumerate().rev() {
            above += count;
            if above > allowed {
                let middle = self.least * ((step as f64 + 0.5) / STEPS).exp2();
                return if step == 0 { 0.0 } else { middle };
            }
        }
        0.0
    }
}

//! Constants of this room that were tuned on data.

use crate::tuning::tuning;

tuning! {
    /// How light is looked for and taken apart.
    Tuning {
        /// Rays start this share of the diagonal above the surface, so as not to meet it where they start.
        above: f64 = 1e-4,
        /// Frames whose products with each other are decomposed whole; of more, only what is needed is found.
        most_at_once: usize = 400,
        /// Vectors that are iterated besides those wanted: light of a body has few strong shapes.
        spare: usize = 12,
        /// How often they are.
        iterations: usize = 24,
        /// Rounds of a factorisation without negative numbers: more hardly change a byte.
        rounds: usize = 60,
    }
}

pub(super) const TUNING: Tuning = Tuning::DEFAULT;

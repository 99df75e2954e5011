//! Constants of this room that were tuned on data.

/// How light is looked for and taken apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Tuning {
    /// Rays start this share of the diagonal above the surface, so as not to meet it where they start.
    pub above: f64,
    /// Frames whose products with each other are decomposed whole; of more, only what is needed is found.
    pub most_at_once: usize,
    /// Vectors that are iterated besides those wanted: light of a body has few strong shapes.
    pub spare: usize,
    /// How often they are.
    pub iterations: usize,
    /// Rounds of a factorisation without negative numbers: more hardly change a byte.
    pub rounds: usize,
}

impl Default for Tuning {
    fn default() -> Self {
        Self { above: 1e-4, most_at_once: 400, spare: 12, iterations: 24, rounds: 60 }
    }
}

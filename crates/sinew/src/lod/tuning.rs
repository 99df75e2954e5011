//! Constants of this room that were tuned on data.

/// How edges are weighed against each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Tuning {
    /// How much more an edge at a border, a seam or between materials counts than the surface beside it: outlines are
    /// seen first.
    pub rim: f64,
    /// What a collapse costs per squared length of its edge, so that flat places lose short edges first.
    pub edge_length: f64,
    /// A triangle may turn until the cosine of its angle is this; beyond, shading shows it.
    pub least_cosine: f64,
    /// Counts of triangles up to this ratio are alike: the search for an error ends there.
    pub alike: f64,
}

impl Default for Tuning {
    fn default() -> Self {
        Self { rim: 10.0, edge_length: 1e-6, least_cosine: 0.2, alike: 1.02 }
    }
}

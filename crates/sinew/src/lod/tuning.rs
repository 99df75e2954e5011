//! Constants of this room that were tuned on data.

use crate::tuning::tuning;

tuning! {
    /// How edges are weighed against each other.
    Tuning {
        /// How much more an edge at a border, a seam or between materials counts than the surface beside it: outlines are
        /// seen first.
        rim: f64 = 10.0,
        /// What a collapse costs per squared length of its edge, so that flat places lose short edges first.
        edge_length: f64 = 1e-6,
        /// A triangle may turn until the cosine of its angle is this; beyond, shading shows it.
        least_cosine: f64 = 0.2,
        /// Counts of triangles up to this ratio are alike: the search for an error ends there.
        alike: f64 = 1.02,
    }
}

pub(super) const TUNING: Tuning = Tuning::DEFAULT;

//! Constants of this room that were tuned on data.

use crate::tuning::tuning;

tuning! {
    /// How bodies are prepared. The contacts found are the same for any of these; time and memory are not.
    Tuning {
        /// What regions' models may leave, as a share of the rest pose's diagonal: a good deal less than triangles are
        /// large, or spheres would be larger for it.
        left: f64 = 1e-3,
        /// Shapes that a region's model has at most: each is one more term of every sphere.
        shapes: usize = 12,
        /// Frames that shapes are learned from, spread over all: their products with each other are decomposed whole.
        learned_frames: usize = 64,
        /// Keeps the motion across what is flat near a rotation, as a share of the spread along it.
        ridge: f64 = 1e-4,
        /// Pieces of fewer triangles go to a neighbour: a model of their own costs more than it saves.
        small_region: usize = 64,
        /// Frames that the hierarchy is built for, spread over all: more take longer to build and hardly save a box.
        build_frames: usize = 4,
        /// Each half of a node has at least one of so many of its leaves, so that trees are never deep.
        least_share: usize = 4,
    }
}

pub(super) const TUNING: Tuning = Tuning::DEFAULT;

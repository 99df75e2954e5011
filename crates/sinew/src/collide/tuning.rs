//! Constants of this room that were tuned on data.

/// How bodies are prepared. The contacts found are the same for any of these; time and memory are not.
#[derive(Clone, Debug, PartialEq)]
pub struct Tuning {
    /// What regions' models may leave, as a share of the rest pose's diagonal: a good deal less than triangles are
    /// large, or spheres would be larger for it.
    pub left: f64,
    /// Shapes that a region's model has at most: each is one more term of every sphere.
    pub shapes: usize,
    /// Frames that shapes are learned from, spread over all: their products with each other are decomposed whole.
    pub learned_frames: usize,
    /// Keeps the motion across what is flat near a rotation, as a share of the spread along it.
    pub ridge: f64,
    /// Pieces of fewer triangles go to a neighbour: a model of their own costs more than it saves.
    pub small_region: usize,
    /// Frames that the hierarchy is built for, spread over all: more take longer to build and hardly save a box.
    pub build_frames: usize,
    /// Each half of a node has at least one of so many of its leaves, so that trees are never deep.
    pub least_share: usize,
}

impl Default for Tuning {
    fn default() -> Self {
        Self {
            left: 1e-3,
            shapes: 12,
            learned_frames: 64,
            ridge: 1e-4,
            small_region: 64,
            build_frames: 4,
            least_share: 4,
        }
    }
}

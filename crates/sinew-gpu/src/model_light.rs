//! The light of a model, as it is kept.

/// Light of all poses of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelLight {
    /// Number of shapes.
    pub rank: usize,
    /// Shapes in bytes, four to a word, vertex after vertex.
    pub shapes: Vec<u32>,
}

impl ModelLight {
    /// Words of each vertex.
    pub fn words(&self) -> usize {
        self.rank.div_ceil(4)
    }

    /// Vectors of each pose: a number by itself, then one for each byte.
    pub(crate) fn pose_size(&self) -> usize {
        1 + self.words()
    }
}

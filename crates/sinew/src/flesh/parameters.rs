//! What flesh is like.

/// The shape that cells of neighbours keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellShape {
    /// That of the rest pose: what bends because the body does springs back.
    Rest,
    /// That which the motion gives them in each frame: what stands still stands as the motion says.
    Moved,
}

/// What flesh is like.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Parameters {
    /// At each point.
    pub stiffness: Vec<f64>,
    /// How firmly knots are held to where the motion has them.
    pub hold: f64,
    /// Relative to the stiffness.
    pub damping: f64,
    /// What cells keep.
    pub shape: CellShape,
}

//! How crowds are drawn.

use crate::pipelines::Look;

/// How a crowd is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RenderOptions {
    /// Pixels across and down.
    pub size: [u32; 2],
    /// Samples of each pixel's edges: 1 or 4.
    pub samples: u32,
    /// Whether those far away are drawn with fewer triangles.
    pub levels: bool,
    /// Pixels that a level of detail may be off.
    pub tolerance: f32,
    /// How triangles are drawn; where it is left open, the way that should be faster.
    pub route: Option<Route>,
    /// Where the crowd stands.
    pub look: Look,
}

impl RenderOptions {
    /// Samples along each side of a pixel, where compute shaders draw.
    pub(crate) fn grid(&self) -> u32 {
        if self.samples > 1 { 2 } else { 1 }
    }
}

/// A way of drawing triangles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// The ordinary way, skinned in the vertex stage. All GPUs have it.
    Draw,
    /// By compute shaders. Needs 64-bit atomic operations.
    Compute,
}

impl Default for RenderOptions {
    fn default() -> Self {
        Self { size: [1920, 1080], samples: 4, levels: true, tolerance: 0.6, route: None, look: Look::Plain }
    }
}

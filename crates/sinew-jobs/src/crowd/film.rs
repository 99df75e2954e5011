//! A crowd, and a camera that goes around it.

use sinew_gpu::{Camera, Renderer, Viewpoint};

/// A crowd and a way around it.
pub struct Film<'a> {
    /// Who draws it.
    pub renderer: &'a Renderer<'a>,
    /// Where the camera goes.
    pub way: &'a [Viewpoint],
    /// Frames per second.
    pub fps: f64,
}

impl Film<'_> {
    /// Camera and time of a frame of so many.
    pub fn at(&self, frame: usize, frames: usize) -> (Camera, f64) {
        let share = frame as f32 / frames.max(2).saturating_sub(1) as f32;
        (Camera::along(self.renderer.scene().herd(), self.way, share), frame as f64 / self.fps)
    }
}

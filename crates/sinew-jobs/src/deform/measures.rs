//! What a pose costs of a shape.

use glam::Vec3;
use serde::Serialize;
use sinew::deform::{detail_deviation, signed_volume};

/// What is lost of a shape.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Measures {
    /// Share of the volume that is gone; below zero where it grew.
    pub volume_loss: f64,
    /// Deviation of local detail.
    pub detail: f64,
}

impl Measures {
    /// What some triangles lose.
    pub(super) fn of(triangles: &[[u32; 3]], rest: &[Vec3], shape: &[Vec3]) -> Self {
        Self {
            volume_loss: 1.0 - signed_volume(triangles, shape) / signed_volume(triangles, rest),
            detail: detail_deviation(triangles, rest, shape),
        }
    }

    /// Short enough for a title.
    pub fn in_words(self) -> String {
        let volume = 100.0 * self.volume_loss;
        let change = if volume < 0.0 { "gained" } else { "lost" };
        format!("{:.1} % volume {change}, {:.1} % detail changed", volume.abs(), 100.0 * self.detail)
    }
}

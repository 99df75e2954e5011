//! Playing a rig.

mod groups;
mod kernel;
mod lanes;
mod skinner;

use glam::Vec3;

pub use skinner::Skinner;

use super::Rig;
use crate::animation::PoseSource;

/// Plays a rig frame by frame.
pub struct Player<'a> {
    rig: &'a Rig,
    skinner: Skinner,
}

impl<'a> Player<'a> {
    /// Prepares to play `rig`.
    pub fn new(rig: &'a Rig) -> Self {
        Self { rig, skinner: Skinner::new(rig) }
    }

    /// Prepares to play `rig` with normals.
    pub fn with_normals(rig: &'a Rig) -> Self {
        Self { rig, skinner: Skinner::with_normals(rig) }
    }

    /// Writes the pose of `frame` into `out`, spreading the work over the current thread pool.
    ///
    /// # Panics
    /// When `frame` or the length of `out` is out of range.
    pub fn pose_into(&self, frame: usize, out: &mut [Vec3]) {
        self.skinner.pose_into(self.rig.frame_transforms(frame), self.rig.frame_coefficients(frame), out);
    }

    /// Writes the pose of `frame` and its unit normals, one a vertex.
    ///
    /// # Panics
    /// When `frame` or a length is out of range, or the player was not made [`Player::with_normals`].
    pub fn pose_and_normals_into(&self, frame: usize, out: &mut [Vec3], normals: &mut [Vec3]) {
        let (bones, coefficients) = (self.rig.frame_transforms(frame), self.rig.frame_coefficients(frame));
        self.skinner.pose_and_normals_into(bones, coefficients, out, normals);
    }
}

impl PoseSource for Player<'_> {
    fn frame_count(&self) -> usize {
        self.rig.frame_count()
    }

    fn vertex_count(&self) -> usize {
        self.skinner.vertex_count()
    }

    fn pose_into(&self, frame: usize, out: &mut [Vec3]) {
        Player::pose_into(self, frame, out);
    }
}

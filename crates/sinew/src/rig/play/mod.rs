//! Playing a rig.

mod groups;
mod kernel;
mod lanes;
mod skinner;

use std::borrow::Borrow;

use glam::Vec3;

pub use skinner::Skinner;

use super::Rig;
use crate::animation::PoseSource;

/// Plays a rig frame by frame. It borrows the rig, or shares it: made of an `Arc<Rig>`, it may be kept anywhere.
///
/// ```
/// use std::sync::Arc;
/// use sinew::rig::{Player, Rig};
///
/// fn owned(rig: Rig) -> Player<Arc<Rig>> {
///     Player::new(Arc::new(rig))
/// }
/// ```
pub struct Player<R> {
    rig: R,
    skinner: Skinner,
}

impl<R: Borrow<Rig>> Player<R> {
    /// Prepares to play `rig`: a `&Rig`, an `Arc<Rig>` or a `Rig`.
    pub fn new(rig: R) -> Self {
        Self { skinner: Skinner::new(rig.borrow()), rig }
    }

    /// Prepares to play `rig` with normals.
    pub fn with_normals(rig: R) -> Self {
        Self { skinner: Skinner::with_normals(rig.borrow()), rig }
    }

    /// The rig that is played.
    pub fn rig(&self) -> &Rig {
        self.rig.borrow()
    }

    /// Writes the pose of `frame` into `out`, spreading the work over the current thread pool.
    ///
    /// # Panics
    /// When `frame` or the length of `out` is out of range.
    pub fn pose_into(&self, frame: usize, out: &mut [Vec3]) {
        let rig = self.rig();
        self.skinner.pose_into(rig.frame_transforms(frame), rig.frame_coefficients(frame), out);
    }

    /// Writes the pose of `frame` and its unit normals, one a vertex.
    ///
    /// # Panics
    /// When `frame` or a length is out of range, or the player was not made [`Player::with_normals`].
    pub fn pose_and_normals_into(&self, frame: usize, out: &mut [Vec3], normals: &mut [Vec3]) {
        let (bones, coefficients) =
            (self.rig().frame_transforms(frame), self.rig().frame_coefficients(frame));
        self.skinner.pose_and_normals_into(bones, coefficients, out, normals);
    }
}

impl<R: Borrow<Rig> + Sync> PoseSource for Player<R> {
    fn frame_count(&self) -> usize {
        self.rig().frame_count()
    }

    fn vertex_count(&self) -> usize {
        self.skinner.vertex_count()
    }

    fn pose_into(&self, frame: usize, out: &mut [Vec3]) {
        Player::pose_into(self, frame, out);
    }
}

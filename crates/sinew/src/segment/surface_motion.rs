//! What segmentations look at.

use glam::Vec3;

use crate::animation::Frames;

/// Marks a triangle or vertex that belongs to no segment.
pub const NO_BONE: u32 = u32::MAX;

/// A surface that moves.
#[derive(Clone, Copy)]
pub struct SurfaceMotion<'a> {
    /// Poses of all vertices.
    pub frames: &'a Frames,
    /// Triangles over the vertices.
    pub triangles: &'a [[u32; 3]],
    /// The pose that distances and areas are measured in.
    pub rest: &'a [Vec3],
}

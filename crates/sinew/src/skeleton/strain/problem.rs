//! What weights are smoothed for.

use glam::{DAffine3, DVec3, Vec3};

use crate::animation::Frames;
use crate::rig::Skeleton;

/// A skeleton's motion and the surface that follows it.
pub struct StrainProblem<'a> {
    pub frames: &'a Frames,
    /// From the rest pose to each frame, all joints of the first, then of the second, and so on.
    pub transforms: &'a [DAffine3],
    pub triangles: &'a [[u32; 3]],
    pub rest: &'a [Vec3],
    pub skeleton: &'a Skeleton,
    /// Places of the joints in the rest pose.
    pub joints: &'a [DVec3],
    /// How much smooth weights are worth; see [`crate::skeleton::SkeletonOptions`].
    pub smoothness: f64,
}

//! Which triangles move together.
//!
//! [`mean_shift()`] clusters triangles by their rotation sequences, as in "Skinning Mesh Animations" (James
//! and Twigg 2005), section 4. [`spectral()`] clusters them by the distances that points of the surface keep,
//! as in "Automatic Conversion of Mesh Animations into Skeleton-based Animations" (de Aguiar and others
//! 2008), section 4. [`spread_points`] asks nothing of the motion and spreads bones evenly;
//! [`grow_regions`] moves such bones to where the motion needs them.

mod clusters;
mod groups;
mod mean_shift;
mod moments;
pub(crate) mod motion_kmeans;
pub(crate) mod points;
pub(crate) mod regions;
pub(crate) mod rotation_kmeans;
mod rotations;
pub(crate) mod spectral;
mod wide;

pub use clusters::with_bone_count;
pub use mean_shift::{MeanShiftOptions, mean_shift};
pub use points::{smooth_weights, spread_points};
pub use regions::grow_regions;
pub use rotations::TriangleRotations;
pub use spectral::{SpectralOptions, spectral};

/// Marks a triangle that belongs to no bone.
pub const NO_BONE: u32 = u32::MAX;

/// Triangles sorted into near-rigid sets.
#[derive(Clone, Debug, PartialEq)]
pub struct Segmentation {
    /// Bone of each triangle, [`NO_BONE`] for outliers.
    pub bone_of_triangle: Vec<u32>,
    /// Number of bones.
    pub bone_count: usize,
    /// How well an animation suits skinning: the share of triangles that mean shift finds near a
    /// significant mode, its paper's η, or whose distances from their spectral patch hardly change.
    pub near_rigid_fraction: f64,
    /// The rotation tolerance that was used; other than asked for when a bone count was given, 0 where
    /// rotations were not compared.
    pub epsilon: f64,
}

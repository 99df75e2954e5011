//! Which parts of a surface move together: the table of segmenters, one file each.
//!
//! | to do                                 | use                                                           |
//! | ------------------------------------- | ------------------------------------------------------------- |
//! | sort the vertices of an animation     | [`Segmenter::segment`] of one of [`ALL`]                      |
//! | find the one that somebody names      | [`StartSegmenter`], [`SkeletonSegmenter`], [`words`]          |
//! | know more than the sets               | [`mean_shift()`], [`spectral()`], which give a [`Segmentation`] |
//! | have so many sets of triangles        | [`split_and_merge`]                                           |
//! | spread points, weights that fall from them, regions around them | [`spread_points`], [`smooth_weights`], [`grow_regions`] |
//!
//! A new segmenter is a file here with one [`Segmenter`] (and its `mod` and `pub use`), and its name in [`ALL`] (`table.rs`).
//! Job files, `sinew skin --start` and `sinew skeleton --segment` with their help, the studio's lists and the tests of
//! this table take it from there; one test names the line of docs/ that should tell of it too.
//!
//! - [`MeanShift`] clusters triangles by their rotation sequences, as in "Skinning Mesh Animations" (James and Twigg
//!   2005), section 4.
//! - [`Turns`] sorts them into a given number of sets by k-means, [`KMeans`] vertices by the affine motion that predicts
//!   them: what a fit begins with.
//! - [`Spectral`] clusters points by the distances that they keep, as in "Automatic Conversion of Mesh Animations into
//!   Skeleton-based Animations" (de Aguiar and others 2008), section 4.
//! - [`Patches`] joins small patches that lose little by moving as one: what a skeleton begins with.
//! - [`Points`] asks nothing of the motion and spreads bones evenly; [`Regions`] moves such bones to where the motion
//!   needs them.

mod cells;
mod mean_shift;
pub(crate) mod motion_kmeans;
mod patches;
pub(crate) mod points;
pub(crate) mod regions;
pub(crate) mod rigid_bodies;
mod roles;
mod rotation_kmeans;
mod samples;
mod seeds;
mod segmentation;
mod segmenter;
mod spectral;
mod split_merge;
mod surface_motion;
mod table;
mod trajectories;
mod triangle_rotations;
mod tuning;

pub(crate) use crate::geometry::grouped::{distinct, members};
use cells::{Cells, middle_of};
pub use mean_shift::{DEFAULT_EPSILON, MeanShift, mean_shift};
pub use motion_kmeans::KMeans;
pub use patches::Patches;
pub use points::{Points, smooth_weights, spread_points};
pub use regions::{Regions, grow_regions};
pub use roles::{SkeletonSegmenter, StartSegmenter};
pub use rotation_kmeans::Turns;
pub use samples::SurfaceSamples;
use seeds::Seeds;
pub use segmentation::Segmentation;
use segmenter::needed;
pub(crate) use segmenter::without_empty;
pub use segmenter::{
    CountRule, Facts, Labels, Role, SegmentError, SegmentOptions, Segmented, Segmenter, Starts,
};
pub use spectral::{Spectral, SpectralOptions, spectral};
pub use split_merge::split_and_merge;
pub use surface_motion::{NO_BONE, SurfaceMotion};
pub use table::{ALL, words};
use trajectories::{Trajectories, TransformSums};
pub use triangle_rotations::TriangleRotations;
use tuning::TUNING;
pub use tuning::{
    KMeansTuning, MeanShiftTuning, PatchesTuning, PointsTuning, RegionsTuning, SamplesTuning, SeedsTuning,
    SpectralTuning, SplitMergeTuning, Tuning, TurnsTuning,
};

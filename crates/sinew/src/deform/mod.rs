//! Deformation that knows the character: a mesh, a skeleton, a few handles and example shapes; then any pose.
//!
//! Follows "Context-Aware Skeletal Shape Deformation" (Weber, Sorkine, Lipman and Gotsman 2007):
//!
//! ```text
//! handles ──> influences ──> a rotation per triangle ──> with examples ──> stitched
//! handles     influences     tree                        space, examples   stitch
//! ```
//!
//! What is done differently is said where it is done. In short: rotations are blended down the joint tree, so
//! that nothing flips at half a turn (`tree`, [`Pose`]); a joint's turn also concerns what its parent carries
//! (`space`); limbs that stitching leaves beside their bones are brought back to them
//! ([`DeformOptions::follow`]); pieces without a handle hang on the nearest piece (`surface`).
//!
//! A [`Deformer`] is set up once; a [`Poser`] made from it answers poses without allocating.

pub mod anchors;
mod bend;
mod blends;
mod check;
mod correction;
mod deformer;
mod dirichlet;
mod error;
mod examples;
mod exp;
mod field;
mod gradient;
mod handles;
mod influences;
mod measure;
mod offsets;
mod pose;
mod space;
mod stitch;
mod surface;
mod tree;

pub use deformer::{Character, DeformOptions, Deformer, Poser};
pub use error::DeformError;
pub use examples::Example;
pub use field::{ExampleField, transformation};
pub use handles::Handles;
pub use measure::{detail_deviation, signed_volume};
pub use pose::Pose;

use deformer::Frame;

//! Deformation that knows the character: a mesh, a skeleton, a few handles and example shapes; then any pose.
//!
//! Weber, Sorkine, Lipman and Gotsman 2007, "Context-Aware Skeletal Shape Deformation".

pub mod anchors;
mod field;

pub use field::{ExampleField, transformation};

//! Wavefront OBJ: polygons as text, with materials in an MTL file beside it.
//!
//! Follows the "Object Files (.obj)" appendix of the Wavefront Advanced Visualizer manual for polygonal
//! geometry: `v`, `vt`, `vn`, `f`, `o`, `g`, `usemtl`, `mtllib`. Vertices keep their order and number, also
//! those that no face uses, because point caches refer to them by position. Points, lines, curves and
//! smoothing groups are passed over.

mod entry;
mod layers;
pub mod mtl;
mod parts;
mod quick;
mod read;
mod write;

pub use entry::OBJ;
pub use read::{parse, read};
pub use write::write;

#[cfg(test)]
mod tests;

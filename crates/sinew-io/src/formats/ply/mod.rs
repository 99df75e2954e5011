//! PLY, the Stanford polygon format: text or binary, with a header that lists what is in the file.
//!
//! Follows Greg Turk's description of 1994. Elements and properties may come in any order and of any type;
//! those without a meaning here are skipped. Known are the vertex properties `x y z`, `nx ny nz` and
//! `s t`, `u v` or `texture_u texture_v`, and the face list `vertex_indices` or `vertex_index`.

mod body;
mod entry;
mod header;
mod read;
mod write;

pub use entry::PLY;
pub use read::{parse, read};
pub use write::write;

#[cfg(test)]
mod tests;

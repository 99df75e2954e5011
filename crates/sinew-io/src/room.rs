//! Memory for poses, or a sentence where there is none.

use std::path::Path;

use crate::{Error, Result};

/// An empty list with room for all positions of all frames. `path` is for messages.
pub(crate) fn room(frames: usize, vertices: usize, path: &Path) -> Result<Vec<f32>> {
    let mut flat = Vec::new();
    let length = frames.checked_mul(vertices).and_then(|points| points.checked_mul(3));
    if length.is_none_or(|length| flat.try_reserve_exact(length).is_err()) {
        let message = format!("{frames} frames of {vertices} vertices do not fit into memory");
        return Err(Error::unsupported(path, message));
    }
    Ok(flat)
}

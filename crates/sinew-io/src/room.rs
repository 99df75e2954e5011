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

/// Transforms that any file may have: frames times joints.
pub(crate) const MOST_TRANSFORMS: usize = 1 << 22;

/// Checks that joints in so many frames are no more than what a file has `numbers` for, unless they are few:
/// a small file could state many joints that nothing moves. `path` is for messages.
pub(crate) fn check_joints(frames: usize, joints: usize, numbers: usize, path: &Path) -> Result<()> {
    if frames.saturating_mul(joints) <= MOST_TRANSFORMS.max(numbers) {
        return Ok(());
    }
    let message = format!(
        "{frames} frames of {joints} joints are more than Sinew keeps of a file that hardly moves them"
    );
    Err(Error::unsupported(path, message))
}

//! What every reader of rigs does in the end: clips as a rig states them, and the checks that all that comes after relies on.

use std::path::Path;

use glam::Vec3;
use sinew::animation::Clip;
use sinew::rig::Rig;

use crate::{Error, Result};

/// Clips as a rig states them.
pub(crate) struct Stated {
    /// Frames per second of the first.
    pub fps: f64,
    /// All, of several: a rig of one states none.
    pub clips: Vec<Clip>,
    /// The name of the only one, of a file with an animation.
    pub clip: Option<String>,
}

impl Stated {
    /// Of the clips that were sampled, at least one.
    pub fn new(mut clips: Vec<Clip>, animated: bool) -> Self {
        let fps = clips[0].fps;
        let clip = (clips.len() == 1).then(|| clips.remove(0)).filter(|_| animated).map(|c| c.name);
        Self { fps, clips, clip }
    }
}

/// Refuses a rest pose that is nowhere.
pub(crate) fn check_rest(rest: &[Vec3], path: &Path) -> Result<()> {
    match rest.iter().position(|p| !p.is_finite()) {
        None => Ok(()),
        Some(vertex) => {
            let message = format!("vertex {vertex} of the rest pose is not a finite number");
            Err(Error::malformed(path, message))
        }
    }
}

/// Refuses a rig whose parts do not fit together.
pub(crate) fn check_rig(rig: &Rig, path: &Path) -> Result<()> {
    let whole = rig.validate().map_err(|e| e.to_string());
    let whole = whole.and_then(|()| rig.mesh.validate().map_err(|e| e.to_string()));
    whole.map_err(|e| Error::malformed(path, e))
}

//! Rigs that are played.

use std::path::PathBuf;

/// Why a rig cannot be played so.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BakeRefusal {
    /// Some frames of a rig.
    #[error("rigs are written whole; from and frames are for poses")]
    SomeFramesOfRig,
    /// A rig that is blended otherwise than files say.
    #[error("rigs are blended linearly; blend is for poses")]
    BlendedRig,
    /// A rig of bones that carry each pose to the next, for another format.
    #[error("{}: the bones in this file carry each pose to the next, which only .sinew files hold", .0.display())]
    PoseToPose(PathBuf),
}

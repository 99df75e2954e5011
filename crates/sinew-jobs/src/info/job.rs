//! What is asked for.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sinew_io::motion::Up;
use sinew_io::scene::{Said, SampleOptions};

use crate::units::{self, Unit};

/// Says what is in a file: meshes, frames, bones, skeleton, materials, problems.
///
/// Reads every format that is known: point caches, meshes, folders of frames, animations, rigs, and motion of joints.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InfoJob {
    /// A file, or a folder or pattern of frames.
    pub file: PathBuf,
    /// The mesh that goes with a point cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rest: Option<PathBuf>,
    /// Clip of a file that holds several, by name or number, to count frames of; without, the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clip: Option<String>,
    /// Frames per second, where the file does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fps: Option<f64>,
    /// The ASF file that goes with an AMC file; without, the one beside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asf: Option<PathBuf>,
    /// How long a unit of the file is, where that is not what it says: "m", "cm", "mm", "in", "ft", "km" or a number of
    /// metres.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<Unit>,
    /// Which axis of the file is up, where that is not what it says; y is up in what is told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub up: Option<Up>,
    /// Tells everything as if it were this many times as large.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
    /// Looks at all frames of a cache larger than 256 MiB, not just at the first.
    #[serde(default)]
    pub all: bool,
    /// The same, for programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<PathBuf>,
}

impl InfoJob {
    /// What is said about the numbers of the file.
    pub(super) fn said(&self) -> Said {
        units::said(self.unit, self.up, self.scale)
    }

    /// How the file becomes a rig.
    pub(super) fn sampling(&self) -> SampleOptions {
        SampleOptions { clips: self.clip.iter().cloned().collect(), fps: self.fps, weld: None }
    }
}

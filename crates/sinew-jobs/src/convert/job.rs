//! What is asked for.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sinew_io::formats::{self, Format, Said};
use sinew_io::motion::Up;

use crate::error::Outcome;
use crate::poses::{MeshFormat, mesh_format};
use crate::refusals::ConvertRefusal;
use crate::units::{self, Unit};

/// Converts an animation or a rig into any other format that can hold it.
///
/// The input is told by content, the output by its name. Rigs stay rigs where that is possible, and are played frame by frame
/// where it is not. What cannot be carried is listed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConvertJob {
    /// A file of any format that is read, or a folder or pattern of frames.
    pub input: PathBuf,
    /// Where to: a file, whose ending tells the format, or a folder for one mesh a frame.
    pub output: PathBuf,
    /// The mesh that goes with a point cache: faces, UVs, materials and a pose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rest: Option<PathBuf>,
    /// Scales the rest mesh by this first, when it is in other units than the animation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rest_scale: Option<f64>,
    /// Frames per second: rigs are sampled at it, other frames are said to have it; without, what the file says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fps: Option<f64>,
    /// Clips of a rig, by name or number; without any, all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clips: Vec<String>,
    /// How long a unit of the input is, where that is not what it says: "m", "cm", "mm", "in", "ft", "km" or a number of
    /// metres.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<Unit>,
    /// Which axis of the input is up, where that is not what it says; y is up in the output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub up: Option<Up>,
    /// Makes everything this many times as large.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
    /// The ASF file that goes with an AMC file; without, the one beside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asf: Option<PathBuf>,
    /// Format of frames in a folder.
    #[serde(default)]
    pub format: MeshFormat,
    /// Writes the rest mesh too, which goes with a point cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rest_out: Option<PathBuf>,
    /// Of GLB files: stores less, with no vertex off by more than this many percent of the mesh's diagonal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compact: Option<f64>,
    /// Of GLB files: as small as they get, as exact as `compact` says, or 0.01. For viewers that know
    /// EXT_meshopt_compression (three.js, Babylon.js and others on the web), not for Blender; vertices are in another order.
    #[serde(default)]
    pub pack: bool,
    /// The report, for programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<PathBuf>,
}

impl ConvertJob {
    /// What is said about the numbers of the input.
    pub(super) fn said(&self) -> Said {
        units::said(self.unit, self.up, self.scale)
    }

    /// The format of the file that is written.
    pub(super) fn output_format(&self) -> Outcome<&'static Format> {
        formats::to_write(&self.output).ok_or_else(|| ConvertRefusal::Unknown(self.output.clone()).into())
    }

    /// The format of the rest mesh that is written.
    pub(super) fn rest_format(&self) -> Outcome<Option<&'static Format>> {
        self.rest_out.as_deref().map(mesh_format).transpose()
    }

    /// Clips that are taken: all, unless some are asked for.
    pub(super) fn clips_of(&self) -> Vec<String> {
        if self.clips.is_empty() { vec!["all".into()] } else { self.clips.clone() }
    }
}

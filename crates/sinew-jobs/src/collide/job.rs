//! What is asked for.

use std::path::PathBuf;

use glam::{DQuat, DVec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sinew::collide::Place;
use sinew_io::motion::Up;

use crate::frames::FrameChoice;
use crate::units::Unit;

sinew::choices! {
    /// Other ways to find contacts.
    pub enum Against: "way" {
        /// A tree of boxes.
        Refit = "refit", "all vertices of every frame, and a tree of boxes fitted to all triangles",
    }
}

/// Finds where two rigs touch each other, or one touches itself.
///
/// Frame by frame, all pairs of triangles that touch: where, and how deep they are in each other. The depth of a pair is how
/// far the one triangle reaches through the plane of the other, the smaller of the two ways. Within a rig, triangles that
/// share a vertex do not count. A rig with fewer frames than the other starts over.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CollideJob {
    /// A file that holds a rig.
    pub rig: PathBuf,
    /// Another, or the same once more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other: Option<PathBuf>,
    /// Finds where rigs touch themselves, too.
    #[serde(default)]
    pub within: bool,
    /// Shifts the second rig, in the unit of the first.
    #[serde(default)]
    pub offset: [f64; 3],
    /// Turns the second rig about the upward axis through the origin, before it is shifted, in degrees.
    #[serde(default)]
    pub turn: f64,
    /// Frames to look at.
    #[serde(default = "all_frames")]
    pub frames: FrameChoice,
    /// The clip of both rigs, by name or number; without, the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clip: Option<String>,
    /// How long a unit of the rigs is, where that is not what they say: "m", "cm", "mm", "in", "ft", "km" or a number of
    /// metres.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<Unit>,
    /// Which axis of the rigs is up, where that is not what they say; y is up in the report.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub up: Option<Up>,
    /// Makes everything this many times as large.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
    /// Does it a second way, and reports how long that takes and whether it finds the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against: Option<Against>,
    /// All contacts and the report, for programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<PathBuf>,
}

fn all_frames() -> FrameChoice {
    FrameChoice::All
}

impl Default for CollideJob {
    fn default() -> Self {
        Self {
            rig: PathBuf::new(),
            other: None,
            within: false,
            offset: [0.0; 3],
            turn: 0.0,
            frames: all_frames(),
            clip: None,
            unit: None,
            up: None,
            scale: None,
            against: None,
            output: None,
        }
    }
}

impl CollideJob {
    /// The files that are read.
    pub(super) fn rigs(&self) -> impl Iterator<Item = &PathBuf> {
        std::iter::once(&self.rig).chain(&self.other)
    }

    /// Where the second rig stands.
    pub(super) fn place(&self) -> Place {
        let turn = DQuat::from_rotation_y(self.turn.to_radians());
        Place::from_rotation_translation(turn, DVec3::from_array(self.offset))
    }
}

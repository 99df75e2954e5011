//! What there is to say about motion that was moved over.

use serde::Serialize;
use sinew::motion::{Alignment, MatchReason, Motion, Plan, Planted};
use sinew::rig::Rig;

use super::map::reason;
use super::poses::RigPoseChoice;
use crate::report::EngineReport;
use crate::units::Units;
use crate::warning::Warning;

/// A motion on a rig.
#[derive(Debug, Serialize)]
pub struct TransplantReport {
    /// The source in a few words.
    pub source: String,
    /// The rig.
    pub rig: String,
    /// "all" where all clips were moved over.
    pub clip: String,
    /// How many frames.
    pub frames: usize,
    /// Frames per second.
    pub fps: f64,
    /// Bones of the rig.
    pub bones: usize,
    /// Joints of the source.
    pub joints: usize,
    /// The two poses that are the same.
    pub alignment: AlignmentReport,
    /// One for each bone.
    pub map: Vec<MapReport>,
    /// "carried", "solved" or, where a map was only suggested, null.
    pub translations: Option<&'static str>,
    /// How far the root goes when the source's goes by one; null where a map was only suggested.
    pub stride: Option<f64>,
    /// Mean angle between limbs of the result and of the source over the frames; null where nothing hangs on anything.
    pub off_degrees: Option<f64>,
    /// Feet that stand where they stand in the source; null where that was not asked for, or the rig has no skeleton.
    pub planted: Option<PlantReport>,
    /// How many joints the file has: more than bones where one takes several, as flexible ones do; null where there is no
    /// file, or none that engines open.
    pub file_joints: Option<usize>,
    /// What engines play of the file, against the rig itself; empty where none opens it.
    pub engines: Vec<EngineReport>,
    /// Units of the rig and of the file.
    #[serde(flatten)]
    pub units: Units,
    /// Time spent.
    pub seconds: TransplantSeconds,
    /// Sizes of files.
    pub bytes: TransplantBytes,
    /// What somebody should know.
    pub warnings: Vec<Warning>,
}

/// Feet that were kept where they stand.
#[derive(Debug, Serialize)]
pub struct PlantReport {
    /// How many legs have them.
    pub legs: usize,
    /// Times that a foot stands.
    pub steps: usize,
    /// How far a foot was moved at most, in percent of its leg.
    pub moved_percent: f64,
    /// How far the hips came down at most, likewise.
    pub lowered_percent: f64,
}

impl From<Planted> for PlantReport {
    fn from(planted: Planted) -> Self {
        let Planted { legs, steps, farthest, lowered, .. } = planted;
        Self { legs, steps, moved_percent: 100.0 * farthest, lowered_percent: 100.0 * lowered }
    }
}

/// Two poses that are the same, and how well they agree.
#[derive(Debug, Serialize)]
pub struct AlignmentReport {
    /// "bind" or a frame, with its clip where there are several.
    pub source: String,
    /// "rest" or a frame.
    pub rig: String,
    /// "names" or "shape".
    pub by: &'static str,
    /// What tells how far the source is turned: "names", "feet and sides" or, which is the least sure, "shape".
    pub faced_by: &'static str,
    /// Mean distance in percent of the rig's height.
    pub apart_percent: f64,
    /// Mean angle between limbs; null where nothing hangs on anything.
    pub angle_degrees: Option<f64>,
    /// How far the source is turned.
    pub facing_degrees: f64,
    /// How much worse the source agrees if it faces the other way; null where that was not looked at.
    pub margin_percent: Option<f64>,
    /// How many times as large the source is made.
    pub scale: f64,
}

/// The joint that a bone follows.
#[derive(Debug, Serialize)]
pub struct MapReport {
    /// The bone.
    pub bone: String,
    /// Null where the bone goes with the one it hangs on.
    pub joint: Option<String>,
    /// Null where the map was given.
    pub because: Option<String>,
    /// The same, for doors.
    #[serde(skip)]
    pub reason: Option<MatchReason>,
}

/// Seconds per stage.
#[derive(Debug, Serialize)]
pub struct TransplantSeconds {
    /// Reading.
    pub read: f64,
    /// Finding poses and joints.
    pub plan: f64,
    /// Moving.
    pub transplant: f64,
    /// Writing.
    pub write: f64,
    /// All of it.
    pub total: f64,
}

/// Sizes of files.
#[derive(Debug, Serialize)]
pub struct TransplantBytes {
    /// What was read.
    pub input: u64,
    /// What was written.
    pub output: u64,
}

/// What tells how far a source is turned.
pub fn faced_by(alignment: &Alignment) -> &'static str {
    match (alignment.by_names, alignment.by_body) {
        (true, _) => "names",
        (false, true) => "feet and sides",
        (false, false) => "shape",
    }
}

impl AlignmentReport {
    pub(super) fn new(alignment: &Alignment, source: String, angle: Option<f64>) -> Self {
        Self {
            source,
            rig: RigPoseChoice(alignment.rig).to_string(),
            by: if alignment.by_names { "names" } else { "shape" },
            faced_by: faced_by(alignment),
            apart_percent: alignment.apart,
            angle_degrees: angle,
            facing_degrees: alignment.placement.facing.to_degrees(),
            margin_percent: alignment.margin,
            scale: alignment.placement.scale,
        }
    }
}

/// The map, bone by bone.
pub(super) fn map(rig: &Rig, motion: &Motion, plan: &Plan) -> Vec<MapReport> {
    let entry = |bone: usize| MapReport {
        bone: rig.bones[bone].name.clone(),
        joint: plan.mapping.joints[bone].map(|joint| motion.joints[joint].name.clone()),
        because: plan.reasons.get(bone).map(reason),
        reason: plan.reasons.get(bone).copied(),
    };
    (0..rig.bones.len()).map(entry).collect()
}

//! What `sinew transplant` has to say.

use serde::Serialize;
use sinew::motion::{Alignment, Motion, Plan, PlanWarning, RigPose};
use sinew::rig::Rig;

use super::map::reason;
use crate::console::{Table, count, number, size};
use crate::report::seconds_in_words;

#[derive(Serialize)]
pub(super) struct TransplantReport {
    pub source: String,
    pub rig: String,
    /// "all" where all clips were moved over.
    pub clip: String,
    pub frames: usize,
    pub fps: f64,
    pub bones: usize,
    pub joints: usize,
    pub alignment: AlignmentReport,
    /// One for each bone.
    pub map: Vec<MapReport>,
    /// "carried", "solved" or, with --suggest, null.
    pub translations: Option<&'static str>,
    /// How far the root goes when the source's goes by one; null with --suggest.
    pub stride: Option<f64>,
    pub seconds: Seconds,
    pub bytes: Bytes,
    pub warnings: Vec<String>,
}

#[derive(Serialize)]
pub(super) struct AlignmentReport {
    /// "bind" or a frame, with its clip where there are several.
    pub source: String,
    /// "rest" or a frame.
    pub rig: String,
    /// "names" or "shape".
    pub by: &'static str,
    /// Mean distance in percent of the rig's height.
    pub apart_percent: f64,
    /// Mean angle between limbs; null where nothing hangs on anything.
    pub angle_degrees: Option<f64>,
    pub facing_degrees: f64,
    /// How much worse the source agrees if it faces the other way; null where that was not looked at.
    pub margin_percent: Option<f64>,
    pub scale: f64,
}

#[derive(Serialize)]
pub(super) struct MapReport {
    pub bone: String,
    /// Null where the bone goes with the one it hangs on.
    pub joint: Option<String>,
    /// Null where the map was given.
    pub because: Option<String>,
}

#[derive(Serialize)]
pub(super) struct Seconds {
    pub read: f64,
    pub plan: f64,
    pub transplant: f64,
    pub write: f64,
    pub total: f64,
}

#[derive(Serialize)]
pub(super) struct Bytes {
    pub input: u64,
    pub output: u64,
}

impl AlignmentReport {
    pub fn new(alignment: &Alignment, source: String, angle: Option<f64>) -> Self {
        Self {
            source,
            rig: match alignment.rig {
                RigPose::Rest => "rest".into(),
                RigPose::Frame(frame) => frame.to_string(),
            },
            by: if alignment.by_names { "names" } else { "shape" },
            apart_percent: alignment.apart,
            angle_degrees: angle,
            facing_degrees: alignment.placement.facing.to_degrees(),
            margin_percent: alignment.margin,
            scale: alignment.placement.scale,
        }
    }

    fn in_words(&self) -> String {
        let source = match self.source.as_str() {
            "bind" => "the source's bind pose".into(),
            frame => format!("frame {frame} of the source"),
        };
        let rig = match self.rig.as_str() {
            "rest" => "the rig's rest pose".into(),
            frame => format!("frame {frame} of the rig"),
        };
        let angle = self.angle_degrees.map(|a| format!(", limbs {} degrees apart", number(a.round())));
        let mut lines = format!(
            "{source} = {rig}\n{} % of the height apart, by {}{}",
            number(self.apart_percent),
            self.by,
            angle.unwrap_or_default()
        );
        if self.facing_degrees != 0.0 || self.scale != 1.0 {
            let (turned, scale) = (number(self.facing_degrees.round()), number(self.scale));
            lines += &format!("\nthe source is turned by {turned} degrees and made {scale} times as large");
        }
        lines
    }
}

/// What speaks against two poses, and what to do.
pub(super) fn in_words(warning: &PlanWarning) -> String {
    let state = "--align-source and --align-rig";
    match warning {
        PlanWarning::PoorAgreement { .. } => {
            format!("{warning}; look at --picture, and state two poses that are the same with {state}")
        }
        PlanWarning::FacesElsewhere { .. } => {
            format!("{warning}; look at --picture, and state two poses with {state} if it does not")
        }
        PlanWarning::EitherWay { .. } => {
            format!("{warning}; if it moves backwards, state two poses with {state}")
        }
        _ => warning.to_string(),
    }
}

/// The map, bone by bone.
pub(super) fn map_report(rig: &Rig, motion: &Motion, plan: &Plan) -> Vec<MapReport> {
    let entry = |bone: usize| MapReport {
        bone: rig.bones[bone].name.clone(),
        joint: plan.mapping.joints[bone].map(|joint| motion.joints[joint].name.clone()),
        because: plan.reasons.get(bone).map(reason),
    };
    (0..rig.bones.len()).map(entry).collect()
}

impl TransplantReport {
    /// The report for people.
    pub fn table(&self) -> Table {
        let mut table = Table::default();
        table.row("source", format!("{}, {}", self.source, count(self.joints, "joint", "joints")));
        table.row("rig", format!("{}, {}", self.rig, count(self.bones, "bone", "bones")));
        let frames = count(self.frames, "frame", "frames");
        table.row("motion", format!("{}: {frames} at {} per second", self.clip, number(self.fps)));
        table.row("aligned", self.alignment.in_words());
        let with_joint = self.map.iter().filter(|m| m.joint.is_some()).count();
        let guesses = self.map.iter().flat_map(|m| &m.because).filter(|b| b.starts_with("a guess")).count();
        let given = self.map.iter().all(|m| m.because.is_none());
        let sure = match (given, guesses) {
            (true, _) => ", as the map says".into(),
            (false, 0) => String::new(),
            (false, n) => format!(", {}", count(n, "guess", "guesses")),
        };
        table.row("map", format!("{with_joint} of {} bones follow joints{sure}", self.bones));
        if let Some(translations) = self.translations {
            let stride = self.stride.map(|s| format!(", steps {} times the source's", number(s)));
            table.row("places", format!("{translations}{}", stride.unwrap_or_default()));
        }
        let s = &self.seconds;
        let stages = [("read", s.read), ("plan", s.plan), ("transplant", s.transplant), ("write", s.write)];
        table.row("time", seconds_in_words(s.total, &stages));
        table.row("size", format!("{} in, {} out", size(self.bytes.input), size(self.bytes.output)));
        table.list("warning", &self.warnings);
        table
    }
}

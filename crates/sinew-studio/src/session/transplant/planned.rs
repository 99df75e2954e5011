//! How a motion goes onto a rig, and what tabs know of it.

use std::sync::Arc;

use serde::Serialize;
use sinew::motion::{MatchReason, Motion, Plan, PlanOptions, PlanWarning, RigPose, SourceJoint, SourcePose};
use sinew::progress::Progress;
use sinew::rig::Rig;

use crate::session::Refusal;

/// A motion on its way onto a rig.
pub(in crate::session) struct Transplanting {
    pub name: String,
    /// The version it goes onto.
    pub onto: u32,
    pub rig: Arc<Rig>,
    /// All clips, and the frames that are moved over.
    pub motion: Arc<Motion>,
    pub played: Arc<Motion>,
    pub planned: Planned,
    pub start_frame: usize,
    pub preview: Option<u32>,
}

/// How it goes there.
pub(in crate::session) struct Planned {
    /// Whose plan it is.
    pub motion: Arc<Motion>,
    pub plan: Plan,
    /// Bones whose joint was chosen by hand.
    pub by_hand: Vec<bool>,
}

/// What all tabs know of a motion on its way.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Transplant"))]
pub struct TransplantState<'a> {
    name: &'a str,
    onto: u32,
    frames: usize,
    fps: f64,
    joints: Vec<JointState<'a>>,
    map: Vec<MapState>,
    start_frame: usize,
    /// Version of the preview.
    preview: Option<u32>,
    align: AlignState,
    /// What may be wrong about how it goes onto the rig.
    warnings: Vec<String>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Joint"))]
struct JointState<'a> {
    name: &'a str,
    parent: Option<usize>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Mapping"))]
struct MapState {
    joint: usize,
    bone: usize,
    because: String,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Alignment"))]
struct AlignState {
    /// Poses that are the same; none for the bind pose and the rest pose.
    motion_frame: Option<usize>,
    rig_frame: Option<usize>,
    /// Mean angle between limbs, in degrees.
    angle: Option<f64>,
}

impl Planned {
    pub fn new(
        rig: &Rig,
        motion: &Arc<Motion>,
        options: &PlanOptions,
        progress: &dyn Progress,
    ) -> Result<Self, Refusal> {
        let plan = Plan::new(rig, motion, options, progress)?;
        Ok(Self { motion: motion.clone(), plan, by_hand: vec![false; rig.bones.len()] })
    }

    fn because(&self, bone: usize) -> String {
        if self.by_hand[bone] {
            return "chosen by hand".into();
        }
        match self.plan.reasons.get(bone) {
            Some(MatchReason::Name) => "of the same name".into(),
            Some(MatchReason::Body) => "the same part of the body".into(),
            Some(MatchReason::Path(percent)) => format!("moves alike, {percent:.1} % of the height apart"),
            Some(MatchReason::Position(percent)) => format!("nearest, {percent:.1} % of the height away"),
            Some(_) => "nothing speaks for a joint".into(),
            None => "as it was".into(),
        }
    }
}

/// A doubt, and what can be done about it on the page.
fn in_words(warning: &PlanWarning) -> String {
    match warning {
        PlanWarning::PoorAgreement { apart_percent, angle_degrees } => {
            let limbs =
                angle_degrees.map(|angle| format!(", limbs {angle:.0}° in the mean")).unwrap_or_default();
            format!(
                "The two poses agree poorly: joints are {apart_percent:.0} % of the height apart{limbs}. Give frames in \
                 which both stand alike, or put joints to bones by hand."
            )
        }
        PlanWarning::FacesElsewhere { degrees } => format!(
            "The motion is taken to face {degrees:.0}° away from the rig, by its shape alone: preview it before you \
             accept."
        ),
        PlanWarning::EitherWay { margin_percent } => format!(
            "It fits about as well facing the other way, {margin_percent:.0} % worse: if it walks backwards, give frames \
             in which both stand alike."
        ),
        other => format!("{other}."),
    }
}

impl Transplanting {
    /// What all tabs know.
    pub fn state(&self) -> TransplantState<'_> {
        let Plan { alignment, mapping, angle, .. } = &self.planned.plan;
        let map = |(bone, joint): (usize, &Option<usize>)| {
            Some(MapState { joint: (*joint)?, bone, because: self.planned.because(bone) })
        };
        fn joint(joint: &SourceJoint) -> JointState<'_> {
            JointState { name: &joint.name, parent: joint.parent }
        }
        TransplantState {
            name: &self.name,
            onto: self.onto,
            frames: self.played.frame_count(),
            fps: self.played.fps,
            joints: self.motion.joints.iter().map(joint).collect(),
            map: mapping.joints.iter().enumerate().filter_map(map).collect(),
            start_frame: self.start_frame,
            preview: self.preview,
            align: AlignState {
                motion_frame: match alignment.source {
                    SourcePose::Bind => None,
                    SourcePose::Frame(frame) => Some(frame),
                },
                rig_frame: match alignment.rig {
                    RigPose::Rest => None,
                    RigPose::Frame(frame) => Some(frame),
                },
                angle: *angle,
            },
            warnings: self.planned.plan.warnings().iter().map(in_words).collect(),
        }
    }

    /// Takes another plan of the same motion, and gives its own.
    pub fn exchange(&mut self, other: &mut Planned) {
        if Arc::ptr_eq(&self.motion, &other.motion) {
            std::mem::swap(&mut self.planned, other);
        }
    }
}

//! How a motion goes onto a rig, and what tabs know of it.

use std::sync::Arc;

use serde::Serialize;
use sinew::animation::Clip;
use sinew::motion::{Facing, MatchReason, Motion, Plan, Plant, RigPose, SourceJoint, SourcePose};
use sinew::rig::Rig;
use sinew_jobs::Warning;
use sinew_jobs::transplant::faced_by;

use crate::session::words;

/// A motion on its way onto a rig.
pub(in crate::session) struct Transplanting {
    pub name: String,
    /// The version it goes onto.
    pub onto: u32,
    pub rig: Arc<Rig>,
    /// All clips as they were read, and the one that is moved over.
    pub source: Arc<Motion>,
    pub clip: Clip,
    pub planned: Planned,
    pub preview: Option<u32>,
    /// What there is to say about the files, and about the last preview.
    pub read: Vec<Warning>,
    pub moved: Vec<Warning>,
}

/// How it goes there.
#[derive(Clone)]
pub(in crate::session) struct Planned {
    /// The motion as it is taken over.
    pub motion: Arc<Motion>,
    pub plan: Plan,
    /// Bones whose joint was chosen by hand.
    pub by_hand: Vec<bool>,
    /// What else was chosen by hand.
    pub manner: Manner,
}

/// What was said of a motion by hand; the rest is found.
#[derive(Clone, Debug, Default)]
pub(in crate::session) struct Manner {
    pub facing: Facing,
    pub mirror: bool,
    pub plant: Plant,
    pub in_place: bool,
    /// The poses that are the same.
    pub source: Option<SourcePose>,
    pub rig: Option<RigPose>,
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
    /// The axis that the rig faces along, or how that is told.
    #[cfg_attr(test, ts(type = "Facing"))]
    facing: Facing,
    /// Whether left and right are exchanged.
    mirror: bool,
    /// What becomes of feet that stand.
    #[cfg_attr(test, ts(type = "Plant"))]
    plant: Plant,
    /// Whether the way over the ground is taken out.
    in_place: bool,
    /// What may be wrong about it.
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
    /// What tells how far the motion is turned. Where names do, it does not matter which way the rig is said to face.
    #[cfg_attr(test, ts(type = "\"names\" | \"feet and sides\" | \"shape\""))]
    faced_by: &'static str,
}

impl Planned {
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

impl Transplanting {
    /// The frames that are moved over.
    pub fn played(&self) -> Motion {
        self.planned.motion.cut(self.clip.frames.clone())
    }

    /// What somebody should know about it as it is now.
    pub fn warnings(&self) -> Vec<String> {
        let Manner { source, rig, .. } = &self.planned.manner;
        let found = source.is_none() || rig.is_none();
        let doubts = found.then(|| self.planned.plan.warnings()).into_iter().flatten().map(Warning::Plan);
        let all: Vec<Warning> = doubts.chain(self.moved.iter().chain(&self.read).cloned()).collect();
        all.iter().map(words::of_warning).collect()
    }

    /// What all tabs know.
    pub fn state(&self) -> TransplantState<'_> {
        let Plan { alignment, mapping, angle, .. } = &self.planned.plan;
        let Manner { facing, mirror, plant, in_place, .. } = self.planned.manner;
        let map = |(bone, joint): (usize, &Option<usize>)| {
            Some(MapState { joint: (*joint)?, bone, because: self.planned.because(bone) })
        };
        fn joint(joint: &SourceJoint) -> JointState<'_> {
            JointState { name: &joint.name, parent: joint.parent }
        }
        TransplantState {
            name: &self.name,
            onto: self.onto,
            frames: self.clip.frames.len(),
            fps: self.clip.fps,
            joints: self.source.joints.iter().map(joint).collect(),
            map: mapping.joints.iter().enumerate().filter_map(map).collect(),
            start_frame: self.clip.frames.start,
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
                faced_by: faced_by(alignment),
            },
            facing,
            mirror,
            plant,
            in_place,
            warnings: self.warnings(),
        }
    }

    /// Takes another plan of the same motion, and gives its own. What was said about the one before counts no more.
    pub fn exchange(&mut self, other: &mut Planned) {
        std::mem::swap(&mut self.planned, other);
        self.moved.clear();
    }
}

//! Motion from elsewhere: opened, laid over the rig, corrected by hand, tried and accepted.

mod planned;

use std::path::PathBuf;
use std::sync::Arc;

use sinew::animation::Clip;
use sinew::motion::{
    Finish, Motion, PlanOptions, RigPose, SourcePose, Translations, Transplanter, split_bones_for,
};
use sinew::rig::Rig;
use sinew_io::motion::{MotionOptions, Up, open_motion};
use sinew_io::{Access, Source};
use sinew_jobs::units;

use super::action::{AlignOrder, Axis};
use super::data::SkeletonData;
use super::history::Change;
use super::work::finish;
use super::{Answer, Done, Kind, Laid, Made, Outcome, Refusal, Session, Shape, Version, Work, words};
pub use planned::TransplantState;
pub(super) use planned::{Planned, Transplanting};

/// Frames of a preview, unless it is told otherwise.
const PREVIEW: usize = 60;

impl Session {
    fn transplanting(&self) -> Result<&Transplanting, Refusal> {
        self.transplant.as_ref().ok_or_else(|| Refusal("no motion is open".into()))
    }

    /// Opens a motion for the version that is shown, and suggests how it goes onto it.
    pub(super) fn open_motion(&self, paths: &[PathBuf], up: Option<Axis>) -> Result<Outcome<Laid>, Refusal> {
        let [path, more @ ..] = paths else { return Refusal::say("no file was named") };
        let path = self.folders.to_read(path)?;
        // The skeleton of an AMC file may come with it.
        let skeleton = more.first().map(|path| self.folders.to_read(path)).transpose()?;
        let (path, skeleton) = match skeleton {
            Some(other) if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("asf")) => {
                (other, Some(path))
            }
            skeleton => (path, skeleton),
        };
        let version = self.current()?;
        let (onto, content, name) = (version.id, version.content, version.name.clone());
        let rig = version.rig()?.clone();
        let up = up.map(|axis| match axis {
            Axis::X => Up::X,
            Axis::Y => Up::Y,
            Axis::Z => Up::Z,
        });
        let access = Access::within(&self.folders.to_read_below());
        let facts = self.subject()?.facts.clone();
        let source = move |path: PathBuf| Source::file(path).with_access(access.clone());
        Ok(Outcome::wait("motion", move |progress| {
            progress.stage("reading");
            let options = MotionOptions { skeleton: skeleton.map(&source), up, ..MotionOptions::default() };
            let mut opened = open_motion(source(path), &options)?;
            opened.motion.scale(units::factor([&facts, &opened.facts]));
            let motion = Arc::new(opened.motion);
            let split = split_bones_for(&rig, &motion);
            let is_split = split.is_some();
            let rig = split.map_or(rig, Arc::new);
            let planned = Planned::new(&rig, &motion, &PlanOptions::default(), progress)?;
            let clips = motion.clips();
            let first: Clip = motion.first_moving_clip();
            let played = motion.cut(first.frames.clone());
            let start_frame = first.frames.start;
            let played = Arc::new(played);
            let mut warnings = words::warnings(&opened.warnings);
            if clips.len() > 1 {
                let clip = &first.name;
                warnings.push(format!("the motion has {} clips and {clip} was taken", clips.len()));
            }
            drop(clips);
            finish(move |session| {
                if session.version(onto)?.content != content {
                    return Refusal::say("the version has changed meanwhile");
                }
                let onto = if is_split { session.add_split(onto, &name, rig.clone()) } else { onto };
                let name = opened.source;
                let preview = None;
                session.transplant =
                    Some(Transplanting { name, onto, rig, motion, played, planned, start_frame, preview });
                session.warnings = warnings;
                session.touch();
                Ok(Answer::of(Laid { onto }))
            })
        }))
    }

    /// A version whose bones are each in one place.
    fn add_split(&mut self, parent: u32, name: &str, rig: Arc<Rig>) -> u32 {
        let name = format!("{name}, bones split");
        let version = self.new_version(name, Kind::Edit, "split", Shape::Rig(rig));
        self.add("split bones".into(), Version { parent: Some(parent), ..version })
    }

    /// Lets a bone follow a joint, or a joint be followed by none.
    pub(super) fn map(&mut self, joint: usize, bone: Option<usize>) -> Result<Outcome<Done>, Refusal> {
        let transplant = self.transplanting()?;
        let Planned { motion, plan, by_hand } = &transplant.planned;
        let name = match motion.joints.get(joint) {
            Some(joint) => joint.name.clone(),
            None => return Refusal::say(format!("the motion has no joint {joint}")),
        };
        let (mut plan, mut by_hand) = (plan.clone(), by_hand.clone());
        match bone {
            Some(bone) if bone < by_hand.len() => {
                plan.mapping.joints[bone] = Some(joint);
                by_hand[bone] = true;
            }
            Some(bone) => return Refusal::say(format!("the rig has no bone {bone}")),
            None => {
                for (bone, follows) in plan.mapping.joints.iter_mut().enumerate() {
                    if *follows == Some(joint) {
                        (*follows, by_hand[bone]) = (None, true);
                    }
                }
            }
        }
        let planned = Planned { motion: motion.clone(), plan, by_hand };
        self.perform(format!("map {name}"), Change::Plan(Box::new(planned)));
        Ok(Outcome::done())
    }

    /// Lays two poses over each other. What was mapped by hand stays.
    pub(super) fn align(&mut self, order: &AlignOrder) -> Result<Outcome<Done>, Refusal> {
        let transplant = self.transplanting()?;
        let (rig, motion) = (transplant.rig.clone(), transplant.motion.clone());
        let by_hand = transplant.planned.by_hand.clone();
        let mapping = by_hand.contains(&true).then(|| transplant.planned.plan.mapping.clone());
        let start = transplant.start_frame;
        let mut options = PlanOptions { mapping, ..PlanOptions::default() };
        if !order.auto {
            let source = order.motion_frame.map_or(SourcePose::Bind, |f| SourcePose::Frame(start + f));
            let rig = order.rig_frame.map_or(RigPose::Rest, RigPose::Frame);
            (options.source, options.rig) = (Some(source), Some(rig));
        }
        let reasons = transplant.planned.plan.reasons.clone();
        Ok(Outcome::wait("align", move |progress| {
            let mut planned = Planned::new(&rig, &motion, &options, progress)?;
            if options.mapping.is_some() {
                (planned.by_hand, planned.plan.reasons) = (by_hand, reasons);
            }
            finish(move |session| {
                if !Arc::ptr_eq(&session.transplanting()?.motion, &planned.motion) {
                    return Refusal::say("another motion was opened meanwhile");
                }
                session.perform("align".into(), Change::Plan(Box::new(planned)));
                Ok(Answer::of(Done {}))
            })
        }))
    }

    /// Moves some frames over, as a version that the next preview replaces.
    pub(super) fn preview(&self, start: usize, frames: Option<usize>) -> Result<Work<Made>, Refusal> {
        let played = &self.transplanting()?.played;
        let all = played.frame_count();
        if start >= all {
            return Refusal::say(format!("frame {start} is not there: the motion has {all}"));
        }
        let end = start.saturating_add(frames.unwrap_or(PREVIEW).max(1)).min(all);
        let played = Arc::new(played.cut(start..end));
        self.move_over("preview", false, played, |session, shape, name| {
            let content = session.next_content();
            let old = session.transplanting()?.preview;
            if let Some(version) = old.and_then(|id| session.version_mut(id).ok()) {
                (version.shape, version.content, version.errors, version.bytes) =
                    (shape, content, None, None);
                let id = version.id;
                session.current = Some(id);
                return Ok(id);
            }
            let name = format!("preview of {name}");
            let version = session.new_version(name, Kind::Transplant, "transplant", shape);
            let id = version.id;
            let onto = session.transplanting()?.onto;
            session.versions.push(Version { parent: Some(onto), ..version });
            session.current = Some(id);
            if let Some(transplant) = &mut session.transplant {
                transplant.preview = Some(id);
            }
            Ok(id)
        })
    }

    /// Moves all frames over, as a version to stay.
    pub(super) fn accept(&self) -> Result<Outcome<Made>, Refusal> {
        let played = self.transplanting()?.played.clone();
        let work = self.move_over("transplant", true, played, |session, shape, name| {
            let onto = session.transplanting()?.onto;
            session.end_transplant();
            let version = session.new_version(name.into(), Kind::Transplant, "transplant", shape);
            Ok(session.add(format!("transplant {name}"), Version { parent: Some(onto), ..version }))
        })?;
        Ok(Outcome::Later(work))
    }

    fn move_over(
        &self,
        kind: &'static str,
        wait: bool,
        played: Arc<Motion>,
        take: fn(&mut Session, Shape, &str) -> Result<u32, Refusal>,
    ) -> Result<Work<Made>, Refusal> {
        let transplant = self.transplanting()?;
        let (rig, motion) = (transplant.rig.clone(), transplant.motion.clone());
        let (plan, name) = (transplant.planned.plan.clone(), transplant.name.clone());
        let body = move |progress: &dyn sinew::progress::Progress| {
            let transplanter = Transplanter::new(&rig, &played, &plan, Translations::Auto, progress)?;
            let moved = transplanter.finished(&rig, &played, &plan, Finish::default(), progress)?;
            let shape = Shape::Rig(Arc::new(moved.rig));
            finish(move |session: &mut Session| {
                if !Arc::ptr_eq(&session.transplanting()?.motion, &motion) {
                    return Refusal::say("another motion was opened meanwhile");
                }
                let id = take(session, shape, &name)?;
                session.touch();
                Ok(Answer::of(Made { version: id }))
            })
        };
        Ok(Work { kind, wait, run: Box::new(body) })
    }

    /// Closes the motion.
    pub(super) fn drop_motion(&mut self) -> Result<Outcome<Done>, Refusal> {
        self.transplanting()?;
        self.end_transplant();
        self.touch();
        Ok(Outcome::done())
    }

    fn end_transplant(&mut self) {
        let Some(transplant) = self.transplant.take() else { return };
        self.history.forget_plans();
        self.versions.retain(|version| Some(version.id) != transplant.preview);
        if self.current == transplant.preview && transplant.preview.is_some() {
            let onto = self.versions.iter().find(|v| v.id == transplant.onto);
            self.current = onto.or(self.versions.last()).map(|v| v.id);
        }
    }

    /// The motion's joints in all frames, laid over the rig.
    pub fn motion_skeleton(&self) -> Result<SkeletonData, Refusal> {
        let transplant = self.transplanting()?;
        let placement = transplant.planned.plan.alignment.placement;
        Ok(super::data::motion_skeleton(&transplant.played, &placement))
    }
}

//! Motion from elsewhere: opened, laid over the rig, corrected by hand, tried and accepted.

mod manner;
mod planned;

use std::path::PathBuf;
use std::sync::Arc;

use sinew::motion::{Finish, Motion, RigPose, SourcePose, Translations, Transplanter};
use sinew::progress::Progress;
use sinew::rig::Rig;
use sinew_io::motion::{MotionOptions, Up, open_motion};
use sinew_io::{Access, Source};
use sinew_jobs::transplant::doubts;
use sinew_jobs::{Warning, units, warning};

use super::action::{AlignOrder, Axis};
use super::data::SkeletonData;
use super::history::Change;
use super::work::finish;
use super::{Answer, Done, Kind, Laid, Made, Outcome, Refusal, Session, Shape, Version, Work};
use planned::Manner;
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
        // The motion that was open goes, with what it showed.
        let before = self.transplant.as_ref().filter(|transplant| transplant.preview == self.current);
        let version = before.map_or_else(|| self.current(), |transplant| self.version(transplant.onto))?;
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
            let source = Arc::new(opened.motion);
            let split = doubts::split_for(&rig, &source);
            let mut read = warning::told(opened.warnings);
            let is_split = split.is_some();
            let rig = match split {
                Some((rig, warning)) => {
                    read.push(warning);
                    Arc::new(rig)
                }
                None => rig,
            };
            let planned = Manner::default().plan(&rig, source.clone(), None, progress)?;
            let clip = source.first_moving_clip();
            read.extend(doubts::of_clip(
                &source,
                &clip,
                &source.cut(clip.frames.clone()),
                false,
                &opened.source,
            ));
            finish(move |session| {
                if session.version(onto)?.content != content {
                    return Refusal::say("the version has changed meanwhile");
                }
                session.end_transplant();
                let onto = if is_split { session.add_split(onto, &name, rig.clone()) } else { onto };
                let (name, preview, moved) = (opened.source, None, Vec::new());
                session.transplant =
                    Some(Transplanting { name, onto, rig, source, clip, planned, preview, read, moved });
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
        let Planned { plan, by_hand, .. } = &transplant.planned;
        let name = match transplant.source.joints.get(joint) {
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
        let planned = Planned { plan, by_hand, ..transplant.planned.clone() };
        self.perform(format!("map {name}"), Change::Plan(Box::new(planned)));
        Ok(Outcome::done())
    }

    /// Lays two poses over each other. What was mapped by hand stays.
    pub(super) fn align(&mut self, order: &AlignOrder) -> Result<Outcome<Done>, Refusal> {
        let transplant = self.transplanting()?;
        let start = transplant.clip.frames.start;
        let (mut source, mut rig) = (None, None);
        if !order.auto {
            source =
                Some(order.motion_frame.map_or(SourcePose::Bind, |frame| SourcePose::Frame(start + frame)));
            rig = Some(order.rig_frame.map_or(RigPose::Rest, RigPose::Frame));
        }
        self.plan_anew("align", Manner { source, rig, ..transplant.planned.manner.clone() })
    }

    /// Moves some frames over, as a version that the next preview replaces.
    pub(super) fn preview(&self, start: usize, frames: Option<usize>) -> Result<Work<Made>, Refusal> {
        let played = self.transplanting()?.played();
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
        let played = Arc::new(self.transplanting()?.played());
        let work = self.move_over("transplant", true, played, |session, shape, name| {
            let transplant = session.transplanting()?;
            let (onto, warnings) = (transplant.onto, transplant.warnings());
            session.end_transplant();
            session.warnings = warnings;
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
        let (rig, source) = (transplant.rig.clone(), transplant.source.clone());
        let (plan, name) = (transplant.planned.plan.clone(), transplant.name.clone());
        let Manner { plant, in_place, .. } = transplant.planned.manner;
        let body = move |progress: &dyn Progress| {
            let transplanter = Transplanter::new(&rig, &played, &plan, Translations::Auto, progress)?;
            let finished = Finish { plant, in_place };
            let moved = transplanter.finished(&rig, &played, &plan, finished, progress)?;
            let mut said: Vec<Warning> = doubts::of_loss(&transplanter, &rig);
            said.extend(doubts::of_result(&moved));
            let shape = Shape::Rig(Arc::new(moved.rig));
            finish(move |session: &mut Session| {
                match &mut session.transplant {
                    Some(transplant) if Arc::ptr_eq(&transplant.source, &source) => transplant.moved = said,
                    _ => return Refusal::say("another motion was opened meanwhile"),
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
        Ok(super::data::motion_skeleton(&transplant.played(), &placement))
    }
}

//! Brushes: a pose or the rest pose, sculpted by hand.
//!
//! A brush works on what is on the screen, the pose of a frame. For the rest pose, what it does is taken back
//! through what the frame does to each vertex.

use std::sync::Arc;

use glam::{DMat3, Vec3};
use sinew::animation::Clip;
use sinew::motion::{
    Carry, ChainUndo, HandSpan, PoseEdit, Undo, edit_chain, edit_chain_rest, edit_rest, loops,
};
use sinew::progress::Progress;
use sinew::rig::{PoseChain, Rig};

use super::action::{BrushOrder, BrushTarget, CarryFrames, CarryName, Phase};
use super::data::positions;
use super::editors::Editors;
use super::history::Edit;
use super::stroke::{Stroke, check};
use super::work::finish;
use super::{Answer, Edited, Outcome, Refusal, Session, Shape};

/// A frame that is none: the rest pose.
pub(super) const REST: u32 = u32::MAX;
/// Determinant below which what a frame does to a vertex cannot be taken back.
const FLAT: f64 = 1e-6;

impl Session {
    /// Shows what a stroke does while the hand moves, and does it at the end.
    pub(super) fn brush(&mut self, tab: u64, order: &BrushOrder) -> Result<Outcome<Edited>, Refusal> {
        check(order)?;
        let version = self.version(order.version)?;
        if order.phase == Phase::Begin {
            let stroke = Stroke::new(version, order)?;
            self.strokes.insert(tab, stroke);
        }
        if order.phase == Phase::Cancel {
            self.strokes.remove(&tab);
            return Ok(Outcome::told(Edited::default()));
        }
        let content = self.version(order.version)?.content;
        let stroke = self.strokes.get_mut(&tab).filter(|stroke| stroke.goes_on(order, content));
        let Some(stroke) = stroke else {
            return Refusal::say("the stroke has no beginning, or the version has changed meanwhile");
        };
        stroke.apply(order);
        if order.phase != Phase::End {
            let frame = order.frame.map_or(REST, |frame| frame as u32);
            return Ok(Outcome::shown(positions(order.version, frame, &stroke.now), Edited::default()));
        }
        let Some(Stroke { before, now, .. }) = self.strokes.remove(&tab) else {
            return Ok(Outcome::told(Edited::default()));
        };
        if before == now {
            return Ok(Outcome::told(Edited { version: Some(order.version) }));
        }
        let version = self.version(order.version)?;
        if matches!(version.shape, Shape::Poses(..)) {
            let id = self.sculpt_posed(order.version, now)?;
            return Ok(Outcome::told(Edited { version: Some(id) }));
        }
        let sculpting = Sculpting { order: order.clone(), editors: version.editors.clone(), before, now };
        let shape = version.shape.clone();
        Ok(Outcome::wait("sculpt", move |progress| {
            progress.stage("carrying on");
            let (what, shape, edit) = sculpting.carried_on(shape, progress)?;
            finish(move |session| {
                if session.version(sculpting.order.version)?.content != content {
                    return Refusal::say("the version has changed meanwhile");
                }
                let id = session.take_edit(sculpting.order.version, what, shape, edit)?;
                Ok(Answer::of(Edited { version: Some(id) }))
            })
        }))
    }
}

/// A stroke that is over, on its way into all frames.
struct Sculpting {
    order: BrushOrder,
    editors: Editors,
    before: Vec<Vec3>,
    now: Vec<Vec3>,
}

impl Sculpting {
    /// What becomes of a shape, in words and as it is then.
    fn carried_on(&self, shape: Shape, progress: &dyn Progress) -> Result<(String, Shape, Edit), Refusal> {
        match shape {
            Shape::Chain(chain, _) => {
                let mut chain = (*chain).clone();
                let (what, undo) = self.chain(&mut chain, progress)?;
                Ok((what, Shape::of_chain(chain), Edit::Chain(Box::new(undo))))
            }
            Shape::Rig(rig) | Shape::Poses(rig, _) => {
                let mut rig = (*rig).clone();
                let (what, undos) = self.rig(&mut rig, progress)?;
                Ok((what, Shape::Rig(Arc::new(rig)), Edit::Rig(undos)))
            }
        }
    }

    fn rig(&self, rig: &mut Rig, progress: &dyn Progress) -> Result<(String, Vec<Undo>), Refusal> {
        let all = matches!(self.order.carry.frames, CarryFrames::Named(CarryName::All));
        match self.order.frame {
            Some(frame) if self.order.target == BrushTarget::Pose && !all => {
                let span = self.span(frame, &rig.clips(), |clip| loops(rig, clip))?;
                let editor = self.editors.poses(rig, progress)?;
                let twin = span.twin.map(|at| PoseEdit {
                    shape: &self.now,
                    frame: at,
                    through: at,
                    ..PoseEdit::default()
                });
                let mut undos = Vec::new();
                for edit in [self.pose_edit(span)].into_iter().chain(twin) {
                    undos.push(editor.edit(rig, &edit, progress)?.undo);
                }
                Ok((format!("sculpt frame {frame}"), undos))
            }
            frame => {
                let shape = match frame {
                    Some(frame) => taken_back(rig, frame, &self.before, &self.now),
                    None => self.now.clone(),
                };
                let edited = edit_rest(rig, &shape, Carry::Surface, progress)?;
                Ok(("sculpt the rest pose".into(), vec![edited.undo]))
            }
        }
    }

    fn chain(&self, chain: &mut PoseChain, progress: &dyn Progress) -> Result<(String, ChainUndo), Refusal> {
        match (self.order.target, self.order.frame) {
            (BrushTarget::Pose, Some(frame)) => {
                let all = Clip { name: String::new(), frames: 0..chain.frame_count(), fps: chain.fps };
                let edit = self.pose_edit(self.span(frame, &[all], |_| false)?);
                Ok((format!("sculpt frame {frame}"), edit_chain(chain, &edit, progress)?.undo))
            }
            (BrushTarget::Rest, None) => {
                Ok(("sculpt the rest pose".into(), edit_chain_rest(chain, &self.now)?))
            }
            _ => Refusal::say("bones that lead from pose to pose are sculpted in their own frames"),
        }
    }

    /// The frames that follow the hand's.
    fn span(
        &self,
        frame: usize,
        clips: &[Clip],
        loops: impl Fn(std::ops::Range<usize>) -> bool,
    ) -> Result<HandSpan, Refusal> {
        let range = match self.order.carry.frames {
            CarryFrames::Range([from, to]) => from..=to,
            CarryFrames::Named(_) => frame..=last_of_clip(clips, frame),
        };
        Ok(HandSpan::new(clips, loops, range, frame, self.order.carry.ease)?)
    }

    fn pose_edit(&self, span: HandSpan) -> PoseEdit<'_> {
        let HandSpan { frame, from, through, ease_in, ease_out, .. } = span;
        PoseEdit { shape: &self.now, frame, from: Some(from), through, ease_in, ease_out }
    }
}

/// The last frame of the clip that a frame is in.
fn last_of_clip(clips: &[Clip], frame: usize) -> usize {
    let clip = clips.iter().find(|clip| clip.frames.contains(&frame)).or(clips.last());
    clip.map_or(0, |clip| clip.frames.end.saturating_sub(1)).max(frame)
}

/// The rest pose that a frame makes the sculpted pose of.
fn taken_back(rig: &Rig, frame: usize, before: &[Vec3], now: &[Vec3]) -> Vec<Vec3> {
    let transforms = rig.frame_transforms(frame);
    let mut rest = rig.rest.clone();
    for vertex in (0..rest.len()).filter(|&v| before[v] != now[v]) {
        let (bones, weights) = rig.weights.of(vertex);
        let blended: DMat3 = bones
            .iter()
            .zip(weights)
            .map(|(bone, weight)| transforms[*bone as usize].matrix3 * f64::from(*weight))
            .fold(DMat3::ZERO, |sum, matrix| sum + matrix);
        let moved = (now[vertex] - before[vertex]).as_dvec3();
        let back = match blended.determinant().abs() > FLAT {
            true => blended.inverse() * moved,
            false => blended.transpose() * moved,
        };
        rest[vertex] += back.as_vec3();
    }
    rest
}

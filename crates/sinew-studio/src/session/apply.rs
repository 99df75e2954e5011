//! Where each action goes.

use serde::Serialize;

use super::{Action, Answers, Outcome, Refusal, Results, Session, Work, open};

impl Session {
    /// Does what a tab asks for.
    ///
    /// # Errors
    /// Why it cannot be done, in a sentence for people.
    pub fn apply(&mut self, tab: u64, action: Action) -> Result<Outcome, Refusal> {
        Ok(match action {
            Action::Open { paths, rest, fps } => {
                answer(|to| to.open, self.open(&paths, rest.as_deref(), fps)?)
            }
            Action::OpenSample {} => answer(|to| to.open_sample, open::sample()),
            Action::Close {} => answer(|to| to.close, self.close()),
            Action::Fit(order) => result(|of| of.fit, self.fit(order)?),
            Action::Curve {} => result(|of| of.curve, self.trace_curve()?),
            Action::Cancel { .. } => return Refusal::say("a session has no jobs of its own"),
            Action::Select { version } => answer(|to| to.select, self.select(version)?),
            Action::Rename { version, name } => answer(|to| to.rename, self.rename(version, &name)?),
            Action::RenameBone { version, bone, name } => {
                answer(|to| to.rename_bone, self.rename_bone(version, bone, &name)?)
            }
            Action::Delete { version } => answer(|to| to.delete, self.delete(version)?),
            Action::Pick { version, frame: _, vertex } => answer(|to| to.pick, self.pick(version, vertex)?),
            Action::Turn(order) => answer(|to| to.turn, self.turn(&order)?),
            Action::Brush(order) => answer(|to| to.brush, self.brush(tab, &order)?),
            Action::Undo {} => answer(|to| to.undo, self.undo()?),
            Action::Redo {} => answer(|to| to.redo, self.redo()?),
            Action::Motion { paths, up } => answer(|to| to.motion, self.open_motion(&paths, up)?),
            Action::Map { joint, bone } => answer(|to| to.map, self.map(joint, bone)?),
            Action::Align(order) => answer(|to| to.align, self.align(&order)?),
            Action::Adjust(order) => answer(|to| to.adjust, self.adjust(&order)?),
            Action::Preview { start, frames } => result(|of| of.preview, self.preview(start, frames)?),
            Action::Accept {} => answer(|to| to.accept, self.accept()?),
            Action::DropMotion {} => answer(|to| to.drop_motion, self.drop_motion()?),
            Action::Skeleton { bones, segmenter } => {
                result(|of| of.skeleton, self.find_skeleton(bones, segmenter.unwrap_or_default())?)
            }
            Action::Handles {} => answer(|to| to.handles, self.start_deforming()?),
            Action::Paint { joint, vertices, on } => answer(|to| to.paint, self.paint(joint, &vertices, on)?),
            Action::Pose { joints, phase } => answer(|to| to.pose, self.pose_joints(joints, phase)?),
            Action::Example(order) => answer(|to| to.example, self.add_example(order)?),
            Action::DropExample { name } => answer(|to| to.drop_example, self.drop_example(&name)?),
            Action::DropHandles {} => answer(|to| to.drop_handles, self.stop_deforming()?),
            Action::Anchors { percent } => answer(|to| to.anchors, self.set_anchors(percent)?),
            Action::Save { version, path, options } => {
                result(|of| of.save, self.save(version, &path, options)?)
            }
            Action::Picture { version, frame, path, drawn } => {
                answer(|to| to.picture, self.picture(version, frame, &path, drawn.as_deref())?)
            }
            Action::Report { path, seen } => answer(|to| to.report, self.save_report(&path, seen)?),
            Action::Restore {} => answer(|to| to.restore, self.restore()?),
            Action::Discard {} => answer(|to| to.discard, self.discard()),
        })
    }
}

/// What becomes of an action, which must be what the page is told that it is answered with.
fn answer<T: Serialize + 'static>(_is: fn(Answers) -> T, outcome: Outcome<T>) -> Outcome {
    outcome.in_json()
}

/// The same of a job and what it ends with.
fn result<T: Serialize + 'static>(_is: fn(Results) -> T, work: Work<T>) -> Outcome {
    Outcome::Later(work.in_json())
}

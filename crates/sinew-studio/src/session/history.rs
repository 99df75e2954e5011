//! Taking changes back, and making them again.

use std::collections::VecDeque;
use std::sync::Arc;

use serde::Serialize;
use sinew::motion::{ChainUndo, Undo};

use super::deform::Deforming;
use super::measure::Errors;
use super::transplant::Planned;
use super::{Refusal, Session, Shape, Version};

/// The most steps that can be taken back.
const MOST_STEPS: usize = 200;
/// The most memory they may take, in bytes; the oldest go first.
const MOST_BYTES: usize = 512 << 20;

/// Steps that were made, and those that were taken back.
#[derive(Default)]
pub(super) struct History {
    done: VecDeque<Step>,
    undone: Vec<Step>,
}

struct Step {
    what: String,
    change: Change,
}

/// A change. Swapping makes it, swapping again takes it back.
pub(super) enum Change {
    /// A version that is there or is not, and which one is shown then.
    Presence { id: u32, place: usize, version: Option<Box<Version>>, current: Option<u32> },
    /// A version's name.
    Name { version: u32, name: String },
    /// An edit of a version.
    Edit { version: u32, edit: Edit, known: Known },
    /// How a motion goes onto a rig.
    Plan(Box<Planned>),
    /// What is deformed.
    Deform(Box<Option<Deforming>>),
    /// Several at once, in the order they are made.
    All(Vec<Change>),
}

/// What an edit replaced.
pub(super) enum Edit {
    Rig(Undo),
    Chain(Box<ChainUndo>),
}

/// What is known of a version's contents.
#[derive(Clone)]
pub(super) struct Known {
    pub content: u64,
    pub errors: Option<Arc<Errors>>,
    pub bytes: Option<u64>,
}

/// What was undone or redone.
#[derive(Serialize)]
pub(super) struct Told {
    what: String,
}

impl History {
    /// Remembers a change that was made.
    pub fn push(&mut self, what: String, change: Change) {
        self.undone.clear();
        self.done.push_back(Step { what, change });
        let mut bytes: usize = self.done.iter().map(|step| step.change.bytes()).sum();
        while self.done.len() > MOST_STEPS || (bytes > MOST_BYTES && self.done.len() > 1) {
            let Some(oldest) = self.done.pop_front() else { break };
            bytes -= oldest.change.bytes();
        }
    }

    /// The same, where several changes in a row are one step: the first of them remembers what was before.
    pub fn push_first(&mut self, what: &str, change: Change) {
        if self.undone.is_empty() && self.last() == Some(what) {
            return;
        }
        self.push(what.into(), change);
    }

    /// Takes the last change back.
    pub fn undo(&mut self, session: &mut Session) -> Result<Told, Refusal> {
        let Some(mut step) = self.done.pop_back() else { return Refusal::say("there is nothing to undo") };
        step.change.swap(session);
        session.touch();
        let what = step.what.clone();
        self.undone.push(step);
        Ok(Told { what })
    }

    /// Makes the last change again that was taken back.
    pub fn redo(&mut self, session: &mut Session) -> Result<Told, Refusal> {
        let Some(mut step) = self.undone.pop() else { return Refusal::say("there is nothing to redo") };
        step.change.swap(session);
        session.touch();
        let what = step.what.clone();
        self.done.push_back(step);
        Ok(Told { what })
    }

    /// What would be undone.
    pub fn last(&self) -> Option<&str> {
        self.done.back().map(|step| step.what.as_str())
    }

    /// What would be redone.
    pub fn next(&self) -> Option<&str> {
        self.undone.last().map(|step| step.what.as_str())
    }

    /// Forgets steps of a motion that was closed.
    pub fn forget_plans(&mut self) {
        let stays = |step: &Step| !matches!(step.change, Change::Plan(_));
        self.done.retain(stays);
        self.undone.retain(stays);
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Self::default();
    }
}

impl Change {
    /// A version that comes.
    pub fn presence(id: u32, version: Version, place: usize, current: u32) -> Self {
        Self::Presence { id, place, version: Some(Box::new(version)), current: Some(current) }
    }

    /// A version that goes. What it was made from is shown then, or its neighbour.
    pub fn absence(session: &Session, id: u32) -> Self {
        let versions = &session.versions;
        let place = versions.iter().position(|v| v.id == id).unwrap_or(0);
        let others = || versions.iter().filter(|v| v.id != id);
        let parent = versions.get(place).and_then(|v| v.parent).filter(|p| others().any(|v| v.id == *p));
        let beside = others().take(place.max(1)).last().map(|v| v.id);
        let current = session.current.filter(|current| *current != id).or(parent).or(beside);
        Self::Presence { id, place, version: None, current }
    }

    /// Makes the change, or takes it back.
    pub fn swap(&mut self, session: &mut Session) {
        match self {
            Self::Presence { id, place, version, current } => {
                match version.take() {
                    Some(back) => {
                        let place = (*place).min(session.versions.len());
                        session.versions.insert(place, *back);
                    }
                    None => {
                        if let Some(at) = session.versions.iter().position(|v| v.id == *id) {
                            *place = at;
                            *version = Some(Box::new(session.versions.remove(at)));
                        }
                    }
                }
                std::mem::swap(current, &mut session.current);
                let there = |id: &u32| session.versions.iter().any(|v| v.id == *id);
                session.current = session.current.filter(there).or(session.versions.last().map(|v| v.id));
            }
            Self::Name { version, name } => {
                if let Ok(version) = session.version_mut(*version) {
                    std::mem::swap(name, &mut version.name);
                }
            }
            Self::Edit { version, edit, known } => {
                if let Ok(version) = session.version_mut(*version) {
                    edit.swap(&mut version.shape);
                    version.exchange(known);
                }
            }
            Self::Plan(planned) => {
                if let Some(transplant) = &mut session.transplant {
                    transplant.exchange(planned);
                }
            }
            Self::Deform(deform) => **deform = session.exchange_deform(deform.take()),
            Self::All(changes) => {
                changes.iter_mut().for_each(|change| change.swap(session));
                changes.reverse();
            }
        }
    }

    /// Memory that remembering it takes, about.
    fn bytes(&self) -> usize {
        match self {
            Self::Presence { version: Some(version), .. } => version.shape.bytes(),
            Self::Edit { edit, .. } => edit.bytes(),
            Self::All(changes) => changes.iter().map(Self::bytes).sum(),
            Self::Deform(deform) => deform.as_ref().as_ref().map_or(0, Deforming::bytes),
            _ => 0,
        }
    }
}

impl Edit {
    fn swap(&mut self, shape: &mut Shape) {
        match (self, shape) {
            (Self::Rig(undo), Shape::Rig(rig)) => undo.swap(Arc::make_mut(rig)),
            (Self::Chain(undo), Shape::Chain(chain, frames)) => {
                undo.swap(Arc::make_mut(chain));
                *frames = Arc::new(chain.bake());
            }
            _ => {}
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Self::Rig(undo) => undo.bytes(),
            Self::Chain(undo) => undo.bytes(),
        }
    }
}

impl Version {
    /// What is known of it.
    pub(super) fn known(&self) -> Known {
        Known { content: self.content, errors: self.errors.clone(), bytes: self.bytes }
    }

    fn exchange(&mut self, known: &mut Known) {
        let old = std::mem::replace(known, self.known());
        (self.content, self.errors, self.bytes) = (old.content, old.errors, old.bytes);
    }
}

impl Shape {
    /// Memory it takes, about.
    pub fn bytes(&self) -> usize {
        let frames = match self {
            Self::Rig(rig) => size_of_val(&rig.transforms[..]),
            Self::Chain(chain, frames) => size_of_val(&chain.steps[..]) + size_of_val(frames.flat()),
            Self::Poses(_, frames) => size_of_val(frames.flat()),
        };
        let mesh = self.mesh();
        let images: usize = mesh.images.iter().map(|image| image.bytes.len()).sum();
        let vertex = 12 + 8 * self.weights().per_vertex + 24 * self.rank();
        frames + images + vertex * mesh.vertex_count + 24 * mesh.corners.len()
    }
}

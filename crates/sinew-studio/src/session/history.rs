//! Changes that were made, so that they can be taken back and made again.

use std::collections::VecDeque;
use std::sync::Arc;

use sinew::motion::{ChainUndo, Undo};

use super::deform::Deforming;
use super::transplant::Planned;
use super::version::Known;
use super::{Shape, Version};

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

/// A change, and what people call it.
pub(super) struct Step {
    pub what: String,
    pub change: Change,
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
    /// Of steps in the order they were made.
    Rig(Vec<Undo>),
    Chain(Box<ChainUndo>),
    /// What a bone was called.
    BoneName(usize, String),
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

    /// The last step that was made, to be taken back.
    pub fn pop_done(&mut self) -> Option<Step> {
        self.done.pop_back()
    }

    /// The last step that was taken back, to be made again.
    pub fn pop_undone(&mut self) -> Option<Step> {
        self.undone.pop()
    }

    /// A step that was made again.
    pub fn push_done(&mut self, step: Step) {
        self.done.push_back(step);
    }

    /// A step that was taken back.
    pub fn push_undone(&mut self, step: Step) {
        self.undone.push(step);
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
    /// Makes the edit, or takes it back.
    pub fn swap(&mut self, shape: &mut Shape) {
        match (self, shape) {
            (Self::Rig(undos), Shape::Rig(rig)) => {
                // The last step goes first, and comes back last.
                undos.reverse();
                undos.iter_mut().for_each(|undo| undo.swap(Arc::make_mut(rig)));
            }
            (Self::BoneName(bone, name), Shape::Rig(rig)) => {
                std::mem::swap(name, &mut Arc::make_mut(rig).bones[*bone].name);
            }
            (Self::Chain(undo), Shape::Chain(chain, frames)) => {
                undo.swap(Arc::make_mut(chain));
                *frames = Arc::new(chain.bake());
            }
            _ => {}
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Self::Rig(undos) => undos.iter().map(Undo::bytes).sum(),
            Self::Chain(undo) => undo.bytes(),
            Self::BoneName(_, name) => name.len(),
        }
    }
}

//! Changes of a session: made, remembered, taken back and made again.

use super::history::{Change, Step};
use super::{Outcome, Refusal, Session, Undone, Version};

impl Session {
    /// Adds a version, shows it, and remembers how to take that back.
    pub(super) fn add(&mut self, what: String, version: Version) -> u32 {
        let id = version.id;
        let version = Version { name: self.name_of_its_own(&version.name), ..version };
        self.perform(what, Change::presence(id, version, self.versions.len(), id));
        id
    }

    /// Makes a change that can be taken back.
    pub(super) fn perform(&mut self, what: String, mut change: Change) {
        self.swap(&mut change);
        self.record(what, change);
    }

    /// Remembers a change that is made already.
    pub(super) fn record(&mut self, what: String, change: Change) {
        self.history.push(what, change);
        self.touch();
    }

    /// Takes the last change back.
    pub(super) fn undo(&mut self) -> Result<Outcome<Undone>, Refusal> {
        let Some(mut step) = self.history.pop_done() else {
            return Refusal::say("there is nothing to undo");
        };
        let what = self.swap_step(&mut step);
        self.history.push_undone(step);
        Ok(Outcome::told(Undone { what }))
    }

    /// Makes the last change again that was taken back.
    pub(super) fn redo(&mut self) -> Result<Outcome<Undone>, Refusal> {
        let Some(mut step) = self.history.pop_undone() else {
            return Refusal::say("there is nothing to redo");
        };
        let what = self.swap_step(&mut step);
        self.history.push_done(step);
        Ok(Outcome::told(Undone { what }))
    }

    fn swap_step(&mut self, step: &mut Step) -> String {
        self.swap(&mut step.change);
        self.touch();
        step.what.clone()
    }

    /// A version that goes. What it was made from is shown then, or its neighbour.
    pub(super) fn absence(&self, id: u32) -> Change {
        let place = self.versions.iter().position(|v| v.id == id).unwrap_or(0);
        let others = || self.versions.iter().filter(|v| v.id != id);
        let parent = self.versions.get(place).and_then(|v| v.parent).filter(|p| others().any(|v| v.id == *p));
        let beside = others().take(place.max(1)).last().map(|v| v.id);
        let current = self.current.filter(|current| *current != id).or(parent).or(beside);
        Change::Presence { id, place, version: None, current }
    }

    /// Makes a change, or takes it back.
    fn swap(&mut self, change: &mut Change) {
        match change {
            Change::Presence { id, place, version, current } => {
                match version.take() {
                    Some(back) => {
                        let place = (*place).min(self.versions.len());
                        self.versions.insert(place, *back);
                    }
                    None => {
                        if let Some(at) = self.versions.iter().position(|v| v.id == *id) {
                            *place = at;
                            *version = Some(Box::new(self.versions.remove(at)));
                        }
                    }
                }
                std::mem::swap(current, &mut self.current);
                let there = |id: &u32| self.versions.iter().any(|v| v.id == *id);
                self.current = self.current.filter(there).or(self.versions.last().map(|v| v.id));
            }
            Change::Name { version, name } => {
                if let Ok(version) = self.version_mut(*version) {
                    std::mem::swap(name, &mut version.name);
                }
            }
            Change::Edit { version, edit, known } => {
                if let Ok(version) = self.version_mut(*version) {
                    edit.swap(&mut version.shape);
                    version.exchange(known);
                }
            }
            Change::Plan(planned) => {
                if let Some(transplant) = &mut self.transplant {
                    transplant.exchange(planned);
                }
            }
            Change::Deform(deform) => **deform = self.exchange_deform(deform.take()),
            Change::All(changes) => {
                changes.iter_mut().for_each(|change| self.swap(change));
                changes.reverse();
            }
        }
    }
}

//! Everything a page can ask for, one action at a time. Plain and synchronous: it knows no network, and work
//! that takes long is handed out as [`Work`] to be done elsewhere.

mod action;
mod answer;
pub mod appearance;
mod brush;
mod curve;
pub mod data;
mod deform;
mod editors;
mod fit;
mod folders;
mod history;
mod kept;
mod measure;
mod open;
mod pictures;
mod save;
mod skeleton;
mod state;
mod subject;
mod transplant;
mod turn;
mod version;
mod words;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

pub use action::{Action, SaveOptions};
pub use answer::{Answer, Finish, Outcome, Refusal, Run, Work};
pub use curve::CurvePoint;
pub use folders::Folders;
pub(crate) use folders::remove_left_uploads;
pub use kept::{KeptVersion, Saved};
pub(crate) use kept::{LIST, read as read_saved};
pub use measure::{Errors, Found, Unmeasured};
pub use open::Opening;
pub use save::Saving;
pub use state::{Offer, State};
pub use subject::Subject;
pub use version::{Kind, Shape, Version};

use brush::Stroke;
use deform::Deforming;
use history::{Change, History};
use transplant::Transplanting;

/// What tabs work on together.
#[derive(Default)]
pub struct Session {
    subject: Option<Arc<Subject>>,
    versions: Vec<Version>,
    current: Option<u32>,
    /// Numbers of versions and of contents, never used twice.
    last_version: u32,
    last_content: u64,
    revision: u64,
    /// Grows with whatever is opened or closed.
    opened: u64,
    history: History,
    curve: Vec<CurvePoint>,
    transplant: Option<Transplanting>,
    deform: Option<Deforming>,
    warnings: Vec<String>,
    saved: Option<PathBuf>,
    /// Where files may be.
    pub folders: Folders,
    /// A session that another server left behind.
    pub offer: Option<Offer>,
    /// The folder of the session that this one goes on with, until it is kept itself.
    pub(crate) restored: Option<PathBuf>,
    /// Brush strokes that have begun, by tab.
    strokes: HashMap<u64, Stroke>,
}

impl Session {
    /// An empty session that reads and writes below some folders.
    pub fn new(folders: Folders) -> Self {
        Self { folders, ..Self::default() }
    }

    /// Grows with every change.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Does what a tab asks for.
    pub fn apply(&mut self, tab: u64, action: Action) -> Result<Outcome, Refusal> {
        match action {
            Action::Open { paths, rest, fps } => self.open(&paths, rest.as_deref(), fps),
            Action::OpenSample {} => Ok(open::sample()),
            Action::Close {} => Ok(self.close()),
            Action::Fit(order) => self.fit(order),
            Action::Curve {} => self.trace_curve(),
            Action::Cancel { .. } => Refusal::say("a session has no jobs of its own"),
            Action::Select { version } => self.select(version),
            Action::Rename { version, name } => self.rename(version, name),
            Action::Delete { version } => self.delete(version),
            Action::Pick { version, frame: _, vertex } => self.pick(version, vertex),
            Action::Turn(order) => self.turn(&order),
            Action::Brush(order) => self.brush(tab, &order),
            Action::Undo {} => self.undo(),
            Action::Redo {} => self.redo(),
            Action::Motion { paths, up } => self.open_motion(&paths, up),
            Action::Map { joint, bone } => self.map(joint, bone),
            Action::Align(order) => self.align(&order),
            Action::Preview { start, frames } => self.preview(start, frames),
            Action::Accept {} => self.accept(),
            Action::DropMotion {} => self.drop_motion(),
            Action::Skeleton { bones } => self.find_skeleton(bones),
            Action::Handles {} => self.start_deforming(),
            Action::Paint { joint, vertices, on } => self.paint(joint, &vertices, on),
            Action::Pose { joints, phase } => self.pose_joints(joints, phase),
            Action::Example(order) => self.add_example(order),
            Action::Anchors { percent } => self.set_anchors(percent),
            Action::Save { version, path, options } => self.save(version, &path, options),
            Action::Picture { version, frame, path } => self.picture(version, frame, &path),
            Action::Report { path } => self.save_report(&path),
            Action::Restore {} => self.restore(),
            Action::Discard {} => self.discard(),
        }
    }

    /// Forgets what a tab that has gone was in the middle of.
    pub fn leave(&mut self, tab: u64) {
        self.strokes.remove(&tab);
    }

    /// Something changed.
    fn touch(&mut self) {
        self.revision += 1;
    }

    fn next_content(&mut self) -> u64 {
        self.last_content += 1;
        self.last_content
    }

    /// Grows with whatever is opened or closed.
    pub fn opened(&self) -> u64 {
        self.opened
    }

    /// What was opened.
    pub fn subject(&self) -> Result<&Arc<Subject>, Refusal> {
        self.subject.as_ref().ok_or_else(|| Refusal("nothing is open".into()))
    }

    /// A version by number.
    pub fn version(&self, id: u32) -> Result<&Version, Refusal> {
        self.versions.iter().find(|v| v.id == id).ok_or_else(|| no_version(id))
    }

    fn version_mut(&mut self, id: u32) -> Result<&mut Version, Refusal> {
        self.versions.iter_mut().find(|v| v.id == id).ok_or_else(|| no_version(id))
    }

    /// All versions.
    pub fn versions(&self) -> &[Version] {
        &self.versions
    }

    /// The version that is shown, if there is one.
    pub fn shown(&self) -> Option<&Version> {
        self.version(self.current?).ok()
    }

    /// The version that is shown.
    fn current(&self) -> Result<&Version, Refusal> {
        match self.current {
            Some(id) => self.version(id),
            None => Refusal::say("there is no rig yet; fit one first"),
        }
    }

    /// Adds a version, shows it, and remembers how to take that back.
    fn add(&mut self, what: String, version: Version) -> u32 {
        let id = version.id;
        let version = Version { name: self.name_of_its_own(&version.name), ..version };
        let change = Change::presence(id, version, self.versions.len(), id);
        self.perform(what, change);
        id
    }

    /// A name that no other version has: a number after it tells it from others.
    fn name_of_its_own(&self, name: &str) -> String {
        let taken = |name: &str| self.versions.iter().any(|v| v.name == name);
        if !taken(name) {
            return name.to_owned();
        }
        let numbered = (2..).map(|number| format!("{name} ({number})"));
        numbered.into_iter().find(|name| !taken(name)).unwrap_or_default()
    }

    fn next_version(&mut self) -> u32 {
        self.last_version += 1;
        self.last_version
    }

    fn select(&mut self, version: u32) -> Result<Outcome, Refusal> {
        self.version(version)?;
        if self.current != Some(version) {
            self.current = Some(version);
            self.touch();
        }
        Ok(Outcome::done())
    }

    fn rename(&mut self, version: u32, name: String) -> Result<Outcome, Refusal> {
        let name = name.trim().to_owned();
        if name.is_empty() || name.chars().count() > LONGEST_NAME {
            return Refusal::say(format!("a name has 1 to {LONGEST_NAME} letters"));
        }
        let old = self.version(version)?.name.clone();
        self.perform(format!("rename {old}"), Change::Name { version, name });
        Ok(Outcome::done())
    }

    fn delete(&mut self, version: u32) -> Result<Outcome, Refusal> {
        let name = self.version(version)?.name.clone();
        let mut change = Change::absence(self, version);
        if self.setup_of(version).is_some() {
            change = Change::All(vec![change, Change::Deform(Box::new(None))]);
        }
        self.perform(format!("delete {name}"), change);
        Ok(Outcome::done())
    }

    fn undo(&mut self) -> Result<Outcome, Refusal> {
        let mut history = std::mem::take(&mut self.history);
        let undone = history.undo(self);
        self.history = history;
        undone.map(Outcome::told)
    }

    fn redo(&mut self) -> Result<Outcome, Refusal> {
        let mut history = std::mem::take(&mut self.history);
        let redone = history.redo(self);
        self.history = history;
        redone.map(Outcome::told)
    }

    /// Makes a change that can be taken back.
    fn perform(&mut self, what: String, mut change: Change) {
        change.swap(self);
        self.record(what, change);
    }

    /// Remembers a change that is made already.
    fn record(&mut self, what: String, change: Change) {
        self.history.push(what, change);
        self.touch();
    }
}

/// Letters of the longest name.
const LONGEST_NAME: usize = 120;

fn no_version(id: u32) -> Refusal {
    Refusal(format!("there is no version {id}"))
}

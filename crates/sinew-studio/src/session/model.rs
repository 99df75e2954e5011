//! What a session holds.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use serde::Serialize;
use sinew::animation::MeshAnimation;

use super::deform::Deforming;
use super::editors::Editors;
use super::history::History;
use super::stroke::Stroke;
use super::transplant::Transplanting;
use super::{CurvePoint, Folders, Kind, Refusal, Shape, Subject, Version};

/// What tabs work on together.
#[derive(Default)]
pub struct Session {
    pub(super) subject: Option<Arc<Subject>>,
    pub(super) versions: Vec<Version>,
    pub(super) current: Option<u32>,
    /// Numbers of versions and of contents, never used twice.
    pub(super) last_version: u32,
    last_content: u64,
    revision: u64,
    /// Grows with whatever is opened or closed.
    pub(super) opened: u64,
    pub(super) history: History,
    pub(super) curve: Vec<CurvePoint>,
    pub(super) transplant: Option<Transplanting>,
    pub(super) deform: Option<Deforming>,
    pub(super) warnings: Vec<String>,
    pub(super) saved: Option<PathBuf>,
    /// Where files may be.
    pub folders: Folders,
    /// A session that another server left behind.
    pub offer: Option<Offer>,
    /// The folder of the session that this one goes on with, until it is kept itself.
    pub(crate) restored: Option<PathBuf>,
    /// Brush strokes that have begun, by tab.
    pub(super) strokes: HashMap<u64, Stroke>,
}

/// A session that another server left behind.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Offer {
    /// What was open.
    pub name: String,
    /// When, in seconds since 1970.
    pub when: u64,
    /// Where it is kept.
    #[serde(skip)]
    pub folder: PathBuf,
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

    /// Forgets what a tab that has gone was in the middle of.
    pub fn leave(&mut self, tab: u64) {
        self.strokes.remove(&tab);
    }

    /// Something changed.
    pub(super) fn touch(&mut self) {
        self.revision += 1;
    }

    pub(super) fn next_content(&mut self) -> u64 {
        self.last_content += 1;
        self.last_content
    }

    pub(super) fn next_version(&mut self) -> u32 {
        self.last_version += 1;
        self.last_version
    }

    /// Grows with whatever is opened or closed.
    pub fn opened(&self) -> u64 {
        self.opened
    }

    /// What was opened.
    pub fn subject(&self) -> Result<&Arc<Subject>, Refusal> {
        self.subject.as_ref().ok_or_else(|| Refusal("nothing is open".into()))
    }

    /// The animation that rigs are made from.
    pub(super) fn original(&self) -> Result<&Arc<MeshAnimation>, Refusal> {
        let none = || Refusal("a rig was opened without an animation to make rigs from".into());
        self.subject()?.original().ok_or_else(none)
    }

    /// Results of long work belong to what it was begun with.
    pub(super) fn check_still_open(&self, original: &Arc<MeshAnimation>) -> Result<(), Refusal> {
        let open = self.subject.as_ref().and_then(|s| s.original());
        match open.is_some_and(|open| Arc::ptr_eq(open, original)) {
            true => Ok(()),
            false => Refusal::say("another animation was opened meanwhile"),
        }
    }

    /// A version by number.
    pub fn version(&self, id: u32) -> Result<&Version, Refusal> {
        self.versions.iter().find(|v| v.id == id).ok_or_else(|| no_version(id))
    }

    pub(super) fn version_mut(&mut self, id: u32) -> Result<&mut Version, Refusal> {
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
    pub(super) fn current(&self) -> Result<&Version, Refusal> {
        match self.current {
            Some(id) => self.version(id),
            None => Refusal::say("there is no rig yet; fit one first"),
        }
    }

    /// A version that nothing is known of yet, and that is not among the others yet.
    pub(super) fn new_version(&mut self, name: String, kind: Kind, method: &str, shape: Shape) -> Version {
        Version {
            id: self.next_version(),
            name,
            kind,
            method: method.into(),
            parent: None,
            shape,
            content: self.next_content(),
            bytes: None,
            errors: None,
            editors: Editors::default(),
        }
    }

    /// A name that no other version has: a number after it tells it from others.
    pub(super) fn name_of_its_own(&self, name: &str) -> String {
        let taken = |name: &str| self.versions.iter().any(|v| v.name == name);
        if !taken(name) {
            return name.to_owned();
        }
        let numbered = (2..).map(|number| format!("{name} ({number})"));
        numbered.into_iter().find(|name| !taken(name)).unwrap_or_default()
    }
}

fn no_version(id: u32) -> Refusal {
    Refusal(format!("there is no version {id}"))
}

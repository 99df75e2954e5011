//! What is kept of a session for the time after a kill.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sinew::progress::Progress;
use sinew_io::Access;
use sinew_io::formats::Facts;
use sinew_io::formats::sinew_file::{self, Stored};

use super::work::finish;
use super::{
    Answer, CurvePoint, Done, Folders, Kind, Opening, Outcome, Refusal, Session, Shape, Subject, Version,
};

/// The name of a session's list of contents in its folder.
pub(crate) const LIST: &str = "session.json";

/// A session as a list; its rigs are files beside it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Saved {
    /// What was open.
    pub name: String,
    /// When, in seconds since 1970.
    pub when: u64,
    paths: Vec<PathBuf>,
    rest: Option<PathBuf>,
    fps: Option<f64>,
    /// Metres of a unit, where that is known; sessions of before do not say.
    #[serde(default)]
    metres_per_unit: Option<f64>,
    current: Option<u32>,
    versions: Vec<KeptVersion>,
    curve: Vec<CurvePoint>,
}

/// A version in that list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeptVersion {
    id: u32,
    name: String,
    kind: Kind,
    method: String,
    parent: Option<u32>,
    /// The file, which is never written twice.
    pub file: String,
}

impl Saved {
    /// Takes what was sent to the session over from its folder.
    fn adopt(&mut self, folders: &mut Folders, from: &Path) -> Result<(), Refusal> {
        for path in self.paths.iter_mut().chain(&mut self.rest) {
            *path = folders.adopt(path, from)?;
        }
        Ok(())
    }

    /// Reads what was open.
    fn open(&self, folders: &Folders, progress: &dyn Progress) -> Result<Opening, Refusal> {
        let own = self.paths.iter().chain(&self.rest).filter_map(|path| path.parent());
        let open: Vec<PathBuf> = folders.to_read_below().into_iter().chain(own.map(Path::to_owned)).collect();
        Opening::read(&self.paths, self.rest.as_deref(), self.fps, &Access::within(&open), progress)
    }

    /// Whether a file that was sent is one of those that were opened.
    pub(crate) fn names(&self, file: &str) -> bool {
        self.paths.iter().chain(&self.rest).any(|path| path.ends_with(file))
    }
}

impl Session {
    /// What is to be kept, with the shapes that go into files. None where there is nothing but what was
    /// opened.
    pub fn to_keep(&self, when: u64) -> Option<(Saved, Vec<(String, Shape)>)> {
        let subject = self.subject.as_ref()?;
        let kept = |v: &&Version| !matches!(v.shape, Shape::Poses(..));
        let versions: Vec<&Version> = self.versions.iter().filter(kept).collect();
        if versions.iter().all(|v| v.kind == Kind::File) {
            return None;
        }
        let file = |v: &Version| format!("{}.sinew", v.key());
        let listed = |v: &&Version| KeptVersion {
            id: v.id,
            name: v.name.clone(),
            kind: v.kind,
            method: v.method.clone(),
            parent: v.parent,
            file: file(v),
        };
        let saved = Saved {
            name: subject.name.clone(),
            when,
            paths: subject.paths.iter().map(|path| self.folders.to_keep(path)).collect(),
            rest: subject.rest.as_ref().map(|path| self.folders.to_keep(path)),
            fps: subject.fps,
            metres_per_unit: subject.facts.metres_per_unit,
            current: self.current,
            versions: versions.iter().map(listed).collect(),
            curve: self.curve.clone(),
        };
        Some((saved, versions.iter().map(|v| (file(v), v.shape.clone())).collect()))
    }

    /// Goes on with the session that is offered.
    pub(super) fn restore(&self) -> Result<Outcome<Done>, Refusal> {
        let Some(offer) = self.offer.clone() else {
            return Refusal::say("there is no session to go on with");
        };
        let mut folders = self.folders.clone();
        Ok(Outcome::wait("restore", move |progress| {
            let mut saved = read(&offer.folder)?;
            let shapes: Vec<Shape> =
                saved.versions.iter().map(|v| shape(&offer.folder, v)).collect::<Result<_, _>>()?;
            let mut warnings = Vec::new();
            let adopted = saved.adopt(&mut folders, &offer.folder);
            let opening = match saved.paths.is_empty() {
                true => Ok(Opening::sample()),
                false => adopted.and_then(|()| saved.open(&folders, progress)),
            };
            let subject = match (opening, shapes.iter().find_map(as_rig)) {
                (Ok(opening), _) => opening.subject,
                (Err(why), Some(rig)) => {
                    warnings.push(format!("only the rigs came back, without their animation: {why}"));
                    let facts = Facts { metres_per_unit: saved.metres_per_unit, ..Facts::default() };
                    Subject::of_rig(saved.name.clone(), rig).with_facts(facts)
                }
                (Err(why), None) => return Err(why),
            };
            finish(move |session| {
                session.folders.take_uploads(&folders);
                for path in subject.paths.iter().chain(&subject.rest) {
                    if session.folders.to_read(path).is_err() {
                        session.folders.add_of(path)?;
                    }
                }
                session.restored = Some(offer.folder);
                Ok(session.take_saved(subject, saved, shapes, warnings))
            })
        }))
    }

    fn take_saved(
        &mut self,
        subject: Subject,
        saved: Saved,
        shapes: Vec<Shape>,
        warnings: Vec<String>,
    ) -> Answer<Done> {
        self.clear();
        self.subject = Some(Arc::new(self.told_apart(subject)));
        for (kept, shape) in saved.versions.into_iter().zip(shapes) {
            let mut version = self.new_version(kept.name, kept.kind, &kept.method, shape);
            (version.id, version.parent) = (kept.id, kept.parent);
            self.last_version = self.last_version.max(kept.id);
            self.versions.push(version);
        }
        let there = |id: &u32| self.versions.iter().any(|v| v.id == *id);
        self.current = saved.current.filter(there).or(self.versions.last().map(|v| v.id));
        (self.curve, self.warnings, self.offer) = (saved.curve, warnings, None);
        self.touch();
        Answer::of(Done {})
    }

    /// Forgets the session that is offered.
    pub(super) fn discard(&mut self) -> Outcome<Done> {
        if let Some(offer) = self.offer.take() {
            // What cannot be removed now is offered again.
            _ = std::fs::remove_dir_all(&offer.folder);
            self.touch();
        }
        Outcome::done()
    }
}

/// The list in a folder.
pub(crate) fn read(folder: &Path) -> Result<Saved, Refusal> {
    let path = folder.join(LIST);
    let text = std::fs::read(&path).map_err(sinew_io::Error::io(&path))?;
    serde_json::from_slice(&text).map_err(|e| Refusal(format!("{}: {e}", path.display())))
}

fn shape(folder: &Path, version: &KeptVersion) -> Result<Shape, Refusal> {
    Ok(match sinew_file::read(folder.join(&version.file))?.stored {
        Stored::Rig(rig) => Shape::Rig(Arc::new(rig)),
        Stored::Chain(chain) => Shape::of_chain(chain),
    })
}

fn as_rig(shape: &Shape) -> Option<Arc<sinew::rig::Rig>> {
    if let Shape::Rig(rig) = shape { Some(rig.clone()) } else { None }
}

//! From files to something to look at.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use glam::Vec3;
use sinew::animation::MeshAnimation;
use sinew::geometry::{Bounds, Similarity};
use sinew::progress::Progress;
use sinew_io::formats::Facts;
use sinew_io::formats::sinew_file::{Contents, Stored};
use sinew_io::open::{self, OpenOptions, Opened};
use sinew_io::scene::{SampleOptions, SampledRig};
use sinew_io::{Access, Source};
use sinew_jobs::units;
use sinew_sample::{CreatureOptions, creature};

use super::deform::{Deforming, ReadCharacter, is_deform};
use super::work::finish;
use super::{Answer, Done, Kind, Outcome, Refusal, Session, Shape, Subject, words};

/// The most memory that the poses of a rig without its animation may take.
const MOST_POSES: usize = 1 << 30;

/// What was read, before a session takes it.
pub struct Opening {
    pub(super) subject: Subject,
    /// Rigs among the files, by name.
    rigs: Vec<(String, Shape)>,
    warnings: Vec<String>,
    /// A character that is posed, of the first rig.
    character: Option<Deforming>,
}

impl Opening {
    /// Reads files: point caches and meshes are the animation, rigs become versions. Rigs alone are their own
    /// animation. No file is opened that `access` does not allow, whatever the files name.
    pub fn read(
        paths: &[PathBuf],
        rest: Option<&Path>,
        fps: Option<f64>,
        access: &Access,
        progress: &dyn Progress,
    ) -> Result<Self, Refusal> {
        progress.stage("reading");
        let source = |path: &Path| Source::file(path).with_access(access.clone());
        if let [path] = paths
            && is_deform(path)
        {
            return Self::of_character(&source(path), progress);
        }
        let (mut rigs, mut others): (Vec<Source>, Vec<Source>) =
            paths.iter().map(|path| source(path)).partition(holds_rig);
        let rest_file = rest.map(source);
        if others.is_empty() && rest.is_some() {
            others = std::mem::take(&mut rigs);
        }
        let mut opening = match (others.is_empty(), rigs.first().cloned()) {
            (true, None) => return Refusal::say("no file was named"),
            (true, Some(first)) => {
                rigs.remove(0);
                Self::of_rig(&first, fps)?
            }
            // The mesh of a rig goes with the cache it was made from.
            (false, first) => Self::of_animation(&others, rest_file.or(first), fps, progress)?,
        };
        for file in &rigs {
            opening.add_rig(file)?;
        }
        let subject = &mut opening.subject;
        subject.paths = paths.to_vec();
        (subject.rest, subject.fps) = (rest.map(Path::to_owned), fps);
        Ok(opening)
    }

    /// The built-in sample.
    pub fn sample() -> Self {
        let subject = Subject::of_animation("sample creature".into(), creature(&CreatureOptions::default()));
        Self { subject, rigs: Vec::new(), warnings: Vec::new(), character: None }
    }

    fn of_animation(
        files: &[Source],
        rest: Option<Source>,
        fps: Option<f64>,
        progress: &dyn Progress,
    ) -> Result<Self, Refusal> {
        let options = OpenOptions { rest, fps, ..OpenOptions::default() };
        Self::of_opened(open::animation(files, &options, progress)?)
    }

    fn of_opened(opened: Opened) -> Result<Self, Refusal> {
        let Opened { animation, warnings, source, clip, assumed_fps, facts, .. } = opened;
        let checked = animation.validate();
        checked.map_err(|error| Refusal(format!("{source}: {error}")))?;
        let mut warnings = words::warnings(&warnings);
        if assumed_fps {
            warnings.push(format!("{source} tells no frame rate; {} a second are taken", animation.fps));
        }
        let subject = Subject::of_animation(source, animation).with_clip(clip).with_facts(facts);
        Ok(Self { subject, rigs: Vec::new(), warnings, character: None })
    }

    fn of_rig(file: &Source, fps: Option<f64>) -> Result<Self, Refusal> {
        let options = SampleOptions { clips: vec!["all".into()], fps, ..SampleOptions::default() };
        let name = file.name();
        let Contents { stored, clip, warnings, facts } = open::rig_or_chain(file, &options)?;
        let clip = Some(clip).filter(|clip| !clip.is_empty());
        let (mut opening, shape) = match stored {
            Stored::Chain(chain) => {
                let (mesh, rest, fps) = (chain.mesh.clone(), chain.rest.clone(), chain.fps);
                let animation = MeshAnimation {
                    mesh,
                    rest: Some(rest),
                    frames: chain.bake(),
                    fps,
                    clips: Vec::new(),
                    nodes: Vec::new(),
                };
                let subject =
                    Subject::of_animation(name.clone(), animation).with_clip(clip).with_facts(facts);
                let warnings = words::warnings(&warnings);
                (Self { subject, rigs: Vec::new(), warnings, character: None }, Shape::of_chain(chain))
            }
            Stored::Rig(rig) => {
                let rig = Arc::new(rig);
                let poses = rig.frame_count() * rig.rest.len() * size_of::<Vec3>();
                let opening = if poses <= MOST_POSES {
                    let sampled = SampledRig { rig: (*rig).clone(), warnings, clip, light: None, facts };
                    Self::of_opened(Opened::of_rig(file, sampled)?)?
                } else {
                    let subject =
                        Subject::of_rig(name.clone(), rig.clone()).with_clip(clip).with_facts(facts);
                    Self { subject, rigs: Vec::new(), warnings: words::warnings(&warnings), character: None }
                };
                (opening, Shape::Rig(rig))
            }
        };
        opening.rigs.push((name, shape));
        Ok(opening)
    }

    /// A character, with the rig that it is posed by.
    fn of_character(file: &Source, progress: &dyn Progress) -> Result<Self, Refusal> {
        let ReadCharacter { character, metres_per_unit, warnings } = ReadCharacter::read(file, progress)?;
        let (name, rig) = (file.name(), character.rig.clone());
        let facts = Facts { metres_per_unit, ..Facts::default() };
        let mut subject = Subject::of_rig(name.clone(), rig.clone()).with_facts(facts);
        subject.paths = vec![file.path().to_owned()];
        Ok(Self { subject, rigs: vec![(name, Shape::Rig(rig))], warnings, character: Some(character) })
    }

    /// Reads a rig of the same mesh.
    fn add_rig(&mut self, file: &Source) -> Result<(), Refusal> {
        let document = open::document(file)?;
        let vertices = self.subject.mesh().vertex_count;
        let clips = if self.subject.clips().is_empty() { Vec::new() } else { vec!["all".into()] };
        let fps = Some(self.subject.frame_rate()).filter(|_| clips.is_empty());
        let mut found = 0;
        // Vertices at one place may be one in the animation or in the file.
        for weld in [None, Some(false), Some(true)] {
            let options = SampleOptions { clips: clips.clone(), fps, weld };
            let Contents { mut stored, mut warnings, facts, .. } = document.rig_or_chain(&options)?;
            found = stored.rest().len();
            if found != vertices {
                continue;
            }
            let sizes = [self.subject.rest_pose(), stored.rest()].map(|pose| Bounds::of(pose).diagonal());
            let names = [self.subject.name.as_str(), &file.name()];
            if let Some(agreed) = units::beside([&self.subject.facts, &facts], names, sizes) {
                stored.change(&Similarity::scaling(agreed.factor));
                warnings.push(agreed.warning);
            }
            let shape = match stored {
                Stored::Rig(rig) => Shape::Rig(Arc::new(rig)),
                Stored::Chain(chain) => Shape::of_chain(chain),
            };
            self.warnings.extend(words::warnings(&warnings));
            self.rigs.push((file.name(), shape));
            return Ok(());
        }
        Refusal::say(format!(
            "{}: the rig has {found} vertices, but {} has {vertices}",
            file.path().display(),
            self.subject.name
        ))
    }
}

fn holds_rig(file: &Source) -> bool {
    let holds = || open::document(file)?.holds();
    file.is_file() && holds().is_ok_and(|holds| holds.rig)
}

pub(super) fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// Opens the built-in sample.
pub(super) fn sample() -> Outcome<Done> {
    Outcome::wait("open", |_| {
        let opening = Opening::sample();
        finish(|session| Ok(session.take(opening)))
    })
}

impl Session {
    /// Opens files below the session's folders.
    pub(super) fn open(
        &self,
        paths: &[PathBuf],
        rest: Option<&Path>,
        fps: Option<f64>,
    ) -> Result<Outcome<Done>, Refusal> {
        let found: Vec<PathBuf> =
            paths.iter().map(|path| self.folders.to_read(path)).collect::<Result<_, _>>()?;
        let rest = rest.map(|path| self.folders.to_read(path)).transpose()?;
        let access = Access::within(&self.folders.to_read_below());
        Ok(Outcome::wait("open", move |progress| {
            let opening = Opening::read(&found, rest.as_deref(), fps, &access, progress)?;
            finish(|session| Ok(session.take(opening)))
        }))
    }

    /// Shows what was read, and forgets what was there.
    pub fn take(&mut self, opening: Opening) -> Answer<Done> {
        let Opening { subject, rigs, warnings, character } = opening;
        self.clear();
        self.subject = Some(Arc::new(self.told_apart(subject)));
        self.warnings = warnings;
        for (name, shape) in rigs {
            let version = self.new_version(name, Kind::File, "file", shape);
            self.current = self.current.or(Some(version.id));
            self.versions.push(version);
        }
        if let (Some(character), Some(parent)) = (character, self.current) {
            self.show_character(character, parent);
        }
        self.touch();
        Answer::of(Done {})
    }

    /// Caches and their meshes are called alike everywhere: the folder tells them apart, unless it is that for what pages send.
    pub(super) fn told_apart(&self, subject: Subject) -> Subject {
        let folder = subject.paths.first().filter(|_| subject.rest.is_some()).and_then(|path| path.parent());
        let sent = self.folders.sent_to();
        let folder = folder.filter(|folder| !sent.iter().any(|place| folder.starts_with(place)));
        match folder.map(file_name) {
            Some(folder) => subject.in_folder(&folder),
            None => subject,
        }
    }

    /// Closes what is open.
    pub(super) fn close(&mut self) -> Outcome<Done> {
        self.clear();
        self.touch();
        Outcome::done()
    }

    /// Forgets what is open.
    pub(super) fn clear(&mut self) {
        self.opened += 1;
        self.subject = None;
        self.versions.clear();
        self.current = None;
        self.history.clear();
        self.curve.clear();
        (self.transplant, self.deform, self.saved) = (None, None, None);
        self.warnings.clear();
        self.strokes.clear();
    }
}

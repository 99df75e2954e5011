//! Versions as files.

use std::path::{Path, PathBuf};

use sinew::geometry::corner_normals;
use sinew::progress::Progress;
use sinew::rig::Rig;
use sinew_io::deform_file::{self, Setup};
use sinew_io::formats::sinew_file::{self, Label};
use sinew_io::formats::{self, Content, Facts, Format, PoseSet, RigOptions};

use super::action::SaveOptions;
use super::deform::{Deforming, is_deform};
use super::open::file_name;
use super::tables::can_hold;
use super::work::finish;
use super::{Answer, Refusal, Session, Shape, Version, Work, Written, words};

/// A version on its way into a file.
#[derive(Clone)]
pub struct Saving {
    shape: Shape,
    name: String,
    clip: Option<String>,
    /// Whether shading normals of the mesh are those of the rest pose.
    keep_normals: bool,
    options: SaveOptions,
    /// What is known of its numbers.
    facts: Facts,
    /// Of a posed character: all it is posed by.
    character: Option<Deforming>,
}

/// Where a version is written.
enum To<'a> {
    File(&'a Path),
    /// Under a name, without the files that would belong beside it.
    Memory(&'a Path, &'a mut Vec<u8>),
}

impl<'a> To<'a> {
    fn path(&self) -> &'a Path {
        match self {
            Self::File(path) | Self::Memory(path, _) => path,
        }
    }

    fn put(&mut self, format: &Format, content: Content) -> Result<Vec<String>, Refusal> {
        match self {
            Self::File(path) => Ok(words::warnings(&format.save(path, content)?.warnings)),
            Self::Memory(name, bytes) => {
                let (file, warnings) = format.to_bytes(name, content)?;
                **bytes = file.bytes;
                Ok(words::warnings(&warnings))
            }
        }
    }

    fn put_bytes(&mut self, all: Vec<u8>) -> Result<(), Refusal> {
        match self {
            Self::File(path) => drop(sinew_io::save(path, |out| out.write_all(&all))?),
            Self::Memory(_, bytes) => **bytes = all,
        }
        Ok(())
    }
}

impl Saving {
    /// Of a version of a session.
    pub fn new(session: &Session, version: &Version, options: SaveOptions) -> Self {
        let subject = session.subject.as_ref();
        let keep_normals = match &version.shape {
            Shape::Rig(rig) => subject.is_none_or(|s| s.rest_pose() == rig.rest),
            _ => true,
        };
        let clip = subject.and_then(|s| s.clip.clone());
        let (shape, name) = (version.shape.clone(), version.name.clone());
        let character = session.setup_of(version.id);
        let facts = subject.map(|s| s.facts.clone()).unwrap_or_default();
        Self { shape, name, clip, keep_normals, options, facts, character }
    }

    /// Writes a file whose format is told by its name. Returns what could not be stored as it is.
    pub fn write(&self, path: &Path, progress: &dyn Progress) -> Result<Vec<String>, Refusal> {
        self.put(&mut To::File(path), progress)
    }

    fn put(&self, to: &mut To, progress: &dyn Progress) -> Result<Vec<String>, Refusal> {
        let path = to.path();
        progress.stage("writing");
        if let Some(character) = self.character.as_ref().filter(|_| is_deform(path)) {
            let metres_per_unit = self.facts.metres_per_unit;
            to.put_bytes(deform_file::to_bytes(&Setup { metres_per_unit, ..character.setup()? }))?;
            return Ok(Vec::new());
        }
        let format = self.format(path)?;
        Ok(match &self.shape {
            Shape::Rig(rig) if format.writes.rig => self.write_rig(to, rig, format)?,
            Shape::Chain(chain, _) if format == &formats::SINEW => {
                let clip = self.clip.as_deref().unwrap_or_default();
                let label = Label { clip, metres_per_unit: self.facts.metres_per_unit };
                to.put_bytes(sinew_file::chain_to_bytes(chain, label))?;
                Vec::new()
            }
            _ if format.writes.poses => self.write_poses(to, format, progress)?,
            Shape::Rig(rig) if format.writes.is_motion() => {
                let clips = rig.clips();
                let Some(clip) = clips.first().filter(|_| rig.skeleton.is_some()) else {
                    return Refusal::say(format!("{} has no skeleton to write", self.name));
                };
                to.put(format, Content::Joints(rig, clip))?
            }
            shape => {
                let mut pose = vec![glam::Vec3::ZERO; shape.vertex_count()];
                shape.poses().pose_into(0, &mut pose);
                to.put(format, Content::Mesh(shape.mesh(), &pose))?
            }
        })
    }

    /// Checks that the version can be written to a file of this name.
    pub fn format(&self, path: &Path) -> Result<&'static Format, Refusal> {
        formats::to_write(path).filter(|format| can_hold(format, &self.shape)).ok_or_else(|| {
            let endings = formats::ALL.iter().filter(|f| can_hold(f, &self.shape)).flat_map(|f| f.written);
            let endings: Vec<String> = endings.map(|ending| format!("*.{ending}")).collect();
            Refusal(format!("{}: {} is written as {}", file_name(path), self.name, endings.join(", ")))
        })
    }

    fn write_rig(&self, to: &mut To, rig: &Rig, format: &Format) -> Result<Vec<String>, Refusal> {
        let compact = self.options.compact.map(|percent| percent / 100.0);
        if compact.is_some_and(|share| !(share > 0.0 && share.is_finite())) {
            return Refusal::say("compact takes a positive number of percent");
        }
        let options = RigOptions {
            clip: self.clip.as_deref(),
            keep_normals: self.keep_normals,
            compact,
            pack: self.options.pack,
            facts: self.facts.clone(),
            ..RigOptions::default()
        };
        if format == &formats::SINEW && rig.mesh.normals.is_some() && !self.keep_normals {
            let mut rig = rig.clone();
            rig.mesh.normals = Some(corner_normals(&rig.mesh, &rig.rest));
            return to.put(format, Content::Rig(&rig, &options));
        }
        to.put(format, Content::Rig(rig, &options))
    }

    fn write_poses(
        &self,
        to: &mut To,
        format: &Format,
        progress: &dyn Progress,
    ) -> Result<Vec<String>, Refusal> {
        let (frames, clips) = match &self.shape {
            Shape::Rig(rig) => (rig.frame_count(), &rig.clips[..]),
            shape => (shape.frame_count(), &[][..]),
        };
        let set = PoseSet {
            mesh: self.shape.mesh(),
            rest: None,
            frames,
            fps: self.shape.fps(),
            clips,
            clip: self.clip.as_deref(),
            facts: &self.facts,
        };
        let poses = self.shape.poses();
        let mut next = |frame: usize, out: &mut [glam::Vec3]| {
            if progress.cancelled() {
                return Err(std::io::Error::other("saving was cancelled"));
            }
            progress.advance(frame as f64 / frames.max(1) as f64);
            poses.pose_into(frame, out);
            Ok(())
        };
        to.put(format, Content::Poses(&set, &mut next))
    }

    /// The bytes of a file of that ending.
    pub fn bytes(&self, ending: &str) -> Result<Vec<u8>, Refusal> {
        let name = PathBuf::from(self.file_name(ending));
        let mut bytes = Vec::new();
        self.put(&mut To::Memory(&name, &mut bytes), &sinew::progress::Silent)?;
        Ok(bytes)
    }

    /// A name for a file of it.
    pub fn file_name(&self, ending: &str) -> String {
        format!("{}.{ending}", plain(&self.name))
    }
}

/// A name without anything that means something to a system.
fn plain(name: &str) -> String {
    let kept: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() || "-_".contains(c) { c } else { '_' }).collect();
    if kept.is_empty() { "rig".into() } else { kept }
}

impl Session {
    /// Saves a version in the background.
    pub(super) fn save(&self, id: u32, path: &Path, options: SaveOptions) -> Result<Work<Written>, Refusal> {
        let path = self.target(path)?;
        let saving = Saving::new(self, self.version(id)?, options);
        if !(is_deform(&path) && saving.character.is_some()) {
            saving.format(&path)?;
        }
        Ok(Work::background("save", move |progress| {
            let warnings = saving.write(&path, progress)?;
            finish(move |session| Ok(session.was_saved(path, warnings)))
        }))
    }

    /// Where a file goes that a page names.
    pub(super) fn target(&self, path: &Path) -> Result<PathBuf, Refusal> {
        let path = self.folders.to_write(path)?;
        let opened = self.subject.as_ref().map_or(&[][..], |s| &s.paths);
        let rest = self.subject.as_ref().and_then(|s| s.rest.as_ref());
        if opened.iter().chain(rest).any(|open| *open == path) {
            return Refusal::say(format!("{}: is the file that was opened", path.display()));
        }
        sinew_io::check_target(&path)?;
        Ok(path)
    }

    pub(super) fn was_saved(&mut self, path: PathBuf, warnings: Vec<String>) -> Answer<Written> {
        let said: Vec<String> = warnings.iter().map(|warning| self.in_words(warning)).collect();
        let answer = Answer::of(Written { path: path.clone(), warnings: said });
        self.warnings = warnings;
        self.saved = Some(path);
        self.touch();
        answer
    }
}

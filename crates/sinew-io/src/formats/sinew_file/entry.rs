//! `.sinew` in the table.

use std::sync::{Mutex, PoisonError};

use glam::Vec3;
use sinew::geometry::Mesh;
use sinew::progress::Progress;
use sinew::rig::Rig;

use super::chosen;
use super::whole::put_rig;
use super::{Contents, FileReader, Label, Stored};
use crate::formats::{Document, Facts, Format, Holds, Keeps, RigOptions, UnitRule, Writer, sinew_file};
use crate::scene::{OpenOptions, Opened, PoseStream, SampleOptions, SampledRig};
use crate::source::Source;
use crate::{Error, Result, StaticMesh, Target, Warning};

/// Sinew's own.
pub static SINEW: Format = Format {
    name: "Sinew rig",
    article: "a",
    labels: &[".sinew"],
    endings: &["sinew"],
    written: &["sinew"],
    reads: Holds::RIG,
    writes: Holds { poses: false, ..Holds::RIG },
    keeps: Keeps::ALL,
    sampled: false,
    unit: UnitRule::Told(None),
    notes: "also pose to pose, and weights below zero: every number as it was solved; a file cut anywhere plays \
            to its last whole frame",
    signature: |start| start.bytes.starts_with(&sinew_file::MAGIC),
    shape: |_| false,
    document: open,
    writer: &Files,
};

/// A file of which everything before the frames is known.
struct SinewFile {
    source: Source,
    mesh: Mesh,
    rest: Vec<Vec3>,
    facts: Facts,
    /// The reader that got as far, for the first who wants more.
    reader: Mutex<Option<FileReader>>,
}

fn open(source: &Source) -> Result<Box<dyn Document>> {
    let reader = sinew_file::open(source)?;
    let (mesh, rest) = (reader.head.mesh.clone(), reader.head.rest.clone());
    let (facts, reader) = (reader.head.facts(), Mutex::new(Some(reader)));
    Ok(Box::new(SinewFile { source: source.clone(), mesh, rest, facts, reader }))
}

impl SinewFile {
    /// A reader that stands before the first frame.
    fn reader(&self) -> Result<FileReader> {
        let kept = self.reader.lock().unwrap_or_else(PoisonError::into_inner).take();
        kept.map_or_else(|| sinew_file::open(&self.source), Ok)
    }
}

impl Document for SinewFile {
    fn source(&self) -> &Source {
        &self.source
    }

    fn format(&self) -> &'static Format {
        &SINEW
    }

    fn facts(&self) -> Result<Facts> {
        Ok(self.facts.clone())
    }

    fn clips(&self) -> Result<Vec<String>> {
        Ok(sinew_file::clips(&self.source)?.into_iter().map(|clip| clip.name).collect())
    }

    fn mesh(&self, _vertices: Option<usize>) -> Result<StaticMesh> {
        let (mesh, positions, facts) = (self.mesh.clone(), self.rest.clone(), self.facts.clone());
        Ok(StaticMesh { mesh, positions, facts, ..StaticMesh::default() })
    }

    fn stream(&self, options: &OpenOptions) -> Result<PoseStream> {
        chosen::stream(&self.source, self.reader()?, options)
    }

    fn animation(&self, options: &OpenOptions, progress: &dyn Progress) -> Result<Opened> {
        let mut opened = self.stream(options)?.all(self.source.path(), progress)?;
        let frames = &opened.animation.frames;
        if frames.is_empty() {
            // Says why.
            sinew_file::clips(&self.source)?;
        }
        if !options.clips.is_empty() && frames.len() > 1 && !frames.moves(0..frames.len()) {
            opened
                .warnings
                .push(Warning::NothingMoves { names: options.clips.clone(), clips: self.clips()?.len() });
        }
        Ok(opened)
    }

    fn rig(&self, options: &SampleOptions) -> Result<SampledRig> {
        let Contents { stored, clip, warnings, facts } = self.rig_or_chain(options)?;
        match stored {
            Stored::Rig(rig) => {
                let clip = Some(clip).filter(|c| !c.is_empty());
                Ok(SampledRig { rig, warnings, clip, light: None, facts })
            }
            Stored::Chain(_) => Err(Error::unsupported(
                self.source.path(),
                "the bones in this file carry each pose to the next, which is not a rig with a rest pose; \
                 sinew bake plays it into a point cache, from which sinew skin makes one",
            )),
        }
    }

    fn rig_or_chain(&self, options: &SampleOptions) -> Result<Contents> {
        chosen::contents(&self.source, self.reader()?, options)
    }
}

struct Files;

impl Writer for Files {
    fn rig(&self, to: &mut Target, rig: &Rig, options: &RigOptions) -> Result<Vec<Warning>> {
        let metres_per_unit = options.facts.metres_per_unit;
        let label = Label { clip: options.clip.unwrap_or_default(), metres_per_unit };
        to.write(|mut out| put_rig(&mut out, rig, label)).map(|()| Vec::new())
    }
}

//! `.sinew` in the table.

use std::path::Path;

use sinew::progress::Progress;
use sinew::rig::Rig;

use super::{Contents, Label, Stored};
use crate::formats::{
    Facts, Format, Holds, Keeps, Reader, RigOptions, UnitRule, Writer, Written, sinew_file,
};
use crate::open::{OpenOptions, Opened, PoseStream, stored};
use crate::scene::{SampleOptions, SampledRig};
use crate::{Error, Result, StaticMesh};

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
    reader: &Files,
    writer: &Files,
};

struct Files;

impl Reader for Files {
    fn facts(&self, path: &Path) -> Result<Facts> {
        Ok(sinew_file::open(path)?.head.facts())
    }

    fn mesh(&self, path: &Path, _vertices: Option<usize>) -> Result<StaticMesh> {
        let head = sinew_file::open(path)?.head;
        let facts = head.facts();
        Ok(StaticMesh { mesh: head.mesh, positions: head.rest, warnings: Vec::new(), facts })
    }

    fn stream(&self, path: &Path, options: &OpenOptions) -> Result<PoseStream> {
        stored::stream(path, options)
    }

    fn animation(&self, path: &Path, options: &OpenOptions, progress: &dyn Progress) -> Result<Opened> {
        let opened = crate::formats::read::all_poses(path, stored::stream(path, options)?, progress)?;
        if opened.animation.frames.is_empty() {
            // Says why.
            sinew_file::clips(path)?;
        }
        Ok(opened)
    }

    fn rig(&self, path: &Path, options: &SampleOptions) -> Result<SampledRig> {
        let Contents { stored, clip, warnings, facts } = self.rig_or_chain(path, options)?;
        match stored {
            Stored::Rig(rig) => {
                let clip = Some(clip).filter(|c| !c.is_empty());
                Ok(SampledRig { rig, warnings, clip, light: None, facts })
            }
            Stored::Chain(_) => Err(Error::unsupported(
                path,
                "the bones in this file carry each pose to the next, which is not a rig with a rest pose; \
                 sinew bake plays it into a point cache, from which sinew skin makes one",
            )),
        }
    }

    fn rig_or_chain(&self, path: &Path, options: &SampleOptions) -> Result<Contents> {
        stored::contents(path, options)
    }
}

impl Writer for Files {
    fn rig(&self, path: &Path, rig: &Rig, options: &RigOptions) -> Result<Written> {
        let metres_per_unit = options.facts.metres_per_unit;
        let label = Label { clip: options.clip.unwrap_or_default(), metres_per_unit };
        Ok(sinew_file::write_rig(path, rig, label)?.into())
    }
}

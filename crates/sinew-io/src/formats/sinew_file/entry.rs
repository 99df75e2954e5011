//! `.sinew` in the table.

use std::path::Path;

use sinew::progress::Progress;
use sinew::rig::Rig;

use super::{Contents, Stored};
use crate::formats::{Format, Holds, Keeps, Reader, RigOptions, Writer, Written, sinew_file};
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
    unit: None,
    notes: "also pose to pose, and weights below zero: every number as it was solved; a file cut anywhere plays \
            to its last whole frame",
    signature: |start| start.bytes.starts_with(&sinew_file::MAGIC),
    shape: |_| false,
    reader: &Files,
    writer: &Files,
};

struct Files;

impl Reader for Files {
    fn mesh(&self, path: &Path, _vertices: Option<usize>) -> Result<StaticMesh> {
        let head = sinew_file::open(path)?.head;
        Ok(StaticMesh { mesh: head.mesh, positions: head.rest, warnings: Vec::new() })
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
        let Contents { stored, clip, warnings } = self.rig_or_chain(path, options)?;
        match stored {
            Stored::Rig(rig) => {
                Ok(SampledRig { rig, warnings, clip: Some(clip).filter(|c| !c.is_empty()), light: None })
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
        Ok(sinew_file::write_rig(path, rig, options.clip.unwrap_or_default())?.into())
    }
}

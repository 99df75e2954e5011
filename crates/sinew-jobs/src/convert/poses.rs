//! Poses, one after another.

use std::cell::{Cell, OnceCell};
use std::path::Path;

use glam::Vec3;
use sinew::progress::Progress;
use sinew_io::formats::{Content, Format};
use sinew_io::open::{self, OpenOptions};

use super::converted::Converted;
use super::job::ConvertJob;
use super::way::Source;
use crate::error::Outcome;
use crate::lost;
use crate::pair::one;
use crate::poses::{self, Played, Target};
use crate::refusals::ConvertRefusal;
use crate::rig_file::beside_rig;
use crate::source::{check_clips, has_clips};
use crate::warning::{Warning, told};

/// Poses one after the other, from whatever holds them.
pub fn convert(
    job: &ConvertJob,
    source: &Source,
    to: &Target,
    progress: &dyn Progress,
) -> Outcome<Converted> {
    check_clips(&one(&job.input), &job.clips)?;
    let options = OpenOptions {
        rest: job.rest.as_ref().map(sinew_io::Source::from),
        rest_scale: job.rest_scale,
        fps: job.fps,
        clips: if source.holds.rig { job.clips_of() } else { Vec::new() },
        weld: None,
        said: job.said(),
    };
    // A cache becomes another without a mesh; one mesh a frame needs its faces.
    let needs_faces = matches!(to, Target::Folder(_) | Target::Mesh(_));
    let mut stream = if needs_faces {
        open::stream(&one(&job.input), &options)?
    } else {
        open::poses(&job.input, &options)?
    };
    let frames = poses::frame_count(&job.input, &stream)?;
    if matches!(to, Target::Mesh(_)) && frames != 1 {
        return Err(ConvertRefusal::ManyFrames { input: job.input.clone(), frames }.into());
    }
    progress.check()?;
    progress.stage("writing");
    let facts = stream.facts.clone();
    let moves = Moves::default();
    let whole = poses::Frames { skip: 0, frames, all: true, facts: &facts };
    let Played { written, mesh, rest } = poses::save_stream(
        (&job.input, &job.output),
        to,
        &mut stream,
        &whole,
        |pose| moves.see(pose),
        progress,
    )?;
    let rest_format = job.rest_format()?;
    if let (Some(path), Some(format)) = (&job.rest_out, rest_format) {
        match &rest {
            Some(rest) => drop(format.save(path, Content::Mesh(&mesh, rest))?),
            None => write_first(job, path, format)?,
        }
    }
    let carried = lost::Content {
        mesh: &mesh,
        rest: rest.is_some(),
        told_fps: (!stream.assumed_fps).then_some(stream.fps),
        clips: &stream.clips,
        clip: stream.clip.as_deref(),
        bones: stream.bones,
        frames,
        rig: false,
        nodes: &stream.nodes,
        armature: "",
        facts: &facts,
    };
    let mut warnings = told(stream.warnings());
    // Readers of files with clips say so themselves.
    if !matches!(to, Target::Mesh(_)) && !has_clips(&job.input) && !moves.any.get() {
        warnings.push(Warning::NothingMoves { source_name: stream.source.clone(), clip: String::new() });
    }
    if mesh.face_count() == 0 && to.format().writes.faces {
        warnings.push(Warning::NoFaces { input: job.input.clone() });
    }
    Ok(Converted {
        lost: [lost::list(&carried, to.format(), rest_format), beside_rig(&job.input)?].concat(),
        written,
        frames,
        vertices: mesh.vertex_count,
        fps: stream.fps,
        input_bytes: stream.input_bytes,
        facts,
        warnings,
        engines: Vec::new(),
    })
}

/// Whether poses differ from the first, which go by one after the other.
#[derive(Default)]
struct Moves {
    first: OnceCell<Vec<Vec3>>,
    any: Cell<bool>,
}

impl Moves {
    fn see(&self, pose: &[Vec3]) {
        if !self.any.get() {
            self.any.set(self.first.get_or_init(|| pose.to_vec()) != pose);
        }
    }
}

/// Writes the first frame where there is no rest pose.
fn write_first(job: &ConvertJob, path: &Path, format: &Format) -> Outcome<()> {
    let options = OpenOptions { said: job.said(), ..OpenOptions::default() };
    let mut stream = open::stream(&one(&job.input), &options)?;
    let mut pose = vec![Vec3::ZERO; stream.vertex_count()];
    stream.next_into(&mut pose)?;
    format.save(path, Content::Mesh(&stream.mesh, &pose))?;
    Ok(())
}

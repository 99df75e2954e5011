//! What is in a file.

mod job;
mod mesh;
mod motion;
mod report;
mod rig;

use std::path::Path;

use sinew::progress::Progress;
use sinew_io::Source;
use sinew_io::formats::{GLTF, Holds, SINEW};
use sinew_io::open::{self, OpenOptions, Opened, PoseStream};

pub use self::job::InfoJob;
pub use self::report::{
    ClipReport, InfoReport, MeshReport, MotionJoint, MotionReport, Note, PartReport, PieceReport,
};
use crate::error::Outcome;
use crate::job::Job;
use crate::pair::one;
use crate::refusals::InfoRefusal;
use crate::streams::Files;
use crate::target;
use crate::units;

impl Job for InfoJob {
    const NAME: &'static str = "info";
    type Report = InfoReport;

    fn validate(&self) -> Outcome<()> {
        units::check(self.scale)?;
        target::check(&[self.report.as_deref()])
    }

    fn report_to(&self) -> Option<&Path> {
        self.report.as_deref()
    }

    fn files(&mut self) -> Files<'_> {
        Files::default()
            .read([&mut self.file])
            .read(&mut self.rest)
            .read(&mut self.asf)
            .report(&mut self.report)
    }

    fn perform(&self, progress: &dyn Progress) -> Outcome<InfoReport> {
        progress.stage("reading");
        let holds = self.file.is_file().then(|| open::document(&self.file)?.holds()).transpose()?;
        if holds.is_some_and(Holds::is_motion) {
            let report = motion::describe(self)?;
            progress.check()?;
            return Ok(InfoReport::Motion(report));
        }
        let Looked { opened, frames, note } = look(self, progress)?;
        progress.stage("checking");
        let mut report = mesh::describe(&self.file, &opened);
        report.notes.extend(note);
        report.frames = frames;
        report.duration = frames.saturating_sub(1) as f64 / report.fps;
        if report.format == GLTF.name {
            rig::add_rig(&mut report, self)?;
        } else if report.format == SINEW.name {
            rig::add_head(&mut report, self)?;
        } else if holds.is_some_and(|holds| holds.rig) {
            rig::add_bones(&mut report, self)?;
        }
        progress.check()?;
        Ok(InfoReport::Mesh(Box::new(report)))
    }

    fn verdict(&self, report: &InfoReport) -> Outcome<()> {
        match report {
            InfoReport::Mesh(report) if report.broken > 0 => {
                Err(InfoRefusal::Broken { file: self.file.clone(), coordinates: report.broken }.into())
            }
            _ => Ok(()),
        }
    }
}

/// What is looked at.
struct Looked {
    opened: Opened,
    /// Frames in all.
    frames: usize,
    /// Where that is only some.
    note: Option<Note>,
}

/// Larger caches are not gone through as a whole.
const LARGE: u64 = 1 << 28;
/// So many bytes of their first frames are.
const LOOKED_AT: usize = 1 << 25;

/// Opens the file, or the first frames of a large one.
fn look(job: &InfoJob, progress: &dyn Progress) -> Outcome<Looked> {
    let options = &OpenOptions {
        rest: job.rest.as_ref().map(Source::from),
        fps: job.fps,
        clips: job.clip.iter().cloned().collect(),
        said: job.said(),
        ..OpenOptions::default()
    };
    let large = job.file.is_file() && !job.all && {
        let format = open::format(&job.file)?;
        format.reads.poses && !format.reads.rig && {
            // Frames that are alike may be stored once.
            let poses = |s: PoseStream| 12 * s.vertex_count() as u64 * s.frame_count.unwrap_or(0) as u64;
            job.file.metadata().is_ok_and(|m| m.len() > LARGE)
                || open::poses(&job.file, options).is_ok_and(|stream| poses(stream) > LARGE)
        }
    };
    if !large {
        let opened = open::motion(&one(&job.file), options, progress)?;
        return Ok(Looked { frames: opened.animation.frames.len(), opened, note: None });
    }
    let stream = open::poses(&job.file, options)?;
    let most = (LOOKED_AT / (12 * stream.vertex_count().max(1))).max(1);
    let (opened, frames) = open::first_poses(stream, most)?;
    let seen = opened.animation.frames.len();
    let note = Some(Note::FirstFrames { seen, of: frames });
    Ok(Looked { frames: frames.unwrap_or(seen), opened, note })
}

//! A rig becomes poses again.
//!
//! One pose at a time is in memory, and of a `.sinew` file one frame.

mod blended;
mod report;

use std::path::{Path, PathBuf};
use std::time::Instant;

use glam::Vec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sinew::geometry::Mesh;
use sinew::progress::Progress;
use sinew::rig::Blending;
use sinew_io::formats::sinew_file::{self, Label, Stored};
use sinew_io::formats::{Content, Format, RigOptions, SINEW, Said};
use sinew_io::motion::Up;
use sinew_io::open::{self, OpenOptions};
use sinew_io::scene::SampleOptions;

pub use self::report::{BakeBytes, BakeReport, BakeSeconds, Volume};
use crate::engines::{advice, engines_of};
use crate::error::{JobError, Outcome};
use crate::job::Job;
use crate::lost;
use crate::poses::{Frames, MeshFormat, Played, Target, frame_count, mesh_format, save_stream};
use crate::refusals::BakeRefusal;
use crate::rig_file::beside_rig;
use crate::streams::Files;
use crate::target;
use crate::units::{self, Unit, Units};
use crate::warning::told;

/// Plays a rig back into a point cache or a folder of frames, or keeps it as a rig in another file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BakeJob {
    /// A file that holds a rig.
    pub rig: PathBuf,
    /// Where to: a file of poses, a folder for one mesh a frame, or a file that keeps the rig.
    pub output: PathBuf,
    /// Frames per second; without, the rig's own. The frames of .sinew files stay as they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fps: Option<f64>,
    /// The clip to play, by name or number, or "all", one after another; without, the first that moves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clip: Option<String>,
    /// The first frame to write, counted from 0.
    #[serde(default)]
    pub from: usize,
    /// Writes at most so many frames.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frames: Option<usize>,
    /// Writes the rest mesh too (OBJ or PLY), which goes with a point cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rest_out: Option<PathBuf>,
    /// Format of frames in a folder.
    #[serde(default)]
    pub format: MeshFormat,
    /// How bones are blended where several move a vertex; other ways than linear keep joints from collapsing where motion
    /// is not what the rig was made from.
    #[serde(default)]
    pub blend: Blending,
    /// How long a unit of the rig is, where that is not what the file says: "m", "cm", "mm", "in", "ft", "km" or a number of
    /// metres.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<Unit>,
    /// Which axis of the rig is up, where that is not what the file says; y is up in what is written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub up: Option<Up>,
    /// Makes everything this many times as large.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
    /// The report, for programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<PathBuf>,
}

impl Job for BakeJob {
    const NAME: &'static str = "bake";
    type Report = BakeReport;

    fn validate(&self) -> Outcome<()> {
        let to = Target::of(&self.output, self.format)?;
        self.rest_format()?;
        units::check(self.scale)?;
        target::check(&[to.file(&self.output), self.rest_out.as_deref(), self.report.as_deref()])?;
        if matches!(to, Target::Rig(_)) {
            if !self.is_whole() {
                return Err(BakeRefusal::SomeFramesOfRig.into());
            }
            if self.blend != Blending::Linear {
                return Err(BakeRefusal::BlendedRig.into());
            }
        }
        Ok(())
    }

    fn report_to(&self) -> Option<&Path> {
        self.report.as_deref()
    }

    fn files(&mut self) -> Files<'_> {
        Files::default()
            .read([&mut self.rig])
            .written([&mut self.output])
            .written(&mut self.rest_out)
            .report(&mut self.report)
    }

    fn perform(&self, progress: &dyn Progress) -> Outcome<BakeReport> {
        let begun = Instant::now();
        progress.stage("reading");
        let to = Target::of(&self.output, self.format)?;
        if let Target::Rig(format) = to {
            return self.store(format, begun, progress);
        }
        if !open::format(&self.rig)?.is_rig() {
            // Says what is wrong.
            open::rig(&self.rig, &self.sampling())?;
        }
        match self.blend {
            Blending::Linear => self.play(&to, begun, progress),
            _ => self.play_blended(&to, begun, progress),
        }
    }
}

impl BakeJob {
    fn sampling(&self) -> SampleOptions {
        SampleOptions { clips: self.clip.iter().cloned().collect(), fps: self.fps, weld: None }
    }

    /// What is said about the numbers of the rig.
    fn said(&self) -> Said {
        units::said(self.unit, self.up, self.scale)
    }

    /// Whether all frames are played.
    fn is_whole(&self) -> bool {
        self.from == 0 && self.frames.is_none()
    }

    /// How many of so many frames are played.
    fn frames_of(&self, total: usize) -> Outcome<usize> {
        match total.checked_sub(self.from) {
            Some(left) if left > 0 => Ok(self.frames.map_or(left, |most| most.min(left))),
            _ => Err(JobError::NoFrame {
                source_name: self.rig.display().to_string(),
                frame: self.from,
                frames: total,
            }),
        }
    }

    fn rest_format(&self) -> Outcome<Option<&'static Format>> {
        self.rest_out.as_deref().map(mesh_format).transpose()
    }

    /// Writes the rest mesh where that is asked for.
    fn write_rest(&self, mesh: &Mesh, rest: &[Vec3]) -> Outcome<()> {
        if let (Some(path), Some(format)) = (&self.rest_out, self.rest_format()?) {
            format.save(path, Content::Mesh(mesh, rest))?;
        }
        Ok(())
    }

    /// Writes the rig itself.
    fn store(&self, to: &Format, begun: Instant, progress: &dyn Progress) -> Outcome<BakeReport> {
        let contents = open::rig_or_chain(&self.rig, &self.sampling())?.said(&self.said());
        let read = begun.elapsed();
        progress.check()?;
        progress.stage("writing");
        let (path, stored) = (&self.output, &contents.stored);
        let mut lost = Vec::new();
        let (frames, fps, written) = match stored {
            Stored::Rig(r) => {
                let clip = Some(contents.clip.as_str()).filter(|c| !c.is_empty());
                let facts = contents.facts.clone();
                lost = lost::list(&lost::Content::of_rig(r, clip, &facts), to, self.rest_format()?);
                let options = RigOptions { clip, keep_normals: true, facts, ..RigOptions::default() };
                (r.frame_count(), r.fps, to.save(path, Content::Rig(r, &options))?)
            }
            Stored::Chain(c) if to == &SINEW => {
                let metres_per_unit = contents.facts.metres_per_unit;
                let label = Label { clip: &contents.clip, metres_per_unit };
                (c.frame_count(), c.fps, sinew_file::write_chain(path, c, label)?.into())
            }
            Stored::Chain(_) => return Err(BakeRefusal::PoseToPose(self.rig.clone()).into()),
        };
        self.write_rest(stored.mesh(), stored.rest())?;
        let engines = match stored {
            Stored::Rig(rig) => engines_of(rig, path, false),
            Stored::Chain(_) => Vec::new(),
        };
        let mut warnings = told(contents.warnings);
        warnings.extend(advice(&engines, 0.0));
        Ok(BakeReport {
            clip: Some(contents.clip).filter(|c| !c.is_empty()),
            frames,
            vertices: stored.rest().len(),
            bones: stored.bones().len(),
            fps,
            units: Units::new(&contents.facts, to),
            engines,
            lost,
            ..BakeReport::new(self, written, warnings, read, begun)
        })
    }

    /// Plays the rig pose by pose.
    fn play(&self, to: &Target, begun: Instant, progress: &dyn Progress) -> Outcome<BakeReport> {
        let clips = self.clip.iter().cloned().collect();
        let options = OpenOptions { fps: self.fps, clips, said: self.said(), ..OpenOptions::default() };
        let mut stream = open::stream(std::slice::from_ref(&self.rig), &options)?;
        let frames = self.frames_of(frame_count(&self.rig, &stream)?)?;
        let vertices = stream.vertex_count();
        let read = begun.elapsed();
        progress.check()?;

        progress.stage("writing");
        let facts = stream.facts.clone();
        let span = Frames { skip: self.from, frames, all: self.is_whole(), facts: &facts };
        let paths = (self.rig.as_path(), self.output.as_path());
        let Played { written, mesh, rest } = save_stream(paths, to, &mut stream, &span, |_| (), progress)?;
        if let Some(rest) = &rest {
            self.write_rest(&mesh, rest)?;
        }
        let content = lost::Content {
            mesh: &mesh,
            rest: rest.is_some(),
            told_fps: (!stream.assumed_fps).then_some(stream.fps),
            clips: &stream.clips,
            clip: stream.clip.as_deref(),
            // That they are played is what was asked for.
            bones: None,
            frames,
            rig: false,
            nodes: &stream.nodes,
            armature: "",
            facts: &facts,
        };
        let lost = lost::list(&content, to.format(), self.rest_format()?);
        Ok(BakeReport {
            lost: [lost, beside_rig(&self.rig)?].concat(),
            clip: stream.clip.clone(),
            frames,
            vertices,
            bones: stream.bones.unwrap_or(0),
            fps: stream.fps,
            units: Units::new(&facts, to.format()),
            ..BakeReport::new(self, written, told(stream.warnings()), read, begun)
        })
    }
}

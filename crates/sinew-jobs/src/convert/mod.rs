//! Any animation or rig as any other file that can hold it.
//!
//! A rig stays a rig where the other format holds rigs, and is played where it holds poses. Poses do not become a rig: that is
//! what skinning is for. What the other format cannot hold is told.

mod converted;
mod job;
mod joints;
mod poses;
mod rigs;
mod way;

use std::path::Path;
use std::time::Instant;

use serde::Serialize;
use sinew::progress::Progress;

pub use self::job::ConvertJob;
use self::way::{Source, Way};
use crate::engines::advice;
use crate::error::Outcome;
use crate::job::Job;
use crate::loss::Loss;
use crate::poses::is_folder;
use crate::refusals::ConvertRefusal;
use crate::report::{EngineReport, peak_memory};
use crate::rig_file::{check_compact, has_extension};
use crate::streams::Files;
use crate::target;
use crate::units::{self, Units};
use crate::warning::{Warning, told};

/// A file that became another.
#[derive(Debug, Serialize)]
pub struct ConvertReport {
    /// What was read.
    pub input: String,
    /// Its format.
    pub input_format: &'static str,
    /// What was written.
    pub output: String,
    /// Its format.
    pub output_format: &'static str,
    /// What was written: "rig", "poses", "mesh" or "joints".
    pub written: &'static str,
    /// How many frames.
    pub frames: usize,
    /// Vertices, or joints where there is no mesh.
    pub vertices: usize,
    /// Frames per second.
    pub fps: f64,
    /// Units of the input and of the output.
    #[serde(flatten)]
    pub units: Units,
    /// What the output cannot hold.
    pub lost: Vec<Loss>,
    /// How many joints the file has: more than bones where one takes several, as flexible ones do; null where there is no
    /// file, or none that engines open.
    pub file_joints: Option<usize>,
    /// What engines play of a rig, against the rig that was read; empty where none opens the file.
    pub engines: Vec<EngineReport>,
    /// What somebody should know.
    pub warnings: Vec<Warning>,
    /// Sizes of files.
    pub bytes: ConvertBytes,
    /// All of the time.
    pub seconds: f64,
    /// The most bytes the process ever held; null where the system does not tell.
    pub peak_memory: Option<u64>,
}

/// Sizes of files.
#[derive(Debug, Serialize)]
pub struct ConvertBytes {
    /// What was read.
    pub input: u64,
    /// What was written.
    pub output: u64,
}

impl Job for ConvertJob {
    const NAME: &'static str = "convert";
    type Report = ConvertReport;

    fn validate(&self) -> Outcome<()> {
        let file = (!is_folder(&self.output)).then_some(self.output.as_path());
        if file.is_some() {
            self.output_format()?;
        }
        units::check(self.scale)?;
        check_compact(self.compact)?;
        if (self.compact.is_some() || self.pack) && !has_extension(&self.output, "glb") {
            return Err(ConvertRefusal::NotGlb.into());
        }
        self.rest_format()?;
        let targets = [file, self.rest_out.as_deref(), self.report.as_deref()];
        target::check(&targets)
    }

    fn report_to(&self) -> Option<&Path> {
        self.report.as_deref()
    }

    fn files(&mut self) -> Files<'_> {
        let read = Files::default().read([&mut self.input]).read(&mut self.rest).read(&mut self.asf);
        read.written([&mut self.output]).written(&mut self.rest_out).report(&mut self.report)
    }

    fn perform(&self, progress: &dyn Progress) -> Outcome<ConvertReport> {
        let begun = Instant::now();
        let source = Source::of(&self.input)?;
        let way = Way::of(&source, self)?;
        if self.rest_out.is_some() && matches!(way, Way::Joints(_)) {
            return Err(ConvertRefusal::RestOfJoints.into());
        }
        progress.stage("reading");
        let converted = match &way {
            Way::Rig(format) => rigs::convert(self, format, progress)?,
            Way::Still(format) => rigs::convert_still(self, format, progress)?,
            Way::Joints(format) => joints::convert(self, &source, format)?,
            Way::Poses(to) => poses::convert(self, &source, to, progress)?,
        };
        let mut warnings = converted.warnings;
        let mut lost = converted.lost;
        lost.extend(warnings.iter().filter_map(Warning::loss));
        let units = Units::new(&converted.facts, way.format());
        warnings.extend(units.doubt(self.scale));
        warnings.extend(told(converted.written.warnings));
        warnings.extend(advice(&converted.engines, 0.0));
        Ok(ConvertReport {
            input: self.input.display().to_string(),
            input_format: source.name(),
            output: self.output.display().to_string(),
            output_format: way.format().name,
            written: way.what(),
            frames: converted.frames,
            vertices: converted.vertices,
            fps: converted.fps,
            units,
            lost,
            file_joints: converted.written.joints,
            engines: converted.engines,
            warnings,
            bytes: ConvertBytes { input: converted.input_bytes, output: converted.written.bytes },
            seconds: begun.elapsed().as_secs_f64(),
            peak_memory: peak_memory(),
        })
    }
}

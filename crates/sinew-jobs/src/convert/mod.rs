//! Any animation or rig as any other file that can hold it.
//!
//! A rig stays a rig where the other format holds rigs, and is played where it holds poses. Poses do not become a rig: that is
//! what skinning is for. What the other format cannot hold is told.

mod change;
mod joints;
mod lost;
mod poses;
mod rigs;
mod way;

use std::path::{Path, PathBuf};
use std::time::Instant;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sinew::progress::Progress;
use sinew_io::formats::{self, Format, Written};
use sinew_io::motion::Up;
use sinew_io::open;

use self::change::Change;
use self::way::{Source, Way};
use crate::error::{FieldProblem, JobError, Outcome};
use crate::job::Job;
use crate::loss::Loss;
use crate::poses::{MeshFormat, is_folder, mesh_format};
use crate::refusals::ConvertRefusal;
use crate::report::peak_memory;
use crate::rig_file::{check_compact, has_extension};
use crate::target;
use crate::warning::{Warning, told};

/// Converts an animation or a rig into any other format that can hold it.
///
/// The input is told by content, the output by its name. Rigs stay rigs where that is possible, and are played frame by frame
/// where it is not. What cannot be carried is listed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConvertJob {
    /// A file of any format that is read, or a folder or pattern of frames.
    pub input: PathBuf,
    /// Where to: a file, whose ending tells the format, or a folder for one mesh a frame.
    pub output: PathBuf,
    /// The mesh that goes with a point cache: faces, UVs, materials and a pose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rest: Option<PathBuf>,
    /// Scales the rest mesh by this first, when it is in other units than the animation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rest_scale: Option<f64>,
    /// Frames per second: rigs are sampled at it, other frames are said to have it; without, what the file says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fps: Option<f64>,
    /// Clips of a rig, by name or number; without any, all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clips: Vec<String>,
    /// Makes everything this many times as large.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
    /// Which axis of the input is up, where that is not what it says; y is up in the output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub up: Option<Up>,
    /// The ASF file that goes with an AMC file; without, the one beside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asf: Option<PathBuf>,
    /// Format of frames in a folder.
    #[serde(default)]
    pub format: MeshFormat,
    /// Writes the rest mesh too, which goes with a point cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rest_out: Option<PathBuf>,
    /// Of GLB files: stores less, with no vertex off by more than this many percent of the mesh's diagonal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compact: Option<f64>,
    /// Of GLB files: as small as they get, as exact as `compact` says, or 0.01. For viewers that know
    /// EXT_meshopt_compression (three.js, Babylon.js and others on the web), not for Blender; vertices are in another order.
    #[serde(default)]
    pub pack: bool,
    /// The report, for programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<PathBuf>,
}

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
    /// What the output cannot hold.
    pub lost: Vec<Loss>,
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

/// What came out, besides the file.
struct Converted {
    written: Written,
    frames: usize,
    vertices: usize,
    fps: f64,
    input_bytes: u64,
    lost: Vec<Loss>,
    warnings: Vec<Warning>,
}

impl Job for ConvertJob {
    const NAME: &'static str = "convert";
    type Report = ConvertReport;

    fn validate(&self) -> Outcome<()> {
        let file = (!is_folder(&self.output)).then_some(self.output.as_path());
        if file.is_some() {
            self.output_format()?;
        }
        if let Some(scale) = self.scale.filter(|scale| !(*scale > 0.0 && scale.is_finite())) {
            return JobError::field("scale", FieldProblem::NotPositive(scale));
        }
        check_compact(self.compact)?;
        if (self.compact.is_some() || self.pack) && !has_extension(&self.output, "glb") {
            return Err(ConvertRefusal::NotGlb.into());
        }
        self.rest_format()?;
        let targets = [file, self.rest_out.as_deref(), self.report.as_deref()];
        target::check(&targets)?;
        target::check_apart(&targets, std::iter::once(&self.input).chain(&self.rest))
    }

    fn report_to(&self) -> Option<&Path> {
        self.report.as_deref()
    }

    fn perform(&self, progress: &dyn Progress) -> Outcome<ConvertReport> {
        let begun = Instant::now();
        let source = Source::of(&self.input)?;
        let way = Way::of(&source, self)?;
        if self.rest_out.is_some() && matches!(way, Way::Joints(_)) {
            return Err(ConvertRefusal::RestOfJoints.into());
        }
        progress.stage("reading");
        let change = Change::new(self.scale, self.up);
        let converted = match &way {
            Way::Rig(format) => rigs::convert(self, format, &change, progress)?,
            Way::Still(format) => rigs::convert_still(self, format, &change, progress)?,
            Way::Joints(format) => joints::convert(self, &source, format, &change)?,
            Way::Poses(to) => poses::convert(self, &source, to, &change, progress)?,
        };
        let mut warnings = converted.warnings;
        warnings.extend(self.disagreements(&way, &change)?);
        warnings.extend(told(converted.written.warnings));
        Ok(ConvertReport {
            input: self.input.display().to_string(),
            input_format: source.name(),
            output: self.output.display().to_string(),
            output_format: way.format().name,
            written: way.what(),
            frames: converted.frames,
            vertices: converted.vertices,
            fps: converted.fps,
            lost: converted.lost,
            warnings,
            bytes: ConvertBytes { input: converted.input_bytes, output: converted.written.bytes },
            seconds: begun.elapsed().as_secs_f64(),
            peak_memory: peak_memory(),
        })
    }
}

impl ConvertJob {
    /// The format of the file that is written.
    fn output_format(&self) -> Outcome<&'static Format> {
        formats::to_write(&self.output).ok_or_else(|| ConvertRefusal::Unknown(self.output.clone()).into())
    }

    fn rest_format(&self) -> Outcome<Option<&'static Format>> {
        self.rest_out.as_deref().map(mesh_format).transpose()
    }

    /// Clips that are taken: all, unless some are asked for.
    fn clips_of(&self) -> Vec<String> {
        if self.clips.is_empty() { vec!["all".into()] } else { self.clips.clone() }
    }

    /// In what input, rest mesh and output disagree, and by how much.
    fn disagreements(&self, way: &Way, change: &Change) -> Outcome<Vec<Warning>> {
        let facts = open::facts(&self.input)?;
        let mut found = Vec::new();
        if let Some(rest) = &self.rest {
            let of_rest = open::facts(rest)?;
            let names = [self.input.display().to_string(), rest.display().to_string()];
            found.extend(told(facts.differences(&of_rest, [&names[0], &names[1]])));
        }
        if let (Some(metres), Some(unit)) = (facts.metres_per_unit, way.format().unit) {
            let larger = unit * change.scale / metres;
            if (larger - 1.0).abs() > 1e-4 {
                let format = way.format().one();
                found.push(Warning::Unit { input: metres, output: unit, format, larger });
            }
        }
        Ok(found)
    }
}

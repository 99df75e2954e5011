//! How far two animations, or a rig and its source, are apart.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sinew::animation::{Frames, Measured, compare};
use sinew::geometry::{Bounds, Similarity};
use sinew::progress::Progress;
use sinew_gpu::{Gpu, GpuError, GpuPlayer};
use sinew_io::formats::Said;
use sinew_io::motion::Up;
use sinew_io::open::{OpenOptions, Opened};
use sinew_io::scene::SampleOptions;

use crate::error::{FieldProblem, JobError, Outcome};
use crate::job::{Job, around};
use crate::pair::{self, Pair};
use crate::pictures::{plot_errors, save_png};
use crate::refusals::FileRefusal;
use crate::report::ErrorReport;
use crate::streams::Files;
use crate::target;
use crate::units::{self, Unit};
use crate::warning::{GpuTask, Warning, told};

/// Measures how far two animations, or a rig and its source, are apart.
///
/// Rigs are played at the other's frame rate when the numbers of frames differ.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CompareJob {
    /// The original.
    pub original: PathBuf,
    /// The approximation.
    pub approximation: PathBuf,
    /// The rest mesh, whose box relative measures refer to; without, the original's own or its first frame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rest: Option<PathBuf>,
    /// Frames per second to sample files at whose motion has none of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fps: Option<f64>,
    /// Clip of files that hold several, by name or number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clip: Option<String>,
    /// How long a unit of the approximation is, where that is not what the file says: "m", "cm", "mm", "in", "ft", "km" or a number of
    /// metres.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<Unit>,
    /// Which axis of the approximation is up, where that is not what the file says; y is up in what is compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub up: Option<Up>,
    /// Makes everything this many times as large.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
    /// Plays the approximation, a rig, on the GPU and measures what that computed; where there is none the CPU plays it.
    #[serde(default)]
    pub gpu: bool,
    /// Draws the error over frames.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plot: Option<PathBuf>,
    /// The report, for programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<PathBuf>,
}

/// How far they are apart.
#[derive(Debug, Serialize)]
pub struct CompareReport {
    /// The original.
    pub original: String,
    /// What it is compared with.
    pub approximation: String,
    /// How many frames.
    pub frames: usize,
    /// How many vertices.
    pub vertices: usize,
    /// Distance from the original.
    pub error: ErrorReport,
    /// Root mean square distance of each frame in percent of the diagonal.
    pub error_per_frame: Vec<f64>,
    /// The GPU that played the rig, null where the CPU did.
    pub gpu: Option<GpuReport>,
    /// What somebody should know.
    pub warnings: Vec<Warning>,
}

/// Who played a rig besides the CPU.
#[derive(Debug, Serialize)]
pub struct GpuReport {
    /// Its name.
    pub adapter: String,
    /// The largest distance of a vertex from where the CPU has it, over the diagonal.
    pub difference: f64,
}

impl CompareReport {
    /// Puts measures beside their sources.
    pub fn new(sources: [String; 2], vertices: usize, measured: Measured, warnings: Vec<Warning>) -> Self {
        let [original, approximation] = sources;
        Self {
            original,
            approximation,
            frames: measured.per_frame.len(),
            vertices,
            error: measured.error.into(),
            error_per_frame: measured.per_frame,
            gpu: None,
            warnings,
        }
    }
}

impl Job for CompareJob {
    const NAME: &'static str = "compare";
    type Report = CompareReport;

    fn validate(&self) -> Outcome<()> {
        units::check(self.scale)?;
        target::check(&[self.plot.as_deref(), self.report.as_deref()])
    }

    fn report_to(&self) -> Option<&Path> {
        self.report.as_deref()
    }

    fn files(&mut self) -> Files<'_> {
        let read = Files::default().read([&mut self.original, &mut self.approximation]).read(&mut self.rest);
        read.written(&mut self.plot).report(&mut self.report)
    }

    fn perform(&self, progress: &dyn Progress) -> Outcome<CompareReport> {
        progress.stage("reading");
        let clips = self.clip.iter().cloned().collect();
        let options = OpenOptions { fps: self.fps, clips, ..OpenOptions::default() };
        let paths: [&Path; 2] = [&self.original, &self.approximation];
        let pair = pair::open(paths, &options, &self.said(), progress)?;
        self.measure(pair, progress)
    }
}

impl CompareJob {
    /// Does the same with what is in memory.
    ///
    /// # Errors
    /// As [`Job::run`], and for fields that are about files.
    pub fn run_on(
        &self,
        original: Opened,
        approximation: Opened,
        progress: &dyn Progress,
    ) -> Outcome<CompareReport> {
        self.validate()?;
        let of_files = [(self.gpu, "gpu"), (self.fps.is_some(), "fps"), (self.clip.is_some(), "clip")];
        if let Some((_, field)) = of_files.into_iter().find(|(given, _)| *given) {
            return JobError::field(field, FieldProblem::InMemory);
        }
        let pair = Pair::of(original, approximation.said(&self.said()))?;
        around(self, |job| job.measure(pair, progress), |report| report)
    }

    fn measure(&self, pair: Pair, progress: &dyn Progress) -> Outcome<CompareReport> {
        let in_other_order = pair.in_other_order();
        let Pair { original, mut approximation, scaled } = pair;
        let (mut on_gpu, mut no_gpu) = (None, None);
        if self.gpu {
            progress.stage("playing");
            match self.play(&mut approximation, scaled)? {
                Ok(report) => on_gpu = Some(report),
                Err(warning) => no_gpu = Some(warning),
            }
        }
        let bounds = match &self.rest {
            Some(path) => Bounds::of(&pair::rest_positions(path, &original)?),
            None => original.animation.rest_bounds(),
        };
        for opened in [&original, &approximation] {
            if let Some((frame, vertex)) = opened.animation.frames.first_not_finite() {
                let source_name = opened.source.clone();
                return Err(FileRefusal::NotFinite { source_name, frame, vertex }.into());
            }
        }
        progress.check()?;
        progress.stage("measuring");
        let measured = compare(&original.animation, &approximation.animation, bounds);
        let mut warnings = told([original.warnings, approximation.warnings].concat());
        warnings.extend(no_gpu);
        if in_other_order {
            let sources = [original.source.clone(), approximation.source.clone()];
            warnings.push(Warning::OtherOrder { sources });
        }
        let vertices = original.animation.frames.vertex_count();
        let mut report =
            CompareReport::new([original.source, approximation.source], vertices, measured, warnings);
        report.gpu = on_gpu;
        if let Some(path) = &self.plot {
            save_png(path, &plot_errors(&report.error_per_frame)?)?;
        }
        Ok(report)
    }

    /// What is said about the numbers of the approximation.
    fn said(&self) -> Said {
        units::said(self.unit, self.up, self.scale)
    }

    /// Puts what the GPU computes where the CPU's poses of a rig are, and says how far they were apart.
    fn play(&self, opened: &mut Opened, scaled: f64) -> Outcome<Result<GpuReport, Warning>> {
        let animation = &opened.animation;
        let (vertices, frames) = (animation.frames.vertex_count(), animation.frames.len());
        let clips = self.clip.iter().cloned().collect();
        let options = SampleOptions { clips, fps: Some(animation.fps), weld: None };
        let mut rig = pair::rig_like(&self.approximation, vertices, &options)?.said(&self.said()).rig;
        rig.change(&Similarity::scaling(scaled));
        if (rig.rest.len(), rig.frame_count()) != (vertices, frames) {
            return Err(FileRefusal::OtherRig(self.approximation.clone()).into());
        }
        let play = || -> Result<(String, Vec<f32>), GpuError> {
            let gpu = Gpu::open(None)?;
            let player = GpuPlayer::new(&gpu, &rig)?;
            let mut flat = Vec::with_capacity(3 * vertices * frames);
            for frame in 0..frames {
                flat.extend(player.pose(frame)?.iter().flat_map(|p| p.to_array()));
            }
            Ok((gpu.adapter().into(), flat))
        };
        let (adapter, flat) = match play() {
            Ok(played) => played,
            Err(error) => {
                return Ok(Err(Warning::NoGpu { why: error.to_string(), task: GpuTask::Playing }));
            }
        };
        let found = Frames::new(flat, frames, vertices);
        let mut farthest = 0.0_f32;
        for frame in 0..frames {
            let distances =
                found.frame(frame).iter().zip(animation.frames.frame(frame)).map(|(p, q)| p.distance(*q));
            farthest = distances.fold(farthest, f32::max);
        }
        let difference = f64::from(farthest) / Bounds::of(&rig.rest).diagonal().max(f64::MIN_POSITIVE);
        opened.animation.frames = found;
        Ok(Ok(GpuReport { adapter, difference }))
    }
}

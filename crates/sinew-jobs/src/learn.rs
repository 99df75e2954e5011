//! Flesh that a body learns from its own motion.

use std::path::{Path, PathBuf};
use std::time::Instant;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sinew::flesh::{FleshError, LearntFlesh, learn_flesh};
use sinew::progress::Progress;
use sinew_io::flesh_file::{self, FleshBody};
use sinew_io::open::{self, OpenOptions};

use crate::error::{FieldProblem, FileKind, JobError, Outcome};
use crate::job::Job;
use crate::pair::{self, Pair};
use crate::source::Source;
use crate::streams::Files;
use crate::target;
use crate::warning::{Warning, told};

/// From this share of the motion on, what was learnt says next to nothing about frames that were not learnt from.
const WEAK: f64 = 0.9;

/// Learns how hair, ears, bellies and cloth of a body swing, from a motion with them and the same motion without.
///
/// `sinew deform pose` then gives other motion of the body the same flesh.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LearnJob {
    /// The motion with flesh: one file.
    pub source: Source,
    /// The same frames without flesh, as the skeleton alone has them.
    pub primary: PathBuf,
    /// The file to write, *.deform.
    pub output: PathBuf,
    /// The report, for programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<PathBuf>,
}

/// Flesh that was learnt.
#[derive(Debug, Serialize)]
pub struct LearnReport {
    /// The motion with flesh.
    pub source: String,
    /// The motion without.
    pub primary: String,
    /// How many vertices.
    pub vertices: usize,
    /// How many frames.
    pub frames: usize,
    /// Frames per second.
    pub fps: f64,
    /// Vertices that move by themselves.
    pub free: usize,
    /// How many of them are simulated; the others follow.
    pub simulated: usize,
    /// What is left of the motion of the flesh on frames that were learnt from, in percent of it.
    pub learnt_percent: f64,
    /// The same on frames that were not: halves of clips, by what the other half taught.
    pub held_out_percent: f64,
    /// Seconds for all of it.
    pub seconds: f64,
    /// The size of what was written.
    pub output_bytes: u64,
    /// What somebody should know.
    pub warnings: Vec<Warning>,
}

impl Job for LearnJob {
    const NAME: &'static str = "learn";
    type Report = LearnReport;

    fn validate(&self) -> Outcome<()> {
        self.source.validate()?;
        if self.source.inputs.len() != 1 {
            return JobError::field("inputs", FieldProblem::NotOneFile);
        }
        FileKind::Flesh.check(&self.output)?;
        target::check(&[Some(&self.output), self.report.as_deref()])
    }

    fn report_to(&self) -> Option<&Path> {
        self.report.as_deref()
    }

    fn files(&mut self) -> Files<'_> {
        Files::default()
            .read(&mut self.source.inputs)
            .read(&mut self.source.rest)
            .read([&mut self.primary])
            .written([&mut self.output])
            .report(&mut self.report)
    }

    fn perform(&self, progress: &dyn Progress) -> Outcome<LearnReport> {
        let begun = Instant::now();
        progress.stage("reading");
        let with = self.source.read(progress)?;
        let options = OpenOptions { rest: None, ..self.source.options() };
        let without = open::motion(std::slice::from_ref(&self.primary), &options, progress)?;
        let Pair { original: with, approximation: mut without, .. } = pair::Pair::of(with, without)?;
        // Both are of one body, whose faces and rest pose came with the motion with flesh.
        without.animation.mesh = with.animation.mesh.clone();
        without.animation.rest.clone_from(&with.animation.rest);
        without.animation.fps = with.animation.fps;
        let LearntFlesh { flesh, errors } = learn_flesh(&without.animation, &with.animation, progress)
            .map_err(|error| match error {
                FleshError::Cancelled => JobError::Cancelled,
                error => JobError::Flesh { source_name: with.source.clone(), error },
            })?;
        let mut warnings = told(with.warnings);
        warnings.extend(told(without.warnings));
        if errors.held_out >= WEAK {
            warnings.push(Warning::WeakFlesh { percent: 100.0 * errors.held_out });
        }
        progress.check()?;
        progress.stage("writing");
        let rest = with.animation.rest.unwrap_or_else(|| with.animation.frames.frame(0).to_vec());
        let metres_per_unit = with.facts.metres_per_unit;
        let body = FleshBody { mesh: with.animation.mesh, rest, flesh, metres_per_unit };
        let output_bytes = flesh_file::write(&self.output, &body)?;
        Ok(LearnReport {
            source: with.source,
            primary: without.source,
            vertices: body.rest.len(),
            frames: with.animation.frames.len(),
            fps: with.animation.fps,
            free: errors.free,
            simulated: errors.knots,
            learnt_percent: 100.0 * errors.learnt,
            held_out_percent: 100.0 * errors.held_out,
            seconds: begun.elapsed().as_secs_f64(),
            output_bytes,
            warnings,
        })
    }
}

//! `sinew learn`: flesh that a body learns from its own motion.

use std::path::PathBuf;

use clap::Args;
use sinew_jobs::learn::{LearnJob, LearnReport};
use sinew_jobs::source::Source;

use crate::console::{Table, frames_of, number, size, written};
use crate::door::{Command, InWords};
use crate::error::Outcome;
use crate::numbers::NumbersArgs;
use crate::standard::always;
use crate::words::warnings;

/// Learn how hair, ears, bellies and cloth swing, from a motion with them and the same motion without
///
/// What is learnt is how stiff and heavy flesh is and how firmly it is held, not how it moved; `sinew deform pose` gives any
/// other motion of the body the same flesh.
#[derive(Args)]
#[command(after_help = "Examples:
  sinew learn simulated.pc2 --primary skinned.pc2 --rest rest.obj -o body.deform
  sinew deform pose body.deform --primary walk.pc2 -o walk-with-flesh.pc2")]
pub struct LearnArgs {
    /// The motion with flesh: a simulation, a capture
    animation: PathBuf,

    /// The same frames without flesh, as the skeleton alone has them
    #[arg(long, value_name = "FILE")]
    primary: PathBuf,

    /// The mesh of a point cache: faces and the rest pose
    #[arg(long, value_name = "FILE")]
    rest: Option<PathBuf>,

    /// Frames per second of caches
    #[arg(long, value_name = "F", allow_negative_numbers = true)]
    fps: Option<f64>,

    /// Clip of files that hold several, by name or number, or all [default: the first that moves]
    #[arg(long, value_name = "NAME")]
    clip: Vec<String>,

    #[command(flatten)]
    numbers: NumbersArgs,

    /// The file to write, *.deform
    #[arg(short, long, value_name = "FILE.deform")]
    output: PathBuf,

    /// Write a machine-readable report
    #[arg(long, value_name = "FILE.json")]
    report: Option<PathBuf>,
}

impl Command for LearnArgs {
    type Job = LearnJob;

    fn job(&self) -> Outcome<LearnJob> {
        let source = Source {
            inputs: vec![self.animation.clone()],
            rest: self.rest.clone(),
            fps: self.fps,
            clips: self.clip.clone(),
            unit: self.numbers.unit,
            up: self.numbers.up,
            scale: self.numbers.scale,
            ..Source::default()
        };
        let output = always("deform", &self.output);
        Ok(LearnJob { source, primary: self.primary.clone(), output, report: self.report.clone() })
    }
}

impl InWords for LearnJob {
    fn table(&self, report: &LearnReport) -> Table {
        let mut table = Table::default();
        table.row("with flesh", &report.source);
        table.row("without", &report.primary);
        let frames = frames_of(report.frames, report.vertices);
        table.row("compared", format!("{frames} at {} per second", number(report.fps)));
        table.row("flesh", format!("{} vertices, {} of them simulated", report.free, report.simulated));
        table.row(
            "left",
            format!("{} % of its motion on the frames learnt from", number(report.learnt_percent)),
        );
        table.row("", format!("{} % on halves that were not", number(report.held_out_percent)));
        table.row("time", format!("{:.2} s", report.seconds));
        table.row("wrote", format!("{} ({})", written(&self.output), size(report.output_bytes)));
        table.list("warning", &warnings(&report.warnings));
        table
    }
}

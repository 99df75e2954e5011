//! `sinew compare`: how far two animations, or a rig and its source, are apart.

use std::path::PathBuf;

use clap::Args;
use sinew_jobs::compare::{CompareJob, CompareReport};

use crate::console::{Table, frames_of};
use crate::door::{Command, InWords};
use crate::error::Outcome;
use crate::numbers::NumbersArgs;
use crate::report::error_rows;
use crate::standard::always;
use crate::words::warnings;

/// Measure how far two animations, or a rig and its source, are apart
///
/// A is the original, B the approximation; each is anything that `skin` takes. Rigs are played at the
/// other's frame rate when the numbers of frames differ, and compared in the unit of A. --unit, --up and --scale are
/// about B.
#[derive(Args)]
#[command(after_help = "Measures:
  percent  100 |A - B| / |A - mean over time of A|
  rms      1000 (2/d) |A - B| / sqrt(3 S N), with d the diagonal of the rest pose's box
  max      largest vertex distance in percent of that diagonal
  accu     mean vertex distance in percent of the box's longest side

Examples:
  sinew compare anim.pc2 rig.glb --rest rest.obj
  sinew compare before.mdd after.mdd --per-frame --plot error.png")]
pub struct CompareArgs {
    /// The original
    a: PathBuf,

    /// The approximation
    b: PathBuf,

    /// The rest mesh, whose box relative measures refer to [default: the original's own, or its first frame]
    #[arg(long, value_name = "FILE")]
    rest: Option<PathBuf>,

    /// Frames per second to sample GLB files at
    #[arg(long, value_name = "F")]
    fps: Option<f64>,

    /// Clip of GLB and .sinew files, by name or number
    #[arg(long, value_name = "NAME")]
    clip: Option<String>,

    /// Play the rig B on the GPU, and measure what that computed; where there is no GPU the CPU plays it
    #[arg(long)]
    gpu: bool,

    #[command(flatten)]
    numbers: NumbersArgs,

    /// Print the error of every frame
    #[arg(long)]
    per_frame: bool,

    /// Draw the error over frames
    #[arg(long, value_name = "FILE.png")]
    plot: Option<PathBuf>,

    /// Write a machine-readable report
    #[arg(long, value_name = "FILE.json")]
    report: Option<PathBuf>,
}

impl Command for CompareArgs {
    type Job = CompareJob;

    fn job(&self) -> Outcome<CompareJob> {
        Ok(CompareJob {
            original: self.a.clone(),
            approximation: self.b.clone(),
            rest: self.rest.clone(),
            fps: self.fps,
            clip: self.clip.clone(),
            unit: self.numbers.unit,
            up: self.numbers.up,
            scale: self.numbers.scale,
            gpu: self.gpu,
            plot: self.plot.as_deref().map(|plot| always("png", plot)),
            report: self.report.clone(),
        })
    }

    fn text(&self, job: &CompareJob, report: &CompareReport) -> String {
        let mut text = job.table(report).text();
        if self.per_frame {
            text += "\n  frame  error (rms, % of the diagonal)\n";
            for (frame, error) in report.error_per_frame.iter().enumerate() {
                text += &format!("  {frame:5}  {error:.6}\n");
            }
        }
        text
    }
}

impl InWords for CompareJob {
    const IS_ANSWER: bool = true;

    fn table(&self, report: &CompareReport) -> Table {
        let mut table = Table::default();
        table.row("original", &report.original);
        table.row("other", &report.approximation);
        table.row("compared", frames_of(report.frames, report.vertices));
        error_rows(&report.error, &mut table);
        if let Some(gpu) = &report.gpu {
            table.row("played by", &gpu.adapter);
            table.row("", format!("{:.1e} of the diagonal off what the CPU has, at most", gpu.difference));
        }
        table.list("warning", &warnings(&report.warnings));
        table
    }
}

//! `sinew bake`: a rig becomes poses again.

use std::path::PathBuf;

use clap::Args;
use sinew::rig::Blending;
use sinew_jobs::bake::{BakeJob, BakeReport};

use crate::choice::one_of;
use crate::console::{Table, count, frames_of, number, size, written};
use crate::door::{Command, InWords};
use crate::error::Outcome;
use crate::numbers::NumbersArgs;
use crate::report::{OFF_RIG, engine_rows, lost_rows, unit_row};
use crate::standard::PosesFormatArgs;
use crate::words::warnings;

/// Play a rig back into a point cache or a folder of frames
#[derive(Args)]
#[command(after_help = "Examples:
  sinew bake rig.glb -o out.pc2 --rest-out out.obj
  sinew bake character.glb --clip Walk --fps 30 -o walk.mdd
  sinew bake rig.glb -o frames/ --format ply
  sinew bake rig.glb -o rig.sinew
  sinew bake edited.glb --blend centres -o edited.pc2")]
pub struct BakeArgs {
    /// A file that holds a rig, or - for standard input; sinew info --formats lists the formats
    rig: PathBuf,

    /// Where to: a file of poses (FILE.pc2, FILE.abc and others), a folder for one mesh a frame, or - for standard output; a
    /// file that holds rigs (FILE.sinew, FILE.glb and others) keeps the rig
    #[arg(short, long, value_name = "FILE|FOLDER")]
    output: PathBuf,

    /// Frames per second [default: the rig's own]; the frames of .sinew files stay as they are
    #[arg(long, value_name = "F")]
    fps: Option<f64>,

    /// The clip to play, by name or number, or "all", one after another [default: the first that moves]
    #[arg(long, value_name = "NAME")]
    clip: Option<String>,

    /// Write the rest mesh too (OBJ or PLY), which goes with a point cache
    #[arg(long, value_name = "FILE")]
    rest_out: Option<PathBuf>,

    #[command(flatten)]
    format: PosesFormatArgs,

    /// How bones are blended where several move a vertex; other ways than linear keep joints from
    /// collapsing where motion is not what the rig was made from
    #[arg(long, value_parser = one_of::<Blending>(), default_value_t)]
    blend: Blending,

    #[command(flatten)]
    numbers: NumbersArgs,

    /// Write a machine-readable report
    #[arg(long, value_name = "FILE.json")]
    report: Option<PathBuf>,
}

impl Command for BakeArgs {
    type Job = BakeJob;

    fn job(&self) -> Outcome<BakeJob> {
        let (output, format) = self.format.of(&self.output)?;
        Ok(BakeJob {
            rig: self.rig.clone(),
            output,
            fps: self.fps,
            clip: self.clip.clone(),
            from: 0,
            frames: None,
            rest_out: self.rest_out.clone(),
            format,
            blend: self.blend,
            unit: self.numbers.unit,
            up: self.numbers.up,
            scale: self.numbers.scale,
            report: self.report.clone(),
        })
    }
}

impl InWords for BakeJob {
    fn table(&self, report: &BakeReport) -> Table {
        let mut table = Table::default();
        let clip = report.clip.as_deref().filter(|c| !c.is_empty()).map(|c| format!(", clip {c}"));
        table.row(
            "rig",
            format!("{}{}, {}", report.rig, clip.unwrap_or_default(), count(report.bones, "bone", "bones")),
        );
        table.row(
            "played",
            format!("{} at {} per second", frames_of(report.frames, report.vertices), number(report.fps)),
        );
        unit_row(&report.units, &mut table);
        if report.blend != Blending::Linear {
            table.row("blended", format!("by {}", blending_in_words(report.blend)));
        }
        if let Some(volume) = &report.volume {
            let line = |of: &str, linear: f64, blended: f64| {
                format!("{of}: {} % of the rest pose linearly, {} % so", number(linear), number(blended))
            };
            let worst = format!("frame {}, the largest difference", volume.frame);
            table.row("volume", line(&worst, volume.linear, volume.blended));
            table.row("", line("mean of all frames", volume.mean_linear, volume.mean_blended));
        }
        engine_rows(&report.engines, OFF_RIG, &mut table);
        table.row("time", format!("{:.2} s", report.seconds.total));
        table.row("wrote", format!("{} ({})", written(&self.output), size(report.bytes.output)));
        if let Some(path) = &self.rest_out {
            table.row("", format!("{} (rest pose)", path.display()));
        }
        lost_rows(&report.lost, &mut table);
        table.list("warning", &warnings(&report.warnings));
        table
    }
}

fn blending_in_words(blending: Blending) -> &'static str {
    match blending {
        Blending::Linear => "the mean of their matrices",
        Blending::Dual => "dual quaternions",
        Blending::Centres => "rotations about a centre of each vertex",
    }
}

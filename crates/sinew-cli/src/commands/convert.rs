//! `sinew convert`: any animation or rig as any other file that can hold it.

use std::path::PathBuf;

use clap::Args;
use sinew_jobs::convert::{ConvertJob, ConvertReport};
use sinew_jobs::warning::Warning;

use crate::console::{Table, count, frames_of, number, size};
use crate::door::{Command, InWords};
use crate::error::Outcome;
use crate::numbers::NumbersArgs;
use crate::report::{OFF_RIG, engine_rows, lost_rows, unit_row};
use crate::source::check_compact;
use crate::standard::PosesFormatArgs;
use crate::words::warnings;

/// Convert an animation or a rig into any other format that can hold it
///
/// The input is told by content, the output by its name. Rigs stay rigs where that is possible, and are played
/// frame by frame where it is not. What cannot be carried is listed. sinew info --formats lists the formats.
#[derive(Args)]
#[command(after_help = "Examples:
  sinew convert anim.mdd anim.pc2
  sinew convert anim.pc2 frames/ --rest rest.obj
  sinew convert frames/ anim.npz --fps 30
  sinew convert rig.glb rig.sinew
  sinew convert rig.glb small.glb --pack
  sinew convert rig.glb anim.pc2 --clip Walk --rest-out rest.obj
  sinew convert character.glb motion.bvh")]
pub struct ConvertArgs {
    /// A file of any format that Sinew reads, a folder or pattern of frames, or - for standard input
    input: PathBuf,

    /// Where to: a file, whose ending tells the format, a folder for one mesh a frame, or - for standard output
    #[arg(value_name = "FILE|FOLDER")]
    output: PathBuf,

    /// The mesh that goes with a point cache: faces, UVs, materials and a pose
    #[arg(long, value_name = "FILE")]
    rest: Option<PathBuf>,

    /// Scale the rest mesh by this first, when it is in other units than the animation
    #[arg(long, value_name = "F", requires = "rest")]
    rest_scale: Option<f64>,

    /// Frames per second: rigs are sampled at it, other frames are said to have it [default: what the file says]
    #[arg(long, value_name = "F")]
    fps: Option<f64>,

    /// Clips of a rig, by name or number; several times for several [default: all]
    #[arg(long = "clip", value_name = "NAME")]
    clips: Vec<String>,

    #[command(flatten)]
    numbers: NumbersArgs,

    /// The ASF file that goes with an AMC file [default: the one beside it]
    #[arg(long, value_name = "FILE")]
    asf: Option<PathBuf>,

    #[command(flatten)]
    format: PosesFormatArgs,

    /// Write the rest mesh too, which goes with a point cache
    #[arg(long, value_name = "FILE")]
    rest_out: Option<PathBuf>,

    /// Of GLB files: store less, with no vertex off by more than this many percent of the mesh's diagonal
    #[arg(long, value_name = "PERCENT", num_args = 0..=1, require_equals = true, default_missing_value = "0.01")]
    compact: Option<f64>,

    /// Of GLB files: as small as they get, as exact as --compact says [default: 0.01]. For viewers that know
    /// EXT_meshopt_compression (three.js, Babylon.js and others on the web), not for Blender; vertices are in
    /// another order
    #[arg(long)]
    pack: bool,

    /// Write a machine-readable report
    #[arg(long, value_name = "FILE.json")]
    report: Option<PathBuf>,
}

impl Command for ConvertArgs {
    type Job = ConvertJob;

    fn job(&self) -> Outcome<ConvertJob> {
        check_compact(self.compact, std::slice::from_ref(&self.input))?;
        let (output, format) = self.format.of(&self.output)?;
        Ok(ConvertJob {
            input: self.input.clone(),
            output,
            rest: self.rest.clone(),
            rest_scale: self.rest_scale,
            fps: self.fps,
            clips: self.clips.clone(),
            unit: self.numbers.unit,
            up: self.numbers.up,
            scale: self.numbers.scale,
            asf: self.asf.clone(),
            format,
            rest_out: self.rest_out.clone(),
            compact: self.compact,
            pack: self.pack,
            report: self.report.clone(),
        })
    }
}

impl InWords for ConvertJob {
    fn table(&self, report: &ConvertReport) -> Table {
        let mut table = Table::default();
        table
            .row("from", format!("{} ({}, {})", report.input, report.input_format, size(report.bytes.input)));
        let what = match report.written {
            "joints" => {
                let joints = count(report.vertices, "joint", "joints");
                format!("{} of {joints}", count(report.frames, "frame", "frames"))
            }
            _ => frames_of(report.frames, report.vertices),
        };
        let rate =
            if report.frames > 1 { format!(" at {} per second", number(report.fps)) } else { String::new() };
        table.row(report.written, format!("{what}{rate}"));
        engine_rows(&report.engines, OFF_RIG, &mut table);
        unit_row(&report.units, &mut table);
        table.row("time", format!("{:.2} s", report.seconds));
        table.row(
            "wrote",
            format!("{} ({}, {})", report.output, report.output_format, size(report.bytes.output)),
        );
        if let Some(path) = &self.rest_out {
            table.row("", format!("{} (rest pose)", path.display()));
        }
        lost_rows(&report.lost, &mut table);
        // What is not read of a file is among what is not kept.
        let others: Vec<Warning> = report.warnings.iter().filter(|w| w.loss().is_none()).cloned().collect();
        table.list("warning", &warnings(&others));
        table
    }
}

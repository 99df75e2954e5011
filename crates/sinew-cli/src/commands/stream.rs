//! `sinew stream`: frames are fitted as they come, and played as they are read.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use sinew::skin::BoneKind;
use sinew::stream::{DEFAULT_LOOK_AHEAD, StreamOptions};
use sinew_jobs::bake::BakeJob;
use sinew_jobs::source::Source;
use sinew_jobs::stream::{StreamJob, StreamReport, StreamRest};

use super::bake::BakeArgs;
use crate::choice::one_of;
use crate::console::{Table, count, number, size, written};
use crate::door::{self, Command, InWords};
use crate::error::Outcome;
use crate::numbers::NumbersArgs;
use crate::progress::Session;
use crate::report::error_rows;
use crate::words::warnings;

/// Fit frames one at a time, in memory that does not grow with their number, and play them back
#[derive(Args)]
pub struct StreamArgs {
    #[command(subcommand)]
    command: StreamCommand,
}

#[derive(Subcommand)]
enum StreamCommand {
    Encode(EncodeArgs),
    Play(PlayArgs),
}

/// Fit each frame before the next is seen and write it at once
///
/// Bones carry the approximated pose of the frame before to the next, so that errors do not add up unseen;
/// where the rest pose leads closer, a frame starts from there. Frames that have gone by teach better weights
/// for those to come.
/// Ctrl-C ends the stream; the file holds the frames up to there.
#[derive(Args)]
#[command(after_help = "Examples:
  sinew stream encode anim.pc2 --rest rest.obj -o out.sinew
  sinew stream encode frames/ -o out.sinew --bones 40 --report out.json
  sinew stream encode frames/ -o - | ssh elsewhere 'cat > live.sinew'")]
struct EncodeArgs {
    /// A point cache (PC2, MDD), a folder or pattern of OBJ or PLY frames, several such files, a GLB, or a
    /// .sinew file
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,

    /// The file to write; - is standard output
    #[arg(short, long, value_name = "FILE.sinew")]
    output: PathBuf,

    /// The mesh that goes with a point cache (OBJ, PLY, GLB): faces, UVs, materials
    #[arg(long, value_name = "FILE")]
    rest: Option<PathBuf>,

    /// Scale the rest mesh by this first, when it is in other units than the animation
    #[arg(long, value_name = "F", requires = "rest")]
    rest_scale: Option<f64>,

    /// The pose that the first frame is reached from: the first frame itself, or that of the rest mesh
    #[arg(long, value_parser = one_of::<StreamRest>(), default_value_t)]
    rest_pose: StreamRest,

    /// Number of bones
    #[arg(long, value_name = "N", default_value_t = StreamOptions::default().bones)]
    bones: usize,

    /// The most influences on a vertex
    #[arg(long, value_name = "K", default_value_t = StreamOptions::default().influences)]
    influences: usize,

    /// Rigid bones turn and shift, flexible ones stretch and shear too
    #[arg(long, value_parser = one_of::<BoneKind>(), default_value_t)]
    kind: BoneKind,

    /// Whether frames may start from the rest pose where that is closer than from the pose before
    #[arg(long, value_name = "WHEN", value_parser = ["auto", "none"], default_value = "auto")]
    keys: String,

    /// Whether weights change to what the frames that have gone by teach; without, the file is smaller
    #[arg(long, value_name = "WHEN", value_parser = ["auto", "none"], default_value = "auto")]
    learn: String,

    /// Look at so many frames before the first is fitted, to choose the bones to begin with; 1 spreads them
    /// evenly
    #[arg(long, value_name = "F", default_value_t = DEFAULT_LOOK_AHEAD as u16,
          value_parser = clap::value_parser!(u16).range(1..=256))]
    look_ahead: u16,

    /// Frames per second; needed for caches and sequences that do not say [default: 24]
    #[arg(long, value_name = "F")]
    fps: Option<f64>,

    /// Clip of a GLB or .sinew input, by name or number
    #[arg(long, value_name = "NAME")]
    clip: Option<String>,

    #[command(flatten)]
    numbers: NumbersArgs,

    /// Write a machine-readable report
    #[arg(long, value_name = "FILE.json")]
    report: Option<PathBuf>,
}

/// Play a .sinew file into a point cache or a folder of frames, one frame at a time
///
/// The same as bake, with a choice of frames.
#[derive(Args)]
struct PlayArgs {
    #[command(flatten)]
    bake: BakeArgs,

    /// The first frame to write, counted from 0
    #[arg(long, value_name = "N", default_value_t = 0)]
    from: usize,

    /// Write at most so many frames
    #[arg(long, value_name = "N")]
    frames: Option<usize>,
}

impl Command for EncodeArgs {
    type Job = StreamJob;

    fn job(&self) -> Outcome<StreamJob> {
        Ok(StreamJob {
            source: Source {
                inputs: self.inputs.clone(),
                rest: self.rest.clone(),
                rest_scale: self.rest_scale,
                fps: self.fps,
                clips: self.clip.iter().cloned().collect(),
                unit: self.numbers.unit,
                up: self.numbers.up,
                scale: self.numbers.scale,
            },
            output: self.output.clone(),
            rest_pose: self.rest_pose,
            bones: self.bones,
            influences: self.influences,
            kind: self.kind,
            keys: self.keys == "auto",
            learn: self.learn == "auto",
            look_ahead: self.look_ahead.into(),
            report: self.report.clone(),
        })
    }
}

impl Command for PlayArgs {
    type Job = BakeJob;

    fn job(&self) -> Outcome<BakeJob> {
        Ok(BakeJob { from: self.from, frames: self.frames, ..self.bake.job()? })
    }
}

/// Runs the command.
pub fn run(args: &StreamArgs, session: &Session) -> Outcome<()> {
    match &args.command {
        StreamCommand::Encode(args) => door::run(args, session),
        StreamCommand::Play(args) => door::run(args, session),
    }
}

impl InWords for StreamJob {
    fn table(&self, report: &StreamReport) -> Table {
        let mut table = Table::default();
        table.row("source", &report.source);
        let keys = count(report.key_frames, "key frame", "key frames");
        table.row("mesh", format!("{} vertices, {} frames, {keys}", report.vertices, report.frames));
        table.row(
            "bones",
            format!(
                "{}, {} a vertex, chosen from {}, weights change {}",
                report.bones,
                count(report.influences, "influence", "influences"),
                count(report.look_ahead, "frame", "frames"),
                count(report.weight_changes.len(), "time", "times")
            ),
        );
        error_rows(&report.error, &mut table);
        let s = &report.seconds;
        let rate = number(report.frames_per_second);
        table.row("time", format!("{:.2} s for bones, then {rate} frames a second", s.look_ahead));
        table.row("size", format!("{} in, {} out", size(report.bytes.input), size(report.bytes.output)));
        if let Some(peak) = report.peak_memory {
            table.row("memory", format!("{} at most", size(peak)));
        }
        table.list("warning", &warnings(&report.warnings));
        table.row("wrote", written(&self.output));
        table
    }

    fn text(&self, report: &StreamReport) -> String {
        // Standard output is taken.
        if self.to_standard_output() { String::new() } else { self.table(report).text() }
    }
}

//! `sinew bake`: a rig becomes poses again.

use std::path::PathBuf;

use clap::Args;
use sinew::rig::Blending;
use sinew_jobs::bake::{BakeJob, BakeReport};
use sinew_jobs::poses::MeshFormat;

use crate::choice::one_of;
use crate::console::{Table, count, frames_of, number, size};
use crate::door::{Command, InWords};
use crate::error::Outcome;
use crate::numbers::NumbersArgs;
use crate::report::unit_row;

/// Play a rig back into a point cache or a folder of frames
#[derive(Args)]
#[command(after_help = "Examples:
  sinew bake rig.glb -o out.pc2 --rest-out out.obj
  sinew bake character.glb --clip Walk --fps 30 -o walk.mdd
  sinew bake rig.glb -o frames/ --format ply
  sinew bake rig.glb -o rig.sinew
  sinew bake edited.glb --blend centres -o edited.pc2")]
pub struct BakeArgs {
    /// A file that holds a rig; sinew info --formats lists the formats
    rig: PathBuf,

    /// Where to: FILE.pc2, FILE.mdd, or a folder for one mesh a frame; FILE.sinew or FILE.glb keeps the rig
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

    /// Format of frames in a folder
    #[arg(long, value_parser = one_of::<MeshFormat>(), default_value_t)]
    format: MeshFormat,

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
        Ok(BakeJob {
            rig: self.rig.clone(),
            output: self.output.clone(),
            fps: self.fps,
            clip: self.clip.clone(),
            from: 0,
            frames: None,
            rest_out: self.rest_out.clone(),
            format: self.format,
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
        table.row("time", format!("{:.2} s", report.seconds.total));
        table.row("wrote", format!("{} ({})", self.output.display(), size(report.bytes.output)));
        if let Some(path) = &self.rest_out {
            table.row("", format!("{} (rest pose)", path.display()));
        }
        table.list("warning", &report.warnings);
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

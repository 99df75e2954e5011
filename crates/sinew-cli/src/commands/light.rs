//! `sinew light`: light that moves with a rig, baked into its file.

use std::path::PathBuf;

use clap::Args;
use sinew::light::Factoring;
use sinew_jobs::light::{LightJob, LightReport};

use crate::choice::one_of;
use crate::console::{Table, count, number, size, written};
use crate::door::{Command, InWords};
use crate::error::Outcome;
use crate::numbers::NumbersArgs;
use crate::report::{OFF_RIG, engine_rows, unit_row};
use crate::standard::always;
use crate::words::warnings;

/// Bake the light of every frame into a rig: how open each vertex is to the sky, in a few shapes
///
/// Dark folds, armpits and bellies that change as the body moves. The file plays like any other; the light is in
/// attributes and an extension (SINEW_light) that readers without it pass over.
#[derive(Args)]
#[command(after_help = "Examples:
  sinew light rig.glb -o lit.glb
  sinew light rig.glb --rank 8 --rays 256 --picture light.png --report light.json -o lit.glb")]
pub struct LightArgs {
    /// A file that holds a rig; sinew info --formats lists the formats
    rig: PathBuf,

    /// The rig with its light
    #[arg(short, long, value_name = "FILE.glb")]
    output: PathBuf,

    /// Shapes that the light is a sum of
    #[arg(long, value_name = "R", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=256))]
    rank: u16,

    /// Rays from every vertex in every frame
    #[arg(long, value_name = "N", default_value_t = 128, value_parser = clap::value_parser!(u32).range(1..=65536))]
    rays: u32,

    /// What is farther than so many percent of the diagonal casts no shadow [default: no limit]
    #[arg(long, value_name = "PERCENT")]
    reach: Option<f64>,

    /// What the shapes may be
    #[arg(long, value_parser = one_of::<Factoring>(), default_value_t)]
    factor: Factoring,

    /// Draw the light of some frames, as it was looked for and as the file has it
    #[arg(long, value_name = "FILE.png")]
    picture: Option<PathBuf>,

    #[command(flatten)]
    numbers: NumbersArgs,

    /// Write a machine-readable report
    #[arg(long, value_name = "FILE.json")]
    report: Option<PathBuf>,
}

impl Command for LightArgs {
    type Job = LightJob;

    fn job(&self) -> Outcome<LightJob> {
        Ok(LightJob {
            rig: self.rig.clone(),
            output: always("glb", &self.output),
            rank: self.rank,
            rays: self.rays,
            reach: self.reach,
            factor: self.factor,
            unit: self.numbers.unit,
            up: self.numbers.up,
            scale: self.numbers.scale,
            picture: self.picture.as_deref().map(|picture| always("png", picture)),
            report: self.report.clone(),
        })
    }
}

impl InWords for LightJob {
    fn table(&self, report: &LightReport) -> Table {
        let mut table = Table::default();
        let of = format!(
            "{} in {}",
            count(report.vertices, "vertex", "vertices"),
            count(report.frames, "frame", "frames")
        );
        table.row("rig", format!("{}, {of}", report.rig));
        table.row(
            "light",
            format!(
                "{} of {}",
                count(report.rank, "shape", "shapes"),
                count(report.rays as usize, "ray", "rays")
            ),
        );
        let (mean, largest) = (number(report.error_mean), number(report.error_largest));
        table.row("error", format!("mean {mean} %, largest {largest} % of the range"));
        let times = number(report.bytes_of_colours as f64 / report.bytes.max(1) as f64);
        let colours = size(report.bytes_of_colours as u64);
        table.row(
            "size",
            format!("{}, {times} times less than a colour a frame ({colours})", size(report.bytes as u64)),
        );
        engine_rows(&report.engines, OFF_RIG, &mut table);
        table.row("time", format!("{:.2} s", report.seconds));
        unit_row(&report.units, &mut table);
        table.row("wrote", format!("{} ({})", written(&self.output), size(report.file_bytes)));
        table.list("warning", &warnings(&report.warnings));
        table
    }
}

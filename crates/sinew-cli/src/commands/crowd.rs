//! `sinew crowd`: many rigs on the GPU, as pictures or as a measurement.

use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use sinew_gpu::Route;
use sinew_jobs::crowd::{BakedLight, CameraStop, CrowdJob, CrowdReport, LevelSource};
use sinew_picture::UpAxis;

use crate::choice::{one_of, size as pixels};
use crate::console::{Table, count, number, size, written};
use crate::door::{Command, InWords};
use crate::error::Outcome;
use crate::words::warnings;

/// Draw a crowd of rigs on the GPU, or measure how fast that is
///
/// Everyone plays the rig's own motion at a time of their own; who is far away is drawn with fewer triangles:
/// those of the levels that sinew lod put into the file, or such as are made on the way.
/// Rigs whose feet slide over the ground run over it. Works with a software driver too.
#[derive(Args)]
#[command(after_help = "Examples:
  sinew crowd -o herd.png
  sinew crowd horse.glb --count 10000 -o stampede.mp4
  sinew crowd horse.glb dance.glb --count 400 --size 960x540 --frames 48 -o crowd.gif
  sinew crowd horse.glb --count 10000 --bench --report bench.json
  sinew crowd horse.glb elephant.glb --triangles 71500000 --no-lod --bench --report paper.json")]
pub struct CrowdArgs {
    /// Files that hold rigs; sinew info --formats lists the formats [default: the built-in creature]
    #[arg(value_name = "RIG")]
    rigs: Vec<PathBuf>,

    /// A picture (.png), a moving one (.gif; .mp4 with ffmpeg on the PATH), a folder of PNG files, or, in a
    /// build with the feature of that name, window: drag to turn, wheel to come nearer, space to pause, Esc
    /// to close
    #[arg(short, long, value_name = "FILE|FOLDER|window", required_unless_present = "bench")]
    output: Option<PathBuf>,

    /// How many there are
    #[arg(long, value_name = "N", default_value_t = 1000)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=4_000_000))]
    count: u32,

    /// As many as have so many triangles together, in full detail
    #[arg(long, value_name = "N", conflicts_with = "count")]
    triangles: Option<u64>,

    /// How many of each rig there are for each other, such as 2,1 [default: as many of each]
    #[arg(long, value_name = "N,N,...", value_delimiter = ',')]
    shares: Vec<f32>,

    /// Who stands where is left to chance: another number, another herd
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Pixels of the picture
    #[arg(long, value_name = "WxH", default_value = "1920x1080", value_parser = pixels)]
    size: (usize, usize),

    /// Frames to draw [default: 1 for .png, until a window is closed, 96 for others, up to 600 with --bench]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    frames: Option<u32>,

    /// Frames per second of what is written
    #[arg(long, value_name = "F", default_value_t = 24.0)]
    fps: f64,

    /// The camera's way: degrees around the herd (0 is before it), degrees above the ground, and distance
    /// in sizes of the herd; several with / between them
    #[arg(long, value_name = "AROUND,ABOVE,AWAY/...", allow_hyphen_values = true)]
    camera: Option<CameraPath>,

    /// Draw everyone in full detail
    #[arg(long)]
    no_lod: bool,

    /// Pixels that those with fewer triangles may be off
    #[arg(long, value_name = "PIXELS", default_value_t = 0.6)]
    tolerance: f32,

    /// Whether light that sinew light baked into rigs is shown
    #[arg(long, value_parser = one_of::<BakedLight>(), default_value_t)]
    light: BakedLight,

    /// Samples of a pixel's edges, 1 or 4
    #[arg(long, value_name = "N", default_value_t = 4)]
    samples: u32,

    /// How triangles are drawn [default: the way that should be faster on this GPU]
    #[arg(long, value_parser = one_of::<Route>())]
    route: Option<Route>,

    /// Which way is up in the rigs
    #[arg(long, value_parser = one_of::<UpAxis>(), default_value_t)]
    up: UpAxis,

    /// Clip of the rigs, by name or number
    #[arg(long, value_name = "NAME")]
    clip: Option<String>,

    /// The GPU to use, by a part of its name [default: the fastest]
    #[arg(long, value_name = "NAME")]
    adapter: Option<String>,

    /// Measure frames per second, and those of a renderer that sends every vertex each frame
    #[arg(long)]
    bench: bool,

    /// Frames that are drawn by sending every vertex; 0 for none
    #[arg(long, value_name = "N", default_value_t = 5, requires = "bench")]
    streaming_frames: u32,

    /// Write what was measured as JSON
    #[arg(long, value_name = "FILE.json")]
    report: Option<PathBuf>,
}

impl Command for CrowdArgs {
    type Job = CrowdJob;

    fn job(&self) -> Outcome<CrowdJob> {
        Ok(CrowdJob {
            rigs: self.rigs.clone(),
            output: self.output.clone(),
            count: self.count,
            triangles: self.triangles,
            shares: self.shares.clone(),
            seed: self.seed,
            size: self.size.into(),
            frames: self.frames,
            fps: self.fps,
            camera: self.camera.iter().flat_map(|path| path.0.clone()).collect(),
            lod: !self.no_lod,
            tolerance: self.tolerance,
            light: self.light,
            samples: self.samples,
            route: self.route,
            up: self.up,
            clip: self.clip.clone(),
            adapter: self.adapter.clone(),
            bench: self.bench,
            streaming_frames: self.streaming_frames,
            report: self.report.clone(),
        })
    }
}

impl InWords for CrowdJob {
    fn table(&self, report: &CrowdReport) -> Table {
        let mut table = Table::default();
        table.row("GPU", format!("{}, {} route", report.adapter, report.route));
        table.row(
            "crowd",
            format!(
                "{} of {}, {} triangles in full detail",
                count(report.instances, "instance", "instances"),
                count(report.rigs, "rig", "rigs"),
                number(report.triangles as f64)
            ),
        );
        let list = |(levels, from): (&Vec<usize>, &LevelSource)| {
            let counts = levels.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
            counts + if *from == LevelSource::File { " triangles, from the file" } else { " triangles" }
        };
        table.list("levels", &report.levels.iter().zip(&report.levels_from).map(list).collect::<Vec<_>>());
        if report.light.iter().any(|rank| *rank > 0) {
            let of_rig = |rank: &usize| match rank {
                0 => "none baked".into(),
                rank => format!("baked, {}", count(*rank, "shape", "shapes")),
            };
            table.list("light", &report.light.iter().map(of_rig).collect::<Vec<_>>());
        }
        table.row("sent once", size(report.bytes_of_scene));
        if let (Some(fps), Some(ms), Some(frames)) = (report.fps, report.milliseconds, report.frames) {
            table.row(
                "speed",
                format!("{} frames a second ({} ms, {frames} frames)", number(fps), number(ms)),
            );
        }
        if let (Some(each), Some(second)) = (report.triangles_per_frame, report.triangles_per_second) {
            let seen = report.seen.unwrap_or(0.0);
            let (each, second) = (number(each / 1e6), number(second / 1e6));
            table.row(
                "drawn",
                format!("{each} million triangles of {} seen, {second} million a second", number(seen)),
            );
        }
        if let Some(bytes) = report.bytes_per_frame {
            table.row("sent each", size(bytes));
        }
        if let Some(difference) = report.largest_difference {
            table.row("exactness", format!("{difference:.1e} of the diagonal off what the CPU has, at most"));
        }
        if let Some(difference) = report.largest_light_difference {
            table.row("", format!("{difference:.1e} of full light"));
        }
        if let (Some(fps), Some(bytes), Some(times)) =
            (report.streaming_fps, report.streaming_bytes_per_frame, report.times_streaming)
        {
            table.row("streaming", format!("{} frames a second, sending {}", number(fps), size(bytes)));
            table.row("", format!("{} times slower", number(times)));
        }
        table.list("warning", &warnings(&report.warnings));
        if let Some(path) = self.file() {
            table.row("wrote", written(path));
        }
        table
    }
}

/// Viewpoints, one after another.
#[derive(Clone, Debug, PartialEq)]
struct CameraPath(Vec<CameraStop>);

impl FromStr for CameraPath {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong =
            || "give degrees around, 0 to 90 degrees above and a distance, such as 20,10,1.5/-30,25,1.2";
        let number = |s: &str| s.trim().parse::<f32>().ok().filter(|x| x.is_finite());
        let point = |text: &str| {
            let numbers: Vec<f32> = text.split(',').map_while(number).collect();
            match numbers[..] {
                [around, above, away]
                    if away > 0.0 && (0.0..=90.0).contains(&above) && text.split(',').count() == 3 =>
                {
                    Ok(CameraStop { around, above, away })
                }
                _ => Err(wrong().into()),
            }
        };
        text.split('/').map(point).collect::<Result<_, _>>().map(Self)
    }
}

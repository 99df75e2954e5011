//! How fast a crowd is drawn, and what it is made of.

use std::time::Duration;

use serde::Serialize;
use sinew::progress::Progress;
use sinew_gpu::{Gpu, Route, Streamer};

use super::models::{LevelSource, Source};
use super::{CrowdArgs, Film, rigs_in_words};
use crate::console::{Table, count, number, size};
use crate::error::Outcome;
use crate::progress::Session;

/// The longest a measurement takes, and its most frames.
const LONGEST: Duration = Duration::from_secs(6);
const MOST: u32 = 600;

/// What is in a crowd, and with `--bench` how fast it is.
#[derive(Serialize)]
pub struct Report {
    /// The GPU.
    adapter: String,
    instances: usize,
    rigs: usize,
    size: [usize; 2],
    /// Samples of each pixel.
    samples: u32,
    /// "draw" or "compute".
    route: &'static str,
    /// Triangles of each level of each rig.
    levels: Vec<Vec<usize>>,
    /// Where the levels of each rig are from: "file", "simplified" or "none".
    levels_from: Vec<LevelSource>,
    /// Shapes of the baked light of each rig, 0 where it has none or it is not shown.
    light: Vec<usize>,
    /// Triangles of everyone in full detail.
    triangles: u64,
    /// Bytes sent once.
    bytes_of_scene: u64,
    /// Null without --bench, like all below.
    fps: Option<f64>,
    milliseconds: Option<f64>,
    frames: Option<usize>,
    /// Instances seen in a frame, on average.
    seen: Option<f64>,
    triangles_per_frame: Option<f64>,
    triangles_per_second: Option<f64>,
    bytes_per_frame: Option<u64>,
    /// The largest distance of a vertex from where the CPU has it, over the diagonal.
    largest_difference: Option<f64>,
    /// The largest difference of a vertex's baked light from what the CPU has.
    largest_light_difference: Option<f64>,
    /// The same when every vertex is sent each frame; null when that was not measured.
    streaming_fps: Option<f64>,
    streaming_bytes_per_frame: Option<u64>,
    /// Frames per second over those of streaming.
    times_streaming: Option<f64>,
    warnings: Vec<String>,
}

impl Report {
    /// Says what there is, and measures where that is asked for.
    pub fn new(
        args: &CrowdArgs,
        gpu: &Gpu,
        film: &Film,
        sources: Vec<Source>,
        session: &Session,
    ) -> Outcome<Self> {
        let scene = film.renderer.scene();
        let levels =
            scene.models().iter().map(|m| (0..m.levels.len()).map(|l| m.triangle_count(l)).collect());
        let mut report = Self {
            adapter: gpu.adapter().into(),
            instances: scene.herd().members.len(),
            rigs: scene.models().len(),
            size: [args.size.0, args.size.1],
            samples: args.samples,
            route: match film.renderer.route() {
                Route::Draw => "draw",
                Route::Compute => "compute",
            },
            levels: levels.collect(),
            levels_from: sources.iter().map(|source| source.levels).collect(),
            light: sources.iter().map(|source| source.light).collect(),
            triangles: scene.full_triangles(),
            bytes_of_scene: scene.bytes(),
            fps: None,
            milliseconds: None,
            frames: None,
            seen: None,
            triangles_per_frame: None,
            triangles_per_second: None,
            bytes_per_frame: None,
            largest_difference: None,
            largest_light_difference: None,
            streaming_fps: None,
            streaming_bytes_per_frame: None,
            times_streaming: None,
            warnings: sources.into_iter().flat_map(|source| source.warnings).collect(),
        };
        if args.bench {
            report.measure(args, film, session)?;
        }
        Ok(report)
    }

    fn measure(&mut self, args: &CrowdArgs, film: &Film, session: &Session) -> Outcome<()> {
        session.stage("measuring");
        let most = args.frames.unwrap_or(MOST) as usize;
        let measured = film.renderer.measure(most, LONGEST, &|frame| film.at(frame, most))?;
        self.fps = Some(measured.fps());
        self.milliseconds = Some(1e3 / measured.fps());
        self.frames = Some(measured.frames);
        self.seen = Some(measured.seen);
        self.triangles_per_frame = Some(measured.triangles_per_frame);
        self.triangles_per_second = Some(measured.triangles_per_second());
        self.bytes_per_frame = Some(measured.bytes_per_frame);
        session.check()?;
        let (camera, seconds) = film.at(most / 2, most);
        let difference = film.renderer.largest_difference(&camera, seconds)?;
        self.largest_difference = difference.map(|d| d.vertices);
        self.largest_light_difference = difference.and_then(|d| d.light);
        if args.streaming_frames > 0 {
            session.stage("streaming");
            let frames = args.streaming_frames as usize;
            let mut streamer = Streamer::new(film.renderer)?;
            let streamed = streamer.measure(frames, 2 * LONGEST, &|frame| film.at(frame, most))?;
            self.streaming_fps = Some(streamed.fps());
            self.streaming_bytes_per_frame = Some(streamed.bytes_per_frame);
            self.times_streaming = Some(measured.fps() / streamed.fps());
        }
        Ok(())
    }

    /// The same for people.
    pub fn rows(&self, table: &mut Table) {
        table.row("GPU", format!("{}, {} route", self.adapter, self.route));
        table.row(
            "crowd",
            format!(
                "{} of {}, {} triangles in full detail",
                count(self.instances, "instance", "instances"),
                rigs_in_words(self.rigs),
                number(self.triangles as f64)
            ),
        );
        let list = |(levels, from): (&Vec<usize>, &LevelSource)| {
            let counts = levels.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
            counts + if *from == LevelSource::File { " triangles, from the file" } else { " triangles" }
        };
        table.list("levels", &self.levels.iter().zip(&self.levels_from).map(list).collect::<Vec<_>>());
        if self.light.iter().any(|rank| *rank > 0) {
            let of_rig = |rank: &usize| match rank {
                0 => "none baked".into(),
                rank => format!("baked, {}", count(*rank, "shape", "shapes")),
            };
            table.list("light", &self.light.iter().map(of_rig).collect::<Vec<_>>());
        }
        table.row("sent once", size(self.bytes_of_scene));
        if let (Some(fps), Some(ms), Some(frames)) = (self.fps, self.milliseconds, self.frames) {
            table.row(
                "speed",
                format!("{} frames a second ({} ms, {frames} frames)", number(fps), number(ms)),
            );
        }
        if let (Some(each), Some(second)) = (self.triangles_per_frame, self.triangles_per_second) {
            let seen = self.seen.unwrap_or(0.0);
            let (each, second) = (number(each / 1e6), number(second / 1e6));
            table.row(
                "drawn",
                format!("{each} million triangles of {} seen, {second} million a second", number(seen)),
            );
        }
        if let Some(bytes) = self.bytes_per_frame {
            table.row("sent each", size(bytes));
        }
        if let Some(difference) = self.largest_difference {
            table.row("exactness", format!("{difference:.1e} of the diagonal off what the CPU has, at most"));
        }
        if let Some(difference) = self.largest_light_difference {
            table.row("", format!("{difference:.1e} of full light"));
        }
        if let (Some(fps), Some(bytes), Some(times)) =
            (self.streaming_fps, self.streaming_bytes_per_frame, self.times_streaming)
        {
            table.row("streaming", format!("{} frames a second, sending {}", number(fps), size(bytes)));
            table.row("", format!("{} times slower", number(times)));
        }
        table.list("warning", &self.warnings);
    }
}

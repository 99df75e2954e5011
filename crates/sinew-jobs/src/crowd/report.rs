//! How fast a crowd is drawn, and what it is made of.

use std::time::Duration;

use serde::Serialize;
use sinew::choice::Choice;
use sinew::progress::Progress;
use sinew_gpu::{Gpu, Streamer};

use super::film::Film;
use super::job::CrowdJob;
use super::models::{LevelSource, Source};
use crate::error::Outcome;
use crate::warning::Warning;

/// The longest a measurement takes, and its most frames.
const LONGEST: Duration = Duration::from_secs(6);
const MOST: u32 = 600;

/// What is in a crowd, and where that was measured how fast it is.
#[derive(Debug, Serialize)]
pub struct CrowdReport {
    /// The GPU.
    pub adapter: String,
    /// How many there are.
    pub instances: usize,
    /// Of so many rigs.
    pub rigs: usize,
    /// Pixels of the picture.
    pub size: [usize; 2],
    /// Samples of each pixel.
    pub samples: u32,
    /// "draw" or "compute".
    pub route: &'static str,
    /// Triangles of each level of each rig.
    pub levels: Vec<Vec<usize>>,
    /// Where the levels of each rig are from: "file", "simplified" or "none".
    pub levels_from: Vec<LevelSource>,
    /// Shapes of the baked light of each rig, 0 where it has none or it is not shown.
    pub light: Vec<usize>,
    /// Triangles of everyone in full detail.
    pub triangles: u64,
    /// Bytes sent once.
    pub bytes_of_scene: u64,
    /// Frames per second; null where it was not measured, like all below.
    pub fps: Option<f64>,
    /// Of each frame.
    pub milliseconds: Option<f64>,
    /// Frames that were drawn.
    pub frames: Option<usize>,
    /// Instances seen in a frame, on average.
    pub seen: Option<f64>,
    /// Triangles drawn in a frame.
    pub triangles_per_frame: Option<f64>,
    /// Triangles drawn in a second.
    pub triangles_per_second: Option<f64>,
    /// Bytes sent for each frame.
    pub bytes_per_frame: Option<u64>,
    /// The largest distance of a vertex from where the CPU has it, over the diagonal.
    pub largest_difference: Option<f64>,
    /// The largest difference of a vertex's baked light from what the CPU has.
    pub largest_light_difference: Option<f64>,
    /// The same when every vertex is sent each frame; null when that was not measured.
    pub streaming_fps: Option<f64>,
    /// Bytes sent for each frame then.
    pub streaming_bytes_per_frame: Option<u64>,
    /// Frames per second over those of streaming.
    pub times_streaming: Option<f64>,
    /// What somebody should know.
    pub warnings: Vec<Warning>,
}

impl CrowdReport {
    /// Says what there is, and measures where that is asked for.
    pub(super) fn new(
        job: &CrowdJob,
        gpu: &Gpu,
        film: &Film,
        sources: Vec<Source>,
        progress: &dyn Progress,
    ) -> Outcome<Self> {
        let scene = film.renderer.scene();
        let levels =
            scene.models().iter().map(|m| (0..m.levels.len()).map(|l| m.triangle_count(l)).collect());
        let mut report = Self {
            adapter: gpu.adapter().into(),
            instances: scene.herd().members.len(),
            rigs: scene.models().len(),
            size: job.size,
            samples: job.samples,
            route: film.renderer.route().name(),
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
        if job.bench {
            report.measure(job, film, progress)?;
        }
        Ok(report)
    }

    fn measure(&mut self, job: &CrowdJob, film: &Film, progress: &dyn Progress) -> Outcome<()> {
        progress.stage("measuring");
        let most = job.frames.unwrap_or(MOST) as usize;
        let measured = film.renderer.measure(most, LONGEST, &|frame| film.at(frame, most))?;
        self.fps = Some(measured.fps());
        self.milliseconds = Some(1e3 / measured.fps());
        self.frames = Some(measured.frames);
        self.seen = Some(measured.seen);
        self.triangles_per_frame = Some(measured.triangles_per_frame);
        self.triangles_per_second = Some(measured.triangles_per_second());
        self.bytes_per_frame = Some(measured.bytes_per_frame);
        progress.check()?;
        let (camera, seconds) = film.at(most / 2, most);
        let difference = film.renderer.largest_difference(&camera, seconds)?;
        self.largest_difference = difference.map(|d| d.vertices);
        self.largest_light_difference = difference.and_then(|d| d.light);
        if job.streaming_frames > 0 {
            progress.stage("streaming");
            let frames = job.streaming_frames as usize;
            let mut streamer = Streamer::new(film.renderer)?;
            let streamed = streamer.measure(frames, 2 * LONGEST, &|frame| film.at(frame, most))?;
            self.streaming_fps = Some(streamed.fps());
            self.streaming_bytes_per_frame = Some(streamed.bytes_per_frame);
            self.times_streaming = Some(measured.fps() / streamed.fps());
        }
        Ok(())
    }
}

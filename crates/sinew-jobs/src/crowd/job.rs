//! What is asked for.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sinew_gpu::{Route, Viewpoint};
use sinew_picture::UpAxis;

use crate::error::{FieldProblem, Outcome};
use crate::names::has_extension;
use crate::refusals::{CrowdRefusal, FASTEST_GIF};

/// The most there can be.
pub(super) const MOST: u32 = 4_000_000;
/// The most frames, and the most pixels of a side.
const MOST_FRAMES: u64 = 100_000;
const MOST_PIXELS: u64 = 16384;

sinew::choices! {
    /// Whether baked light is shown.
    #[derive(Default)]
    pub enum BakedLight: "light" {
        /// It is.
        #[default]
        On = "on", "where rigs have any",
        /// It is not.
        Off = "off", "everyone is as dark below as guessed from their height",
    }
}

/// A place to look at a crowd from.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CameraStop {
    /// Degrees around the crowd; 0 is before it.
    pub around: f32,
    /// Degrees above the ground, 0 to 90.
    pub above: f32,
    /// Distance, in sizes of the crowd.
    pub away: f32,
}

impl From<CameraStop> for Viewpoint {
    fn from(CameraStop { around, above, away }: CameraStop) -> Self {
        Self { around, above, away }
    }
}

/// Draws a crowd of rigs on the GPU, or measures how fast that is.
///
/// Everyone plays the rig's own motion at a time of their own; who is far away is drawn with fewer triangles: those of the
/// levels of detail in the file, or such as are made on the way. Rigs whose feet slide over the ground run over it. Works with
/// a software driver too.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CrowdJob {
    /// Files that hold rigs; without any, the built-in creature.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rigs: Vec<PathBuf>,
    /// A picture (.png), a moving one (.gif; .mp4 with ffmpeg on the PATH), a folder of PNG files, or, in a build with the
    /// feature of that name, "window".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<PathBuf>,
    /// How many there are.
    #[serde(default = "usual_count")]
    pub count: u32,
    /// As many as have so many triangles together, in full detail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub triangles: Option<u64>,
    /// How many of each rig there are for each other; without, as many of each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shares: Vec<f32>,
    /// Who stands where is left to chance: another number, another herd.
    #[serde(default = "usual_seed")]
    pub seed: u64,
    /// Pixels of the picture: width and height.
    #[serde(default = "usual_size")]
    pub size: [usize; 2],
    /// Frames to draw; without, 1 for .png, until a window is closed, 96 for others, up to 600 where speed is measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frames: Option<u32>,
    /// Frames per second of what is written.
    #[serde(default = "usual_fps")]
    pub fps: f64,
    /// The camera's way, from stop to stop; without any, one that shows the herd from before it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub camera: Vec<CameraStop>,
    /// Whether who is far away is drawn with fewer triangles.
    #[serde(default = "usual_lod")]
    pub lod: bool,
    /// Pixels that those with fewer triangles may be off.
    #[serde(default = "usual_tolerance")]
    pub tolerance: f32,
    /// Whether light that was baked into rigs is shown.
    #[serde(default)]
    pub light: BakedLight,
    /// Samples of a pixel's edges, 1 or 4.
    #[serde(default = "usual_samples")]
    pub samples: u32,
    /// How triangles are drawn; without, the way that should be faster on this GPU.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub route: Option<Route>,
    /// Which way is up in the rigs.
    #[serde(default)]
    pub up: UpAxis,
    /// Clip of the rigs, by name or number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clip: Option<String>,
    /// The GPU to use, by a part of its name; without, the fastest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adapter: Option<String>,
    /// Measures frames per second, and those of a renderer that sends every vertex each frame.
    #[serde(default)]
    pub bench: bool,
    /// Frames that are drawn by sending every vertex; 0 for none.
    #[serde(default = "usual_streaming_frames")]
    pub streaming_frames: u32,
    /// What was measured, for programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<PathBuf>,
}

fn usual_count() -> u32 {
    1000
}

fn usual_seed() -> u64 {
    1
}

fn usual_size() -> [usize; 2] {
    [1920, 1080]
}

fn usual_fps() -> f64 {
    24.0
}

fn usual_lod() -> bool {
    true
}

fn usual_tolerance() -> f32 {
    0.6
}

fn usual_samples() -> u32 {
    4
}

fn usual_streaming_frames() -> u32 {
    5
}

impl Default for CrowdJob {
    fn default() -> Self {
        Self {
            rigs: Vec::new(),
            output: None,
            count: usual_count(),
            triangles: None,
            shares: Vec::new(),
            seed: usual_seed(),
            size: usual_size(),
            frames: None,
            fps: usual_fps(),
            camera: Vec::new(),
            lod: usual_lod(),
            tolerance: usual_tolerance(),
            light: BakedLight::default(),
            samples: usual_samples(),
            route: None,
            up: UpAxis::default(),
            clip: None,
            adapter: None,
            bench: false,
            streaming_frames: usual_streaming_frames(),
            report: None,
        }
    }
}

impl CrowdJob {
    /// Whether a window is asked for.
    pub(super) fn in_window(&self) -> bool {
        self.output.as_deref().is_some_and(|path| path.as_os_str() == "window")
    }

    /// The file or folder that is written.
    pub fn file(&self) -> Option<&Path> {
        self.output.as_deref().filter(|_| !self.in_window())
    }

    /// Checks what no file has to be read for.
    pub(super) fn check(&self) -> Outcome<()> {
        if !(self.fps > 0.0 && self.fps.is_finite()) {
            return Err(CrowdRefusal::Rate(self.fps).into());
        }
        let is = |extension| self.output.as_deref().is_some_and(|path| has_extension(path, extension));
        if is("gif") && self.fps > FASTEST_GIF {
            return Err(CrowdRefusal::FastGif(self.fps).into());
        }
        if is("png") && self.frames.is_some_and(|frames| frames > 1) && !self.bench {
            return Err(CrowdRefusal::MovingPng.into());
        }
        let rigs = self.rigs.len().max(1);
        let good = |shares: &[f32]| {
            shares.len() == rigs
                && shares.iter().all(|share| *share >= 0.0 && share.is_finite())
                && shares.iter().any(|share| *share > 0.0)
        };
        if !self.shares.is_empty() && !good(&self.shares) {
            return Err(CrowdRefusal::Shares { rigs }.into());
        }
        if self.samples != 1 && self.samples != 4 {
            return Err(CrowdRefusal::Samples(self.samples).into());
        }
        if !(self.tolerance > 0.0 && self.tolerance.is_finite()) {
            return Err(CrowdRefusal::Tolerance(self.tolerance).into());
        }
        let good = |stop: &CameraStop| {
            stop.around.is_finite()
                && (0.0..=90.0).contains(&stop.above)
                && stop.away > 0.0
                && stop.away.is_finite()
        };
        if !self.camera.iter().all(good) {
            return Err(CrowdRefusal::Camera.into());
        }
        FieldProblem::check_range("count", self.count.into(), MOST.into())?;
        FieldProblem::check_range("frames", self.frames.unwrap_or(1).into(), MOST_FRAMES)?;
        self.size.iter().try_for_each(|side| FieldProblem::check_range("size", *side as u64, MOST_PIXELS))
    }
}

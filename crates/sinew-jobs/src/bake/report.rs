//! What there is to say of a rig that was played.

use std::time::{Duration, Instant};

use serde::Serialize;
use sinew::rig::Blending;
use sinew_io::formats::Written;

use super::BakeJob;
use crate::loss::Loss;
use crate::report::{EngineReport, peak_memory};
use crate::units::Units;
use crate::warning::{Warning, told};

/// A rig that was played.
#[derive(Debug, Serialize)]
pub struct BakeReport {
    /// The rig.
    pub rig: String,
    /// The clip that was played, where it has a name.
    pub clip: Option<String>,
    /// How many frames.
    pub frames: usize,
    /// How many vertices.
    pub vertices: usize,
    /// How many bones.
    pub bones: usize,
    /// Frames per second.
    pub fps: f64,
    /// Units of the rig and of the file.
    #[serde(flatten)]
    pub units: Units,
    /// How bones were blended.
    pub blend: Blending,
    /// What another blending than linear keeps; null for linear, and where the surface encloses nothing.
    pub volume: Option<Volume>,
    /// How many joints the file has: more than bones where one takes several, as flexible ones do; null where there is no
    /// file, or none that engines open.
    pub file_joints: Option<usize>,
    /// What engines play of a rig that was kept as one, against the rig itself; empty where none opens the file.
    pub engines: Vec<EngineReport>,
    /// Time spent.
    pub seconds: BakeSeconds,
    /// Sizes of files.
    pub bytes: BakeBytes,
    /// What did not come along besides the bones.
    pub lost: Vec<Loss>,
    /// The most bytes the process ever held; null where the system does not tell.
    pub peak_memory: Option<u64>,
    /// What somebody should know.
    pub warnings: Vec<Warning>,
}

impl BakeReport {
    /// What is the same for all ways of playing; the rig's own numbers are yet to be filled in.
    pub(super) fn new(
        job: &BakeJob,
        written: Written,
        warnings: Vec<Warning>,
        read: Duration,
        begun: Instant,
    ) -> Self {
        let (read, total) = (read.as_secs_f64(), begun.elapsed().as_secs_f64());
        Self {
            rig: job.rig.display().to_string(),
            clip: None,
            frames: 0,
            vertices: 0,
            bones: 0,
            fps: 0.0,
            units: Units::default(),
            blend: job.blend,
            volume: None,
            file_joints: written.joints,
            engines: Vec::new(),
            seconds: BakeSeconds { read, write: total - read, total },
            bytes: BakeBytes { output: written.bytes },
            lost: Vec::new(),
            peak_memory: peak_memory(),
            warnings: [warnings, told(written.warnings)].concat(),
        }
    }
}

/// The volume inside the surface, in percent of that of the rest pose.
#[derive(Debug, Serialize)]
pub struct Volume {
    /// The frame that differs most.
    pub frame: usize,
    /// What it has when bones are blended linearly.
    pub linear: f64,
    /// What it has as it was played.
    pub blended: f64,
    /// The mean over all frames, blended linearly.
    pub mean_linear: f64,
    /// The mean over all frames as they were played.
    pub mean_blended: f64,
}

/// Seconds per stage.
#[derive(Debug, Serialize)]
pub struct BakeSeconds {
    /// Reading.
    pub read: f64,
    /// Playing and writing.
    pub write: f64,
    /// All of it.
    pub total: f64,
}

/// Sizes of files.
#[derive(Debug, Serialize)]
pub struct BakeBytes {
    /// What was written.
    pub output: u64,
}

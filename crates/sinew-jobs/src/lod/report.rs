//! What there is to say of levels of detail.

use serde::Serialize;
use sinew::lod::{Level, LevelError};

use crate::report::EngineReport;
use crate::units::Units;
use crate::warning::Warning;

/// One level.
#[derive(Debug, Serialize)]
pub struct LevelReport {
    /// Its triangles.
    pub triangles: usize,
    /// Vertices that its triangles use; null for the mesh itself.
    pub vertices: Option<usize>,
    /// Mean distance over all frames in percent of the longest side.
    pub accu: f64,
    /// Largest distance in percent of the diagonal.
    pub max: f64,
    /// The frame of the largest distance.
    pub max_frame: usize,
    /// What it adds to the file.
    pub bytes: u64,
}

impl LevelReport {
    /// The mesh itself.
    pub(super) fn full(triangles: usize) -> Self {
        Self { triangles, vertices: None, accu: 0.0, max: 0.0, max_frame: 0, bytes: 0 }
    }

    /// A level that was measured.
    pub(super) fn new(level: &Level, error: LevelError) -> Self {
        let LevelError { accu, max, max_frame } = error;
        let vertices = Some(level.vertices().len());
        Self { triangles: level.triangle_count(), vertices, accu, max, max_frame, bytes: 0 }
    }
}

/// Levels of a rig.
#[derive(Debug, Serialize)]
pub struct LodReport {
    /// The rig.
    pub rig: String,
    /// How many frames.
    pub frames: usize,
    /// How many vertices.
    pub vertices: usize,
    /// How many bones.
    pub bones: usize,
    /// The mesh itself first.
    pub levels: Vec<LevelReport>,
    /// How many joints the file has: more than bones where one takes several, as flexible ones do.
    pub file_joints: usize,
    /// What engines play of the file, against the rig itself; empty where none opens it.
    pub engines: Vec<EngineReport>,
    /// Units of the rig and of the file.
    #[serde(flatten)]
    pub units: Units,
    /// Time spent.
    pub seconds: LodSeconds,
    /// Size of the file.
    pub bytes: u64,
    /// The most bytes the process ever held; null where the system does not tell.
    pub peak_memory: Option<u64>,
    /// What somebody should know.
    pub warnings: Vec<Warning>,
}

/// Seconds per stage.
#[derive(Debug, Serialize)]
pub struct LodSeconds {
    /// Reading.
    pub read: f64,
    /// Simplifying.
    pub simplify: f64,
    /// Measuring.
    pub measure: f64,
    /// All of it.
    pub total: f64,
}

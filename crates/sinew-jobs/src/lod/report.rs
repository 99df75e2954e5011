//! What there is to say of levels of detail.

use std::path::PathBuf;

use serde::Serialize;
use sinew::animation::ErrorMeasure;
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
    /// Its bones.
    pub bones: usize,
    /// Mean distance over all frames in percent of the longest side: of surfaces, and of vertices where all are there.
    pub accu: f64,
    /// Largest distance in percent of the diagonal.
    pub max: f64,
    /// The frame of the largest distance.
    pub max_frame: usize,
    /// What it adds to the file; the size of its own, where it has one.
    pub bytes: u64,
    /// Its own file, where bones are fewer; null where all levels are in one.
    pub file: Option<PathBuf>,
}

impl LevelReport {
    /// The mesh itself.
    pub(super) fn full(triangles: usize, bones: usize) -> Self {
        Self { triangles, vertices: None, bones, accu: 0.0, max: 0.0, max_frame: 0, bytes: 0, file: None }
    }

    /// A level that was measured.
    pub(super) fn new(level: &Level, bones: usize, error: LevelError) -> Self {
        let LevelError { accu, max, max_frame } = error;
        let vertices = Some(level.vertices().len());
        Self { vertices, accu, max, max_frame, ..Self::full(level.triangle_count(), bones) }
    }

    /// A level with fewer bones alone.
    pub(super) fn of_bones(triangles: usize, bones: usize, error: &ErrorMeasure) -> Self {
        let &ErrorMeasure { accu, max, max_frame, .. } = error;
        Self { accu, max, max_frame, ..Self::full(triangles, bones) }
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
    /// How many joints the file has, of several the first: more than bones where one takes several, as flexible ones do.
    pub file_joints: usize,
    /// What engines play of the file, against the rig itself; empty where none opens it.
    pub engines: Vec<EngineReport>,
    /// Units of the rig and of the file.
    #[serde(flatten)]
    pub units: Units,
    /// Time spent.
    pub seconds: LodSeconds,
    /// Size of the file; of several all of them.
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

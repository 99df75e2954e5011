//! What `lod` has to say.

use std::path::Path;

use serde::Serialize;
use sinew::lod::{Level, LevelError};
use sinew::rig::Rig;

use crate::console::{Table, count, number, size};

/// One level.
#[derive(Serialize)]
pub struct LevelReport {
    triangles: usize,
    /// Vertices that its triangles use; null for the mesh itself.
    vertices: Option<usize>,
    /// Mean distance over all frames in percent of the longest side.
    accu: f64,
    /// Largest distance in percent of the diagonal, and its frame.
    max: f64,
    max_frame: usize,
    /// What it adds to the file.
    pub bytes: u64,
}

impl LevelReport {
    /// The mesh itself.
    pub fn full(triangles: usize) -> Self {
        Self { triangles, vertices: None, accu: 0.0, max: 0.0, max_frame: 0, bytes: 0 }
    }

    /// A level that was measured.
    pub fn new(level: &Level, error: LevelError) -> Self {
        let LevelError { accu, max, max_frame } = error;
        let vertices = Some(level.vertices().len());
        Self { triangles: level.triangle_count(), vertices, accu, max, max_frame, bytes: 0 }
    }
}

/// The report.
#[derive(Serialize)]
pub struct LodReport {
    rig: String,
    frames: usize,
    vertices: usize,
    bones: usize,
    /// The mesh itself first.
    levels: Vec<LevelReport>,
    seconds: LodSeconds,
    bytes: u64,
    peak_memory: Option<u64>,
    warnings: Vec<String>,
}

#[derive(Serialize)]
struct LodSeconds {
    read: f64,
    simplify: f64,
    measure: f64,
    total: f64,
}

impl LodReport {
    pub fn new(
        path: &Path,
        rig: &Rig,
        levels: Vec<LevelReport>,
        [read, simplify, measure, total]: [f64; 4],
        bytes: u64,
        peak_memory: Option<u64>,
        warnings: Vec<String>,
    ) -> Self {
        Self {
            rig: path.display().to_string(),
            frames: rig.frame_count(),
            vertices: rig.rest.len(),
            bones: rig.bones.len(),
            levels,
            seconds: LodSeconds { read, simplify, measure, total },
            bytes,
            peak_memory,
            warnings,
        }
    }

    /// The report for people.
    pub fn text(&self, output: &Path) -> String {
        let mut table = Table::default();
        let frames = count(self.frames, "frame", "frames");
        table.row("rig", format!("{}, {}, {frames}", self.rig, count(self.bones, "bone", "bones")));
        table.list("levels", &self.rows());
        table.row("", "mean of the longest side, max of the diagonal, over all frames and both ways");
        table.row("time", format!("{:.2} s", self.seconds.total));
        table.row("wrote", format!("{} ({})", output.display(), size(self.bytes)));
        table.list("warning", &self.warnings);
        table.text()
    }

    fn rows(&self) -> Vec<String> {
        let mut rows =
            vec![format!("{:>5} {:>10} {:>9} {:>9} {:>10}", "", "triangles", "mean, %", "max, %", "bytes")];
        rows.extend(self.levels.iter().enumerate().map(|(i, level)| {
            let LevelReport { triangles, accu, max, bytes, .. } = level;
            format!("{i:>5} {triangles:>10} {:>9} {:>9} {:>10}", number(*accu), number(*max), size(*bytes))
        }));
        rows
    }
}

//! Reports: the same facts as JSON for programs and as a table for people.

use std::path::Path;

use serde::Serialize;
use sinew::animation::{ErrorMeasure, Measured};
use sinew_io::save;

use crate::console::{Table, count, number, size};
use crate::error::Outcome;

/// Distance of an approximation from its original. Measures without a finite value are null.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ErrorReport {
    pub percent: f64,
    pub rms: f64,
    pub max: f64,
    pub max_frame: usize,
    pub max_vertex: usize,
    pub accu: f64,
}

impl From<ErrorMeasure> for ErrorReport {
    fn from(e: ErrorMeasure) -> Self {
        let ErrorMeasure { percent, rms, max, max_frame, max_vertex, accu } = e;
        Self { percent, rms, max, max_frame, max_vertex, accu }
    }
}

impl ErrorReport {
    /// Adds the measures with what they mean.
    pub fn rows(&self, table: &mut Table) {
        table.row("error", format!("{} % of the motion", number(self.percent)));
        let place = format!("frame {}, vertex {}", self.max_frame, self.max_vertex);
        table.row("  max", format!("{} % of the diagonal, at {place}", number(self.max)));
        table.row("  accu", format!("{} % of the longest side, mean over vertices", number(self.accu)));
        table.row("  rms", format!("{} thousandths of half the diagonal", number(self.rms)));
    }
}

/// What `skin` has to say.
#[derive(Debug, Serialize)]
pub struct SkinReport {
    /// What `--rest-pose` would take: "file", "first" or a frame; "rig" with bones from a rig.
    pub rest_pose: String,
    pub frames: usize,
    pub vertices: usize,
    pub triangles: usize,
    pub bones: usize,
    /// Null when the number was left to ε.
    pub bones_asked: Option<usize>,
    /// Null with bones from a rig.
    pub near_rigid_fraction: Option<f64>,
    /// The most on any vertex.
    pub influences: usize,
    pub rank: usize,
    pub error: ErrorReport,
    pub error_per_frame: Vec<f64>,
    /// Percent after the first fit and after every round; empty for methods that do not go round.
    pub error_per_round: Vec<f64>,
    pub seconds: SkinSeconds,
    pub bytes: SkinBytes,
    /// The most bytes the process ever held; null where the system does not tell.
    pub peak_memory: Option<u64>,
    pub warnings: Vec<String>,
}

/// Seconds per stage of `skin`.
#[derive(Debug, Serialize)]
pub struct SkinSeconds {
    pub read: f64,
    pub segment: f64,
    pub bones: f64,
    pub weights: f64,
    pub corrections: f64,
    pub write: f64,
    pub total: f64,
}

/// File sizes of `skin`.
#[derive(Debug, Serialize)]
pub struct SkinBytes {
    pub input: u64,
    /// Null when no rig was written.
    pub output: Option<u64>,
}

impl SkinReport {
    /// The report for people.
    pub fn table(&self) -> Table {
        let mut table = Table::default();
        table.row(
            "mesh",
            format!("{} vertices, {} triangles, {} frames", self.vertices, self.triangles, self.frames),
        );
        table.row("rest pose", self.rest_pose_in_words());
        let asked = self.bones_asked.map(|n| format!(" of {n} asked for")).unwrap_or_default();
        let rigid = self.near_rigid_fraction.map(|f| format!(", near-rigid fraction {f:.2}"));
        table.row("bones", format!("{}{asked}{}", self.bones, rigid.unwrap_or_default()));
        let shapes = match self.rank {
            0 => String::new(),
            n => format!(", {}", count(n, "correction shape", "correction shapes")),
        };
        table.row("influences", format!("{} a vertex{shapes}", self.influences));
        self.error.rows(&mut table);
        if let [first, .., last] = self.error_per_round.as_slice() {
            let rounds = count(self.error_per_round.len() - 1, "round", "rounds");
            table.row("rounds", format!("{} % to {} % in {rounds}", number(*first), number(*last)));
        }
        let s = &self.seconds;
        let stages = [
            ("read", s.read),
            ("segment", s.segment),
            ("bones", s.bones),
            ("weights", s.weights),
            ("corrections", s.corrections),
            ("write", s.write),
        ];
        let shares: Vec<String> =
            stages.iter().filter(|(_, t)| *t >= 0.005).map(|(name, t)| format!("{name} {t:.2}")).collect();
        table.row("time", format!("{:.2} s ({})", s.total, shares.join(", ")));
        let output = self.bytes.output.map(|b| format!(", {} out", size(b))).unwrap_or_default();
        table.row("size", format!("{} in{output}", size(self.bytes.input)));
        if let Some(peak) = self.peak_memory {
            table.row("memory", format!("{} at most", size(peak)));
        }
        table.list("warning", &self.warnings);
        table
    }

    fn rest_pose_in_words(&self) -> String {
        match self.rest_pose.as_str() {
            "file" => "the given mesh".into(),
            "first" => "the first frame".into(),
            "rig" => "that of the given rig".into(),
            frame => format!("frame {frame}"),
        }
    }
}

/// What `compare` has to say.
#[derive(Debug, Serialize)]
pub struct CompareReport {
    pub original: String,
    pub approximation: String,
    pub frames: usize,
    pub vertices: usize,
    pub error: ErrorReport,
    /// Root mean square distance of each frame in percent of the diagonal.
    pub error_per_frame: Vec<f64>,
    pub warnings: Vec<String>,
}

impl CompareReport {
    /// Puts measures beside their sources.
    pub fn new(sources: [String; 2], vertices: usize, measured: Measured, warnings: Vec<String>) -> Self {
        let [original, approximation] = sources;
        Self {
            original,
            approximation,
            frames: measured.per_frame.len(),
            vertices,
            error: measured.error.into(),
            error_per_frame: measured.per_frame,
            warnings,
        }
    }

    /// The report for people.
    pub fn table(&self) -> Table {
        let mut table = Table::default();
        table.row("original", &self.original);
        table.row("other", &self.approximation);
        table.row("compared", format!("{} frames of {} vertices", self.frames, self.vertices));
        self.error.rows(&mut table);
        table.list("warning", &self.warnings);
        table
    }
}

/// Writes a report as JSON.
pub fn write_json(path: &Path, report: &impl Serialize) -> Outcome<()> {
    save(path, |out| {
        serde_json::to_writer_pretty(&mut *out, report)?;
        out.write_all(b"\n")
    })?;
    Ok(())
}

/// The most memory the process ever held, in bytes.
pub fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(1024 * kilobytes)
}

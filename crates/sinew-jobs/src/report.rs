//! Reports: facts as JSON for programs; each door puts them into words.

use std::path::Path;
use std::time::Instant;

use serde::Serialize;
use sinew::animation::{Clip, ErrorMeasure, MeshAnimation, PoseSource, Section, compare};
use sinew::skin::{Round, RoundPart, StageSeconds};
use sinew_io::save;

use crate::error::Outcome;
pub use crate::off::Off;
use crate::streams::{is_output, named, write_out};
use crate::units::Units;
use crate::warning::Warning;

/// Distance of an approximation from its original. Measures without a finite value are null.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ErrorReport {
    /// Percent of the motion.
    pub percent: f64,
    /// Thousandths of half the diagonal.
    pub rms: f64,
    /// Mean distance of vertices, in percent of the diagonal.
    pub mean: f64,
    /// What all but one in a hundred distances are within, in percent of the diagonal.
    pub p99: f64,
    /// Largest distance of a vertex, in percent of the diagonal.
    pub max: f64,
    /// The frame of the largest distance.
    pub max_frame: usize,
    /// The vertex of the largest distance.
    pub max_vertex: usize,
    /// Mean distance over vertices, in percent of the longest side.
    pub accu: f64,
}

impl From<ErrorMeasure> for ErrorReport {
    fn from(e: ErrorMeasure) -> Self {
        let ErrorMeasure { percent, rms, mean, p99, max, max_frame, max_vertex, accu } = e;
        Self { percent, rms, mean, p99, max, max_frame, max_vertex, accu }
    }
}

impl ErrorReport {
    /// One number for all of it.
    pub fn off(&self) -> Off {
        if self.percent.is_infinite() { Off::Diagonal(self.max) } else { Off::Motion(self.percent) }
    }
}

/// What an engine makes of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Plays {
    /// The rig as it was measured.
    AsMeasured,
    /// The rig with fewer influences.
    FewerInfluences,
    /// Nothing: it does not open the file.
    Nothing,
}

/// One engine.
#[derive(Clone, Debug, Serialize)]
pub struct EngineReport {
    /// Its name.
    pub engine: &'static str,
    /// What it makes of the file.
    pub plays: Plays,
    /// The most influences on a vertex that it keeps as it comes; null for any number.
    pub influences: Option<usize>,
    /// Vertices that have more.
    pub vertices_cut: usize,
    /// In how many parts it draws a mesh of so many bones.
    pub parts: usize,
    /// How far off the rig is there; null where it is not opened. Of a rig that there is no original of, from the rig itself.
    pub error: Option<ErrorReport>,
}

/// What `skin` has to say.
#[derive(Debug, Serialize)]
pub struct SkinReport {
    /// The word that asks for it: "file", "first" or a frame; "rig" with bones from a rig.
    pub rest_pose: String,
    /// How many frames.
    pub frames: usize,
    /// What the rig was learnt from, where that is not all frames.
    pub learnt_from: Option<LearntFrom>,
    /// Which part of the frames this is about, of an animation that is done in parts; null where it is about all, as it is of the
    /// part that comes last and writes the rig.
    pub part: Option<ShardReport>,
    /// Frames per second; with clips, of the first.
    pub fps: f64,
    /// Whether that was taken for want of anything that told it.
    pub fps_assumed: bool,
    /// Units of the source and of the file.
    #[serde(flatten)]
    pub units: Units,
    /// How many vertices.
    pub vertices: usize,
    /// How many triangles.
    pub triangles: usize,
    /// How many bones.
    pub bones: usize,
    /// Null when the number was left to ε.
    pub bones_asked: Option<usize>,
    /// Null with bones from a rig.
    pub near_rigid_fraction: Option<f64>,
    /// How many joints the file has: more than bones where one takes several, as flexible ones do; null where there is no
    /// file, or none that engines open.
    pub file_joints: Option<usize>,
    /// The most on any vertex.
    pub influences: usize,
    /// How many correction shapes.
    pub rank: usize,
    /// Distance from the original.
    pub error: ErrorReport,
    /// What engines play of the file; empty where none opens it.
    pub engines: Vec<EngineReport>,
    /// Root mean square error of each frame, in percent of the diagonal.
    pub error_per_frame: Vec<f64>,
    /// Clip by clip; empty where the animation is one.
    pub clips: Vec<ClipReport>,
    /// Shape by shape; empty of animations.
    pub shapes: Vec<ShapeReport>,
    /// Round by round; empty for methods that do not go round.
    pub rounds: Vec<RoundReport>,
    /// Percent before and after smoothing the weights; null where that was not done.
    pub smoothing: Option<[f64; 2]>,
    /// Rigs that were fitted for a goal, the smallest first; empty without one.
    pub choices: Vec<ChoiceReport>,
    /// What was told of rigs with more and more bones on the way to a goal, the smallest first; empty without one.
    pub curve: Vec<ToldReport>,
    /// Time spent.
    pub seconds: SkinSeconds,
    /// Sizes of files.
    pub bytes: SkinBytes,
    /// The most bytes the process ever held; null where the system does not tell.
    pub peak_memory: Option<u64>,
    /// What somebody should know.
    pub warnings: Vec<Warning>,
}

/// Which part was done, and what is missing of the others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ShardReport {
    /// The part, such as "3/16".
    pub shard: String,
    /// Parts whose frames are not there yet; the rig is written by the one that misses none.
    pub missing: Vec<usize>,
}

/// What a rig was learnt from that was taken through more frames than fit into the working set.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct LearntFrom {
    /// How many frames.
    pub frames: usize,
    /// In bytes.
    pub working_set: u64,
}

/// What is told of a rig that was not fitted, about.
#[derive(Clone, Debug, Serialize)]
pub struct ToldReport {
    /// "rigid" or "flexible".
    pub kind: &'static str,
    /// How many bones.
    pub bones: usize,
    /// The most a vertex is allowed.
    pub influences: usize,
    /// How many correction shapes.
    pub rank: usize,
    /// Percent of the motion; null where the largest error is the goal.
    pub percent: Option<f64>,
    /// Largest distance in percent of the diagonal; null where that is not the goal.
    pub max: Option<f64>,
    /// Size of its file.
    pub bytes: u64,
}

/// A rig that was fitted for a goal.
#[derive(Debug, Serialize)]
pub struct ChoiceReport {
    /// "rigid" or "flexible".
    pub kind: &'static str,
    /// How many bones.
    pub bones: usize,
    /// The most a vertex was allowed.
    pub influences: usize,
    /// How many correction shapes.
    pub rank: usize,
    /// Percent of the motion.
    pub percent: f64,
    /// Largest distance in percent of the diagonal.
    pub max: f64,
    /// Sizes of files.
    pub bytes: u64,
    /// Whether none of the others beats it in both size and the error that is the goal.
    #[serde(rename = "useful")]
    pub on_pareto_front: bool,
    /// Whether it was taken.
    pub chosen: bool,
}

impl ChoiceReport {
    /// What it has in common with others, short enough for a legend: kind and influences.
    pub fn sort(&self) -> String {
        let shapes = if self.rank > 0 { " + shapes" } else { "" };
        format!("{} x {}{shapes}", self.kind, self.influences)
    }
}

/// One of several clips.
#[derive(Debug, Serialize)]
pub struct ClipReport {
    /// Its name.
    pub name: String,
    /// How many frames.
    pub frames: usize,
    /// Frames per second.
    pub fps: f64,
    /// Relative to the clip's own motion; frames are counted from its first.
    pub error: ErrorReport,
}

/// One shape of a face.
#[derive(Clone, Debug, Serialize)]
pub struct ShapeReport {
    /// Its name.
    pub name: String,
    /// Bones that move in it; all others stand exactly still.
    pub moving: usize,
    /// Mean distance of vertices, in percent of the diagonal.
    pub mean: f64,
    /// What all but one in a hundred distances are within, in percent of the diagonal.
    pub p99: f64,
    /// Largest distance, in percent of the diagonal.
    pub max: f64,
}

/// Measures every clip of an animation; nothing where it is one clip.
pub fn clip_reports(animation: &MeshAnimation, approximation: &dyn PoseSource) -> Vec<ClipReport> {
    let of_clip = |clip: &Clip| {
        let section = |source| Section::new(source, clip.frames.clone());
        let measured = compare(&section(animation), &section(approximation), animation.rest_bounds());
        ClipReport::new(clip, measured.error)
    };
    animation.clips.iter().map(of_clip).collect()
}

impl ClipReport {
    /// Puts a clip beside its error.
    pub fn new(clip: &Clip, error: ErrorMeasure) -> Self {
        Self { name: clip.name.clone(), frames: clip.frames.len(), fps: clip.fps, error: error.into() }
    }
}

/// Seconds per stage of `skin`.
#[derive(Debug, Serialize)]
pub struct SkinSeconds {
    /// Reading.
    pub read: f64,
    /// Finding parts.
    pub segment: f64,
    /// How many bones.
    pub bones: f64,
    /// Solving weights.
    pub weights: f64,
    /// Fitting correction shapes.
    pub corrections: f64,
    /// Taking a rig that was learnt from some frames through all.
    pub follow: f64,
    /// Writing and measuring files.
    pub write: f64,
    /// All of it.
    pub total: f64,
}

impl SkinSeconds {
    /// The stages of a fit alone.
    pub fn of_stages(stages: &StageSeconds) -> Self {
        let StageSeconds { segment, bones, weights, corrections } = *stages;
        Self { read: 0.0, segment, bones, weights, corrections, follow: 0.0, write: 0.0, total: 0.0 }
    }

    /// From the stages of a fit, what came before and after, and when it all began.
    pub fn new(stages: &StageSeconds, read: f64, write: f64, begun: Instant) -> Self {
        Self { read, write, total: begun.elapsed().as_secs_f64(), ..Self::of_stages(stages) }
    }
}

/// File sizes of `skin`.
#[derive(Debug, Serialize)]
pub struct SkinBytes {
    /// What was read.
    pub input: u64,
    /// Null when no rig was written.
    pub output: Option<u64>,
}

/// Writes a report as JSON, to standard output where that is named.
pub fn write_json(path: &Path, report: &impl Serialize) -> Outcome<()> {
    let text = serde_json::to_string_pretty(report).map_err(|e| sinew_io::Error::io(path)(e.into()))?;
    let text = named(&text) + "\n";
    if is_output(path) {
        return write_out(|out| out.write_all(text.as_bytes()));
    }
    save(path, |out| out.write_all(text.as_bytes()))?;
    Ok(())
}

/// The most memory the process ever held, in bytes.
pub fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(1024 * kilobytes)
}

/// One round of a method that goes round.
#[derive(Debug, Serialize)]
pub struct RoundReport {
    /// "sample", "some frames", "all" or "smoothing".
    pub part: &'static str,
    /// Percent of the motion.
    pub percent: f64,
}

impl From<Round> for RoundReport {
    fn from(round: Round) -> Self {
        let part = match round.part {
            RoundPart::Sample => "sample",
            RoundPart::SomeFrames => "some frames",
            RoundPart::All => "all",
            RoundPart::Smoothing => "smoothing",
        };
        Self { part, percent: round.percent }
    }
}

/// Percent before and after smoothing.
pub fn smoothing(rounds: &[RoundReport]) -> Option<[f64; 2]> {
    let first = rounds.iter().position(|r| r.part == "smoothing")?;
    Some([rounds.get(first.checked_sub(1)?)?.percent, rounds.last()?.percent])
}

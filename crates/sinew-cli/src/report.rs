//! Reports: the same facts as JSON for programs and as a table for people.

use std::path::Path;
use std::time::Instant;

use serde::Serialize;
use sinew::animation::{Clip, ErrorMeasure, Measured, MeshAnimation, PoseSource, Section, compare};
use sinew::skin::{Round, StageSeconds};
use sinew_io::save;

use crate::console::{Table, count, frames_of, number, size};
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
    /// What the rig was learnt from, where that is not all frames.
    pub learnt_from: Option<LearntFrom>,
    /// Frames per second; with clips, of the first.
    pub fps: f64,
    /// Whether that was taken for want of anything that told it.
    pub fps_assumed: bool,
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
    /// Clip by clip; empty where the animation is one.
    pub clips: Vec<ClipReport>,
    /// Round by round; empty for methods that do not go round.
    pub rounds: Vec<RoundReport>,
    /// Percent before and after smoothing the weights; null where that was not done.
    pub smoothing: Option<[f64; 2]>,
    /// Rigs that were tried for a goal, the smallest first; empty without one.
    pub choices: Vec<ChoiceReport>,
    pub seconds: SkinSeconds,
    pub bytes: SkinBytes,
    /// The most bytes the process ever held; null where the system does not tell.
    pub peak_memory: Option<u64>,
    pub warnings: Vec<String>,
}

/// What a rig was learnt from that was taken through more frames than fit into the working set.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct LearntFrom {
    pub frames: usize,
    /// In bytes.
    pub working_set: u64,
}

/// A rig that was tried for a goal.
#[derive(Debug, Serialize)]
pub struct ChoiceReport {
    /// "rigid" or "flexible".
    pub kind: &'static str,
    pub bones: usize,
    /// The most a vertex was allowed.
    pub influences: usize,
    pub rank: usize,
    pub percent: f64,
    pub bytes: u64,
    /// Whether none of the others beats it in both error and size.
    pub useful: bool,
    pub chosen: bool,
}

impl ChoiceReport {
    /// What it has in common with others, short enough for a legend: kind and influences.
    pub fn sort(&self) -> String {
        let shapes = if self.rank > 0 { " + shapes" } else { "" };
        format!("{} x {}{shapes}", self.kind, self.influences)
    }
}

/// The useful rigs, one a line, and how many there were.
fn choices_in_words(choices: &[ChoiceReport]) -> Vec<String> {
    let line = |c: &ChoiceReport| {
        let shapes = match c.rank {
            0 => String::new(),
            n => format!(", {}", count(n, "correction shape", "correction shapes")),
        };
        let mark = if c.chosen { "  <- chosen" } else { "" };
        let (percent, bytes) = (format!("{:.3} %", c.percent), size(c.bytes));
        let influences = count(c.influences, "influence", "influences");
        format!("{bytes:>9}  {percent:>8}  {} {}, {influences}{shapes}{mark}", c.bones, c.kind)
    };
    let mut lines: Vec<String> = choices.iter().filter(|c| c.useful || c.chosen).map(line).collect();
    if choices.len() > lines.len() {
        lines.push(format!("the best of {} that were tried", choices.len()));
    }
    lines
}

/// One of several clips.
#[derive(Debug, Serialize)]
pub struct ClipReport {
    pub name: String,
    pub frames: usize,
    pub fps: f64,
    /// Relative to the clip's own motion; frames are counted from its first.
    pub error: ErrorReport,
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

/// How much there is of a moving mesh.
pub fn mesh_in_words(vertices: usize, triangles: usize, frames: usize) -> String {
    [
        count(vertices, "vertex", "vertices"),
        count(triangles, "triangle", "triangles"),
        count(frames, "frame", "frames"),
    ]
    .join(", ")
}

/// What to say of a frame rate that nothing told.
pub fn assumed_rate_in_words(fps: f64) -> String {
    format!("{} frames a second, as the input tells no rate; --fps sets it", number(fps))
}

/// One line for each clip.
pub fn clips_in_words(clips: &[ClipReport]) -> Vec<String> {
    let line = |c: &ClipReport| {
        let frames = count(c.frames, "frame", "frames");
        let (percent, fps) = (number(c.error.percent), number(c.fps));
        format!("{}: {percent} % of its motion, {frames} at {fps} per second", c.name)
    };
    clips.iter().map(line).collect()
}

/// The whole time, and the stages that took any.
pub fn seconds_in_words(total: f64, stages: &[(&str, f64)]) -> String {
    let shares: Vec<String> =
        stages.iter().filter(|(_, t)| *t >= 0.005).map(|(name, t)| format!("{name} {t:.2}")).collect();
    if shares.is_empty() { format!("{total:.2} s") } else { format!("{total:.2} s ({})", shares.join(", ")) }
}

/// Seconds per stage of `skin`.
#[derive(Debug, Serialize)]
pub struct SkinSeconds {
    pub read: f64,
    pub segment: f64,
    pub bones: f64,
    pub weights: f64,
    pub corrections: f64,
    /// Taking a rig that was learnt from some frames through all.
    pub follow: f64,
    pub write: f64,
    pub total: f64,
}

impl SkinSeconds {
    /// From the stages of a fit, what came before and after, and when it all began.
    pub fn new(stages: &StageSeconds, read: f64, write: f64, begun: Instant) -> Self {
        let StageSeconds { segment, bones, weights, corrections } = *stages;
        Self {
            read,
            segment,
            bones,
            weights,
            corrections,
            follow: 0.0,
            write,
            total: begun.elapsed().as_secs_f64(),
        }
    }
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
        table.row("mesh", mesh_in_words(self.vertices, self.triangles, self.frames));
        if let Some(LearntFrom { frames, working_set }) = self.learnt_from {
            let frames = count(frames, "frame", "frames");
            let set = size(working_set);
            table.row(
                "learnt from",
                format!("{frames}, as many as the working set of {set} holds (--memory)"),
            );
        }
        if self.fps_assumed && self.frames > 1 {
            table.row("rate", assumed_rate_in_words(self.fps));
        }
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
        table.list("clips", &clips_in_words(&self.clips));
        table.list("rounds", &rounds_in_words(&self.rounds));
        table.list("choices", &choices_in_words(&self.choices));
        let s = &self.seconds;
        let stages = [
            ("read", s.read),
            ("segment", s.segment),
            ("bones", s.bones),
            ("weights", s.weights),
            ("corrections", s.corrections),
            ("all frames", s.follow),
            ("write", s.write),
        ];
        table.row("time", seconds_in_words(s.total, &stages));
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
    /// The GPU that played the rig, null where the CPU did.
    pub gpu: Option<GpuReport>,
    pub warnings: Vec<String>,
}

/// Who played a rig besides the CPU.
#[derive(Debug, Serialize)]
pub struct GpuReport {
    pub adapter: String,
    /// The largest distance of a vertex from where the CPU has it, over the diagonal.
    pub difference: f64,
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
            gpu: None,
            warnings,
        }
    }

    /// The report for people.
    pub fn table(&self) -> Table {
        let mut table = Table::default();
        table.row("original", &self.original);
        table.row("other", &self.approximation);
        table.row("compared", frames_of(self.frames, self.vertices));
        self.error.rows(&mut table);
        if let Some(gpu) = &self.gpu {
            table.row("played by", &gpu.adapter);
            table.row("", format!("{:.1e} of the diagonal off what the CPU has, at most", gpu.difference));
        }
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

/// One round of a method that goes round.
#[derive(Debug, Serialize)]
pub struct RoundReport {
    /// "sample", "some frames", "all" or "smoothing".
    pub part: &'static str,
    pub percent: f64,
}

impl From<Round> for RoundReport {
    fn from(round: Round) -> Self {
        Self { part: round.part.name(), percent: round.percent }
    }
}

/// One line for each part of the work.
fn rounds_in_words(rounds: &[RoundReport]) -> Vec<String> {
    rounds
        .chunk_by(|a, b| a.part == b.part)
        .filter(|part| part.len() > 1)
        .map(|part| {
            let steps = count(part.len() - 1, "round", "rounds");
            let on = match part[0].part {
                "sample" => " on a sample of the vertices",
                "some frames" => " on some of the frames",
                "smoothing" => " of smoothing",
                _ => "",
            };
            let (first, last) = (part[0].percent, part[part.len() - 1].percent);
            format!("{} % to {} % in {steps}{on}", number(first), number(last))
        })
        .collect()
}

/// Percent before and after smoothing.
pub fn smoothing(rounds: &[RoundReport]) -> Option<[f64; 2]> {
    let first = rounds.iter().position(|r| r.part == "smoothing")?;
    Some([rounds.get(first.checked_sub(1)?)?.percent, rounds.last()?.percent])
}

//! Reports in words.

pub use sinew_jobs::report::*;

use crate::console::{Table, count, number, size};

/// A report as a table for people.
pub trait Words {
    /// The table.
    fn table(&self) -> Table;
}

/// Adds the measures with what they mean.
pub fn error_rows(error: &ErrorReport, table: &mut Table) {
    table.row("error", format!("{} % of the motion", number(error.percent)));
    let place = format!("frame {}, vertex {}", error.max_frame, error.max_vertex);
    table.row("  max", format!("{} % of the diagonal, at {place}", number(error.max)));
    table.row("  accu", format!("{} % of the longest side, mean over vertices", number(error.accu)));
    table.row("  rms", format!("{} thousandths of half the diagonal", number(error.rms)));
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

impl Words for SkinReport {
    fn table(&self) -> Table {
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
        table.row("rest pose", rest_pose_in_words(&self.rest_pose));
        let asked = self.bones_asked.map(|n| format!(" of {n} asked for")).unwrap_or_default();
        let rigid = self.near_rigid_fraction.map(|f| format!(", near-rigid fraction {f:.2}"));
        table.row("bones", format!("{}{asked}{}", self.bones, rigid.unwrap_or_default()));
        let shapes = match self.rank {
            0 => String::new(),
            n => format!(", {}", count(n, "correction shape", "correction shapes")),
        };
        table.row("influences", format!("{} a vertex{shapes}", self.influences));
        error_rows(&self.error, &mut table);
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
}

fn rest_pose_in_words(rest_pose: &str) -> String {
    match rest_pose {
        "file" => "the given mesh".into(),
        "first" => "the first frame".into(),
        "rig" => "that of the given rig".into(),
        frame => format!("frame {frame}"),
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

//! Reports in words.

pub use sinew_jobs::report::*;

use crate::console::{Table, count, number};

/// Adds the measures with what they mean.
pub fn error_rows(error: &ErrorReport, table: &mut Table) {
    table.row("error", format!("{} % of the motion", number(error.percent)));
    let place = format!("frame {}, vertex {}", error.max_frame, error.max_vertex);
    table.row("  max", format!("{} % of the diagonal, at {place}", number(error.max)));
    table.row("  accu", format!("{} % of the longest side, mean over vertices", number(error.accu)));
    table.row("  rms", format!("{} thousandths of half the diagonal", number(error.rms)));
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

//! Reports in words.

use sinew_io::formats::length;
use sinew_jobs::loss::Loss;
pub use sinew_jobs::report::*;
use sinew_jobs::units::Units;

use crate::console::{Table, all_of, count, number, one_of};

/// Adds the measures with what they mean.
pub fn error_rows(error: &ErrorReport, table: &mut Table) {
    table.row("error", format!("{} % of the motion", number(error.percent)));
    let (mean, p99) = (number(error.mean), number(error.p99));
    table.row("  mean", format!("{mean} % of the diagonal, 99 of 100 vertices within {p99} %"));
    let place = format!("frame {}, vertex {}", error.max_frame, error.max_vertex);
    table.row("  max", format!("{} % of the diagonal, at {place}", number(error.max)));
    table.row("  accu", format!("{} % of the longest side, mean over vertices", number(error.accu)));
    table.row("  rms", format!("{} thousandths of half the diagonal", number(error.rms)));
}

/// What a rig that there is no original of is off in engines.
pub const OFF_RIG: &str = " of the motion off";

/// Adds which engines play a rig as it was measured, and how far off it is in others. `of` is what it is off: nothing for an
/// original, or what is said after the percent.
pub fn engine_rows(engines: &[EngineReport], of: &str, table: &mut Table) {
    let names = |plays: Plays| -> Vec<&str> {
        engines.iter().filter(|e| e.plays == plays).map(|e| e.engine).collect()
    };
    let mut lines = Vec::new();
    let whole = names(Plays::AsMeasured);
    if !whole.is_empty() {
        lines.push(format!("{} play it so", all_of(&whole)));
    }
    let cut: Vec<&EngineReport> = engines.iter().filter(|e| e.plays == Plays::FewerInfluences).collect();
    for (i, engine) in cut.iter().enumerate() {
        let alike = |other: &&&EngineReport| other.influences == engine.influences;
        if let (Some(most), Some(error)) = (engine.influences, &engine.error)
            && !cut[..i].iter().any(|other| alike(&other))
        {
            let names: Vec<&str> = cut.iter().filter(alike).map(|e| e.engine).collect();
            let vertices = count(engine.vertices_cut, "vertex", "vertices");
            let of = if let Off::Motion(_) = error.off() { of } else { " off" };
            lines.push(format!(
                "{}: {}{of}, with {most} influences ({vertices} have more)",
                all_of(&names),
                error.off()
            ));
        }
    }
    let unopened = names(Plays::Nothing);
    if !unopened.is_empty() {
        lines.push(format!("not made for {}", one_of(&unopened)));
    }
    let parts = engines.iter().filter(|e| e.plays != Plays::Nothing && e.parts > 1);
    lines.extend(parts.map(|e| format!("{} draws it in {} parts, of so many bones", e.engine, e.parts)));
    table.list("engines", &lines);
}

/// What is said after a number of bones where the file has more joints than that.
pub fn more_joints(bones: usize, joints: Option<usize>) -> String {
    match joints.filter(|joints| *joints > bones) {
        Some(joints) => format!(", {joints} joints in the file, as a bone that stretches takes several"),
        None => String::new(),
    }
}

/// Adds what got lost on the way into another format, and how it is kept.
pub fn lost_rows(lost: &[Loss], table: &mut Table) {
    let in_words = |loss: &Loss| match loss {
        Loss::Faces(_) => format!("{loss}: --rest-out FILE writes the mesh"),
        Loss::Rest => format!("{loss}: --rest-out FILE writes it"),
        Loss::LaterClips(_) => format!("{loss}; --clip NAME takes another"),
        loss => loss.to_string(),
    };
    table.list("not kept", &lost.iter().map(in_words).collect::<Vec<_>>());
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

/// Says how long units are, where that changes or is taken for granted.
pub fn unit_row(units: &Units, table: &mut Table) {
    if let Some(row) = unit_in_words(units) {
        table.row("unit", row);
    }
}

fn unit_in_words(units: &Units) -> Option<String> {
    let Units { input_unit, output_unit, output_scale } = *units;
    match (input_unit, output_unit) {
        (Some(from), Some(to)) if output_scale != 1.0 => Some(format!(
            "{} in the source and {} in the file: numbers are {} times as large, sizes as they were",
            length(from),
            length(to),
            number(output_scale)
        )),
        (None, Some(to)) => Some(format!("{}, as the source tells none; --unit sets it", length(to))),
        (Some(from), None) if from != 1.0 => {
            Some(format!("{} in the source; the file has no place for that", length(from)))
        }
        _ => None,
    }
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

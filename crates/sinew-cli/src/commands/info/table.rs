//! What was found, as a table.

use sinew::geometry::Bounds;
use sinew_io::formats::Facts;
use sinew_io::motion::Up;

use super::{ClipReport, InfoReport};
use crate::console::{Table, count, number, size};
use crate::facts::size_in_words;
use crate::joints::tree_in_words;

/// Longer lists are cut for people; the report has all.
const MOST_ROWS: usize = 12;

/// What was found, for people.
pub fn table(report: &InfoReport, bounds: &Bounds, facts: &Facts) -> Table {
    let mut table = Table::default();
    table.row("file", format!("{} ({}, {})", report.file, report.format, size(report.bytes)));
    if let Some(generator) = &report.generator {
        table.row("made by", generator);
    }
    let mut mesh = count(report.vertices, "vertex", "vertices");
    if let (Some(faces), Some(triangles), Some(pieces)) = (report.faces, report.triangles, report.pieces) {
        mesh += &format!(", {}", count(faces, "face", "faces"));
        if faces != triangles {
            mesh += &format!(" ({})", count(triangles, "triangle", "triangles"));
        }
        mesh += &format!(", {}", count(pieces, "connected piece", "connected pieces"));
    } else {
        mesh += ", no faces (they are in the mesh that goes with it)";
    }
    table.row("mesh", mesh);
    let parts: Vec<String> = report
        .parts
        .iter()
        .map(|p| {
            let (vertices, faces) =
                (count(p.vertices, "vertex", "vertices"), count(p.faces, "face", "faces"));
            format!("{} ({vertices}, {faces})", p.name)
        })
        .collect();
    table.list("parts", &shortened(parts));
    let levels: Vec<String> = report.levels.iter().skip(1).map(usize::to_string).collect();
    if !levels.is_empty() {
        table.row("levels", format!("{} triangles", levels.join(", ")));
    }
    if let Some(rank) = report.light {
        table.row("light", format!("baked over the vertices, {}", count(rank, "shape", "shapes")));
    }
    table.row("size", size_in_words(bounds, facts.unit().as_deref()));
    if let Some(axes) = axes_in_words(facts) {
        table.row("axes", axes);
    }
    table.row("motion", in_words(report.frames, report.fps, report.duration));
    if let Some((first, last)) = facts.times {
        table.row("times", format!("{} s to {} s", number(first), number(last)));
    }
    let clips: Vec<String> = report
        .clips
        .iter()
        .map(|c| {
            let keys = count(c.keys, "key", "keys");
            format!("{} ({} s, {keys})", clip_name(c), number(c.duration))
        })
        .collect();
    table.list("clips", &shortened(clips));
    if let (Some(bones), Some(influences), Some(morphs)) =
        (report.bones, report.influences, report.morph_targets)
    {
        let morphs = match morphs {
            0 => String::new(),
            n => format!(", {}", count(n, "morph target", "morph targets")),
        };
        table.row(
            "rig",
            format!(
                "{}, at most {} a vertex{morphs}{}",
                count(bones, "bone", "bones"),
                count(influences, "influence", "influences"),
                report.motion.map(|motion| format!(", {motion}")).unwrap_or_default()
            ),
        );
        if let Some(changes) = report.weight_changes.as_ref().filter(|changes| !changes.is_empty()) {
            table.row("", format!("weights change {}", count(changes.len(), "time", "times")));
        }
        if let Some(weight) = report.smallest_weight {
            table.row("", format!("weights down to {}", number(f64::from(weight))));
        }
    }
    if let Some(skeleton) = &report.skeleton {
        table.list("skeleton", &tree_in_words(&skeleton.iter().collect::<Vec<_>>(), "", |_| String::new()));
    }
    let mut looks: Vec<String> = Vec::new();
    looks.extend(report.uvs.then(|| "UVs".to_string()));
    looks.extend(report.normals.then(|| "normals".to_string()));
    if !report.materials.is_empty() {
        let names = shortened(report.materials.clone()).join(", ");
        looks.push(format!("{} ({names})", count(report.materials.len(), "material", "materials")));
    }
    if report.images > 0 {
        looks.push(count(report.images, "image", "images"));
    }
    if !looks.is_empty() {
        table.row("looks", looks.join(", "));
    }
    table.list("note", &report.notes);
    table.list("problem", &report.problems);
    table.list("warning", &report.warnings);
    table
}

/// Which way is up in the file, and the hand of its axes, where it tells.
fn axes_in_words(facts: &Facts) -> Option<String> {
    let hand = |left: bool| if left { "left-handed" } else { "right-handed" };
    let turned =
        |up: Up| if up == Up::Y { "y is up".into() } else { format!("{up} is up in the file, y here") };
    let said: Vec<String> =
        facts.up.map(turned).into_iter().chain(facts.left_handed.map(|left| hand(left).into())).collect();
    (!said.is_empty()).then(|| said.join(", "))
}

fn clip_name(clip: &ClipReport) -> &str {
    if clip.name.is_empty() { "nameless" } else { &clip.name }
}

/// Frames, their rate, and how long they last.
pub fn in_words(frames: usize, fps: f64, duration: f64) -> String {
    if frames == 1 {
        return "1 frame".into();
    }
    format!("{frames} frames at {} per second, {} s", number(fps), number(duration))
}

fn shortened(mut list: Vec<String>) -> Vec<String> {
    if list.len() > MOST_ROWS {
        let more = list.len() - MOST_ROWS + 1;
        list.truncate(MOST_ROWS - 1);
        list.push(format!("and {more} more"));
    }
    list
}

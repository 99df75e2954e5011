//! The table of formats for people: as Markdown, and as lists in sentences.

use super::{ALL, Format, Holds};

/// The labels of all formats of a kind, as a list in a sentence: "OBJ, PLY and GLB" with the word "and".
pub fn list(word: &str, is: impl Fn(&Format) -> bool) -> String {
    let labels: Vec<&str> = ALL.iter().filter(|f| is(f)).flat_map(|f| f.labels).copied().collect();
    match labels.split_last() {
        None => "none".into(),
        Some((last, [])) => (*last).into(),
        Some((last, before)) => format!("{} {word} {last}", before.join(", ")),
    }
}

/// All formats as a Markdown table, which is the one in docs/formats.
pub fn table() -> String {
    let mut text = String::from("| format | files | in | out | |\n| --- | --- | --- | --- | --- |\n");
    for format in ALL {
        let endings: Vec<String> = format.endings.iter().map(|ending| format!("`.{ending}`")).collect();
        text += &format!(
            "| {} | {} | {} | {} | {} |\n",
            format.labels.join(", "),
            endings.join(" "),
            held(format.reads),
            written(format),
            format.notes
        );
    }
    text
}

/// What is held, in a few words.
fn held(holds: Holds) -> &'static str {
    match holds {
        Holds { rig: true, .. } => "rigs, animations",
        Holds { poses: true, faces: true, .. } => "animations",
        Holds { poses: true, .. } => "poses",
        Holds { faces: true, .. } => "meshes, frames",
        Holds { joints: true, .. } => "joints",
        Holds { .. } => "",
    }
}

/// What is written, and as what where that is not the same as what is read.
fn written(format: &Format) -> String {
    let Holds { rig, poses, .. } = format.writes;
    let what = match format.writes {
        holds if rig && !poses => held(Holds { poses: true, ..holds }).split(',').next().unwrap_or_default(),
        holds => held(holds),
    };
    if format.written.is_empty() || format.written == format.endings {
        return what.into();
    }
    let endings: Vec<String> = format.written.iter().map(|ending| format!("`.{ending}`")).collect();
    format!("{what} ({})", endings.join(" "))
}

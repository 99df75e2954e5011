//! Maps: which joint each bone follows, as a file that a person can edit.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use serde::Deserialize;
use sinew::motion::{Because, Mapping, Motion, Plan};
use sinew::rig::Rig;

use crate::console::number;
use crate::error::{CliError, Outcome};
use crate::toml_file::parsed;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MapFile {
    bones: BTreeMap<String, String>,
}

/// Reads a map.
pub(super) fn read(path: &Path, rig: &Rig, motion: &Motion) -> Outcome<Mapping> {
    let refuse = |message: String| CliError::Refused(format!("{}: {message}", path.display()));
    let file: MapFile = parsed(path)?;
    let pairs = file
        .bones
        .iter()
        .map(|(bone, joint)| (bone.as_str(), Some(joint.as_str()).filter(|j| !j.is_empty())));
    Mapping::from_names(rig, motion, pairs).map_err(|e| refuse(e.to_string()))
}

/// A map with comments that tell what it means.
pub(super) fn text(source: &str, onto: &str, rig: &Rig, motion: &Motion, plan: &Plan) -> String {
    let [source, onto] = [source, onto].map(|path| path.replace(char::is_control, " "));
    let mut out = format!(
        "# Which joint of {source} each bone of {onto} follows, for sinew transplant --map.\n\
         # Left is a bone, right a joint. Several bones may follow one joint. A bone with \"\", or without\n\
         # a line, goes with the bone it hangs on. Behind each line is why Sinew chose it.\n\n[bones]\n"
    );
    let lines: Vec<String> = (0..rig.bones.len())
        .map(|bone| {
            let joint = plan.mapping.joints[bone].map_or("", |joint| motion.joints[joint].name.as_str());
            format!("{} = {}", quoted(&rig.bones[bone].name), quoted(joint))
        })
        .collect();
    let width = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
    for (line, because) in lines.iter().zip(&plan.because) {
        _ = writeln!(out, "{line:<width$}  # {}", reason(because));
    }
    let used: Vec<usize> = plan.mapping.joints.iter().flatten().copied().collect();
    let free: Vec<&str> = (0..motion.joints.len())
        .filter(|joint| !used.contains(joint))
        .map(|joint| motion.joints[joint].name.as_str())
        .collect();
    if !free.is_empty() {
        out += "\n# Joints that no bone follows:\n";
        free.iter().for_each(|name| _ = writeln!(out, "#   {}", name.replace(char::is_control, " ")));
    }
    out
}

/// How sure a choice is, in words.
pub(super) fn reason(because: &Because) -> String {
    match because {
        Because::Name => "sure: of the same name".into(),
        Because::Motion(percent) => {
            format!(
                "{}: moves alike, {} % of the height apart",
                sureness(*percent, 0.5, 2.0),
                number(*percent)
            )
        }
        Because::Place(percent) => {
            format!("{}: nearest, {} % of the height away", sureness(*percent, 4.0, 8.0), number(*percent))
        }
        Because::Nothing => "nothing speaks for a joint".into(),
    }
}

fn sureness(percent: f64, sure: f64, likely: f64) -> &'static str {
    match percent {
        p if p <= sure => "sure",
        p if p <= likely => "likely",
        _ => "a guess",
    }
}

/// A TOML string.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => _ = write!(out, "\\u{:04X}", c as u32),
            c => out.push(c),
        }
    }
    out + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_name_survives() {
        for name in ["plain", "a \"b\" \\ c", "tab\tand\nline", "ünïcødé", ""] {
            let text = format!("[bones]\n{} = \"x\"\n", quoted(name));
            let file: MapFile = toml::from_str(&text).unwrap();
            assert_eq!(file.bones.keys().collect::<Vec<_>>(), [name]);
        }
    }
}

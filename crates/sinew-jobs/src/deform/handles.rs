//! Handles as people write them.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use sinew::deform::{DeformError, Handles};
use sinew::rig::Rig;
use sinew_io::toml_file;

use super::refuse::refuse;
use crate::error::Outcome;

/// What a line of the file looks like.
const EXPECTED: &str =
    "below a line [handles] is a line for each joint, such as \"arm\" = [3, \"10-20\"] or \"arm\" = \"none\"";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HandlesFile {
    /// By the names of joints.
    handles: BTreeMap<String, Handle>,
    /// "none", where all joints that are not named are to have no handle.
    others: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Handle {
    Vertices(Vec<Item>),
    /// "none", for a joint that is to have no handle.
    Word(String),
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Item {
    One(u32),
    /// Such as "10-20".
    Range(String),
}

/// Reads the handles of a rig's joints.
pub(super) fn read(path: &Path, rig: &Rig) -> Outcome<Handles> {
    let file: HandlesFile = toml_file::read(path, EXPECTED)?;
    let others = match file.others.as_deref() {
        None => Some(Vec::new()),
        Some(word) if word.eq_ignore_ascii_case("none") => None,
        Some(word) => return refuse(path, format!("others can only be \"none\", not {word:?}")),
    };
    let mut lists: Vec<Option<Vec<u32>>> = vec![others; rig.bones.len()];
    for (name, handle) in &file.handles {
        let Some(joint) = rig.bones.iter().position(|bone| bone.name == *name) else {
            return refuse(path, format!("there is no joint {name:?} in the rig"));
        };
        lists[joint] = match handle {
            Handle::Vertices(items) => Some(vertices(path, name, items)?),
            Handle::Word(word) if word.eq_ignore_ascii_case("none") => None,
            Handle::Word(word) => {
                let message =
                    format!("the handle of {name:?} is a list of vertices or \"none\", not {word:?}");
                return refuse(path, message);
            }
        };
    }
    let name = |joint: usize| &rig.bones[joint].name;
    let empty = |joint: &usize| lists[*joint].as_ref().is_some_and(Vec::is_empty);
    let missing: Vec<String> =
        (0..lists.len()).filter(empty).map(|joint| format!("{:?}", name(joint))).collect();
    // What is wrong about those that were given is said before what was not given.
    let given: Vec<Option<Vec<u32>>> =
        lists.iter().map(|list| list.clone().filter(|list| !list.is_empty())).collect();
    let message = match Handles::from_lists(rig.rest.len(), &given) {
        Err(DeformError::OverlappingHandles { vertex, joints: [a, b] }) => format!(
            "vertex {vertex} is in the handles of {:?} and of {:?}; handles must not overlap",
            name(a),
            name(b)
        ),
        Err(DeformError::NoSuchVertex { joint, vertex, count }) => format!(
            "the handle of {:?} names vertex {vertex}, but there are only {count}, counted from 0",
            name(joint)
        ),
        _ if !missing.is_empty() => {
            let (joints, have) = if missing.len() == 1 { ("joint", "has") } else { ("joints", "have") };
            format!(
                "{joints} {} {have} no handle; name some of their vertices, or write \"none\" for joints that are to \
                 have none, or others = \"none\" above [handles] for all that are not named",
                missing.join(", ")
            )
        }
        Err(other) => other.to_string(),
        Ok(handles) => return Ok(handles),
    };
    refuse(path, message)
}

fn vertices(path: &Path, name: &str, items: &[Item]) -> Outcome<Vec<u32>> {
    let mut out = Vec::new();
    for item in items {
        match item {
            Item::One(vertex) => out.push(*vertex),
            Item::Range(text) => {
                let ends =
                    text.split_once('-').and_then(|(a, b)| a.trim().parse().ok().zip(b.trim().parse().ok()));
                match ends.filter(|(a, b): &(u32, u32)| a <= b && b - a < 1 << 28) {
                    Some((a, b)) => out.extend(a..=b),
                    None => {
                        return refuse(
                            path,
                            format!("the handle of {name:?}: {text:?} is no range such as 10-20"),
                        );
                    }
                }
            }
        }
    }
    Ok(out)
}

//! Maps: which joint of a motion each bone of a rig follows, as TOML that people edit.
//!
//! ```toml
//! [bones]
//! "bone_3" = "LeftArm"
//! "bone_4" = ""         # follows none
//! ```

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use serde::Deserialize;

use crate::{Result, toml_file};

/// What a line of a map looks like.
const EXPECTED: &str =
    "a map has a line [bones], and below it a line for each bone, such as \"bone_3\" = \"LeftArm\"";

/// Names of bones, each with that of the joint it follows, or none.
pub type BoneMap = BTreeMap<String, Option<String>>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MapFile {
    bones: BTreeMap<String, String>,
}

/// Reads a map.
pub fn read(path: &Path) -> Result<BoneMap> {
    toml_file::read(path, EXPECTED).map(bones)
}

/// The same from bytes; `path` is for errors.
pub fn parse(bytes: &[u8], path: &Path) -> Result<BoneMap> {
    toml_file::parse(bytes, path, EXPECTED).map(bones)
}

fn bones(file: MapFile) -> BoneMap {
    let joint = |joint: String| Some(joint).filter(|joint| !joint.is_empty());
    file.bones.into_iter().map(|(bone, name)| (bone, joint(name))).collect()
}

/// A line of a map, without its end.
///
/// ```
/// assert_eq!(sinew_io::map_file::line("bone_3", None), r#""bone_3" = """#);
/// ```
pub fn line(bone: &str, joint: Option<&str>) -> String {
    format!("{} = {}", quoted(bone), quoted(joint.unwrap_or_default()))
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

//! Joints that somebody knows, as TOML or JSON that people write.
//!
//! ```toml
//! others = "none"                # no joints but these; without this line the others are found
//! keep = ["limb1_1", "limb1_2"]  # joints that are found, by name, which stay where they are
//!
//! [[joint]]
//! at = [0.31, 1.02, -0.04]       # a place in the rest pose
//! name = "LeftForeArm"           # if it is to have one
//! parent = "LeftArm"             # if it is known
//!
//! [[joint]]
//! found = "limb2_1"              # or a joint that is found, under another name
//! name = "RightArm"
//! ```

use std::path::Path;

use serde::Deserialize;

use crate::{Error, Result, Source, toml_file};

/// What a file of joints looks like.
const EXPECTED: &str = "a joint is a line [[joint]], and below it lines such as at = [0.3, 1.0, 0.0], name = \"elbow\", \
                        parent = \"arm\" or found = \"limb2_1\"; keep = [\"limb1_1\"] and others = \"none\" stand above all joints";

/// Joints that somebody knows.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JointsFile {
    /// "none", where there are to be no others.
    #[serde(default)]
    pub others: Option<Others>,
    /// Joints that are found, by name.
    #[serde(default)]
    pub keep: Vec<String>,
    /// Joints at places, or of other names.
    #[serde(default, rename = "joint", alias = "joints")]
    pub joints: Vec<JointLine>,
}

/// What becomes of joints that are not named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Others {
    /// There are none.
    None,
    /// They are found.
    Found,
}

/// A joint that somebody knows.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JointLine {
    /// Where it is in the rest pose.
    #[serde(default)]
    pub at: Option<[f64; 3]>,
    /// The joint that is meant, by the name it is found under.
    #[serde(default)]
    pub found: Option<String>,
    /// What it is called.
    #[serde(default)]
    pub name: Option<String>,
    /// What it hangs on, by name.
    #[serde(default)]
    pub parent: Option<String>,
}

/// Reads a file of joints: JSON where its name ends so, TOML otherwise.
pub fn read(path: &Path) -> Result<JointsFile> {
    parse(&Source::file(path).read()?, path)
}

/// The same from bytes; `path` is for errors.
pub fn parse(bytes: &[u8], path: &Path) -> Result<JointsFile> {
    let is_json = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json"));
    let file = match is_json {
        true => serde_json::from_slice(bytes).map_err(|error| {
            let expected =
                "a file of joints looks like {\"joint\": [{\"at\": [0.3, 1.0, 0.0], \"name\": \"elbow\"}]}";
            Error::at_line(path, error.line(), format!("it is not understood: {error}; {expected}"))
        })?,
        false => toml_file::parse(bytes, path, EXPECTED)?,
    };
    match file {
        JointsFile { keep, joints, .. } if keep.is_empty() && joints.is_empty() => {
            Err(Error::malformed(path, format!("it names no joint; {EXPECTED}")))
        }
        file => Ok(file),
    }
}

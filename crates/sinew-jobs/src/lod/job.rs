//! What is asked for.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sinew::light::Light;
use sinew::lod::LodOptions;
use sinew::progress::Progress;
use sinew::rig::Rig;
use sinew_io::formats::Facts;
use sinew_io::motion::Up;
use sinew_io::open;
use sinew_io::scene::{SampleOptions, SampledRig};

use super::ladder::LevelWish;
use crate::error::Outcome;
use crate::units::{self, Unit};
use crate::warning::{Warning, told};

sinew::choices! {
    /// Formats that levels of bones are written in.
    #[derive(Default)]
    pub enum RigFormat: "format" {
        /// GLB.
        #[default]
        Glb = "glb", "GLB",
        /// FBX.
        Fbx = "fbx", "FBX",
        /// USD as text.
        Usda = "usda", "USD as text",
        /// USD in a package.
        Usdz = "usdz", "USD in a package, with its images",
        /// Sinew's own.
        Sinew = "sinew", "Sinew's own, every number as it was solved",
    }
}

/// Simplifies a rig into levels of detail.
///
/// Triangles go where they are missed least in all of the rig's motion; vertices stay where they are, with their weights,
/// corrections and texture coordinates. All levels are in one file over one set of vertices, bones and clips (MSFT_lod):
/// programs that do not know levels show the whole mesh, but Blender all levels as further bodies.
///
/// Levels with fewer bones are rigs of their own, each in a file of the folder `output`, named as engines take them:
/// horse_LOD1.glb, horse_LOD2.glb. Without a skeleton a level has bones of its own, fitted to what the rig plays; with one,
/// it has some of the rig's joints, and every clip of the rig plays on it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LodJob {
    /// A file that holds a rig.
    pub rig: PathBuf,
    /// The file to write, *.glb; with `bones` the folder for a file each level.
    pub output: PathBuf,
    /// How coarse each level is; without any, as those of a crowd.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<LevelWish>,
    /// How many bones each level has. With `levels` as many of these, level by level.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bones: Vec<usize>,
    /// The format of levels of bones; without, GLB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<RigFormat>,
    /// Poses, spread over all frames, in which triangles are weighed against each other.
    #[serde(default = "usual_poses")]
    pub poses: usize,
    /// How long a unit of the rig is, where that is not what the file says: "m", "cm", "mm", "in", "ft", "km" or a number of
    /// metres.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<Unit>,
    /// Which axis of the rig is up, where that is not what the file says; y is up in what is written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub up: Option<Up>,
    /// Makes everything this many times as large.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
    /// Draws all levels side by side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub picture: Option<PathBuf>,
    /// The report, for programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<PathBuf>,
}

fn usual_poses() -> usize {
    LodOptions::default().poses
}

impl Default for LodJob {
    fn default() -> Self {
        Self {
            rig: PathBuf::new(),
            output: PathBuf::new(),
            levels: Vec::new(),
            bones: Vec::new(),
            format: None,
            poses: usual_poses(),
            unit: None,
            up: None,
            scale: None,
            picture: None,
            report: None,
        }
    }
}

/// What was read.
pub(super) struct Read {
    pub rig: Rig,
    /// The name of its clip, if it states none.
    pub clip: Option<String>,
    pub light: Option<Light>,
    pub facts: Facts,
    pub warnings: Vec<Warning>,
}

impl LodJob {
    /// The rig with all its clips.
    pub(super) fn read(&self, progress: &dyn Progress) -> Outcome<Read> {
        progress.stage("reading");
        let all = SampleOptions { clips: vec!["all".into()], ..SampleOptions::default() };
        let said = units::said(self.unit, self.up, self.scale);
        let SampledRig { rig, warnings, clip, light, facts } = open::rig(&self.rig, &all)?.said(&said);
        progress.check()?;
        Ok(Read { rig, clip, light, facts, warnings: told(warnings) })
    }
}

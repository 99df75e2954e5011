//! What is asked for.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sinew_io::scene::SampleOptions;
use sinew_picture::UpAxis;

use crate::frames::FrameChoice;

sinew::choices! {
    /// What colours of a picture show.
    pub enum PictureColor: "colour" {
        /// Nothing.
        Plain = "plain", "clay",
        /// The mesh's own colours.
        Materials = "materials", "the mesh's own colours",
        /// Bones.
        Bones = "bones", "every triangle in the colour of its strongest bone",
        /// Weights.
        Weights = "weights", "the bones' colours, mixed by weight",
        /// Errors.
        Error = "error", "distance from the animation that it is measured against",
    }
}

/// Draws poses of an animation or a rig, side by side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PictureJob {
    /// An animation or a rig.
    pub file: PathBuf,
    /// The picture to write, *.png.
    pub output: PathBuf,
    /// The mesh that goes with a point cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rest: Option<PathBuf>,
    /// Frames to draw, counted from 0.
    #[serde(default = "first_frame")]
    pub frame: FrameChoice,
    /// What colours show; without, errors where there is something to measure them against, weights where a bone is named,
    /// nothing with a skeleton, otherwise materials.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<PictureColor>,
    /// Shows the weights of this bone, by name or counted from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bone: Option<String>,
    /// Draws the joints and bones of the rig's skeleton inside of the body.
    #[serde(default)]
    pub skeleton: bool,
    /// Writes the names of the joints beside them.
    #[serde(default)]
    pub labels: bool,
    /// The animation that errors are measured from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against: Option<PathBuf>,
    /// Pixels of each pose: width and height.
    #[serde(default = "usual_size")]
    pub size: [usize; 2],
    /// Where to look from: degrees around and above; 0, 0 is from +Z, 90, 0 from +X.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub view: Option<[f32; 2]>,
    /// Which way is up in the data.
    #[serde(default)]
    pub up: UpAxis,
    /// Draws the edges of faces.
    #[serde(default)]
    pub wireframe: bool,
    /// Poses in a row; without, all up to 4.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub columns: Option<usize>,
    /// Has the GPU play and draw the rig; where there is none the CPU does.
    #[serde(default)]
    pub gpu: bool,
    /// Level of detail of a GLB file to draw, counted from 1; 0 is the mesh itself.
    #[serde(default)]
    pub level: usize,
    /// Clip of a file that holds several, by name or number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clip: Option<String>,
    /// Frames per second to sample files at whose motion has none of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fps: Option<f64>,
}

fn first_frame() -> FrameChoice {
    FrameChoice::These(vec![0])
}

fn usual_size() -> [usize; 2] {
    [900, 640]
}

impl Default for PictureJob {
    fn default() -> Self {
        Self {
            file: PathBuf::new(),
            output: PathBuf::new(),
            rest: None,
            frame: first_frame(),
            color: None,
            bone: None,
            skeleton: false,
            labels: false,
            against: None,
            size: usual_size(),
            view: None,
            up: UpAxis::default(),
            wireframe: false,
            columns: None,
            gpu: false,
            level: 0,
            clip: None,
            fps: None,
        }
    }
}

impl PictureJob {
    /// How the file becomes a rig.
    pub(super) fn sampling(&self) -> SampleOptions {
        SampleOptions { clips: self.clip.iter().cloned().collect(), fps: self.fps, weld: None }
    }

    /// The colouring asked for, or the one that the other options mean.
    pub(super) fn coloring(&self) -> PictureColor {
        self.color.unwrap_or(match (&self.against, &self.bone) {
            (Some(_), _) => PictureColor::Error,
            (None, Some(_)) => PictureColor::Weights,
            (None, None) if self.skeleton => PictureColor::Plain,
            (None, None) => PictureColor::Materials,
        })
    }
}

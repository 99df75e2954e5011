//! Poses drawn side by side.

mod gpu;
mod paint;
mod subject;

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sinew::progress::Progress;
use sinew_io::glb::SampleOptions;
use sinew_io::sinew_file::Stored;
use sinew_picture::{Camera, PictureOptions, PosedSkeleton, Shot, UpAxis, render};

use self::paint::{Paint, skeletons};
use self::subject::{level, subject};
use crate::error::{FieldProblem, FileKind, JobError, Outcome};
use crate::frames::FrameChoice;
use crate::job::Job;
use crate::pictures::{bone_colors, save_png};
use crate::refusals::PictureRefusal;
use crate::target;

/// Pixels that a side may have.
const MOST_PIXELS: u64 = 16384;

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

/// A picture that was drawn.
#[derive(Debug, Serialize)]
pub struct PictureReport {
    /// The picture.
    pub picture: String,
    /// Pixels from side to side.
    pub width: usize,
    /// Pixels from top to bottom.
    pub height: usize,
    /// What somebody should know.
    pub warnings: Vec<String>,
}

impl Job for PictureJob {
    const NAME: &'static str = "picture";
    type Report = PictureReport;

    fn validate(&self) -> Outcome<()> {
        let color = self.coloring();
        if color == PictureColor::Error && self.against.is_none() {
            return Err(PictureRefusal::ErrorOfNothing.into());
        }
        if self.bone.is_some() && color != PictureColor::Weights {
            return Err(PictureRefusal::BoneWithoutWeights.into());
        }
        FileKind::Picture.check(&self.output)?;
        if self.gpu && (self.skeleton || self.wireframe || self.color == Some(PictureColor::Bones)) {
            return Err(PictureRefusal::OnlyOnCpu.into());
        }
        for side in self.size {
            FieldProblem::check_range("size", side as u64, MOST_PIXELS)?;
        }
        target::check(&[Some(&self.output)])
    }

    fn report_to(&self) -> Option<&Path> {
        None
    }

    fn perform(&self, progress: &dyn Progress) -> Outcome<PictureReport> {
        let color = self.coloring();
        progress.stage("reading");
        let mut subject = subject(self, color, progress)?;
        if self.level > 0 {
            subject.animation.mesh = level(self)?;
        }
        let body = if self.gpu { Some(gpu::body(self, &subject)?) } else { None };
        progress.check()?;
        progress.stage("drawing");
        let animation = &subject.animation;
        let frames = self.frame.frames(animation.frames.len(), &subject.source)?;
        let paint = Paint::new(&subject, color, self.bone.as_deref(), &frames)?;
        let pose_of_mesh = animation.rest.as_deref().unwrap_or_else(|| animation.frames.frame(0));
        let triangles = animation.mesh.triangles(pose_of_mesh);
        let face_colors = match (&subject.rig, color) {
            (Some(rig), PictureColor::Bones) => bone_colors(rig.weights(), rig.bones().len(), &triangles),
            _ => Vec::new(),
        };
        let skeletons: Vec<PosedSkeleton> = match &subject.rig {
            Some(Stored::Rig(rig)) if self.skeleton => skeletons(rig, &paint, &frames),
            _ => Vec::new(),
        };
        let shots: Vec<Shot> = frames
            .iter()
            .enumerate()
            .map(|(i, &frame)| Shot {
                mesh: &animation.mesh,
                positions: animation.frames.frame(frame),
                triangles: matches!(paint, Paint::Bones).then_some(&triangles[..]),
                coloring: paint.coloring(i, &face_colors),
                skeleton: skeletons.get(i),
                title: if animation.frames.len() > 1 { format!("frame {frame}") } else { String::new() },
            })
            .collect();
        let mut options = PictureOptions {
            width: self.size[0],
            height: self.size[1],
            columns: self.columns.unwrap_or(4),
            up: self.up,
            wireframe: self.wireframe,
            labels: self.labels,
            ..PictureOptions::default()
        };
        if let Some([around, above]) = self.view {
            options.camera = Camera::Orbit { azimuth: around, elevation: above, field_of_view: 24.0 };
        }
        let by_gpu = body.as_ref().map(|body| gpu::draw(self, body, &frames, &shots, &options));
        let mut warnings = Vec::new();
        let image = match by_gpu {
            Some(Err(JobError::Gpu(error))) => {
                warnings.push(format!("{error}; the CPU draws the picture instead"));
                render(&shots, &options)?
            }
            Some(drawn) => drawn?,
            None => render(&shots, &options)?,
        };
        progress.check()?;
        save_png(&self.output, &image)?;
        let (width, height) = (image.width, image.height);
        Ok(PictureReport { picture: self.output.display().to_string(), width, height, warnings })
    }
}

impl PictureJob {
    /// How the file becomes a rig.
    fn sampling(&self) -> SampleOptions {
        SampleOptions { clips: self.clip.iter().cloned().collect(), fps: self.fps, weld: None }
    }

    /// The colouring asked for, or the one that the other options mean.
    fn coloring(&self) -> PictureColor {
        self.color.unwrap_or(match (&self.against, &self.bone) {
            (Some(_), _) => PictureColor::Error,
            (None, Some(_)) => PictureColor::Weights,
            (None, None) if self.skeleton => PictureColor::Plain,
            (None, None) => PictureColor::Materials,
        })
    }
}

//! Poses drawn side by side.

mod gpu;
mod job;
mod paint;
mod subject;

use std::path::Path;

use serde::Serialize;
use sinew::progress::Progress;
use sinew_io::formats::sinew_file::Stored;
use sinew_picture::{Camera, PictureOptions, PosedSkeleton, Shot, render};

pub use self::job::{PictureColor, PictureJob};
use self::paint::{Paint, skeletons};
use self::subject::{level, subject};
use crate::error::{FieldProblem, FileKind, JobError, Outcome};
use crate::job::Job;
use crate::pictures::{bone_colors, save_png};
use crate::refusals::{FileRefusal, PictureRefusal};
use crate::streams::Files;
use crate::target;
use crate::warning::{GpuTask, Warning};

/// Pixels that a side may have.
const MOST_PIXELS: u64 = 16384;

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
    pub warnings: Vec<Warning>,
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

    fn files(&mut self) -> Files<'_> {
        let read = Files::default().read([&mut self.file]).read(&mut self.rest).read(&mut self.against);
        read.written([&mut self.output])
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
        for &frame in &frames {
            let pose = animation.frames.frame(frame);
            if let Some(vertex) = pose.iter().position(|p| !p.is_finite()) {
                let source_name = subject.source.clone();
                return Err(FileRefusal::NotFinite { source_name, frame, vertex }.into());
            }
        }
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
                warnings.push(Warning::NoGpu { why: error.to_string(), task: GpuTask::Drawing });
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

//! `sinew picture`: poses drawn side by side.

use std::path::PathBuf;

use clap::Args;
use sinew_jobs::frames::FrameChoice;
use sinew_jobs::picture::{PictureColor, PictureJob, PictureReport};
use sinew_picture::UpAxis;

use crate::choice::{frames, one_of, size, view};
use crate::console::Table;
use crate::door::{Command, InWords};
use crate::error::Outcome;
use crate::standard::always;
use crate::words::warnings;

/// Draw poses of an animation or a rig, side by side
#[derive(Args)]
#[command(after_help = "Examples:
  sinew picture rig.glb --frame 12 --color bones -o bones.png
  sinew picture rig.glb --frame 0,8,16 --color weights --bone 3 -o bone3.png
  sinew picture character.glb --skeleton --frame spread:4 -o skeleton.png
  sinew picture rig.glb --against anim.pc2 --rest rest.obj --color error --frame spread:4 -o error.png
  sinew picture anim.pc2 --rest rest.obj --frame 5 --wireframe --view 90,10 -o side.png
  sinew picture rig.glb --frame spread:4 --gpu -o poses.png")]
pub struct PictureArgs {
    /// An animation or a rig: anything that `skin` takes
    file: PathBuf,

    /// The picture to write
    #[arg(short, long, value_name = "FILE.png")]
    output: PathBuf,

    /// The mesh that goes with a point cache
    #[arg(long, value_name = "FILE")]
    rest: Option<PathBuf>,

    /// Frames to draw, counted from 0: one, several, or spread:K for K spread over all
    #[arg(long, value_name = "N|N,N,N|spread:K", default_value = "0", value_parser = frames)]
    frame: FrameChoice,

    /// What colours show [default: materials; error with --against; weights with --bone; plain with
    /// --skeleton]
    #[arg(long, value_parser = one_of::<PictureColor>())]
    color: Option<PictureColor>,

    /// Show the weights of this bone, by name or counted from 0
    #[arg(long, value_name = "NAME|N")]
    bone: Option<String>,

    /// Draw the joints and bones of the rig's skeleton inside of the body
    #[arg(long)]
    skeleton: bool,

    /// Write the names of the joints beside them
    #[arg(long, requires = "skeleton")]
    labels: bool,

    /// The animation that errors are measured from
    #[arg(long, value_name = "ANIM")]
    against: Option<PathBuf>,

    /// Pixels of each pose
    #[arg(long, value_name = "WxH", default_value = "900x640", value_parser = size)]
    size: (usize, usize),

    /// Where to look from: degrees around and above; 0,0 is from +Z, 90,0 from +X
    #[arg(long, value_name = "AZIMUTH,ELEVATION", allow_hyphen_values = true, value_parser = view)]
    view: Option<(f32, f32)>,

    /// Which way is up in the data
    #[arg(long, value_parser = one_of::<UpAxis>(), default_value_t)]
    up: UpAxis,

    /// Draw the edges of faces
    #[arg(long)]
    wireframe: bool,

    /// Poses in a row [default: all up to 4]
    #[arg(long, value_name = "N")]
    columns: Option<usize>,

    /// Have the GPU play and draw the rig; where there is none the CPU does
    #[arg(long)]
    gpu: bool,

    /// Level of detail of a GLB file to draw, counted from 1; 0 is the mesh itself
    #[arg(long, value_name = "N", default_value_t = 0)]
    level: usize,

    /// Clip of a GLB or .sinew file, by name or number
    #[arg(long, value_name = "NAME")]
    clip: Option<String>,

    /// Frames per second to sample a GLB file at
    #[arg(long, value_name = "F")]
    fps: Option<f64>,
}

impl Command for PictureArgs {
    type Job = PictureJob;

    fn job(&self) -> Outcome<PictureJob> {
        Ok(PictureJob {
            file: self.file.clone(),
            output: always("png", &self.output),
            rest: self.rest.clone(),
            frame: self.frame.clone(),
            color: self.color,
            bone: self.bone.clone(),
            skeleton: self.skeleton,
            labels: self.labels,
            against: self.against.clone(),
            size: self.size.into(),
            view: self.view.map(Into::into),
            up: self.up,
            wireframe: self.wireframe,
            columns: self.columns,
            gpu: self.gpu,
            level: self.level,
            clip: self.clip.clone(),
            fps: self.fps,
        })
    }
}

impl InWords for PictureJob {
    fn table(&self, _: &PictureReport) -> Table {
        Table::default()
    }

    fn text(&self, report: &PictureReport) -> String {
        format!("wrote {} ({}x{} pixels)\n", report.picture, report.width, report.height)
    }

    fn asides(&self, report: &PictureReport) -> Vec<String> {
        warnings(&report.warnings)
    }
}

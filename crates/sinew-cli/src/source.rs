//! What names an animation on the command line.

use std::path::PathBuf;

use clap::Args;
use sinew_io::open::OpenOptions;
pub use sinew_jobs::source::{read, remedy};

/// What names an animation on the command line.
#[derive(Args)]
pub struct SourceArgs {
    /// A point cache (PC2, MDD), a folder or pattern of OBJ or PLY frames, several such files (taken in
    /// the order of their numbers), a GLB or a .sinew file; several of these are clips of one rig
    #[arg(required = true, value_name = "INPUT")]
    pub inputs: Vec<PathBuf>,

    /// The mesh that goes with a point cache (OBJ, PLY, GLB): faces, UVs, materials and a pose
    #[arg(long, value_name = "FILE")]
    pub rest: Option<PathBuf>,

    /// Scale the rest mesh by this first, when it is in other units than the animation
    #[arg(long, value_name = "F", requires = "rest")]
    pub rest_scale: Option<f64>,

    /// Frames per second; needed for caches and sequences that do not say [default: 24]
    #[arg(long, value_name = "F")]
    pub fps: Option<f64>,

    /// Clip of a GLB or .sinew input, by name or number; several times for several, "all" for all
    #[arg(long = "clip", value_name = "NAME")]
    pub clips: Vec<String>,
}

impl SourceArgs {
    /// How the files are read.
    pub fn options(&self) -> OpenOptions {
        OpenOptions {
            rest: self.rest.clone(),
            rest_scale: self.rest_scale,
            fps: self.fps,
            clips: self.clips.clone(),
            weld: None,
        }
    }
}

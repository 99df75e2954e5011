//! Animations that commands make rigs of: which files, how they are read, and what is said when that fails.

use std::path::PathBuf;

use clap::Args;
use sinew::animation::AnimationError;
use sinew::progress::Progress;
use sinew_io::open::{self, OpenOptions, Opened};

use crate::console::number;
use crate::error::{CliError, Outcome};
use crate::progress::Session;

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

/// Reads an animation.
pub fn read(inputs: &[PathBuf], options: &OpenOptions, session: &Session) -> Outcome<Opened> {
    session.stage("reading");
    // A read that Ctrl-C ended is no bad file.
    open::animation(inputs, options, session)
        .map_err(|e| if session.cancelled() { CliError::Interrupted } else { e.into() })
}

/// What can be done about an animation that cannot be used, where files have to be named for it.
pub fn remedy(error: &AnimationError, opened: &Opened, options: &OpenOptions) -> Option<CliError> {
    match (error, &options.rest) {
        (AnimationError::Units { ratio }, Some(rest)) => Some(CliError::Refused(format!(
            "{}: the animation is {} times the size of its rest mesh {}: they seem to be in different units \
             (such as metres and centimetres); --rest-scale {} brings the mesh to the animation's units",
            opened.source,
            number(*ratio),
            rest.display(),
            number(ratio * options.rest_scale.unwrap_or(1.0))
        ))),
        _ => None,
    }
}

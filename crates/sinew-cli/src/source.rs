//! What names an animation on the command line.

use std::path::PathBuf;

use clap::Args;
use sinew_jobs::source::Source;

use crate::error::{CliError, Outcome};
use crate::numbers::NumbersArgs;

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

    /// Scale the rest mesh by this first, when it is in other units than the animation and does not say so
    #[arg(long, value_name = "F", requires = "rest")]
    pub rest_scale: Option<f64>,

    /// Frames per second; needed for caches and sequences that do not say [default: 24]
    #[arg(long, value_name = "F")]
    pub fps: Option<f64>,

    /// Clip of an input that holds several, by name or number; several times for several, "all" for all
    /// [default: the first that moves]
    #[arg(long = "clip", value_name = "NAME")]
    pub clips: Vec<String>,

    #[command(flatten)]
    pub numbers: NumbersArgs,
}

impl SourceArgs {
    /// The same for a job.
    pub fn source(&self) -> Source {
        Source {
            inputs: self.inputs.clone(),
            rest: self.rest.clone(),
            rest_scale: self.rest_scale,
            fps: self.fps,
            clips: self.clips.clone(),
            unit: self.numbers.unit,
            up: self.numbers.up,
            scale: self.numbers.scale,
        }
    }
}

/// Checks that none of the inputs was meant to be the number of `--compact`.
pub fn check_compact(compact: Option<f64>, inputs: &[PathBuf]) -> Outcome<()> {
    let is_number =
        |path: &&PathBuf| path.to_str().is_some_and(|t| t.parse::<f64>().is_ok()) && !path.exists();
    match inputs.iter().find(is_number).filter(|_| compact.is_some()) {
        None => Ok(()),
        Some(stray) => CliError::refused(format!(
            "there is no file {0}; --compact takes its number after an equals sign: --compact={0}",
            stray.display()
        )),
    }
}

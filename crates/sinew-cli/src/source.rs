//! What names an animation on the command line.

use std::path::PathBuf;

use clap::Args;
use sinew_io::formats;
use sinew_jobs::source::Source;

use crate::error::{CliError, Outcome};
use crate::numbers::NumbersArgs;

/// What names an animation on the command line.
#[derive(Args)]
pub struct SourceArgs {
    #[arg(required = true, value_name = "INPUT", help = inputs_help())]
    pub inputs: Vec<PathBuf>,

    #[arg(long, value_name = "FILE", help = rest_help())]
    pub rest: Option<PathBuf>,

    /// Scale the rest mesh by this first, when it is in other units than the animation and does not say so
    #[arg(long, value_name = "F", requires = "rest")]
    pub rest_scale: Option<f64>,

    /// Frames per second; needed for caches and sequences that do not say [default: 24]
    #[arg(long, value_name = "F")]
    pub fps: Option<f64>,

    /// Clip of an input that has several, by name or number; several times for several, "all" for all
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

/// All that an animation can be.
fn inputs_help() -> String {
    format!(
        "A point cache ({}), a folder or pattern of {} frames, several such files (taken in the order of their numbers), or \
         a file that holds an animation or a rig ({}); several of these are clips of one rig; - is standard input",
        formats::list("or", |f| f.reads.is_cache()),
        formats::list("or", |f| f.reads.is_frame()),
        formats::list("or", |f| f.reads.poses && f.reads.faces)
    )
}

/// All that a mesh can come from.
fn rest_help() -> String {
    format!(
        "The mesh that goes with a point cache ({}): faces, UVs, materials and a pose",
        formats::list("or", |f| f.reads.faces)
    )
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

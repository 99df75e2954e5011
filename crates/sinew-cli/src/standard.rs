//! Standard output by `-` and a format, on the command line.

use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::PossibleValuesParser;
use sinew_io::formats::{self, Holds};
use sinew_jobs::poses::MeshFormat;
use sinew_jobs::streams::output_as;

use crate::error::{CliError, Outcome};

/// The format of a rig that goes to standard output.
#[derive(Args)]
pub struct RigFormatArgs {
    /// Format of a rig that goes to standard output (-o -), by its ending
    #[arg(long, value_name = "ENDING", value_parser = PossibleValuesParser::new(endings(|holds| holds.rig)))]
    format: Option<String>,
}

/// The format of frames in a folder, or of what goes to standard output.
#[derive(Args)]
pub struct PosesFormatArgs {
    /// Format of frames in a folder, obj or ply [default: obj], or of what goes to standard output (-o -), by its ending
    #[arg(long, value_name = "ENDING", hide_possible_values = true,
          value_parser = PossibleValuesParser::new(endings(|_| true)))]
    format: Option<String>,
}

/// Endings of what can be written.
fn endings(is: fn(Holds) -> bool) -> Vec<&'static str> {
    let written = formats::ALL.iter().filter(|format| is(format.writes));
    written.flat_map(|format| format.written).copied().collect()
}

impl RigFormatArgs {
    /// The output with its format.
    pub fn of(&self, output: &Path) -> Outcome<PathBuf> {
        match &self.format {
            None => Ok(output.into()),
            Some(ending) if is_stream(output) => Ok(output_as(ending)),
            Some(ending) => CliError::refused(format!(
                "--format {ending} is for standard output, -o -; the ending of {} tells its format",
                output.display()
            )),
        }
    }
}

impl PosesFormatArgs {
    /// The output with its format, and the format of frames where it is a folder.
    pub fn of(&self, output: &Path) -> Outcome<(PathBuf, MeshFormat)> {
        match &self.format {
            None => Ok((output.into(), MeshFormat::default())),
            Some(ending) if is_stream(output) => Ok((output_as(ending), MeshFormat::default())),
            Some(ending) => match ending.parse() {
                Ok(format) => Ok((output.into(), format)),
                Err(_) => CliError::refused(format!(
                    "--format {ending} is for standard output, -o -; frames in a folder are obj or ply"
                )),
            },
        }
    }
}

/// What is said of the output of a command that writes a rig: all its formats.
pub fn output_help(what: &str) -> String {
    let endings: Vec<String> =
        endings(|holds| holds.rig).iter().map(|ending| format!("*.{ending}")).collect();
    format!(
        "The {what} to write, by its ending: {}; .sinew keeps every number as it was solved; - is standard output",
        endings.join(", ")
    )
}

/// The output of a command that writes one format, which need not be named.
pub fn always(ending: &str, output: &Path) -> PathBuf {
    if is_stream(output) { output_as(ending) } else { output.into() }
}

fn is_stream(output: &Path) -> bool {
    output.as_os_str() == "-"
}

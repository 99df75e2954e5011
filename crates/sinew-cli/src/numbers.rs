//! What is said about the numbers of a file on the command line.

use clap::Args;
use sinew_io::motion::Up;
use sinew_jobs::units::Unit;

use crate::choice::one_of;

/// What is said about the numbers of a file on the command line.
#[derive(Args, Clone, Copy)]
#[command(next_help_heading = "Units and axes")]
pub struct NumbersArgs {
    /// How long a unit is: m, cm, mm, in, ft, km, or a number of metres [default: what the file says, or metres]
    #[arg(long, value_name = "UNIT", allow_negative_numbers = true)]
    pub unit: Option<Unit>,

    /// Which axis is up [default: what the file says, or y]; y is up in what comes out
    #[arg(long, value_parser = one_of::<Up>())]
    pub up: Option<Up>,

    /// Make everything this many times as large; units are kept without it
    #[arg(long, value_name = "F", allow_negative_numbers = true)]
    pub scale: Option<f64>,
}

//! What comes out of every way of converting.

use sinew_io::formats::{Facts, Written};

use crate::loss::Loss;
use crate::report::EngineReport;
use crate::warning::Warning;

/// What came out, besides the file.
pub struct Converted {
    pub written: Written,
    pub frames: usize,
    pub vertices: usize,
    pub fps: f64,
    pub input_bytes: u64,
    /// What is known of the numbers that were written.
    pub facts: Facts,
    pub lost: Vec<Loss>,
    pub warnings: Vec<Warning>,
    /// What engines play of a rig.
    pub engines: Vec<EngineReport>,
}

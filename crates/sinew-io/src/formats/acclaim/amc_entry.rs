//! AMC in the table.

use std::path::Path;

use crate::formats::{Format, Holds, Keeps, Reader, Start, UnitRule, Unwritten, acclaim};
use crate::motion::{MotionOptions, OpenedMotion, beside};
use crate::{Error, Result, open};

/// Acclaim's motion of joints.
pub static AMC: Format = Format {
    name: "AMC motion",
    article: "an",
    labels: &["AMC"],
    endings: &["amc"],
    written: &[],
    reads: Holds::JOINTS,
    writes: Holds::NOTHING,
    keeps: Keeps::NOTHING,
    sampled: false,
    unit: UnitRule::Untold,
    notes: "with its ASF beside it; 120 frames a second, as it tells none",
    signature: starts_with_a_keyword,
    shape: |_| false,
    reader: &Files,
    writer: &Unwritten,
};

fn starts_with_a_keyword(start: &Start) -> bool {
    let keywords: [&[u8]; 4] = [b":fully-specified", b":degrees", b":radians", b":samples-per-second"];
    start.first_word().is_some_and(|word| keywords.contains(&word.as_slice()))
}

struct Files;

impl Reader for Files {
    fn joints(&self, path: &Path, options: &MotionOptions) -> Result<OpenedMotion> {
        let asf = options.skeleton.clone().map_or_else(|| beside::skeleton(path), Ok)?;
        let skeleton = acclaim::read_asf(&asf)?;
        let bytes = std::fs::read(path).map_err(Error::io(path))?;
        let (motion, warnings) = acclaim::parse_amc(&bytes, path, &skeleton)?;
        let mut opened = OpenedMotion::one_clip(path, &AMC, motion)?;
        opened.warnings = warnings;
        opened.source = format!("{} on {}", opened.source, open::name(&asf));
        opened.input_bytes += open::file_bytes(&asf)?;
        Ok(opened)
    }
}

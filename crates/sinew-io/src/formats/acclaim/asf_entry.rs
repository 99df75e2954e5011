//! ASF in the table.

use std::path::Path;

use crate::Result;
use crate::formats::{Format, Holds, Keeps, Reader, Start, UnitRule, Unwritten, acclaim};
use crate::motion::{MotionOptions, OpenedMotion};

/// Acclaim's joints.
pub static ASF: Format = Format {
    name: "ASF skeleton",
    article: "an",
    labels: &["ASF"],
    endings: &["asf"],
    written: &[],
    reads: Holds::JOINTS,
    writes: Holds::NOTHING,
    keeps: Keeps::NOTHING,
    sampled: false,
    unit: UnitRule::Untold,
    notes: "a skeleton at rest, whose motion is in AMC files",
    signature: starts_with_a_section,
    shape: |_| false,
    reader: &Files,
    writer: &Unwritten,
};

fn starts_with_a_section(start: &Start) -> bool {
    let sections: [&[u8]; 7] =
        [b":version", b":name", b":units", b":documentation", b":root", b":bonedata", b":hierarchy"];
    start.first_word().is_some_and(|word| sections.contains(&word.as_slice()))
}

struct Files;

impl Reader for Files {
    fn joints(&self, path: &Path, _options: &MotionOptions) -> Result<OpenedMotion> {
        let mut opened = OpenedMotion::one_clip(path, &ASF, acclaim::read_asf(path)?.at_rest())?;
        opened.warnings.push("an ASF file is a skeleton at rest; its motion is in AMC files".into());
        Ok(opened)
    }
}

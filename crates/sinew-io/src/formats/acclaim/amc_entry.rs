//! AMC in the table.

use super::beside;
use crate::Result;
use crate::formats::{Document, Format, Holds, Keeps, Start, UnitRule, Unwritten, acclaim};
use crate::scene::{MotionOptions, OpenedMotion};
use crate::source::{Bytes, Source};

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
    document: open,
    writer: &Unwritten,
};

fn starts_with_a_keyword(start: &Start) -> bool {
    let keywords: [&[u8]; 4] = [b":fully-specified", b":degrees", b":radians", b":samples-per-second"];
    start.first_word().is_some_and(|word| keywords.contains(&word.as_slice()))
}

/// The bytes of a file. What they mean is told by a skeleton, which may be another each time.
struct Amc {
    source: Source,
    bytes: Bytes,
}

fn open(source: &Source) -> Result<Box<dyn Document>> {
    Ok(Box::new(Amc { bytes: source.read()?, source: source.clone() }))
}

impl Document for Amc {
    fn source(&self) -> &Source {
        &self.source
    }

    fn format(&self) -> &'static Format {
        &AMC
    }

    fn joints(&self, options: &MotionOptions) -> Result<OpenedMotion> {
        let source = &self.source;
        let asf = options.skeleton.clone().map_or_else(|| beside::skeleton(source), Ok)?;
        let skeleton = acclaim::read_asf(&asf)?;
        let (motion, warnings) = acclaim::parse_amc(&self.bytes, source.path(), &skeleton)?;
        let mut opened = OpenedMotion::one_clip(source, motion);
        opened.warnings = warnings;
        opened.source = format!("{} on {}", opened.source, asf.name());
        opened.input_bytes += asf.length()?;
        Ok(opened)
    }
}

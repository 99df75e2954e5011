//! ASF in the table.

use super::Skeleton;
use crate::Result;
use crate::formats::{Document, Format, Holds, Keeps, Start, UnitRule, Unwritten, acclaim};
use crate::scene::{MotionOptions, OpenedMotion};
use crate::source::Source;
use crate::warning::Remark;

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
    document: open,
    writer: &Unwritten,
};

fn starts_with_a_section(start: &Start) -> bool {
    let sections: [&[u8]; 7] =
        [b":version", b":name", b":units", b":documentation", b":root", b":bonedata", b":hierarchy"];
    start.first_word().is_some_and(|word| sections.contains(&word.as_slice()))
}

/// A skeleton.
struct Asf {
    source: Source,
    skeleton: Skeleton,
}

fn open(source: &Source) -> Result<Box<dyn Document>> {
    Ok(Box::new(Asf { skeleton: acclaim::read_asf(source)?, source: source.clone() }))
}

impl Document for Asf {
    fn source(&self) -> &Source {
        &self.source
    }

    fn format(&self) -> &'static Format {
        &ASF
    }

    fn joints(&self, _options: &MotionOptions) -> Result<OpenedMotion> {
        let mut opened = OpenedMotion::one_clip(&self.source, self.skeleton.at_rest());
        opened.warnings.push(Remark::SkeletonAtRest.into());
        Ok(opened)
    }
}

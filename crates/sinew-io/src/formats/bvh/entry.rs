//! BVH in the table.

use sinew::animation::Clip;
use sinew::motion::Motion;
use sinew::rig::Rig;

use super::first_frame;
use super::write::put;
use crate::formats::{Document, Format, Holds, Keeps, UnitRule, Writer, bvh};
use crate::scene::{MotionOptions, OpenedMotion};
use crate::source::Source;
use crate::{Result, Target, Warning};

/// Biovision's joints and their motion.
pub static BVH: Format = Format {
    name: "BVH motion",
    article: "a",
    labels: &["BVH"],
    endings: &["bvh"],
    written: &["bvh"],
    reads: Holds::JOINTS,
    writes: Holds::JOINTS,
    keeps: Keeps { fps: true, ..Keeps::NOTHING },
    sampled: false,
    unit: UnitRule::Untold,
    notes: "one clip; a T pose put before the motion is left out",
    signature: |start| start.first_word().is_some_and(|word| word == b"hierarchy"),
    shape: |_| false,
    document: open,
    writer: &Files,
};

/// A motion.
struct Bvh {
    source: Source,
    motion: Motion,
}

fn open(source: &Source) -> Result<Box<dyn Document>> {
    Ok(Box::new(Bvh { motion: bvh::read(source)?, source: source.clone() }))
}

impl Document for Bvh {
    fn source(&self) -> &Source {
        &self.source
    }

    fn format(&self) -> &'static Format {
        &BVH
    }

    fn joints(&self, options: &MotionOptions) -> Result<OpenedMotion> {
        let mut motion = self.motion.clone();
        let warning = first_frame::settle(&mut motion, options.first_frame);
        let mut opened = OpenedMotion::one_clip(&self.source, motion);
        opened.warnings.extend(warning);
        Ok(opened)
    }
}

struct Files;

impl Writer for Files {
    fn joints(&self, to: &mut Target, rig: &Rig, clip: &Clip) -> Result<Vec<Warning>> {
        put(to, rig, clip).map(|()| Vec::new())
    }
}

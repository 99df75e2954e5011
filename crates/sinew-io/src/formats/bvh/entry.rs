//! BVH in the table.

use std::path::Path;

use sinew::animation::Clip;
use sinew::rig::Rig;

use crate::Result;
use crate::formats::{Format, Holds, Keeps, Reader, UnitRule, Writer, Written, bvh};
use crate::motion::{MotionOptions, OpenedMotion, first_frame};

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
    reader: &Files,
    writer: &Files,
};

struct Files;

impl Reader for Files {
    fn joints(&self, path: &Path, options: &MotionOptions) -> Result<OpenedMotion> {
        let mut motion = bvh::read(path)?;
        let warning = first_frame::settle(&mut motion, options.first_frame);
        let mut opened = OpenedMotion::one_clip(path, &BVH, motion)?;
        opened.warnings.extend(warning);
        Ok(opened)
    }
}

impl Writer for Files {
    fn joints(&self, path: &Path, rig: &Rig, clip: &Clip) -> Result<Written> {
        Ok(bvh::write(path, rig, clip)?.into())
    }
}

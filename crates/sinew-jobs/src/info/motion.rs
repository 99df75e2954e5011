//! Files of joints without a mesh.

use glam::DVec3;
use sinew::motion::SourceJoint;
use sinew_io::Source;
use sinew_io::motion::{MotionOptions, OpenedMotion, open_motion};

use super::job::InfoJob;
use super::report::{MotionJoint, MotionReport};
use crate::error::Outcome;
use crate::units::Unit;
use crate::warning::told;

/// Describes the file.
pub fn describe(job: &InfoJob) -> Outcome<MotionReport> {
    let options = MotionOptions {
        skeleton: job.asf.as_ref().map(Source::from),
        fps: job.fps,
        up: job.up,
        scale: job.scale,
        metres_per_unit: job.unit.map(Unit::metres),
        ..MotionOptions::default()
    };
    let opened = open_motion(&job.file, &options)?;
    let OpenedMotion { motion, format, warnings, source, input_bytes, stands_along, .. } = opened;
    let frames = motion.frame_count();
    let joint = |(joint, place): (&SourceJoint, DVec3)| MotionJoint {
        name: joint.name.clone(),
        parent: joint.parent,
        place: place.to_array(),
    };
    Ok(MotionReport {
        file: job.file.display().to_string(),
        format,
        bytes: input_bytes,
        source,
        frames,
        fps: motion.fps,
        duration: frames.saturating_sub(1) as f64 / motion.fps,
        joints: motion.joints.iter().zip(motion.bind_places()).map(joint).collect(),
        height: motion.height(),
        metres_per_unit: motion.metres_per_unit,
        stands_along: stands_along.map(|axis| axis.to_string()),
        warnings: told(warnings),
    })
}

//! Files of joints without a mesh.

use serde::Serialize;
use sinew::motion::Motion;
use sinew_io::motion::{MotionOptions, OpenedMotion, open_motion};

use super::{InfoArgs, in_words};
use crate::console::{Table, count, number, print, size};
use crate::error::Outcome;
use crate::joints::{shortened, tree};
use crate::progress::Session;
use crate::report::write_json;

/// What was found.
#[derive(Serialize)]
struct MotionReport {
    file: String,
    format: &'static str,
    bytes: u64,
    /// The files that were read.
    source: String,
    frames: usize,
    fps: f64,
    duration: f64,
    /// Parents before children.
    joints: Vec<Joint>,
    /// Of the bind pose, in units of the file.
    height: f64,
    /// Null where the file does not tell.
    metres_per_unit: Option<f64>,
    /// The axis along which the figure seems to stand; null where that is not clear.
    stands_along: Option<String>,
    warnings: Vec<String>,
}

#[derive(Serialize)]
struct Joint {
    name: String,
    /// Number of the parent in the same list; null for a root.
    parent: Option<usize>,
    /// Where it is in the bind pose.
    place: [f64; 3],
}

/// Describes the file.
pub fn run(args: &InfoArgs, session: &Session) -> Outcome<()> {
    let options = MotionOptions {
        skeleton: args.asf.clone(),
        fps: args.fps,
        up: args.up.map(Into::into),
        ..MotionOptions::default()
    };
    let report = describe(args, open_motion(&args.file, &options)?);
    session.check()?;
    if let Some(path) = &args.report {
        write_json(path, &report)?;
    }
    session.finish();
    print(&table(&report).text())
}

fn describe(args: &InfoArgs, opened: OpenedMotion) -> MotionReport {
    let OpenedMotion { motion, format, warnings, source, input_bytes, stands_along } = opened;
    let frames = motion.frame_count();
    MotionReport {
        file: args.file.display().to_string(),
        format: format.name,
        bytes: input_bytes,
        source,
        frames,
        fps: motion.fps,
        duration: frames.saturating_sub(1) as f64 / motion.fps,
        joints: joints(&motion),
        height: motion.height(),
        metres_per_unit: motion.metres_per_unit,
        stands_along: stands_along.map(|axis| axis.to_string()),
        warnings,
    }
}

fn joints(motion: &Motion) -> Vec<Joint> {
    let joints = motion.joints.iter().zip(motion.bind_places());
    let joint = |(joint, place): (&sinew::motion::SourceJoint, glam::DVec3)| Joint {
        name: joint.name.clone(),
        parent: joint.parent,
        place: place.to_array(),
    };
    joints.map(joint).collect()
}

fn table(report: &MotionReport) -> Table {
    let mut table = Table::default();
    table.row("file", format!("{} ({}, {})", report.file, report.format, size(report.bytes)));
    table.row("source", &report.source);
    table.row("motion", in_words(report.frames, report.fps, report.duration));
    let metres = report.metres_per_unit.map(|metres| format!(", {} m", number(report.height * metres)));
    table.row("height", format!("{}{}", number(report.height), metres.unwrap_or_default()));
    let up = report.stands_along.as_ref().map_or("not clear".into(), |axis| format!("{axis}, it seems"));
    table.row("up", up);
    let parents: Vec<Option<usize>> = report.joints.iter().map(|joint| joint.parent).collect();
    let mut lines = vec![count(report.joints.len(), "joint", "joints")];
    lines.extend(tree(&parents, |joint| report.joints[joint].name.clone()));
    table.list("skeleton", &shortened(lines));
    table.list("warning", &report.warnings);
    table
}

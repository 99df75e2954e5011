//! `sinew skeleton`: an animation becomes a character.

use std::path::PathBuf;

use clap::Args;
use sinew::segment::SkeletonSegmenter;
use sinew::skeleton::{Angles, JointNames, JointWeights};
use sinew_jobs::skeleton::{Limb, Limits, SkeletonJob, SkeletonReport};
use sinew_jobs::skin::RestPoseChoice;

use crate::choice::one_of;
use crate::console::{Table, number, size};
use crate::door::{Command, InWords};
use crate::error::Outcome;
use crate::joints::{JointReport, tree_in_words};
use crate::report::{
    assumed_rate_in_words, clips_in_words, engine_rows, error_rows, mesh_in_words, seconds_in_words, unit_row,
};
use crate::source::{SourceArgs, check_compact};
use crate::standard::{RigFormatArgs, always, output_help};
use crate::words::warnings;

/// Turn an animation into a character: joints in a tree, their angles, and a skin
///
/// Finds the joints that the motion shows, hangs them in one tree with bones of constant length, and finds
/// how each joint turns in every frame and how much of the surface it moves.
///
/// Take a skeleton where people will go on working: an animator turns an elbow and the hand follows, motion
/// capture or another clip can drive the character, an engine blends and retargets clips. Take `sinew skin`
/// where the animation is only to be played: its bones are free to go where each frame wants them, so that
/// the same number of them comes closer to it, on cloth and other soft things much closer, but nobody can
/// pose them.
#[derive(Args)]
#[command(after_help = "Examples:
  sinew skeleton anim.pc2 --rest rest.obj -o character.glb
  sinew skeleton anim.pc2 --rest rest.obj -o character.glb --bvh motion.bvh
  sinew skeleton walk.pc2 run.pc2 --rest rest.obj --joints 20 -o character.glb
  sinew skeleton frames/ --segment spectral --angles ccd --weights heat -o paper.glb
  sinew skeleton anim.pc2 --rest rest.obj --joints-at joints.toml --root 0,0.95,0 -o character.glb
  sinew skeleton anim.pc2 --rest rest.obj --rigid Sword -o character.glb
  sinew picture character.glb --skeleton -o character.png")]
pub struct SkeletonArgs {
    #[command(flatten)]
    source: SourceArgs,

    #[arg(short, long, value_name = "FILE", help = output_help("character"))]
    output: Option<PathBuf>,

    #[command(flatten)]
    format: RigFormatArgs,

    /// Write the motion of the joints without a skin; of several clips the first
    #[arg(long, value_name = "FILE.bvh")]
    bvh: Option<PathBuf>,

    /// Exactly so many joints [default: as many as the motion shows]
    #[arg(long, value_name = "N")]
    joints: Option<usize>,

    /// Where the parts of the body come from
    #[arg(long, value_parser = one_of::<SkeletonSegmenter>(), default_value_t)]
    segment: SkeletonSegmenter,

    /// How joint angles are found
    #[arg(long, value_parser = one_of::<Angles>(), default_value_t)]
    angles: Angles,

    /// How skin weights are found
    #[arg(long, value_parser = one_of::<JointWeights>(), default_value_t)]
    weights: JointWeights,

    /// The most influences on a vertex; every engine keeps 4, some 8 or more [default: 4]
    #[arg(long, value_name = "K")]
    influences: Option<usize>,

    /// How smooth fitted weights are over the surface; 0 leaves them as the error wants them [default: 1]
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    smooth: Option<f64>,

    /// What joints are called
    #[arg(long, value_parser = one_of::<JointNames>(), default_value_t)]
    names: JointNames,

    /// Joints that are known: a file with their places in the rest pose, names and parents, or names of found joints
    /// that are to stay; the others are found around them
    #[arg(long, value_name = "FILE.toml|FILE.json")]
    joints_at: Option<PathBuf>,

    /// The root: a joint by the name or the number that it gets without this, or a place in the rest pose, where the
    /// root then is [default: the hips, or the middle of the body]
    #[arg(long, value_name = "NAME|NUMBER|X,Y,Z", allow_hyphen_values = true)]
    root: Option<String>,

    /// The pose that the skeleton rests in: file is the given mesh, first the first frame, a number that frame
    /// (counted from 0); auto is the given mesh or else the first frame
    #[arg(long, value_name = "auto|file|first|N", default_value = "auto")]
    rest_pose: RestPoseChoice,

    /// A part that says nothing about joints, by its name or that of its material, or a piece by its number (sinew
    /// info lists them); the joints that fit it best carry it; can be given several times
    #[arg(long, value_name = "PART")]
    ignore: Vec<String>,

    /// The same, carried by one joint as a whole: a sword in a hand
    #[arg(long, value_name = "PART")]
    rigid: Vec<String>,

    /// Store less, with no vertex off by more than this many percent of the mesh's diagonal
    #[arg(long, value_name = "PERCENT", num_args = 0..=1, require_equals = true, default_missing_value = "0.01")]
    compact: Option<f64>,

    /// Write a machine-readable report
    #[arg(long, value_name = "FILE.json")]
    report: Option<PathBuf>,
}

impl Command for SkeletonArgs {
    type Job = SkeletonJob;

    fn job(&self) -> Outcome<SkeletonJob> {
        check_compact(self.compact, &self.source.inputs)?;
        Ok(SkeletonJob {
            source: self.source.source(),
            output: self.output.as_deref().map(|output| self.format.of(output)).transpose()?,
            bvh: self.bvh.as_deref().map(|bvh| always("bvh", bvh)),
            joints: self.joints,
            segment: self.segment,
            angles: self.angles,
            weights: self.weights,
            influences: self.influences,
            smooth: self.smooth,
            names: self.names,
            joints_at: self.joints_at.clone(),
            root: self.root.clone(),
            rest_pose: self.rest_pose,
            ignore: self.ignore.clone(),
            rigid: self.rigid.clone(),
            compact: self.compact,
            report: self.report.clone(),
        })
    }
}

impl InWords for SkeletonJob {
    fn table(&self, report: &SkeletonReport) -> Table {
        let mut table = Table::default();
        table.row("mesh", mesh_in_words(report.vertices, report.triangles, report.frames));
        if report.fps_assumed && report.frames > 1 {
            table.row("rate", assumed_rate_in_words(report.fps));
        }
        unit_row(&report.units, &mut table);
        let asked = report.joints_asked.map(|n| format!(" of {n} asked for")).unwrap_or_default();
        let rigid = report.near_rigid_fraction;
        table.row("joints", format!("{}{asked}, near-rigid fraction {rigid:.2}", report.joints));
        table.row("influences", format!("{} a vertex", report.influences));
        error_rows(&report.error, &mut table);
        engine_rows(&report.engines, "", &mut table);
        table.list("clips", &clips_in_words(&report.clips));
        let s = &report.seconds;
        let stages = [
            ("read", s.read),
            ("parts", s.parts),
            ("joints", s.joints),
            ("weights", s.weights),
            ("write", s.write),
        ];
        table.row("time", seconds_in_words(s.total, &stages));
        let written = [(report.bytes.output, "out"), (report.bytes.bvh, "BVH")];
        let written =
            written.iter().filter_map(|(bytes, what)| Some(format!(", {} {what}", size((*bytes)?))));
        table.row("size", format!("{} in{}", size(report.bytes.input), written.collect::<String>()));
        if let Some(peak) = report.peak_memory {
            table.row("memory", format!("{} at most", size(peak)));
        }
        table.list("skeleton", &skeleton_in_words(&report.skeleton));
        table.list("warning", &warnings(&report.warnings));
        table.files("wrote", &self.targets());
        table
    }
}

/// One line for each joint. A root turns with the whole body, which has no limits to tell of.
fn skeleton_in_words(limbs: &[Limb]) -> Vec<String> {
    let joints: Vec<&JointReport> = limbs.iter().map(|limb| &limb.joint).collect();
    let notes =
        if joints.len() > 1 { ", and from where to where it bends, twists and goes aside" } else { "" };
    tree_in_words(&joints, notes, |joint| match joints[joint].parent {
        None => String::new(),
        Some(_) => limits_in_words(&limbs[joint].limits),
    })
}

fn limits_in_words(limits: &Limits) -> String {
    // Adding zero makes a zero of a negative one.
    let degrees = |angle: f64| number(angle.round() + 0.0);
    let ways = [("bend", limits.x), ("twist", limits.y), ("aside", limits.z)];
    let ranges = ways.map(|(way, [least, most])| format!("{way} {} to {}", degrees(least), degrees(most)));
    format!("  ({})", ranges.join(", "))
}

//! What `skeleton` has to say.

use glam::DQuat;
use serde::Serialize;
use sinew::rig::Rig;
use sinew::skeleton::JointLimits;

use crate::console::{Table, number, size};
use crate::joints::{JointReport, joints, tree_in_words};
use crate::report::{
    ClipReport, ErrorReport, assumed_rate_in_words, clips_in_words, error_rows, mesh_in_words,
    seconds_in_words,
};

/// The report.
#[derive(Serialize)]
pub struct SkeletonReport {
    pub frames: usize,
    /// Frames per second; with clips, of the first.
    pub fps: f64,
    /// Whether that was taken for want of anything that told it.
    pub fps_assumed: bool,
    pub vertices: usize,
    pub triangles: usize,
    pub joints: usize,
    /// Null when the number was left to the motion.
    pub joints_asked: Option<usize>,
    /// What `--segment`, `--angles` and `--weights` were.
    pub segment: String,
    pub angles: String,
    pub weights: String,
    /// The most on any vertex.
    pub influences: usize,
    pub near_rigid_fraction: f64,
    pub error: ErrorReport,
    pub error_per_frame: Vec<f64>,
    /// Clip by clip; empty where the animation is one.
    pub clips: Vec<ClipReport>,
    /// The joint tree, parents before children.
    pub skeleton: Tree,
    pub seconds: SkeletonSeconds,
    pub bytes: SkeletonBytes,
    /// The most bytes the process ever held; null where the system does not tell.
    pub peak_memory: Option<u64>,
    pub warnings: Vec<String>,
}

/// Seconds per stage.
#[derive(Serialize)]
pub struct SkeletonSeconds {
    pub read: f64,
    pub parts: f64,
    pub joints: f64,
    pub weights: f64,
    pub write: f64,
    pub total: f64,
}

/// File sizes; null where none was written.
#[derive(Serialize)]
pub struct SkeletonBytes {
    pub input: u64,
    pub output: Option<u64>,
    pub bvh: Option<u64>,
}

/// The joints of a skeleton with how far they turn.
#[derive(Serialize)]
#[serde(transparent)]
pub struct Tree(Vec<Limb>);

#[derive(Serialize)]
struct Limb {
    #[serde(flatten)]
    joint: JointReport,
    /// Its axes in the rest pose as a quaternion (x, y, z, w) that turns the world's there: y along the
    /// bone, x what the joint bends about.
    axes: [f64; 4],
    /// How far the joint turns from the rest pose, in degrees and its own axes: x how far it bends, y how
    /// far it twists about its bone, z how far it goes aside. From −180 to 180, unless it winds about x or
    /// y as a wheel does.
    limits: Limits,
}

#[derive(Serialize)]
struct Limits {
    x: [f64; 2],
    y: [f64; 2],
    z: [f64; 2],
}

impl Tree {
    /// Puts limits beside the joints of a rig.
    pub fn new(rig: &Rig, limits: &[JointLimits]) -> Self {
        let limits = limits.iter().map(|l| Limits {
            x: [l.least.x, l.most.x],
            y: [l.least.y, l.most.y],
            z: [l.least.z, l.most.z],
        });
        let joints = joints(rig).into_iter().flatten().zip(rig.joint_axes());
        let limb = |((joint, axes), limits): ((_, DQuat), _)| Limb { joint, axes: axes.to_array(), limits };
        Self(joints.zip(limits).map(limb).collect())
    }

    /// One line for each joint. A root turns with the whole body, which has no limits to tell of.
    fn in_words(&self) -> Vec<String> {
        let joints: Vec<&JointReport> = self.0.iter().map(|limb| &limb.joint).collect();
        let notes =
            if joints.len() > 1 { ", and from where to where it bends, twists and goes aside" } else { "" };
        tree_in_words(&joints, notes, |joint| match joints[joint].parent {
            None => String::new(),
            Some(_) => self.0[joint].limits.in_words(),
        })
    }
}

impl Limits {
    fn in_words(&self) -> String {
        // Adding zero makes a zero of a negative one.
        let degrees = |angle: f64| number(angle.round() + 0.0);
        let ways = [("bend", self.x), ("twist", self.y), ("aside", self.z)];
        let ranges =
            ways.map(|(way, [least, most])| format!("{way} {} to {}", degrees(least), degrees(most)));
        format!("  ({})", ranges.join(", "))
    }
}

impl SkeletonReport {
    /// The report for people.
    pub fn table(&self) -> Table {
        let mut table = Table::default();
        table.row("mesh", mesh_in_words(self.vertices, self.triangles, self.frames));
        if self.fps_assumed && self.frames > 1 {
            table.row("rate", assumed_rate_in_words(self.fps));
        }
        let asked = self.joints_asked.map(|n| format!(" of {n} asked for")).unwrap_or_default();
        table.row(
            "joints",
            format!("{}{asked}, near-rigid fraction {:.2}", self.joints, self.near_rigid_fraction),
        );
        table.row("influences", format!("{} a vertex", self.influences));
        error_rows(&self.error, &mut table);
        table.list("clips", &clips_in_words(&self.clips));
        let s = &self.seconds;
        let stages = [
            ("read", s.read),
            ("parts", s.parts),
            ("joints", s.joints),
            ("weights", s.weights),
            ("write", s.write),
        ];
        table.row("time", seconds_in_words(s.total, &stages));
        let written = [(self.bytes.output, "out"), (self.bytes.bvh, "BVH")];
        let written =
            written.iter().filter_map(|(bytes, what)| Some(format!(", {} {what}", size((*bytes)?))));
        table.row("size", format!("{} in{}", size(self.bytes.input), written.collect::<String>()));
        if let Some(peak) = self.peak_memory {
            table.row("memory", format!("{} at most", size(peak)));
        }
        table.list("skeleton", &self.skeleton.in_words());
        table.list("warning", &self.warnings);
        table
    }
}

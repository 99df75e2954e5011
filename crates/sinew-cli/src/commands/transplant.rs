//! `sinew transplant`: motion from elsewhere on a rig.

use std::path::PathBuf;

use clap::Args;
use sinew::motion::{Confidence, Facing, MatchReason, Plant, Translations};
use sinew_jobs::transplant::{
    AlignmentReport, RigPoseChoice, SourcePoseChoice, TransplantJob, TransplantReport,
};

use crate::choice::one_of;
use crate::console::{Table, count, number, size};
use crate::door::{Command, InWords};
use crate::error::Outcome;
use crate::numbers::NumbersArgs;
use crate::report::{OFF_RIG, engine_rows, more_joints, seconds_in_words, unit_row};
use crate::standard::{RigFormatArgs, always};
use crate::words::warnings;

/// Move other motion onto a rig
///
/// Bones turn as the joints of the source do, and go where the mesh holds together. For that Sinew must know
/// which joint each bone follows, and one pose of the source that is a pose of the rig. Both are found where
/// they are not given; the table says which were taken and how well they agree. --unit, --up and --scale are about the
/// source.
#[derive(Args)]
#[command(after_help = "Examples:
  sinew transplant walk.bvh --onto character.glb -o character-walks.glb
  sinew transplant Knight.glb --clip Walk --onto rig.glb --align-source Run:0 --align-rig 0 -o out.glb
  sinew transplant --suggest walk.bvh --onto knight.glb -o map.toml --picture map.png
  sinew transplant walk.bvh --onto knight.glb --map map.toml --fps 30 -o knight-walks.glb")]
pub struct TransplantArgs {
    /// The motion: BVH, AMC (with its ASF beside it), GLB, glTF, FBX, USD or .sinew
    source: PathBuf,

    /// The rig that is to move: a GLB, glTF, FBX, USD or .sinew file
    #[arg(long, value_name = "RIG")]
    onto: PathBuf,

    /// The rig to write, by its ending (*.glb, *.fbx, *.usda, *.sinew); with --suggest the map, *.toml; - is standard output
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,

    #[command(flatten)]
    format: RigFormatArgs,

    /// Write which joint each bone would follow, as a map to look at and correct, and move nothing
    #[arg(long, conflicts_with = "map")]
    suggest: bool,

    /// Which joint each bone follows, as --suggest writes it [default: what --suggest would write]
    #[arg(long, value_name = "FILE.toml")]
    map: Option<PathBuf>,

    /// The clip of the source, by name or number, or "all" for all of them [default: the first that moves]
    #[arg(long, value_name = "NAME")]
    clip: Option<String>,

    /// Frames per second of the result [default: the source's]
    #[arg(long, value_name = "F", allow_negative_numbers = true)]
    fps: Option<f64>,

    /// The pose of the source that is the rig's: its bind pose, a frame, or a frame of another clip, counted
    /// from 0 [default: of some poses the one that agrees best]
    #[arg(long, value_name = "bind|FRAME|CLIP:FRAME")]
    align_source: Option<SourcePoseChoice>,

    /// The pose of the rig that is the source's: its rest pose or a frame, counted from 0 over all clips
    /// [default: of some poses the one that agrees best]
    #[arg(long, value_name = "rest|FRAME")]
    align_rig: Option<RigPoseChoice>,

    /// The ASF file that goes with an AMC file [default: the one beside it]
    #[arg(long, value_name = "FILE")]
    asf: Option<PathBuf>,

    #[command(flatten)]
    numbers: NumbersArgs,

    /// What holds the bones together
    #[arg(long, value_parser = one_of::<Translations>(), default_value_t)]
    translations: Translations,

    /// Which way the rig faces in its rest pose
    #[arg(long, value_parser = one_of::<Facing>(), default_value_t, allow_hyphen_values = true)]
    facing: Facing,

    /// Exchange left and right of the motion
    #[arg(long)]
    mirror: bool,

    /// What becomes of feet that stand in the source
    #[arg(long, value_parser = one_of::<Plant>(), default_value_t)]
    plant: Plant,

    /// Take the way over the ground out of the motion; feet then slide as on a treadmill
    #[arg(long)]
    in_place: bool,

    /// Draw the source laid over the rig, and the rig in the colours of the joints that its bones follow
    #[arg(long, value_name = "FILE.png")]
    picture: Option<PathBuf>,

    /// Write a machine-readable report
    #[arg(long, value_name = "FILE.json")]
    report: Option<PathBuf>,
}

impl Command for TransplantArgs {
    type Job = TransplantJob;

    fn job(&self) -> Outcome<TransplantJob> {
        Ok(TransplantJob {
            source: self.source.clone(),
            onto: self.onto.clone(),
            output: if self.suggest { always("toml", &self.output) } else { self.format.of(&self.output)? },
            suggest: self.suggest,
            map: self.map.clone(),
            clip: self.clip.clone(),
            fps: self.fps,
            align_source: self.align_source.clone(),
            align_rig: self.align_rig,
            asf: self.asf.clone(),
            unit: self.numbers.unit,
            up: self.numbers.up,
            scale: self.numbers.scale,
            translations: self.translations,
            facing: self.facing,
            mirror: self.mirror,
            plant: self.plant,
            in_place: self.in_place,
            picture: self.picture.as_deref().map(|picture| always("png", picture)),
            report: self.report.clone(),
        })
    }
}

impl InWords for TransplantJob {
    fn table(&self, report: &TransplantReport) -> Table {
        let mut table = Table::default();
        table.row("source", format!("{}, {}", report.source, count(report.joints, "joint", "joints")));
        let joints = more_joints(report.bones, report.file_joints);
        table.row("rig", format!("{}, {}{joints}", report.rig, count(report.bones, "bone", "bones")));
        let frames = count(report.frames, "frame", "frames");
        table.row("motion", format!("{}: {frames} at {} per second", report.clip, number(report.fps)));
        unit_row(&report.units, &mut table);
        table.row("aligned", aligned_in_words(&report.alignment));
        let with_joint = report.map.iter().filter(|m| m.joint.is_some()).count();
        let is_guess =
            |why: &&MatchReason| **why != MatchReason::None && why.confidence() == Confidence::Guess;
        let guesses = report.map.iter().filter_map(|m| m.reason.as_ref()).filter(is_guess).count();
        let given = report.map.iter().all(|m| m.because.is_none());
        let sure = match (given, guesses) {
            (true, _) => ", as the map says".into(),
            (false, 0) => String::new(),
            (false, n) => format!(", {}", count(n, "guess", "guesses")),
        };
        table.row("map", format!("{with_joint} of {} bones follow joints{sure}", report.bones));
        if let Some(translations) = report.translations {
            let stride = report.stride.map(|s| format!(", steps {} times the source's", number(s)));
            table.row("places", format!("{translations}{}", stride.unwrap_or_default()));
        }
        if let Some(degrees) = report.off_degrees {
            table.row("limbs", format!("{} degrees off the source's, on average", number(degrees.round())));
        }
        if let Some(planted) = report.planted.as_ref().filter(|planted| planted.legs > 0) {
            let (legs, steps) = (count(planted.legs, "foot stands", "feet stand"), planted.steps);
            let [moved, lowered] = [planted.moved_percent, planted.lowered_percent].map(number);
            let how = format!("moved by up to {moved} % of a leg, hips lowered by {lowered} %");
            table.row("feet", format!("{legs} {steps} times, {how}"));
        }
        let s = &report.seconds;
        let stages = [("read", s.read), ("plan", s.plan), ("transplant", s.transplant), ("write", s.write)];
        engine_rows(&report.engines, OFF_RIG, &mut table);
        table.row("time", seconds_in_words(s.total, &stages));
        table.row("size", format!("{} in, {} out", size(report.bytes.input), size(report.bytes.output)));
        table.list("warning", &warnings(&report.warnings));
        table.files("wrote", &self.targets());
        table
    }
}

fn aligned_in_words(alignment: &AlignmentReport) -> String {
    let source = match alignment.source.as_str() {
        "bind" => "the source's bind pose".into(),
        frame => format!("frame {frame} of the source"),
    };
    let rig = match alignment.rig.as_str() {
        "rest" => "the rig's rest pose".into(),
        frame => format!("frame {frame} of the rig"),
    };
    let angle = alignment.angle_degrees.map(|a| format!(", limbs {} degrees apart", number(a.round())));
    let mut lines = format!(
        "{source} = {rig}\n{} % of the height apart, by {}{}",
        number(alignment.apart_percent),
        alignment.by,
        angle.unwrap_or_default()
    );
    if alignment.facing_degrees != 0.0 || alignment.scale != 1.0 {
        let (turned, scale) = (number(alignment.facing_degrees.round()), number(alignment.scale));
        let told = alignment.faced_by;
        lines += &format!(
            "\nthe source is turned by {turned} degrees (by {told}) and made {scale} times as large"
        );
    }
    lines
}

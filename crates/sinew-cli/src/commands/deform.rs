//! `sinew deform`: shapes of a character in any pose, from its skeleton and a few examples.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use sinew::deform::DeformOptions;
use sinew_io::deform_file::HandlesFrom;
use sinew_jobs::deform::{
    Against, AnchorChoice, ComparePose, DeformCompareReport, DeformJob, DeformReport, MoveFlesh,
    PoseCharacter, PoseReport, SetUp, SetupReport, Step,
};
use sinew_picture::UpAxis;

use crate::choice::{one_of, view};
use crate::console::{Table, count, frames_of, number, size, written};
use crate::door::{Command, InWords};
use crate::error::Outcome;
use crate::numbers::NumbersArgs;
use crate::report::{OFF_RIG, engine_rows, unit_row};
use crate::standard::{PosesFormatArgs, always};
use crate::words::warnings;

/// Deform a character by its skeleton, with detail and volume kept and examples followed
///
/// Linear blending collapses elbows and knows nothing of muscles. Here every triangle turns with the joints
/// around it, the whole is stitched together again, and example shapes say what muscles do: in their own
/// poses exactly, in others as far as these are like them, beyond them more.
#[derive(Args)]
pub struct DeformArgs {
    #[command(subcommand)]
    step: DeformCommand,
}

#[derive(Subcommand)]
enum DeformCommand {
    Setup(SetupArgs),
    Pose(PoseArgs),
    Compare(CompareArgs),
}

/// Make a character ready: which vertices follow which joint, and its examples
#[derive(Args)]
#[command(after_help = "Examples:
  sinew deform setup body.glb -o body.deform
  sinew deform setup body.glb --handles handles.toml --examples examples.toml --anchors 2% -o body.deform

handles.toml lists vertices by joint, counted from 0 as in the frames that sinew deform pose writes:
  others = \"none\"                         # joints that are not named; without it all must be
  [handles]
  hips = [0, 1, 2, \"10-20\"]
  ik_target = \"none\"

examples.toml lists shapes and their poses; turns are axis times angle in degrees, against the parent:
  [[example]]
  shape = \"flexed.obj\"                     # the mesh in the pose, or
  # morphs = [\"biceps\", 3]                 # morph targets of the body, which the pose carries along
  turns = { forearm = [0, 0, 60] }         # or pose = \"flexed.bvh\", a TOML, BVH or GLB file")]
struct SetupArgs {
    /// The character: a GLB, glTF or .sinew file with a skeleton
    body: PathBuf,

    /// The file to write, *.deform
    #[arg(short, long, value_name = "FILE.deform")]
    output: PathBuf,

    /// Which vertices follow one joint alone [default: found]
    #[arg(long, value_name = "FILE.toml", conflicts_with = "handles_from")]
    handles: Option<PathBuf>,

    /// What handles are found from [default: the skin weights where they tell joints apart]
    #[arg(long, value_parser = one_of::<HandlesFrom>())]
    handles_from: Option<HandlesFrom>,

    /// Example shapes and their poses
    #[arg(long, value_name = "FILE.toml")]
    examples: Option<PathBuf>,

    /// Keep what examples add at a few triangles: a share of them (2%), a number (300), or as many as fit into
    /// some bytes of the file (64kB) [default: at all, which meets examples exactly]
    #[arg(long, value_name = "N|P%|SIZE", requires = "examples")]
    anchors: Option<AnchorChoice>,

    /// Keep only the largest influences of joints on a triangle that make this share
    #[arg(long, value_name = "SHARE", default_value_t = DeformOptions::default().keep)]
    keep: f64,

    /// How far hands, feet and all between follow their bones, 0 to 1; less bends limbs in arcs beside them
    #[arg(long, value_name = "SHARE", default_value_t = DeformOptions::following().follow)]
    follow: f64,

    #[command(flatten)]
    numbers: NumbersArgs,

    /// Write a machine-readable report
    #[arg(long, value_name = "FILE.json")]
    report: Option<PathBuf>,
}

/// Pose a character: a cache, a folder of frames, or a rig that any engine plays
#[derive(Args)]
#[command(after_help = "Examples:
  sinew deform pose body.deform --pose walk.bvh -o walk.pc2
  sinew deform pose body.deform --pose flexed.toml -o frames/
  sinew deform pose body.deform --pose clip.glb --bones 60 -o walk.glb
  sinew deform pose flesh.deform --primary walk.pc2 -o walk-with-flesh.pc2

A pose in TOML; turns are axis times angle in degrees, against the parent and from the rest pose:
  place = [0, 1, 0]
  [turns]
  forearm = [0, 0, 90]")]
struct PoseArgs {
    /// The character, as sinew deform setup writes it, or a body with flesh, as sinew learn does
    character: PathBuf,

    /// The poses: a TOML file with one, or motion with joints of the same names (BVH, AMC, GLB, .sinew)
    #[arg(long, value_name = "FILE", required_unless_present = "primary", conflicts_with = "primary")]
    pose: Option<PathBuf>,

    /// Of a body with flesh: its motion without, an animation of the same vertices
    #[arg(long, value_name = "FILE")]
    primary: Option<PathBuf>,

    /// Where to: FILE.pc2, FILE.mdd, a folder for one mesh a frame, or FILE.glb or FILE.sinew to skin the
    /// result
    #[arg(short, long, value_name = "FILE|FOLDER")]
    output: PathBuf,

    /// The clip of the motion, by name or number [default: the first that moves]
    #[arg(long, value_name = "NAME")]
    clip: Option<String>,

    /// Frames per second that a clip is played at [default: its own]
    #[arg(long, value_name = "F", allow_negative_numbers = true)]
    fps: Option<f64>,

    /// Bones of a rig that is written [default: as many as about 1.5 percent of error need]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    bones: Option<u16>,

    #[command(flatten)]
    format: PosesFormatArgs,

    /// Write a machine-readable report
    #[arg(long, value_name = "FILE.json")]
    report: Option<PathBuf>,
}

/// Compare a pose of a character with blended bones: side by side, volume and detail
#[derive(Args)]
#[command(after_help = "Example:
  sinew deform compare body.deform --pose flexed.toml --against lbs -o compare.png")]
struct CompareArgs {
    /// The character, as sinew deform setup writes it
    character: PathBuf,

    /// The pose: a TOML file, or a frame of a motion
    #[arg(long, value_name = "FILE")]
    pose: PathBuf,

    /// The clip of the motion, by name or number [default: the first that moves]
    #[arg(long, value_name = "NAME")]
    clip: Option<String>,

    /// The frame of the motion, counted from 0
    #[arg(long, value_name = "N", default_value_t = 0)]
    frame: usize,

    /// What it is compared with, on the weights that the character came with
    #[arg(long, value_parser = one_of::<Against>(), default_value_t)]
    against: Against,

    /// Where to look from: degrees around and above; 0,0 is from +Z, 90,0 from +X [default: at the whole from
    /// aside, at the bend across its plane]
    #[arg(long, value_name = "AZIMUTH,ELEVATION", allow_hyphen_values = true, value_parser = view)]
    view: Option<(f32, f32)>,

    /// Which way is up in the data [default: found from what the body stands on]
    #[arg(long, value_parser = one_of::<UpAxis>())]
    up: Option<UpAxis>,

    /// The picture to write
    #[arg(short, long, value_name = "FILE.png")]
    output: PathBuf,

    /// Write a machine-readable report
    #[arg(long, value_name = "FILE.json")]
    report: Option<PathBuf>,
}

impl Command for DeformArgs {
    type Job = DeformJob;

    fn job(&self) -> Outcome<DeformJob> {
        let (step, report) = match &self.step {
            DeformCommand::Setup(args) => (Step::Setup(args.step()), &args.report),
            DeformCommand::Pose(args) => (args.step()?, &args.report),
            DeformCommand::Compare(args) => (Step::Compare(args.step()), &args.report),
        };
        Ok(DeformJob { step, report: report.clone() })
    }
}

impl SetupArgs {
    fn step(&self) -> SetUp {
        SetUp {
            body: self.body.clone(),
            output: always("deform", &self.output),
            handles: self.handles.clone(),
            handles_from: self.handles_from,
            examples: self.examples.clone(),
            anchors: self.anchors,
            keep: Some(self.keep),
            follow: Some(self.follow),
            unit: self.numbers.unit,
            up: self.numbers.up,
            scale: self.numbers.scale,
        }
    }
}

impl PoseArgs {
    fn step(&self) -> Outcome<Step> {
        let (output, format) = self.format.of(&self.output)?;
        let (character, clip, fps) = (self.character.clone(), self.clip.clone(), self.fps);
        let bones = self.bones.map(Into::into);
        Ok(match &self.primary {
            Some(primary) => Step::Flesh(MoveFlesh {
                character,
                primary: primary.clone(),
                output,
                clip,
                fps,
                bones,
                format,
            }),
            None => {
                // One of both is there, or the arguments are refused before.
                let pose = self.pose.clone().unwrap_or_default();
                Step::Pose(PoseCharacter { character, pose, output, clip, fps, bones, format })
            }
        })
    }
}

impl CompareArgs {
    fn step(&self) -> ComparePose {
        ComparePose {
            character: self.character.clone(),
            pose: self.pose.clone(),
            clip: self.clip.clone(),
            frame: self.frame,
            against: self.against,
            view: self.view.map(Into::into),
            up: self.up,
            output: always("png", &self.output),
        }
    }
}

impl InWords for DeformJob {
    fn table(&self, report: &DeformReport) -> Table {
        match (&self.step, report) {
            (Step::Setup(step), DeformReport::Setup(report)) => setup_table(step, report),
            (Step::Pose(PoseCharacter { output, .. }), DeformReport::Pose(report))
            | (Step::Flesh(MoveFlesh { output, .. }), DeformReport::Pose(report)) => {
                pose_table(output, report)
            }
            (Step::Compare(step), DeformReport::Compare(report)) => compare_table(step, report),
            // A report is one of its own step.
            _ => Table::default(),
        }
    }
}

fn setup_table(step: &SetUp, report: &SetupReport) -> Table {
    let mut table = Table::default();
    let (vertices, triangles) =
        (count(report.vertices, "vertex", "vertices"), count(report.triangles, "triangle", "triangles"));
    table.row("character", format!("{}, {vertices}, {triangles}", report.body));
    let share = 100.0 * report.handle_vertices as f64 / report.vertices.max(1) as f64;
    let joints = count(report.joints, "joint", "joints");
    table.row("handles", format!("{joints}; {share:.0} % of the vertices follow one alone"));
    if !report.without_handle.is_empty() {
        table.row("", format!("none of their own: {}", report.without_handle.join(", ")));
    }
    if !report.examples.is_empty() {
        let poses = count(report.distinct_examples, "pose", "poses");
        let bytes = size(report.example_bytes as u64);
        let anchors = report.anchors.map(|anchors| format!(" at {}", count(anchors, "anchor", "anchors")));
        let kept = format!("{bytes} when posing{}", anchors.unwrap_or_default());
        table.row("examples", format!("{}: {poses}, {kept}", report.examples.join(", ")));
    }
    table.row("time", format!("{:.2} s", report.seconds));
    table.row("wrote", format!("{} ({})", written(&step.output), size(report.output_bytes)));
    table.list("warning", &warnings(&report.warnings));
    table
}

fn pose_table(output: &Path, report: &PoseReport) -> Table {
    let mut table = Table::default();
    table.row("character", report.character.clone());
    let frames = frames_of(report.frames, report.vertices);
    table.row("posed", format!("{frames} at {} per second, by {}", number(report.fps), report.poses));
    unit_row(&report.units, &mut table);
    if let Some(percent) = report.skin_percent {
        table.row("skinned", format!("{} % of the motion off", number(percent)));
    }
    engine_rows(&report.engines, OFF_RIG, &mut table);
    let seconds = &report.seconds;
    table.row("time", format!("{:.2} s, {:.2} s of them to set up", seconds.total, seconds.setup));
    table.row("wrote", format!("{} ({})", written(output), size(report.output_bytes)));
    table.list("warning", &warnings(&report.warnings));
    table
}

fn compare_table(step: &ComparePose, report: &DeformCompareReport) -> Table {
    let mut table = Table::default();
    let volume = report.rest_volume;
    table.row("bend", format!("{} triangles, volume {volume:.4} in the rest pose", report.triangles));
    table.row(step.against.title(), report.blended.in_words());
    table.row("deform", report.deformed.in_words());
    table.row("wrote", written(&step.output));
    table
}

//! `sinew edit`: a rig that is changed by hand.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Subcommand};
use glam::DVec3;
use sinew::motion::Carry;
use sinew_jobs::edit::{Edit, EditJob, EditReport, Rotate, SculptPose, SculptRest, Through};

use crate::choice::one_of;
use crate::console::{Table, count, number, size, written};
use crate::door::{Command, InWords};
use crate::error::Outcome;
use crate::numbers::NumbersArgs;
use crate::report::{OFF_RIG, engine_rows, unit_row};
use crate::standard::{RigFormatArgs, output_help};
use crate::words::warnings;

/// Change a rig by hand: turn a bone, sculpt a pose, sculpt the rest pose
///
/// Frames are counted from 0, in the clip that is edited. What is not edited stays as it is.
#[derive(Args)]
pub struct EditArgs {
    #[command(subcommand)]
    edit: EditCommand,
}

#[derive(Subcommand)]
enum EditCommand {
    Rotate(RotateArgs),
    Pose(PoseArgs),
    Rest(RestArgs),
}

/// Turn a bone further, in one frame or in many
///
/// The axis is that of the world in the first frame; in later frames the bone takes it along. With a skeleton,
/// all that hangs on the bone turns with it. Without one, the bone turns alone and the others move to where
/// the mesh holds together.
#[derive(Args)]
#[command(after_help = "Examples:
  sinew edit rotate rig.glb --bone 7 --axis 0,1,0 --angle 30 --frame 12 -o out.glb
  sinew edit rotate rig.glb --bone head --axis 1,0,0 --angle -20 --frame 12 --through 30 --ease 6 -o out.glb")]
struct RotateArgs {
    #[command(flatten)]
    rig: RigArgs,

    /// The bone, by name or number (sinew info lists the joints of a skeleton)
    #[arg(long, value_name = "NAME|N")]
    bone: String,

    /// What it turns about
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true)]
    axis: Axis,

    /// How far, in degrees
    #[arg(long, value_name = "DEGREES", allow_negative_numbers = true)]
    angle: f64,

    #[command(flatten)]
    frames: FrameArgs,

    /// The last frame that changes, or "end", that of the clip [default: the first alone]
    #[arg(long, value_name = "N|end")]
    through: Option<Through>,

    /// Let the turn grow over so many frames at the beginning and, unless it goes through to the end, fade
    /// over as many
    #[arg(long, value_name = "N", default_value_t = 0, requires = "through")]
    ease: usize,

    /// Turn nothing but the bone, even where others hang on it
    #[arg(long)]
    alone: bool,
}

/// Make a frame look like a sculpted mesh, and later frames follow
///
/// Bones do what they can; what they cannot is kept as a shape that they carry along. The frame is met, those
/// before it stay as they are, and a skeleton stays a skeleton.
#[derive(Args)]
#[command(
    after_help = "The shape needs the vertices of the rig in their order. Frames that sinew bake writes have them:
  sinew bake rig.glb -o frames/
  (sculpt frames/frame_0012.obj; neither add nor remove vertices)
  sinew edit pose rig.glb --frame 12 --shape frames/frame_0012.obj -o out.glb"
)]
struct PoseArgs {
    #[command(flatten)]
    rig: RigArgs,

    /// The sculpted mesh (OBJ or PLY)
    #[arg(long, value_name = "FILE")]
    shape: PathBuf,

    #[command(flatten)]
    frames: FrameArgs,

    /// The last frame that follows, or "end", that of the clip
    #[arg(long, value_name = "N|end", default_value = "end")]
    through: Through,

    /// Let the edit fade over so many frames up to the last
    #[arg(long, value_name = "N", default_value_t = 0)]
    ease: usize,
}

/// Give a rig a sculpted rest pose: what was added or taken away shows in all frames, turned with the body
#[derive(Args)]
#[command(
    after_help = "The shape needs the vertices of the rig in their order. sinew bake writes such a mesh:
  sinew bake rig.glb -o anim.pc2 --rest-out rest.obj
  (sculpt rest.obj; neither add nor remove vertices)
  sinew edit rest rig.glb --shape rest.obj -o out.glb"
)]
struct RestArgs {
    #[command(flatten)]
    rig: RigArgs,

    /// The sculpted rest pose (OBJ or PLY)
    #[arg(long, value_name = "FILE")]
    shape: PathBuf,

    /// What the edit follows in the frames
    #[arg(long, value_parser = one_of::<Carry>(), default_value_t)]
    carry: Carry,
}

#[derive(Args)]
struct RigArgs {
    /// A file that holds a rig; sinew info --formats lists the formats
    rig: PathBuf,

    #[arg(short, long, value_name = "FILE", help = output_help("edited rig"))]
    output: PathBuf,

    #[command(flatten)]
    format: RigFormatArgs,

    #[command(flatten)]
    numbers: NumbersArgs,

    /// Write a machine-readable report
    #[arg(long, value_name = "FILE.json")]
    report: Option<PathBuf>,
}

#[derive(Args)]
struct FrameArgs {
    /// The frame that is edited
    #[arg(long, value_name = "F")]
    frame: usize,

    /// The clip that it is in, by name or number [default: the first that moves]
    #[arg(long, value_name = "NAME")]
    clip: Option<String>,
}

/// A direction.
#[derive(Clone, Copy)]
struct Axis([f64; 3]);

impl FromStr for Axis {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers: Vec<f64> = text.split(',').filter_map(|part| part.trim().parse().ok()).collect();
        let has_length =
            |axis: &[f64; 3]| DVec3::from(*axis).is_finite() && DVec3::from(*axis).length() > 1e-9;
        match (numbers[..].try_into(), text.split(',').count()) {
            (Ok(axis), 3) if has_length(&axis) => Ok(Self(axis)),
            _ => Err("give three numbers that are not all zero, such as 0,1,0".into()),
        }
    }
}

impl Command for EditArgs {
    type Job = EditJob;

    fn job(&self) -> Outcome<EditJob> {
        let (files, edit) = match &self.edit {
            EditCommand::Rotate(args) => (
                &args.rig,
                Edit::Rotate(Rotate {
                    bone: args.bone.clone(),
                    axis: args.axis.0,
                    angle: args.angle,
                    frame: args.frames.frame,
                    clip: args.frames.clip.clone(),
                    through: args.through,
                    ease: args.ease,
                    alone: args.alone,
                }),
            ),
            EditCommand::Pose(args) => (
                &args.rig,
                Edit::Pose(SculptPose {
                    shape: args.shape.clone(),
                    frame: args.frames.frame,
                    clip: args.frames.clip.clone(),
                    through: args.through,
                    ease: args.ease,
                }),
            ),
            EditCommand::Rest(args) => {
                (&args.rig, Edit::Rest(SculptRest { shape: args.shape.clone(), carry: args.carry }))
            }
        };
        let RigArgs { rig, output, format, numbers: NumbersArgs { unit, up, scale }, report } = files;
        Ok(EditJob {
            rig: rig.clone(),
            edit,
            output: format.of(output)?,
            unit: *unit,
            up: *up,
            scale: *scale,
            report: report.clone(),
        })
    }
}

impl InWords for EditJob {
    fn table(&self, report: &EditReport) -> Table {
        let mut table = Table::default();
        table.row("rig", &report.rig);
        table.row("edit", &report.edit);
        table.row("frames", frames_in_words(report));
        if let Some(largest) = &report.largest {
            let place = format!("frame {}, vertex {}", largest.frame, largest.vertex);
            table.row("farthest", format!("{} % of the diagonal, at {place}", number(largest.percent)));
        }
        if let Some(moved) = moved_in_words(report) {
            table.row("moved", moved);
        }
        if !report.parts.is_empty() {
            let added = count(report.parts.len(), "bone", "bones");
            table.row("parts", format!("{added} more, for separate places that one bone moved:"));
            let names: Vec<String> =
                report.parts.iter().map(|[from, name]| format!("{from} -> {name}")).collect();
            names.chunks(4).for_each(|line| table.row("", line.join(", ")));
        }
        engine_rows(&report.engines, OFF_RIG, &mut table);
        unit_row(&report.units, &mut table);
        table.row("wrote", format!("{} ({})", written(&self.output), size(report.bytes)));
        table.list("warning", &warnings(&report.warnings));
        table
    }
}

/// What moved where a pose was sculpted.
fn moved_in_words(report: &EditReport) -> Option<String> {
    let (bones, correction) = (report.bones_moved?, report.correction?);
    let moved = match (report.body_moved == Some(true), bones) {
        (true, 0) => "the body as a whole".into(),
        (true, n) => format!("the body as a whole, {} within it", count(n, "bone", "bones")),
        (false, 0) => "no bone".into(),
        (false, n) => count(n, "bone", "bones"),
    };
    let shape = match correction {
        0.0 => "no correction was needed".into(),
        c => format!("a correction of up to {} % of the diagonal", number(c)),
    };
    Some(format!("{moved}, {shape}"))
}

fn frames_in_words(report: &EditReport) -> String {
    let clip = report.clip.as_ref().map(|clip| format!(" of clip {clip}")).unwrap_or_default();
    let of = format!("of {}{clip}", report.frames);
    match (report.first_changed, report.last_changed) {
        (Some(first), Some(last)) if first != last => {
            format!("{} {of} changed, {first} to {last}", report.frames_changed)
        }
        (Some(only), _) => format!("1 {of} changed, frame {only}"),
        _ => format!("none {of} changed"),
    }
}

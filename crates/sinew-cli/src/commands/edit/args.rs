//! What `sinew edit` is told.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Subcommand, ValueEnum};
use glam::DVec3;
use sinew::motion::Carry;

/// Change a rig by hand: turn a bone, sculpt a pose, sculpt the rest pose
///
/// Frames are counted from 0, in the clip that is edited. What is not edited stays as it is.
#[derive(Args)]
pub struct EditArgs {
    #[command(subcommand)]
    pub(super) edit: Edit,
}

#[derive(Subcommand)]
pub(super) enum Edit {
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
pub(super) struct RotateArgs {
    #[command(flatten)]
    pub rig: RigArgs,

    /// The bone, by name or number (sinew info lists the joints of a skeleton)
    #[arg(long, value_name = "NAME|N")]
    pub bone: String,

    /// What it turns about
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true)]
    pub axis: Axis,

    /// How far, in degrees
    #[arg(long, value_name = "DEGREES", allow_negative_numbers = true)]
    pub angle: f64,

    #[command(flatten)]
    pub frames: FrameArgs,

    /// The last frame that changes, or "end", that of the clip [default: the first alone]
    #[arg(long, value_name = "N|end")]
    pub through: Option<Through>,

    /// Let the turn grow over so many frames at the beginning and, unless it goes through to the end, fade
    /// over as many
    #[arg(long, value_name = "N", default_value_t = 0, requires = "through")]
    pub ease: usize,

    /// Turn nothing but the bone, even where others hang on it
    #[arg(long)]
    pub alone: bool,
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
pub(super) struct PoseArgs {
    #[command(flatten)]
    pub rig: RigArgs,

    /// The sculpted mesh (OBJ or PLY)
    #[arg(long, value_name = "FILE")]
    pub shape: PathBuf,

    #[command(flatten)]
    pub frames: FrameArgs,

    /// The last frame that follows, or "end", that of the clip
    #[arg(long, value_name = "N|end", default_value = "end")]
    pub through: Through,

    /// Let the edit fade over so many frames up to the last
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub ease: usize,
}

/// Give a rig a sculpted rest pose: what was added or taken away shows in all frames, turned with the body
#[derive(Args)]
#[command(
    after_help = "The shape needs the vertices of the rig in their order. sinew bake writes such a mesh:
  sinew bake rig.glb -o anim.pc2 --rest-out rest.obj
  (sculpt rest.obj; neither add nor remove vertices)
  sinew edit rest rig.glb --shape rest.obj -o out.glb"
)]
pub(super) struct RestArgs {
    #[command(flatten)]
    pub rig: RigArgs,

    /// The sculpted rest pose (OBJ or PLY)
    #[arg(long, value_name = "FILE")]
    pub shape: PathBuf,

    /// What the edit follows in the frames
    #[arg(long, value_enum, default_value_t)]
    pub carry: Follow,
}

#[derive(Clone, Copy, Default, ValueEnum)]
pub(super) enum Follow {
    /// The surface, as nearly as bones can in all frames; the rest pose may differ a little from the shape
    #[default]
    Surface,
    /// The bones as they are; the rest pose is the shape
    Bones,
}

impl From<Follow> for Carry {
    fn from(follow: Follow) -> Self {
        match follow {
            Follow::Surface => Self::Surface,
            Follow::Bones => Self::Bones,
        }
    }
}

#[derive(Args)]
pub(super) struct RigArgs {
    /// A file that holds a rig; sinew info --formats lists the formats
    pub rig: PathBuf,

    /// The edited rig: a GLB file, or .sinew, which keeps every number as it is
    #[arg(short, long, value_name = "FILE.glb|FILE.sinew")]
    pub output: PathBuf,

    /// Write a machine-readable report
    #[arg(long, value_name = "FILE.json")]
    pub report: Option<PathBuf>,
}

#[derive(Args)]
pub(super) struct FrameArgs {
    /// The frame that is edited
    #[arg(long, value_name = "F")]
    pub frame: usize,

    /// The clip that it is in, by name or number [default: the first]
    #[arg(long, value_name = "NAME")]
    pub clip: Option<String>,
}

/// A direction.
#[derive(Clone, Copy)]
pub(super) struct Axis(pub DVec3);

impl FromStr for Axis {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers: Vec<f64> = text.split(',').filter_map(|part| part.trim().parse().ok()).collect();
        match (numbers[..].try_into().map(DVec3::from_array), text.split(',').count()) {
            (Ok(axis), 3) if axis.is_finite() && axis.length() > 1e-9 => Ok(Self(axis.normalize())),
            _ => Err("give three numbers that are not all zero, such as 0,1,0".into()),
        }
    }
}

/// The last frame of an edit.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Through {
    End,
    Frame(usize),
}

impl FromStr for Through {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "end" => Ok(Self::End),
            number => number.parse().map(Self::Frame).map_err(|_| "give a frame (30) or \"end\"".into()),
        }
    }
}

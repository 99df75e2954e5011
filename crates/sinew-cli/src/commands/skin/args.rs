//! What `sinew skin` is told.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use sinew::skin::{DEFAULT_INFLUENCES, DEFAULT_ROUNDS, RestPose};

use super::best::BestArgs;
use super::choose::{ChooseArgs, bytes};
use crate::source::SourceArgs;

/// Turn an animation into a rig
///
/// Finds bones, weights and, on request, corrections that replay the animation, and writes them as a
/// skinned, animated GLB file or, in full, as .sinew.
#[derive(Args)]
#[command(after_help = "Examples:
  sinew skin anim.pc2 --rest rest.obj -o horse.glb
  sinew skin frames/ -o out.glb --bones 24 --rank 8 --report out.json
  sinew skin 'scan_*.ply' --fps 30 --kind rigid -o out.glb
  sinew skin anim.pc2 --rest rest.obj --target-error 1.0 --plot sizes.png -o out.glb
  sinew skin anim.pc2 --rest rest.obj --budget 300KB -o out.glb
  sinew skin walk.pc2 run.pc2 --rest rest.obj -o out.glb
  sinew skin anim.pc2 --rest rest.obj --start rig.glb --solve weights -o out.glb
  sinew skin anim.pc2 --rest rest.obj --weights tsvd -o out.sinew
  sinew skin anim.pc2 --rest rest.obj --method fesam --bones 30 -o out.glb")]
pub struct SkinArgs {
    #[command(flatten)]
    pub(super) source: SourceArgs,

    /// The rig to write: a GLB file, or .sinew, which keeps every number as it was solved
    #[arg(short, long, value_name = "FILE.glb|FILE.sinew")]
    pub(super) output: Option<PathBuf>,

    /// The pose that bones deform: file is the given mesh, first the first frame, a number that frame (counted
    /// from 0); auto is the given mesh or else the first frame, and with sma the best of some frames
    #[arg(long, value_name = "auto|file|first|N", default_value = "auto", value_parser = rest_pose)]
    pub(super) rest_pose: RestPose,

    /// How bones and weights are found [default: best; sma where an option of sma alone is given]
    #[arg(long, value_enum)]
    pub(super) method: Option<Method>,

    /// The most rounds of fesam and pps; they end earlier when the error falls no more
    #[arg(long, value_name = "N", default_value_t = DEFAULT_ROUNDS)]
    pub(super) rounds: usize,

    /// Rotation tolerance of sma: smaller finds more bones, down to where hardly any triangles move alike
    /// [default: 0.05]
    #[arg(long, value_name = "E", allow_negative_numbers = true)]
    pub(super) epsilon: Option<f64>,

    /// Exactly so many bones [default: as many as the animation needs; with sad, fesam and pps 30]
    #[arg(long, value_name = "N")]
    pub(super) bones: Option<usize>,

    /// Take bones and their motion from this rig and solve only weights and corrections
    #[arg(long, value_name = "RIG.glb", conflicts_with_all = ["bones", "rest_pose"])]
    pub(super) bones_from: Option<PathBuf>,

    /// Rigid bones turn and shift, flexible ones stretch and shear too [default: flexible, or as --start has them]
    #[arg(long, value_enum)]
    pub(super) kind: Option<Kind>,

    /// Which triangles sma fits bones to: those that move alike (the paper's), or all, each with the bone that
    /// predicts it best [default: refined]
    #[arg(long, value_enum)]
    pub(super) core: Option<Core>,

    /// How sma solves weights. tsvd fits closer with weights below zero, which GLB cannot store but .sinew
    /// can
    #[arg(long, value_enum, default_value_t)]
    pub(super) weights: Weights,

    /// Let nnls weights fall to -D. Above 0 they cannot be stored in GLB, but in .sinew
    #[arg(long, value_name = "D", default_value_t = 0.0, allow_negative_numbers = true)]
    pub(super) min_weight: f64,

    /// The most influences on a vertex; engines take 4, some 8 [default: 4]
    #[arg(long, value_name = "K")]
    pub(super) influences: Option<usize>,

    /// Number of correction shapes, stored as morph targets [default: 0]
    #[arg(long, value_name = "R")]
    pub(super) rank: Option<usize>,

    /// Store less, with no vertex off by more than this many percent of the mesh's diagonal
    #[arg(long, value_name = "PERCENT", num_args = 0..=1, require_equals = true, default_missing_value = "0.01")]
    pub(super) compact: Option<f64>,

    /// The working set: of animations whose frames take more, the rig is learnt from as many frames as fit, evenly
    /// over all, and then taken through all; memory stays below twice this and 64 MB. Bytes, or a number with MB or GB
    #[arg(long, value_name = "SIZE", default_value = "2GB", value_parser = bytes)]
    pub(super) memory: u64,

    /// Write a machine-readable report
    #[arg(long, value_name = "FILE.json")]
    pub(super) report: Option<PathBuf>,

    #[command(flatten)]
    pub(super) best: BestArgs,

    #[command(flatten)]
    pub(super) choose: ChooseArgs,
}

impl SkinArgs {
    /// Influences asked for, or the usual number.
    pub(super) fn influences(&self) -> usize {
        self.influences.unwrap_or(DEFAULT_INFLUENCES)
    }

    /// Rank asked for, or none.
    pub(super) fn rank(&self) -> usize {
        self.rank.unwrap_or(0)
    }
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub(super) enum Method {
    /// The least error: bones, weights and rest pose in turn until nothing moves
    Best,
    /// Skinning Mesh Animations (James and Twigg 2005)
    Sma,
    /// Skinning Arbitrary Deformations (Kavan et al. 2007): bones spread evenly over the surface, for
    /// motion of any kind
    Sad,
    /// Fast and Efficient Skinning of Animated Meshes (Kavan et al. 2010): bones grown where the motion
    /// needs them, then rounds of weights, transforms and rest pose
    Fesam,
    /// Pose-to-Pose Skinning (Vasilakis et al. 2016): as fesam, but every pose is made from the one before.
    /// GLB cannot store that
    Pps,
}

#[derive(Clone, Copy, Default, ValueEnum)]
pub(super) enum Kind {
    Rigid,
    #[default]
    Flexible,
}

#[derive(Clone, Copy, Default, ValueEnum)]
pub(super) enum Core {
    Modes,
    #[default]
    Refined,
}

#[derive(Clone, Copy, Default, PartialEq, ValueEnum)]
pub(super) enum Weights {
    #[default]
    Nnls,
    Tsvd,
}

fn rest_pose(text: &str) -> Result<RestPose, String> {
    text.parse().map_err(|_| "give auto, file, first or a frame number".into())
}

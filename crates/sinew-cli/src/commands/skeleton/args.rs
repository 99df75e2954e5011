//! What `sinew skeleton` is told.

use std::path::{Path, PathBuf};

use clap::Args;
use sinew::segment::{Role, SkeletonSegmenter};
use sinew::skeleton::{Angles, JointWeights, SkeletonOptions};

use crate::choice::{one_of, segmenter};
use crate::error::{CliError, Outcome};
use crate::rig_file::{self, has_extension};
use crate::source::SourceArgs;
use crate::target;

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
  sinew picture character.glb --skeleton -o character.png")]
pub struct SkeletonArgs {
    #[command(flatten)]
    pub(super) source: SourceArgs,

    /// The character to write: a GLB file, or .sinew, which keeps every number as it was solved
    #[arg(short, long, value_name = "FILE.glb|FILE.sinew")]
    pub(super) output: Option<PathBuf>,

    /// Write the motion of the joints without a skin; of several clips the first
    #[arg(long, value_name = "FILE.bvh")]
    pub(super) bvh: Option<PathBuf>,

    /// Exactly so many joints [default: as many as the motion shows]
    #[arg(long, value_name = "N")]
    joints: Option<usize>,

    /// Where the parts of the body come from
    #[arg(long, value_parser = segmenter::<SkeletonSegmenter>(Role::Skeleton), default_value_t)]
    segment: SkeletonSegmenter,

    /// How joint angles are found
    #[arg(long, value_parser = one_of::<Angles>(), default_value_t)]
    angles: Angles,

    /// How skin weights are found
    #[arg(long, value_parser = one_of::<JointWeights>(), default_value_t)]
    weights: JointWeights,

    /// The most influences on a vertex; engines take 4, some 8 [default: 4]
    #[arg(long, value_name = "K")]
    influences: Option<usize>,

    /// How smooth fitted weights are over the surface; 0 leaves them as the error wants them [default: 1]
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    smooth: Option<f64>,

    /// Store less, with no vertex off by more than this many percent of the mesh's diagonal
    #[arg(long, value_name = "PERCENT", num_args = 0..=1, require_equals = true, default_missing_value = "0.01")]
    pub(super) compact: Option<f64>,

    /// Write a machine-readable report
    #[arg(long, value_name = "FILE.json")]
    pub(super) report: Option<PathBuf>,
}

impl SkeletonArgs {
    /// The files that are written, in the order they are listed.
    pub(super) fn targets(&self) -> [Option<&Path>; 3] {
        [self.output.as_deref(), self.bvh.as_deref(), self.report.as_deref()]
    }

    /// Checks that options go together, before any work.
    pub(super) fn check(&self) -> Outcome<()> {
        let targets = self.targets();
        if targets.iter().all(Option::is_none) {
            return CliError::refused(
                "there is nowhere to put the result: give -o FILE.glb, --bvh FILE.bvh or --report FILE.json",
            );
        }
        target::check(&targets)?;
        target::check_apart(&targets, self.source.inputs.iter().chain(&self.source.rest))?;
        if let Some(output) = &self.output {
            rig_file::check_name(output, self.compact)?;
        }
        if let Some(bvh) = self.bvh.as_ref().filter(|path| !has_extension(path, "bvh")) {
            return CliError::refused(format!(
                "{}: motion is written as BVH; name the file *.bvh",
                bvh.display()
            ));
        }
        rig_file::check_compact(self.compact, &self.source.inputs)
    }

    /// What the library is asked for. What no mesh could have is refused here, before a long read.
    pub(super) fn options(&self) -> Outcome<SkeletonOptions> {
        let usual = SkeletonOptions::default();
        let options = SkeletonOptions {
            joints: self.joints,
            segmenter: self.segment,
            angles: self.angles,
            weights: self.weights,
            influences: self.influences.unwrap_or(usual.influences),
            smoothness: self.smooth.unwrap_or(usual.smoothness),
        };
        if options.joints == Some(0) {
            return CliError::refused("0 joints were asked for; a skeleton has at least 1");
        }
        match options.validate() {
            Ok(()) => Ok(options),
            Err(error) => CliError::refused(error.to_string()),
        }
    }
}

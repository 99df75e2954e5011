//! What `sinew transplant` is told.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use sinew::motion::{RigPose, Translations};

use crate::error::{CliError, Outcome};
use crate::rig_file::{self, has_extension};
use crate::target;
use crate::up::Axis;

/// Move other motion onto a rig
///
/// Bones turn as the joints of the source do, and go where the mesh holds together. For that Sinew must know
/// which joint each bone follows, and one pose of the source that is a pose of the rig. Both are found where
/// they are not given; the table says which were taken and how well they agree.
#[derive(Args)]
#[command(after_help = "Examples:
  sinew transplant walk.bvh --onto character.glb -o character-walks.glb
  sinew transplant Knight.glb --clip Walk --onto rig.glb --align-source Run:0 --align-rig 0 -o out.glb
  sinew transplant --suggest walk.bvh --onto knight.glb -o map.toml --picture map.png
  sinew transplant walk.bvh --onto knight.glb --map map.toml --fps 30 -o knight-walks.glb")]
pub struct TransplantArgs {
    /// The motion: BVH, AMC (with its ASF beside it), GLB, glTF or .sinew
    pub(super) source: PathBuf,

    /// The rig that is to move: a GLB, glTF or .sinew file
    #[arg(long, value_name = "RIG")]
    pub(super) onto: PathBuf,

    /// The rig to write, *.glb or *.sinew; with --suggest the map, *.toml
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: PathBuf,

    /// Write which joint each bone would follow, as a map to look at and correct, and move nothing
    #[arg(long, conflicts_with = "map")]
    pub(super) suggest: bool,

    /// Which joint each bone follows, as --suggest writes it [default: what --suggest would write]
    #[arg(long, value_name = "FILE.toml")]
    pub(super) map: Option<PathBuf>,

    /// The clip of the source, by name or number, or "all" for all of them [default: the first]
    #[arg(long, value_name = "NAME")]
    pub(super) clip: Option<String>,

    /// Frames per second of the result [default: the source's]
    #[arg(long, value_name = "F", allow_negative_numbers = true)]
    pub(super) fps: Option<f64>,

    /// The pose of the source that is the rig's: its bind pose, a frame, or a frame of another clip, counted
    /// from 0 [default: of some poses the one that agrees best]
    #[arg(long, value_name = "bind|FRAME|CLIP:FRAME", value_parser = source_pose)]
    pub(super) align_source: Option<SourceChoice>,

    /// The pose of the rig that is the source's: its rest pose or a frame, counted from 0 over all clips
    /// [default: of some poses the one that agrees best]
    #[arg(long, value_name = "rest|FRAME", value_parser = rig_pose)]
    pub(super) align_rig: Option<RigPose>,

    /// The ASF file that goes with an AMC file [default: the one beside it]
    #[arg(long, value_name = "FILE")]
    pub(super) asf: Option<PathBuf>,

    /// Which axis of the source is up
    #[arg(long, value_enum, default_value_t)]
    pub(super) up: Axis,

    /// What holds the bones together
    #[arg(long, value_enum, default_value_t)]
    translations: Choice,

    /// Draw the source laid over the rig, and the rig in the colours of the joints that its bones follow
    #[arg(long, value_name = "FILE.png")]
    pub(super) picture: Option<PathBuf>,

    /// Write a machine-readable report
    #[arg(long, value_name = "FILE.json")]
    pub(super) report: Option<PathBuf>,
}

/// A pose of the source as a user names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SourceChoice {
    Bind,
    Frame(usize),
    OfClip(String, usize),
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum Choice {
    /// The skeleton where the rig has one, carried where the source has the rig's size and place, or learned
    #[default]
    Auto,
    /// Joints of the source carry what lies around them
    Carried,
    /// What the rig's own motion shows
    Learned,
    /// Points at which bones stay together in the rig's own motion
    Joints,
    /// Edges of the mesh between bones turn half way (Jia, Feng and Yu 2007)
    Edges,
    /// The joints of the rig's skeleton
    Skeleton,
}

fn source_pose(text: &str) -> Result<SourceChoice, String> {
    if text.eq_ignore_ascii_case("bind") {
        return Ok(SourceChoice::Bind);
    }
    let number = |text: &str| text.parse().ok();
    match text.rsplit_once(':') {
        Some((clip, frame)) => number(frame).map(|frame| SourceChoice::OfClip(clip.into(), frame)),
        None => number(text).map(SourceChoice::Frame),
    }
    .ok_or_else(|| "a pose of the source is bind, a frame counted from 0, or CLIP:FRAME".into())
}

fn rig_pose(text: &str) -> Result<RigPose, String> {
    if text.eq_ignore_ascii_case("rest") {
        return Ok(RigPose::Rest);
    }
    text.parse().map(RigPose::Frame).map_err(|_| "a pose of the rig is rest or a frame counted from 0".into())
}

impl TransplantArgs {
    /// The files that are written, in the order they are listed.
    pub(super) fn targets(&self) -> [Option<&Path>; 3] {
        [Some(self.output.as_path()), self.picture.as_deref(), self.report.as_deref()]
    }

    /// Checks that options go together, before any work.
    pub(super) fn check(&self) -> Outcome<()> {
        let targets = self.targets();
        target::check(&targets)?;
        let read = [&self.source, &self.onto];
        target::check_apart(&targets, read.into_iter().chain(&self.map).chain(&self.asf))?;
        match self.suggest {
            true if !has_extension(&self.output, "toml") => {
                return CliError::refused(format!(
                    "{}: maps are written as TOML; name the file *.toml",
                    self.output.display()
                ));
            }
            true => {}
            false => rig_file::check_name(&self.output, None)?,
        }
        if let Some(path) = self.picture.as_ref().filter(|path| !has_extension(path, "png")) {
            return CliError::refused(format!(
                "{}: pictures are written as PNG; name the file *.png",
                path.display()
            ));
        }
        match self.fps.filter(|fps| !(*fps > 0.0 && fps.is_finite())) {
            Some(fps) => CliError::refused(format!("the frame rate must be a positive number, not {fps}")),
            None => Ok(()),
        }
    }

    pub(super) fn translations(&self) -> Translations {
        match self.translations {
            Choice::Auto => Translations::Auto,
            Choice::Carried => Translations::Carried,
            Choice::Learned => Translations::Learned,
            Choice::Joints => Translations::Joints,
            Choice::Edges => Translations::Edges,
            Choice::Skeleton => Translations::Skeleton,
        }
    }
}

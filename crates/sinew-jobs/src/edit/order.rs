//! What is asked of a rig.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sinew::animation::Clip;
use sinew::motion::{Carry, EditError};
use sinew::rig::Rig;
use sinew_io::formats::Said;
use sinew_io::motion::Up;

use crate::by_word::{Word, by_word};
use crate::error::{JobError, Outcome};
use crate::refusals::EditRefusal;
use crate::units::{self, Unit};

/// Changes a rig by hand: turns a bone, sculpts a pose, sculpts the rest pose.
///
/// Frames are counted from 0, in the clip that is edited. What is not edited stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EditJob {
    /// A file that holds a rig.
    pub rig: PathBuf,
    /// What is done to it.
    pub edit: Edit,
    /// The edited rig.
    pub output: PathBuf,
    /// How long a unit of the rig is, where that is not what the file says: "m", "cm", "mm", "in", "ft", "km" or a number of
    /// metres.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<Unit>,
    /// Which axis of the rig is up, where that is not what the file says; y is up in the edited one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub up: Option<Up>,
    /// Makes everything this many times as large.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
    /// The report, for programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<PathBuf>,
}

/// What is done to a rig.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Edit {
    /// Turns a bone further, in one frame or in many.
    Rotate(Rotate),
    /// Makes a frame look like a sculpted mesh, and later frames follow.
    Pose(SculptPose),
    /// Gives the rig a sculpted rest pose.
    Rest(SculptRest),
}

impl Default for Edit {
    fn default() -> Self {
        Self::Rest(SculptRest::default())
    }
}

/// Turns a bone further, in one frame or in many.
///
/// The axis is that of the world in the first frame; in later frames the bone takes it along. With a skeleton, all that
/// hangs on the bone turns with it. Without one, the bone turns alone and the others move to where the mesh holds together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rotate {
    /// The bone, by name or number.
    pub bone: String,
    /// What it turns about.
    pub axis: [f64; 3],
    /// How far, in degrees.
    pub angle: f64,
    /// The frame that is edited.
    pub frame: usize,
    /// The clip that it is in, by name or number; without, the first that moves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clip: Option<String>,
    /// The last frame that changes, or "end", that of the clip; without, the first alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub through: Option<Through>,
    /// Lets the turn grow over so many frames at the beginning and, unless it goes through to the end, fade over as many.
    #[serde(default)]
    pub ease: usize,
    /// Turns nothing but the bone, even where others hang on it.
    #[serde(default)]
    pub alone: bool,
}

/// Makes a frame look like a sculpted mesh, and later frames follow.
///
/// Bones do what they can; what they cannot is kept as a shape that they carry along. The frame is met, those before it stay
/// as they are, and a skeleton stays a skeleton.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SculptPose {
    /// The sculpted mesh, with the vertices of the rig in their order.
    pub shape: PathBuf,
    /// The frame that is edited.
    pub frame: usize,
    /// The clip that it is in, by name or number; without, the first that moves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clip: Option<String>,
    /// The last frame that follows, or "end", that of the clip.
    #[serde(default)]
    pub through: Through,
    /// Lets the edit fade over so many frames up to the last.
    #[serde(default)]
    pub ease: usize,
}

/// Gives a rig a sculpted rest pose: what was added or taken away shows in all frames, turned with the body.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SculptRest {
    /// The sculpted rest pose, with the vertices of the rig in their order.
    pub shape: PathBuf,
    /// What the edit follows in the frames.
    #[serde(default)]
    pub carry: Carry,
}

/// The last frame of an edit: a number, or "end".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Word", into = "Word")]
#[schemars(with = "Word")]
pub enum Through {
    /// That of the clip.
    #[default]
    End,
    /// A frame, from 0.
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

impl fmt::Display for Through {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::End => f.write_str("end"),
            Self::Frame(frame) => write!(f, "{frame}"),
        }
    }
}

by_word!(Through);

impl EditJob {
    /// What is said about the numbers of the rig.
    pub(super) fn said(&self) -> Said {
        units::said(self.unit, self.up, self.scale)
    }

    /// The bone that is meant.
    pub(super) fn bone(&self, rig: &Rig, asked: &str) -> Outcome<usize> {
        let named = rig.bones.iter().position(|bone| bone.name == asked);
        let numbered = || asked.parse().ok().filter(|n| *n < rig.bones.len());
        let last = rig.bones.len().saturating_sub(1);
        let none = || EditRefusal::NoBone { path: self.rig.clone(), bone: asked.into(), last };
        Ok(named.or_else(numbered).ok_or_else(none)?)
    }

    /// First and last frame of a sculpted pose, counted over all clips, and a frame before which it can fade.
    pub(super) fn sculpted_frames(&self, clip: &Clip, sculpted: &SculptPose) -> Outcome<(usize, usize)> {
        let SculptPose { frame, through, ease, .. } = *sculpted;
        let found = self.frames(clip, frame, through)?;
        if ease > 0 && through == Through::End {
            return Err(EditRefusal::EaseWithoutEnd.into());
        }
        Ok(found)
    }

    /// First and last frame of an edit, counted over all clips.
    pub(super) fn frames(&self, clip: &Clip, frame: usize, through: Through) -> Outcome<(usize, usize)> {
        let last = match through {
            Through::End => clip.frames.len().saturating_sub(1),
            Through::Frame(frame) => frame,
        };
        if let Some(missing) = [frame, last].into_iter().find(|f| *f >= clip.frames.len()) {
            let (source_name, frames) = (self.rig.display().to_string(), clip.frames.len());
            return Err(JobError::NoFrame { source_name, frame: missing, frames });
        }
        if last < frame {
            return Err(EditRefusal::Backwards { frame, last }.into());
        }
        Ok((clip.frames.start + frame, clip.frames.start + last))
    }

    /// The clip that is meant: without a name the first that `moves`, or the first of all, as everywhere.
    pub(super) fn chosen<'a>(
        &self,
        clips: &'a [Clip],
        asked: Option<&str>,
        moves: impl Fn(&Clip) -> bool,
    ) -> Outcome<&'a Clip> {
        let found = match asked {
            None => clips.iter().find(|clip| moves(clip)).or(clips.first()),
            Some(asked) => clips
                .iter()
                .find(|clip| clip.name == asked)
                .or_else(|| asked.parse::<usize>().ok().and_then(|n| clips.get(n))),
        };
        Ok(found.ok_or_else(|| EditRefusal::NoClip {
            path: self.rig.clone(),
            clip: asked.unwrap_or("0").into(),
            clips: clips.iter().map(|clip| clip.name.clone()).collect(),
        })?)
    }

    pub(super) fn refusal(&self, error: EditError) -> JobError {
        match error {
            EditError::Cancelled => JobError::Cancelled,
            error => EditRefusal::Edit { path: self.rig.clone(), error }.into(),
        }
    }
}

//! Poses by the words that people name them by.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sinew::motion::RigPose;

use crate::by_word::{Word, by_word};

/// A pose of the source: "bind", a frame, or "CLIP:FRAME".
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Word", into = "Word")]
#[schemars(with = "Word")]
pub enum SourcePoseChoice {
    /// The pose in which its joints were bound.
    Bind,
    /// A frame of the clip that is moved over.
    Frame(usize),
    /// A frame of a clip.
    OfClip(String, usize),
}

impl FromStr for SourcePoseChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.eq_ignore_ascii_case("bind") {
            return Ok(Self::Bind);
        }
        let number = |text: &str| text.parse().ok();
        match text.rsplit_once(':') {
            Some((clip, frame)) => number(frame).map(|frame| Self::OfClip(clip.into(), frame)),
            None => number(text).map(Self::Frame),
        }
        .ok_or_else(|| "a pose of the source is bind, a frame counted from 0, or CLIP:FRAME".into())
    }
}

impl fmt::Display for SourcePoseChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bind => f.write_str("bind"),
            Self::Frame(frame) => write!(f, "{frame}"),
            Self::OfClip(clip, frame) => write!(f, "{clip}:{frame}"),
        }
    }
}

/// A pose of the rig: "rest" or a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Word", into = "Word")]
#[schemars(with = "Word")]
pub struct RigPoseChoice(pub RigPose);

impl FromStr for RigPoseChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.eq_ignore_ascii_case("rest") {
            return Ok(Self(RigPose::Rest));
        }
        let frame = text.parse().map(|frame| Self(RigPose::Frame(frame)));
        frame.map_err(|_| "a pose of the rig is rest or a frame counted from 0".into())
    }
}

impl fmt::Display for RigPoseChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            RigPose::Rest => f.write_str("rest"),
            RigPose::Frame(frame) => write!(f, "{frame}"),
        }
    }
}

by_word!(SourcePoseChoice);
by_word!(RigPoseChoice);

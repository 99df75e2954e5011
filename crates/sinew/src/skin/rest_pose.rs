//! Which pose the bones deform.

use std::str::FromStr;

use glam::Vec3;

use super::SkinError;
use crate::animation::MeshAnimation;
use crate::choice::UnknownChoice;

/// Which pose the bones deform. Named `auto`, `file`, `first` or by the number of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RestPose {
    /// The pose that came with the mesh, or else the first frame. [`Method::Sma`](super::Method::Sma) tries these and some frames on a
    /// sample and takes the best; [`Method::Sad`](super::Method::Sad) and [`Method::Fesam`](super::Method::Fesam) take the first frame, as in their papers.
    #[default]
    Auto,
    /// The pose that came with the mesh.
    Given,
    /// A frame, counted from 0.
    Frame(usize),
}

impl std::fmt::Display for RestPose {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Given => f.write_str("file"),
            Self::Frame(0) => f.write_str("first"),
            Self::Frame(n) => write!(f, "{n}"),
        }
    }
}

impl FromStr for RestPose {
    type Err = UnknownChoice;

    fn from_str(name: &str) -> Result<Self, UnknownChoice> {
        match name {
            "auto" => Ok(Self::Auto),
            "file" => Ok(Self::Given),
            "first" => Ok(Self::Frame(0)),
            n => n.parse().map(Self::Frame).map_err(|_| UnknownChoice {
                what: "rest pose",
                word: n.to_owned(),
                known: vec!["auto", "file", "first", "the number of a frame"],
            }),
        }
    }
}

impl RestPose {
    /// The positions of this pose; [`RestPose::Auto`] is the pose that came with the mesh, or else the first frame.
    ///
    /// # Errors
    /// [`SkinError::NoGivenRest`] and [`SkinError::NoSuchFrame`] where there is no such pose.
    pub fn positions(self, animation: &MeshAnimation) -> Result<&[Vec3], SkinError> {
        match self {
            Self::Given => animation.rest.as_deref().ok_or(SkinError::NoGivenRest),
            Self::Frame(frame) if frame < animation.frames.len() => Ok(animation.frames.frame(frame)),
            Self::Frame(frame) => Err(SkinError::NoSuchFrame { frame, last: animation.frames.len() - 1 }),
            Self::Auto => Ok(animation.rest.as_deref().unwrap_or(animation.frames.frame(0))),
        }
    }
}

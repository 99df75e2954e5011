//! What `sinew collide` is told.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueEnum};
use glam::{DQuat, DVec3};
use sinew::collide::Place;

use crate::commands::picture::choice::FrameChoice;
use crate::error::{CliError, Outcome};

/// Find where two rigs touch each other, or one touches itself
///
/// Frame by frame, all pairs of triangles that touch: where, and how deep they are in each other. The depth of a
/// pair is how far the one triangle reaches through the plane of the other, the smaller of the two ways. Within
/// a rig, triangles that share a vertex do not count. A rig with fewer frames than the other starts over.
#[derive(Args)]
#[command(after_help = "Examples:
  sinew collide horse.glb elephant.glb --offset 0.4,0,0 -o contacts.json
  sinew collide dancer.glb --self --frames 0,20,40 -o contacts.json
  sinew collide horse.glb horse.glb --offset 0.17,0,0 --against refit")]
pub struct CollideArgs {
    /// A file that holds a rig; sinew info --formats lists the formats
    #[arg(value_name = "A")]
    pub rig: PathBuf,

    /// Another, or the same once more
    #[arg(value_name = "B")]
    pub other: Option<PathBuf>,

    /// Find where rigs touch themselves, too
    #[arg(long = "self")]
    pub within: bool,

    /// Shift the second rig
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, requires = "other")]
    pub offset: Option<Vector>,

    /// Turn the second rig about the upward axis through the origin, before it is shifted, in degrees
    #[arg(long, value_name = "DEGREES", allow_negative_numbers = true, requires = "other")]
    pub turn: Option<f64>,

    /// Frames to look at, counted from 0: all, one, several, or spread:K for K spread over all
    #[arg(long, value_name = "all|N|N,N|spread:K", default_value = "all")]
    pub frames: Frames,

    /// The clip of both rigs, by name or number [default: the first]
    #[arg(long, value_name = "NAME")]
    pub clip: Option<String>,

    /// Do it a second way, and report how long that takes and whether it finds the same
    #[arg(long, value_enum)]
    pub against: Option<Against>,

    /// Write all contacts and the report
    #[arg(short, long, value_name = "FILE.json")]
    pub output: Option<PathBuf>,
}

/// Other ways to find contacts.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Against {
    /// All vertices of every frame, and a tree of boxes fitted to all triangles
    Refit,
}

/// Three numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vector(pub DVec3);

impl FromStr for Vector {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || "give three numbers, such as 0.4,0,0".to_string();
        let numbers = text.split(',').map(|n| n.trim().parse::<f64>().ok().filter(|x| x.is_finite()));
        let numbers: Vec<f64> = numbers.collect::<Option<_>>().ok_or_else(wrong)?;
        <[f64; 3]>::try_from(numbers).map(|n| Self(n.into())).map_err(|_| wrong())
    }
}

/// Frames that are looked at.
#[derive(Clone, Debug, PartialEq)]
pub enum Frames {
    All,
    Some(FrameChoice),
}

impl FromStr for Frames {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "all" { Ok(Self::All) } else { text.parse().map(Self::Some) }
    }
}

impl Frames {
    /// The frames, of so many in `source`.
    pub fn of(&self, total: usize, source: &str) -> Outcome<Vec<usize>> {
        match self {
            Self::All => Ok((0..total).collect()),
            Self::Some(choice) => choice.frames(total, source),
        }
    }
}

impl CollideArgs {
    /// Where the second rig stands.
    pub fn place(&self) -> Outcome<Place> {
        let turn = self.turn.unwrap_or(0.0);
        if !turn.is_finite() {
            return CliError::refused(format!("--turn takes a number of degrees, not {turn}"));
        }
        let offset = self.offset.map_or(DVec3::ZERO, |offset| offset.0);
        Ok(Place::from_rotation_translation(DQuat::from_rotation_y(turn.to_radians()), offset))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_and_frames_are_understood() {
        assert_eq!("1, -2.5,0".parse(), Ok(Vector(DVec3::new(1.0, -2.5, 0.0))));
        for wrong in ["", "1,2", "1,2,3,4", "a,b,c", "nan,0,0"] {
            assert!(wrong.parse::<Vector>().is_err(), "{wrong}");
        }
        assert_eq!("all".parse::<Frames>().unwrap().of(3, "rig").unwrap(), [0, 1, 2]);
        assert_eq!("2".parse::<Frames>().unwrap().of(3, "rig").unwrap(), [2]);
        assert!("3".parse::<Frames>().unwrap().of(3, "rig").is_err());
        assert!("every".parse::<Frames>().is_err());
    }
}

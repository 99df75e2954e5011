//! Frames, sizes, views and bones as they are written on the command line.

use std::str::FromStr;

use sinew::rig::Bone;

use crate::error::{CliError, Outcome};
use crate::pictures::spread;

/// Which frames are drawn.
#[derive(Clone, Debug, PartialEq)]
pub enum FrameChoice {
    These(Vec<usize>),
    Spread(usize),
}

impl FromStr for FrameChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = |_| "give a frame (12), several (0,12,24) or spread:4".to_string();
        if let Some(count) = text.strip_prefix("all-").unwrap_or(text).strip_prefix("spread:") {
            return count.parse().map(Self::Spread).map_err(wrong);
        }
        text.split(',').map(|n| n.trim().parse()).collect::<Result<_, _>>().map(Self::These).map_err(wrong)
    }
}

impl FrameChoice {
    /// The frames, of so many in `source`.
    pub fn frames(&self, total: usize, source: &str) -> Outcome<Vec<usize>> {
        match self {
            Self::Spread(count) => Ok(spread(total, *count)),
            Self::These(frames) => match frames.iter().find(|f| **f >= total) {
                None => Ok(frames.clone()),
                Some(f) => CliError::refused(format!(
                    "{source}: there is no frame {f}; the frames are 0 to {}",
                    total.saturating_sub(1)
                )),
            },
        }
    }
}

/// Pixels that a side may have.
const MOST_PIXELS: usize = 16384;

/// Width and height.
pub fn size(text: &str) -> Result<(usize, usize), String> {
    let wrong = || format!("give width x height in pixels, 1 to {MOST_PIXELS} each, such as 900x640");
    let side =
        |s: &str| s.trim().parse().ok().filter(|side| (1..=MOST_PIXELS).contains(side)).ok_or_else(wrong);
    let (width, height) = text.split_once('x').ok_or_else(wrong)?;
    Ok((side(width)?, side(height)?))
}

/// Degrees around and above.
pub fn view(text: &str) -> Result<(f32, f32), String> {
    let wrong = || "give two angles in degrees, such as 30,15".to_string();
    let (around, above) = text.split_once(',').ok_or_else(wrong)?;
    let angle = |s: &str| s.trim().parse::<f32>().ok().filter(|x| x.is_finite()).ok_or_else(wrong);
    Ok((angle(around)?, angle(above)?))
}

/// Names that a sentence lists.
const MOST_NAMES: usize = 12;

/// The number of a bone that is asked for by name or number. A name that reads like a number is a name.
pub fn bone(bones: &[Bone], wanted: &str, source: &str) -> Outcome<usize> {
    let by_name = bones.iter().position(|bone| bone.name == wanted);
    let by_number = || wanted.parse().ok().filter(|number| *number < bones.len());
    if let Some(number) = by_name.or_else(by_number) {
        return Ok(number);
    }
    let names: Vec<&str> = bones.iter().take(MOST_NAMES).map(|bone| bone.name.as_str()).collect();
    CliError::refused(format!(
        "{source}: there is no bone {wanted}; the bones are 0 to {}: {}{}",
        bones.len().saturating_sub(1),
        names.join(", "),
        if bones.len() > MOST_NAMES { ", …" } else { "" }
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_sizes_and_views_are_understood() {
        assert_eq!("7".parse(), Ok(FrameChoice::These(vec![7])));
        assert_eq!("0, 3,5".parse(), Ok(FrameChoice::These(vec![0, 3, 5])));
        assert_eq!("spread:4".parse(), Ok(FrameChoice::Spread(4)));
        assert_eq!("all-spread:4".parse(), Ok(FrameChoice::Spread(4)));
        assert!("x".parse::<FrameChoice>().is_err());
        assert_eq!(size("640x480"), Ok((640, 480)));
        for wrong in ["640", "-1x5", "0x0", "5x0", "99999x5"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
        assert_eq!(view("-30,12.5"), Ok((-30.0, 12.5)));
        assert!(view("nan,0").is_err());
    }

    #[test]
    fn bones_are_found_by_name_and_by_number() {
        let named = |name: &str| Bone { name: name.into(), center: glam::DVec3::ZERO, rigid: true };
        let bones = ["root", "limb1_1", "0"].map(named);
        let found = |wanted: &str| bone(&bones, wanted, "rig.glb").map_err(|e| e.to_string());
        assert_eq!(found("limb1_1"), Ok(1));
        assert_eq!(found("2"), Ok(2));
        assert_eq!(found("0"), Ok(2), "names come first");
        assert_eq!(
            found("Root").unwrap_err(),
            "rig.glb: there is no bone Root; the bones are 0 to 2: root, limb1_1, 0"
        );
        assert!(found("3").is_err() && found("-1").is_err() && found("").is_err());
    }
}

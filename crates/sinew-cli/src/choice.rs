//! Choices, frames, sizes and views as they are written on the command line.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use sinew::choice::{Choice, parse};
use sinew_jobs::frames::FrameChoice;

/// Takes one of the words, and lists them with what they mean.
pub fn one_of<C: Choice + Send + Sync>() -> impl TypedValueParser<Value = C> {
    let values = C::all().map(|c| PossibleValue::new(c.name()).help(c.about()));
    PossibleValuesParser::new(values).try_map(|word| parse::<C>(&word))
}

/// Some of the frames.
pub fn frames(text: &str) -> Result<FrameChoice, String> {
    let wrong = |_| "give a frame (12), several (0,12,24) or spread:4".to_string();
    if let Some(count) = text.strip_prefix("all-").unwrap_or(text).strip_prefix("spread:") {
        return count.parse().map(FrameChoice::Spread).map_err(wrong);
    }
    let numbers = text.split(',').map(|n| n.trim().parse()).collect::<Result<_, _>>();
    numbers.map(FrameChoice::These).map_err(wrong)
}

/// All of the frames, or some.
pub fn all_or_some_frames(text: &str) -> Result<FrameChoice, String> {
    if text == "all" { Ok(FrameChoice::All) } else { frames(text) }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_sizes_and_views_are_understood() {
        assert_eq!(frames("7"), Ok(FrameChoice::These(vec![7])));
        assert_eq!(frames("0, 3,5"), Ok(FrameChoice::These(vec![0, 3, 5])));
        assert_eq!(frames("spread:4"), Ok(FrameChoice::Spread(4)));
        assert_eq!(frames("all-spread:4"), Ok(FrameChoice::Spread(4)));
        assert_eq!(all_or_some_frames("all"), Ok(FrameChoice::All));
        assert!(frames("x").is_err() && all_or_some_frames("every").is_err());
        assert_eq!(size("640x480"), Ok((640, 480)));
        for wrong in ["640", "-1x5", "0x0", "5x0", "99999x5"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
        assert_eq!(view("-30,12.5"), Ok((-30.0, 12.5)));
        assert!(view("nan,0").is_err());
    }
}

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

/// A size such as 300KB.
pub fn bytes(text: &str) -> Result<u64, String> {
    let split = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (digits, unit) = text.split_at(split);
    let factor = match unit {
        "" | "B" => 1.0,
        "kB" | "KB" => 1e3,
        "MB" => 1e6,
        "GB" => 1e9,
        "KiB" => 1024.0,
        "MiB" => 1024.0 * 1024.0,
        "GiB" => 1024.0 * 1024.0 * 1024.0,
        _ => return Err(format!("{unit} is no unit of size; use B, kB, KB, MB, GB, KiB, MiB or GiB")),
    };
    let wrong = || "give a positive number of bytes, or one with a unit such as 300KB".to_owned();
    let value: f64 = digits.trim().parse().map_err(|_| wrong())?;
    let bytes = (value * factor).floor();
    if (1.0..1e15).contains(&bytes) { Ok(bytes as u64) } else { Err(wrong()) }
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

    #[test]
    fn sizes_have_units() {
        for (text, expected) in
            [("300", 300), ("300B", 300), ("1.5kB", 1500), ("2 KB", 2000), ("3KiB", 3072), ("1MB", 1_000_000)]
        {
            assert_eq!(bytes(text), Ok(expected), "{text}");
        }
        assert_eq!(bytes("2MiB"), Ok(2 << 20));
        assert_eq!((bytes("3GB"), bytes("1.5GiB")), (Ok(3_000_000_000), Ok(3 << 29)));
        for text in ["", "KB", "-3KB", "0", "0.5B", "3kb", "3TB", "nan", "inf", "1e3", "9999999999999999MB"] {
            assert!(bytes(text).is_err(), "{text}");
        }
    }
}

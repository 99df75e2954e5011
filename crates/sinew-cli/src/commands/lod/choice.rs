//! Counts and shares as they are written on the command line.

use std::str::FromStr;

/// How many triangles a level is to have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Wanted {
    Count(usize),
    Share(Share),
}

/// A share of a whole, written in percent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share(pub f64);

impl Wanted {
    /// The count, of so many in all; at least one.
    pub fn of(&self, full: usize) -> usize {
        match self {
            Self::Count(count) => *count,
            Self::Share(Share(share)) => ((full as f64 * share).round() as usize).max(1),
        }
    }
}

impl FromStr for Share {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?} is no share; give a percentage above 0 and up to 100, such as 12%");
        let number = text.trim().strip_suffix('%').and_then(|n| n.trim().parse::<f64>().ok());
        let share = number.filter(|n| *n > 0.0 && *n <= 100.0).ok_or_else(wrong)?;
        Ok(Self(share / 100.0))
    }
}

impl FromStr for Wanted {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.contains('%') {
            return text.parse().map(Self::Share);
        }
        let count = text.trim().parse().ok().filter(|n| *n > 0);
        count
            .map(Self::Count)
            .ok_or_else(|| format!("{text:?} is no count; give triangles (2100) or a share (12%)"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_shares_are_understood() {
        assert_eq!("2100".parse(), Ok(Wanted::Count(2100)));
        assert_eq!("12.5 %".parse(), Ok(Wanted::Share(Share(0.125))));
        assert_eq!("0.5%".parse::<Wanted>().unwrap().of(100), 1);
        assert_eq!("50%".parse::<Wanted>().unwrap().of(16843), 8422);
        for wrong in ["", "0", "-5", "0%", "101%", "nan%", "half", "1.5"] {
            assert!(wrong.parse::<Wanted>().is_err(), "{wrong}");
        }
        assert!("0.5".parse::<Share>().is_err(), "a share needs its sign");
    }
}

//! The largest error that is wanted: how far any vertex may ever be off.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sinew_io::open::Opened;

use crate::by_word::{Word, by_word};
use crate::refusals::SkinRefusal;

/// How far any vertex may ever be off.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Word", into = "Word")]
#[schemars(with = "Word")]
pub struct Largest {
    /// How much of it.
    pub amount: f64,
    /// What it is measured in.
    pub of: Measure,
}

/// What the largest error is measured in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Percent of the rest pose's diagonal.
    Percent,
    /// Units of the source.
    Units,
    /// Metres.
    Metres,
    /// Hundredths of a metre.
    Centimetres,
    /// Thousandths of a metre.
    Millimetres,
}

/// The endings of numbers, the longer first.
const ENDINGS: [(&str, Measure); 5] = [
    ("%", Measure::Percent),
    ("mm", Measure::Millimetres),
    ("cm", Measure::Centimetres),
    ("m", Measure::Metres),
    ("", Measure::Units),
];

impl FromStr for Largest {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let ended = |(ending, of): &(&str, Measure)| Some((text.strip_suffix(ending)?.trim(), *of));
        let amount = ENDINGS.iter().find_map(ended).and_then(|(digits, of)| Some((digits.parse().ok()?, of)));
        match amount {
            Some((amount, of)) => Ok(Self { amount, of }),
            None => Err("give a number, with %, m, cm or mm, or in units of the source".into()),
        }
    }
}

impl fmt::Display for Largest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ending = ENDINGS.iter().find(|(_, of)| *of == self.of).map_or("", |(ending, _)| ending);
        write!(f, "{}{ending}", self.amount)
    }
}

by_word!(Largest);

impl Largest {
    /// The same in percent of an animation's diagonal.
    pub(super) fn in_percent(self, opened: &Opened) -> Result<Self, SkinRefusal> {
        let no_unit = || SkinRefusal::NoUnit { source_name: opened.source.clone(), bound: self.to_string() };
        let metres = || opened.facts.metres_per_unit.ok_or_else(no_unit);
        let units = match self.of {
            Measure::Percent => return Ok(self),
            Measure::Units => self.amount,
            Measure::Metres => self.amount / metres()?,
            Measure::Centimetres => 0.01 * self.amount / metres()?,
            Measure::Millimetres => 0.001 * self.amount / metres()?,
        };
        let diagonal = opened.animation.rest_bounds().diagonal();
        Ok(Self { amount: 100.0 * units / diagonal.max(f64::MIN_POSITIVE), of: Measure::Percent })
    }
}

//! How many anchors, as people write it.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sinew::deform::anchors::AnchorCount;

use crate::by_word::{Word, by_word};

/// A number, a share with %, or a size with B, kB or MB.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Word", into = "Word")]
#[schemars(with = "Word")]
pub struct AnchorChoice(pub AnchorCount);

impl FromStr for AnchorChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parsed = |number: &str| number.trim().parse::<f64>().ok().filter(|x| *x > 0.0 && *x < 1e12);
        let sizes = [("MB", 1e6), ("kB", 1e3), ("B", 1.0)];
        let of_size =
            |(unit, factor): &(&str, f64)| Some((parsed(text.strip_suffix(unit)?)? * factor) as usize);
        if let Some(percent) = text.strip_suffix('%').and_then(parsed) {
            return Ok(Self(AnchorCount::Percent(percent)));
        }
        if let Some(bytes) = sizes.iter().find_map(of_size) {
            return Ok(Self(AnchorCount::Bytes(bytes)));
        }
        let number = text.parse().ok().filter(|n| *n > 0);
        number
            .map(|n| Self(AnchorCount::Number(n)))
            .ok_or_else(|| "give a number, a share such as 2%, or a size such as 64kB".into())
    }
}

impl fmt::Display for AnchorChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            AnchorCount::Number(number) => write!(f, "{number}"),
            AnchorCount::Percent(percent) => write!(f, "{percent}%"),
            AnchorCount::Bytes(bytes) => write!(f, "{bytes}B"),
        }
    }
}

by_word!(AnchorChoice);

//! A part of a list or of an animation, for one of several machines.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::by_word::{Word, by_word};

/// The part `number` of `of`. All parts together are the whole, and nothing is in two of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Word", into = "Word")]
#[schemars(with = "Word")]
pub struct Shard {
    /// From 1.
    number: usize,
    /// How many parts there are.
    of: usize,
}

impl Shard {
    /// Which it is, from 1.
    pub fn number(self) -> usize {
        self.number
    }

    /// How many there are.
    pub fn count(self) -> usize {
        self.of
    }

    /// Whether it holds the job at this place of a list, from 0: jobs that are alike often stand together, and parts are to take
    /// about as long.
    pub fn holds(self, place: usize) -> bool {
        place % self.of == self.number - 1
    }

    /// Its frames of so many, one after the other.
    pub fn range(self, frames: usize) -> Range<usize> {
        (self.number - 1) * frames / self.of..self.number * frames / self.of
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || "give a part and how many there are, such as 3/16, the first is 1".to_string();
        let part = |text: &str| text.trim().parse::<usize>().map_err(|_| wrong());
        let (number, of) = text.split_once('/').ok_or_else(wrong)?;
        let (number, of) = (part(number)?, part(of)?);
        if (1..=of).contains(&number) { Ok(Self { number, of }) } else { Err(wrong()) }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

by_word!(Shard);

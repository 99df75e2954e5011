//! A part of a list, for one of several machines.

use std::fmt;
use std::str::FromStr;

/// The part `number` of `of`: every job whose place in the list leaves that remainder. All parts together are the list, and no
/// job is in two of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// From 1.
    number: usize,
    /// How many parts there are.
    of: usize,
}

impl Shard {
    /// Whether it holds the job at this place, from 0.
    pub fn holds(self, place: usize) -> bool {
        place % self.of == self.number - 1
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

//! Things that are named by a word or a number, in files as on a command line.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A word or a number in a file.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Word {
    /// Such as 12.
    Number(usize),
    /// Such as "end".
    Text(String),
}

impl Word {
    /// Takes it apart as on a command line.
    pub fn parse<T: std::str::FromStr<Err = String>>(self) -> Result<T, String> {
        match self {
            Self::Number(number) => number.to_string().parse(),
            Self::Text(text) => text.parse(),
        }
    }

    /// What is shown as a number is one.
    pub fn of(value: &impl ToString) -> Self {
        let text = value.to_string();
        text.parse().map_or(Self::Text(text), Self::Number)
    }
}

/// Lets a type with `FromStr<Err = String>` and `Display` be in files as its word; with
/// `#[serde(try_from = "Word", into = "Word")]` and `#[schemars(with = "Word")]`.
macro_rules! by_word {
    ($Type:ty) => {
        impl TryFrom<$crate::by_word::Word> for $Type {
            type Error = String;

            fn try_from(word: $crate::by_word::Word) -> Result<Self, String> {
                word.parse()
            }
        }

        impl From<$Type> for $crate::by_word::Word {
            fn from(value: $Type) -> Self {
                Self::of(&value)
            }
        }
    };
}

pub(crate) use by_word;

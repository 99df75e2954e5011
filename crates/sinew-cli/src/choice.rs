//! Choices on the command line: by the words that they have everywhere.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use sinew::choice::{Choice, parse};

/// Takes one of the words, and lists them with what they mean.
pub fn one_of<C: Choice + Send + Sync>() -> impl TypedValueParser<Value = C> {
    let values = C::ALL.iter().map(|c| PossibleValue::new(c.name()).help(c.about()));
    PossibleValuesParser::new(values).try_map(|word| parse::<C>(&word))
}

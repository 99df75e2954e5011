//! Choices on the command line: by the words that they have everywhere.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use sinew::choice::{Choice, UnknownChoice, parse};
use sinew::segment::{Role, words};

/// Takes one of the words, and lists them with what they mean.
pub fn one_of<C: Choice + Send + Sync>() -> impl TypedValueParser<Value = C> {
    let values = C::ALL.iter().map(|c| PossibleValue::new(c.name()).help(c.about()));
    PossibleValuesParser::new(values).try_map(|word| parse::<C>(&word))
}

/// Takes the word of one of the segmenters for a role, and lists them with what they do.
pub fn segmenter<S>(role: Role) -> impl TypedValueParser<Value = S>
where
    S: std::str::FromStr<Err = UnknownChoice> + Clone + Send + Sync + 'static,
{
    let values = words(role).map(|(word, segmenter)| PossibleValue::new(word).help(segmenter.facts().about));
    PossibleValuesParser::new(values).try_map(|word| word.parse::<S>())
}

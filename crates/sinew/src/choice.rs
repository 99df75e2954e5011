//! Choices that people make by a word: the same word on a command line, in a job's file, in other languages and on a page.

/// An enum whose values have names. Made by [`choices!`](crate::choices).
pub trait Choice: Copy + PartialEq + Sized + 'static {
    /// What is chosen, such as "method".
    const WHAT: &'static str;

    /// All values, in the order in which they are listed.
    fn all() -> impl Iterator<Item = Self>;

    /// The word for it.
    fn name(self) -> &'static str;

    /// What it means, in a line.
    fn about(self) -> &'static str;
}

/// A word that names no choice.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no {what} {word:?}; it is one of {}", known.join(", "))]
pub struct UnknownChoice {
    /// What was to be chosen.
    pub what: &'static str,
    /// What was written.
    pub word: String,
    /// The words there are.
    pub known: Vec<&'static str>,
}

/// The choice that a word names.
///
/// # Errors
/// [`UnknownChoice`] with all words that there are.
pub fn parse<C: Choice>(word: &str) -> Result<C, UnknownChoice> {
    let unknown =
        || UnknownChoice { what: C::WHAT, word: word.into(), known: C::all().map(C::name).collect() };
    C::all().find(|c| c.name() == word).ok_or_else(unknown)
}

/// Makes an enum of choices, each with its word and a line about it: `Choice`, `FromStr`, `Display` and, with the
/// feature `serde`, `Serialize`, `Deserialize` and `JsonSchema` by the same words.
///
/// ```
/// sinew::choices! {
///     /// How fruit is cut.
///     #[derive(Default)]
///     pub enum Cut: "cut" {
///         /// Into halves.
///         #[default]
///         Halves = "halves", "two pieces, for those in a hurry",
///         /// Into slices.
///         Slices = "slices", "many thin pieces",
///     }
/// }
/// use sinew::choice::Choice;
/// assert_eq!("slices".parse(), Ok(Cut::Slices));
/// assert_eq!(Cut::default().to_string(), "halves");
/// assert_eq!(Cut::all().count(), 2);
/// assert!("cubes".parse::<Cut>().unwrap_err().to_string().contains("halves, slices"));
/// ```
#[macro_export]
macro_rules! choices {
    (
        $(#[$meta:meta])*
        $vis:vis enum $Name:ident: $what:literal {
            $($(#[$of_variant:meta])* $Variant:ident = $name:literal, $about:literal),+ $(,)?
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        $vis enum $Name {
            $($(#[$of_variant])* $Variant),+
        }

        impl $crate::choice::Choice for $Name {
            const WHAT: &'static str = $what;

            fn all() -> impl Iterator<Item = Self> {
                [$(Self::$Variant),+].into_iter()
            }

            fn name(self) -> &'static str {
                match self {
                    $(Self::$Variant => $name),+
                }
            }

            fn about(self) -> &'static str {
                match self {
                    $(Self::$Variant => $about),+
                }
            }
        }

        $crate::__by_word!($Name);
    };
}

/// Part of [`choices!`]: a [`Choice`](crate::choice::Choice) is read and printed by its word.
#[doc(hidden)]
#[macro_export]
macro_rules! __by_word {
    ($Name:ident) => {
        impl ::std::fmt::Display for $Name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad($crate::choice::Choice::name(*self))
            }
        }

        impl ::std::str::FromStr for $Name {
            type Err = $crate::choice::UnknownChoice;

            fn from_str(word: &str) -> ::std::result::Result<Self, Self::Err> {
                $crate::choice::parse(word)
            }
        }

        $crate::__choices_in_files!($Name);
    };
}

/// Part of [`choices!`].
#[cfg(not(feature = "serde"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __choices_in_files {
    ($Name:ident) => {};
}

/// Part of [`choices!`].
#[cfg(feature = "serde")]
#[doc(hidden)]
#[macro_export]
macro_rules! __choices_in_files {
    ($Name:ident) => {
        impl $crate::choice::files::Serialize for $Name {
            fn serialize<S: $crate::choice::files::Serializer>(
                &self,
                to: S,
            ) -> ::std::result::Result<S::Ok, S::Error> {
                to.serialize_str($crate::choice::Choice::name(*self))
            }
        }

        impl<'de> $crate::choice::files::Deserialize<'de> for $Name {
            fn deserialize<D: $crate::choice::files::Deserializer<'de>>(
                from: D,
            ) -> ::std::result::Result<Self, D::Error> {
                $crate::choice::files::deserialize(from)
            }
        }

        impl $crate::choice::files::JsonSchema for $Name {
            fn schema_name() -> ::std::borrow::Cow<'static, str> {
                stringify!($Name).into()
            }

            fn inline_schema() -> bool {
                true
            }

            fn json_schema(_: &mut $crate::choice::files::SchemaGenerator) -> $crate::choice::files::Schema {
                $crate::choice::files::schema::<Self>()
            }
        }
    };
}

/// Choices in files.
#[cfg(feature = "serde")]
#[doc(hidden)]
pub mod files {
    pub use schemars::{JsonSchema, Schema, SchemaGenerator};
    pub use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::{Choice, parse};

    /// A choice by its word.
    pub fn deserialize<'de, C: Choice, D: Deserializer<'de>>(from: D) -> Result<C, D::Error> {
        let word = std::borrow::Cow::<'de, str>::deserialize(from)?;
        parse(&word).map_err(serde::de::Error::custom)
    }

    /// One of the words, each with what it means.
    pub fn schema<C: Choice>() -> Schema {
        let one = |c: C| serde_json::json!({ "const": c.name(), "description": c.about() });
        schemars::json_schema!({ "oneOf": C::all().map(one).collect::<Vec<_>>() })
    }
}

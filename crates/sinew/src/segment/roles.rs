//! Segmenters that people choose by a word, for one role each.

use std::fmt;
use std::ops::Deref;
use std::str::FromStr;

use super::{Role, Segmenter, words};
use crate::choice::UnknownChoice;

macro_rules! chosen_for {
    ($(#[$meta:meta])* $Name:ident, $role:expr, $what:literal) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $Name(pub &'static dyn Segmenter);

        impl $Name {
            /// The word for it; its name where it has no word for this role.
            pub fn word(self) -> &'static str {
                self.0.facts().word($role).unwrap_or(self.0.facts().name)
            }
        }

        impl Default for $Name {
            fn default() -> Self {
                Self(words($role).next().expect("one for each role").1)
            }
        }

        impl Deref for $Name {
            type Target = dyn Segmenter;

            fn deref(&self) -> &Self::Target {
                self.0
            }
        }

        impl fmt::Display for $Name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.word())
            }
        }

        impl FromStr for $Name {
            type Err = UnknownChoice;

            fn from_str(word: &str) -> Result<Self, Self::Err> {
                let found = words($role).find(|(known, _)| *known == word);
                found.map(|(_, segmenter)| Self(segmenter)).ok_or_else(|| UnknownChoice {
                    what: $what,
                    word: word.into(),
                    known: words($role).map(|(known, _)| known).collect(),
                })
            }
        }

        #[cfg(feature = "serde")]
        impl crate::choice::files::Serialize for $Name {
            fn serialize<S: crate::choice::files::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_str(self.word())
            }
        }

        #[cfg(feature = "serde")]
        impl<'de> crate::choice::files::Deserialize<'de> for $Name {
            fn deserialize<D: crate::choice::files::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let word = std::borrow::Cow::<'de, str>::deserialize(from)?;
                word.parse().map_err(serde::de::Error::custom)
            }
        }

        #[cfg(feature = "serde")]
        impl crate::choice::files::JsonSchema for $Name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($Name).into()
            }

            fn inline_schema() -> bool {
                true
            }

            fn json_schema(_: &mut crate::choice::files::SchemaGenerator) -> crate::choice::files::Schema {
                let one = |(word, segmenter): (&str, &dyn Segmenter)| {
                    serde_json::json!({ "const": word, "description": segmenter.facts().about })
                };
                schemars::json_schema!({ "oneOf": words($role).map(one).collect::<Vec<_>>() })
            }
        }
    };
}

chosen_for! {
    /// What the bones of a skin are made of at first.
    StartSegmenter, Role::Start, "start"
}

chosen_for! {
    /// Where the parts of a skeleton come from.
    SkeletonSegmenter, Role::Skeleton, "segmenter of skeletons"
}

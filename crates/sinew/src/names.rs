//! Enums that people choose from have one name each, the same in a flag, a job file, a language binding and a page.

/// A name that nothing has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no {what} {given}; there are {}", .known.join(", "))]
pub struct UnknownName {
    /// What was to be named.
    pub what: &'static str,
    /// The name that was given.
    pub given: String,
    /// The names there are.
    pub known: &'static [&'static str],
}

/// Gives an enum its names: `ALL`, `NAMES`, `name`, `Display` and `FromStr`.
macro_rules! named {
    ($type:ident, $what:literal, $($variant:ident = $name:literal),+ $(,)?) => {
        impl $type {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];
            /// Their names, in the same order.
            pub const NAMES: &'static [&'static str] = &[$($name),+];

            /// Its name.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name),+
                }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl std::str::FromStr for $type {
            type Err = $crate::names::UnknownName;

            fn from_str(name: &str) -> Result<Self, Self::Err> {
                let at = Self::NAMES.iter().position(|known| *known == name);
                at.map(|i| Self::ALL[i]).ok_or_else(|| $crate::names::UnknownName {
                    what: $what,
                    given: name.to_owned(),
                    known: Self::NAMES,
                })
            }
        }
    };
}

pub(crate) use named;

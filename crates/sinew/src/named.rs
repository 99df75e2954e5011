//! One name for every value that people choose: the same word in a flag, a job file and a page.

/// A name that stands for nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no {what} {name:?}; there are {}", known.join(", "))]
pub struct UnknownName {
    /// What should have been named, such as "blending".
    pub what: &'static str,
    /// What was given.
    pub name: String,
    /// The names there are.
    pub known: &'static [&'static str],
}

/// Names the values of an enum: `ALL`, `NAMES`, `name`, `Display` and `FromStr`.
macro_rules! named {
    ($type:ty, $what:literal, [$($value:expr => $name:literal),* $(,)?]) => {
        impl $type {
            /// All values, in the order in which they are listed to people.
            pub const ALL: &'static [Self] = &[$($value),*];
            /// Their names, in the same order.
            pub const NAMES: &'static [&'static str] = &[$($name),*];

            /// The name of a value.
            pub fn name(self) -> &'static str {
                let at = Self::ALL.iter().position(|value| *value == self);
                at.map_or("", |at| Self::NAMES[at])
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }

        impl std::str::FromStr for $type {
            type Err = $crate::named::UnknownName;

            fn from_str(name: &str) -> Result<Self, Self::Err> {
                let at = Self::NAMES.iter().position(|known| *known == name);
                let unknown = || $crate::named::UnknownName { what: $what, name: name.into(), known: Self::NAMES };
                at.map(|at| Self::ALL[at]).ok_or_else(unknown)
            }
        }
    };
}

pub(crate) use named;

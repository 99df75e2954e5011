//! Segmenters that people choose by a word, for one role each.

use std::ops::Deref;

use super::{Role, Segmenter, words};
use crate::choice::Choice;

macro_rules! chosen_for {
    ($(#[$meta:meta])* $Name:ident, $role:expr, $what:literal) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $Name(pub &'static dyn Segmenter);

        impl Choice for $Name {
            const WHAT: &'static str = $what;

            fn all() -> impl Iterator<Item = Self> {
                words($role).map(|(_, segmenter)| Self(segmenter))
            }

            /// Its name in lists where it has no word for this role.
            fn name(self) -> &'static str {
                self.0.facts().word($role).unwrap_or(self.0.facts().name)
            }

            fn about(self) -> &'static str {
                self.0.facts().about
            }
        }

        impl Default for $Name {
            fn default() -> Self {
                Self::all().next().expect("one for each role")
            }
        }

        impl Deref for $Name {
            type Target = dyn Segmenter;

            fn deref(&self) -> &Self::Target {
                self.0
            }
        }

        crate::__by_word!($Name);
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

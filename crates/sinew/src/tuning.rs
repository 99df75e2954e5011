//! Tuned numbers of a room as one struct, each stated once with why.

/// Makes structs of tuned numbers with their values as `DEFAULT` and `Default`.
macro_rules! tuning {
    ($($(#[$doc:meta])* $Name:ident { $($(#[$why:meta])* $field:ident: $type:ty = $value:expr),+ $(,)? })+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct $Name {
            $($(#[$why])* pub $field: $type),+
        }

        impl $Name {
            /// What is used.
            pub const DEFAULT: Self = Self { $($field: $value),+ };
        }

        impl Default for $Name {
            fn default() -> Self {
                Self::DEFAULT
            }
        }
    )+};
}

pub(crate) use tuning;

//! One number for how far off something is.

use std::fmt;

use crate::words::number;

/// How far off something is, in percent of what there is to hold it against.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Off {
    /// In percent of the motion.
    Motion(f64),
    /// The largest distance of a vertex in percent of the diagonal, where nothing moves.
    Diagonal(f64),
}

impl fmt::Display for Off {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Motion(percent) => write!(f, "{} %", number(*percent)),
            Self::Diagonal(most) => write!(f, "{} % of the diagonal", number(*most)),
        }
    }
}

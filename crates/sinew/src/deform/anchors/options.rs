//! How many anchors there shall be, and why there may be none.

use std::fmt;

use super::stored::AnchoredField;
use crate::progress::cancels;
use crate::solve::sparse::SolveError;

/// How many anchors are wanted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AnchorCount {
    /// So many.
    Number(usize),
    /// This share of the triangles, in per cent.
    Percent(f64),
    /// As many as all examples together fit into so many bytes, bases not counted.
    Bytes(usize),
}

/// How examples are kept at anchors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AnchorOptions {
    /// How many anchors. 2 % is hard to tell from all triangles.
    pub count: AnchorCount,
    /// Anchors of each triangle, 1 to 32. 4 bring positions as near as 6; more make smooth fields smoother, and
    /// every pose slower.
    pub per_triangle: usize,
}

impl Default for AnchorOptions {
    fn default() -> Self {
        Self { count: AnchorCount::Percent(2.0), per_triangle: 6 }
    }
}

/// Ways in which anchors cannot be had.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AnchorError {
    /// The mesh has no triangles.
    #[error("a mesh without triangles has no anchors")]
    NoTriangles,
    /// There is no example to choose for.
    #[error("anchors are chosen for examples, but there is none")]
    NoExamples,
    /// A field is not one of this mesh.
    #[error("example {example} has values for {found} triangles, but the mesh has {triangles}")]
    WrongLength {
        /// The example, counted from 0.
        example: usize,
        /// Triangles it has values for.
        found: usize,
        /// Triangles of the mesh.
        triangles: usize,
    },
    /// A field holds what is not a number.
    #[error("example {example} has a value at triangle {triangle} that is not a finite number")]
    NotFinite {
        /// The example, counted from 0.
        example: usize,
        /// The triangle, counted from 0.
        triangle: usize,
    },
    /// The number asked for makes no sense.
    #[error("{0} anchors cannot be had: at least 1, at most all triangles, and not over {MOST_ANCHORS}")]
    BadCount(AnchorCount),
    /// Each triangle is to have too many anchors, or none.
    #[error("a triangle can have 1 to {MOST_PER_TRIANGLE} anchors, not {0}")]
    BadWidth(usize),
    /// Anchors read from elsewhere are not some of the mesh's triangles, each once, in ascending order.
    #[error("anchor {anchor} is triangle {triangle}, which does not exist or is out of order")]
    BadAnchor {
        /// The anchor, counted from 0.
        anchor: usize,
        /// The triangle it names.
        triangle: u32,
    },
    /// The equations of the bases could not be solved.
    #[error("anchors cannot be spread over this mesh: {0}")]
    Solve(#[from] SolveError),
    /// The listener ended it.
    #[error("cancelled")]
    Cancelled,
}

cancels!(AnchorError);

/// The most anchors a mesh can have; with more, keep the examples whole.
const MOST_ANCHORS: usize = 65_535;
const MOST_PER_TRIANGLE: usize = 32;

impl AnchorCount {
    /// Whether this means all of so many triangles: then there is nothing to choose or to spread.
    pub fn is_all(self, triangles: usize) -> bool {
        match self {
            Self::Number(count) => count == triangles,
            Self::Percent(percent) => percent == 100.0,
            Self::Bytes(_) => false,
        }
    }

    /// The number of anchors, for a mesh of so many triangles and so many examples.
    pub(super) fn of(self, triangles: usize, examples: usize) -> Result<usize, AnchorError> {
        if triangles == 0 {
            return Err(AnchorError::NoTriangles);
        }
        if examples == 0 {
            return Err(AnchorError::NoExamples);
        }
        let count = match self {
            Self::Number(count) => count,
            Self::Percent(percent) if percent > 0.0 && percent <= 100.0 => {
                (triangles as f64 * percent / 100.0).round().max(1.0) as usize
            }
            Self::Percent(_) => 0,
            Self::Bytes(bytes) => {
                let fixed = examples * AnchoredField::FIXED_BYTES;
                let each = size_of::<u32>() + examples * AnchoredField::ANCHOR_BYTES;
                triangles.min(bytes.saturating_sub(fixed) / each)
            }
        };
        let fits = (1..=triangles.min(MOST_ANCHORS)).contains(&count);
        if fits { Ok(count) } else { Err(AnchorError::BadCount(self)) }
    }
}

impl fmt::Display for AnchorCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(count) => write!(f, "{count}"),
            Self::Percent(percent) => write!(f, "{percent} %"),
            Self::Bytes(bytes) => write!(f, "{bytes} bytes of"),
        }
    }
}

pub(super) fn check_width(per_triangle: usize) -> Result<(), AnchorError> {
    let fits = (1..=MOST_PER_TRIANGLE).contains(&per_triangle);
    if fits { Ok(()) } else { Err(AnchorError::BadWidth(per_triangle)) }
}

//! What a descent is asked for.

use crate::choice::UnknownChoice;
use crate::choices;
use crate::segment::StartSegmenter;
use crate::skin::{BoneKind, DEFAULT_INFLUENCES, Skin};

/// What the bones are made of at first.
#[derive(Clone, Debug, PartialEq)]
pub enum Initialisation {
    /// What a segmenter finds; with [`crate::segment::Turns`], the usual one, several starts are tried.
    Segments(StartSegmenter),
    /// Given sets of vertices, one a bone: the bone of each vertex, [`crate::segment::NO_BONE`] for none.
    Groups(Vec<u32>),
    /// A skin whose bones, weights and rest pose are improved. It may lack transforms, which are then found from its
    /// weights, or weights, which every vertex then finds for itself.
    Skin(Skin),
}

impl Default for Initialisation {
    fn default() -> Self {
        Self::Segments(StartSegmenter::default())
    }
}

impl std::str::FromStr for Initialisation {
    type Err = UnknownChoice;

    /// The word of a segmenter.
    fn from_str(word: &str) -> Result<Self, UnknownChoice> {
        word.parse().map(Self::Segments)
    }
}

choices! {
    /// What may change of a given skin.
    #[derive(Default)]
    pub enum Solve: "part to solve" {
        /// Weights only.
        Weights = "weights", "weights only",
        /// Bone transforms only.
        Transforms = "transforms", "bone transforms only",
        /// Both.
        #[default]
        Both = "both", "both",
    }
}

choices! {
    /// How long a descent looks for the least error.
    #[derive(Default)]
    pub enum Effort: "effort" {
        /// One start and a few rounds.
        Quick = "quick", "one start and a few rounds: soon there, with a little more error",
        /// Several starts, and rounds as long as they pay.
        #[default]
        Normal = "normal", "several starts, and rounds as long as they pay",
        /// Many starts, bones that move to where they are needed, and rounds as long as anything falls.
        Best = "best", "many starts, bones that move to where they are needed, and rounds as long as anything falls: less error, for several times the time",
    }
}

/// What is to be small: the p-norm of how far vertices are off in all frames, with p from 2, which is the usual mean error,
/// to 12, or infinity, which is the largest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Norm(f64);

impl Norm {
    /// The largest error.
    pub const MAX: Self = Self(f64::INFINITY);

    /// The norm with this power, if it is 2 to 12 or infinite.
    pub fn of(power: f64) -> Option<Self> {
        ((2.0..=12.0).contains(&power) || power == f64::INFINITY).then_some(Self(power))
    }

    /// Its power.
    pub fn power(self) -> f64 {
        self.0
    }
}

impl Default for Norm {
    fn default() -> Self {
        Self(2.0)
    }
}

/// A word that is no norm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a norm is a number from 2 to 12, or max")]
pub struct NotANorm;

impl std::str::FromStr for Norm {
    type Err = NotANorm;

    fn from_str(word: &str) -> Result<Self, NotANorm> {
        let power = if word == "max" {
            Some(f64::INFINITY)
        } else {
            word.parse().ok().filter(|p: &f64| p.is_finite())
        };
        power.and_then(Self::of).ok_or(NotANorm)
    }
}

impl std::fmt::Display for Norm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.0.is_finite() { self.0.fmt(f) } else { f.write_str("max") }
    }
}

/// How many bones of which kind a skin may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SkinSize {
    /// Number of bones.
    pub bones: usize,
    /// The most influences on a vertex, 1 to 16.
    pub influences: usize,
    /// Rigid or flexible bones.
    pub kind: BoneKind,
}

impl SkinSize {
    /// So many flexible bones with the usual number of influences.
    pub fn of(bones: usize) -> Self {
        Self { bones, influences: DEFAULT_INFLUENCES, kind: BoneKind::Flexible }
    }
}

/// Options of a [`Descent`](super::Descent).
#[derive(Clone, Debug, PartialEq)]
pub struct DescentOptions {
    /// Leave the rest pose as it is, instead of moving each vertex to where the bones serve it best.
    pub keep_rest: bool,
    /// How smooth weights are over the surface: 0 leaves them as the error wants them, isolated patches included.
    pub smoothness: f64,
    /// How long to look.
    pub effort: Effort,
    /// What is to be small: errors as a whole, or the largest.
    pub norm: Norm,
    /// Lets this share of the bones' motions, over all frames, be exactly none. Frames that are the rest pose itself do not
    /// count, and nothing moves there: with a share of 0 that is all. None leaves every bone its motion.
    pub sparse: Option<f64>,
    /// Where to begin.
    pub initialisation: Initialisation,
    /// What may change; for [`Initialisation::Skin`].
    pub solve: Solve,
    /// Bones that keep their motion, by number; for [`Initialisation::Skin`].
    pub locked_bones: Vec<usize>,
    /// Vertices that keep their weights and rest position, one entry a vertex; empty for none. For
    /// [`Initialisation::Skin`].
    pub locked_vertices: Vec<bool>,
}

impl Default for DescentOptions {
    fn default() -> Self {
        Self {
            keep_rest: false,
            smoothness: 1.0,
            effort: Effort::default(),
            norm: Norm::default(),
            sparse: None,
            initialisation: Initialisation::default(),
            solve: Solve::Both,
            locked_bones: Vec::new(),
            locked_vertices: Vec::new(),
        }
    }
}

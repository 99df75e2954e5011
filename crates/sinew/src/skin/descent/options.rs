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
    /// Fewer rounds: much sooner done, for a little more error.
    pub brief: bool,
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
            brief: false,
            initialisation: Initialisation::default(),
            solve: Solve::Both,
            locked_bones: Vec::new(),
            locked_vertices: Vec::new(),
        }
    }
}

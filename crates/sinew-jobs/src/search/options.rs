//! What is searched for and what was found.

use sinew::progress::Cancelled;
use sinew::skin::{BoneKind, DEFAULT_INFLUENCES, MethodName, SkinError, SkinOptions, Skinned};

/// The most bones that are tried.
pub const MOST_BONES: usize = 256;
/// The most correction shapes that are tried.
pub const MOST_RANK: usize = 32;

/// What is wanted of a rig.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Goal {
    /// The fewest bytes with at most this error, in percent of the motion.
    Percent(f64),
    /// The fewest bytes with no vertex ever farther off than this, in percent of the diagonal.
    Largest(f64),
    /// The least error in at most so many bytes.
    Bytes(u64),
}

impl Goal {
    /// Whether a rig has no more error, or bytes, than that.
    pub fn is_met(&self, candidate: &Candidate) -> bool {
        match *self {
            Self::Percent(most) | Self::Largest(most) => candidate.error <= most,
            Self::Bytes(bytes) => candidate.bytes <= bytes,
        }
    }

    /// How far off a rig is, as it counts here.
    pub fn error(&self, cost: &Cost) -> f64 {
        match self {
            Self::Largest(_) => cost.max,
            Self::Percent(_) | Self::Bytes(_) => cost.percent,
        }
    }
}

/// Options of [`search`](super::search).
#[derive(Clone, Debug, PartialEq)]
pub struct SearchOptions {
    /// What is wanted.
    pub goal: Goal,
    /// Kinds of bones to try.
    pub kinds: Vec<BoneKind>,
    /// Numbers of influences to try, the least first.
    pub influences: Vec<usize>,
    /// Number of correction shapes. `None` tries several.
    pub rank: Option<usize>,
    /// All else. Its number of bones stays where there is one; its kind, influences and rank do not count, and its method
    /// is [`Method::Best`](sinew::skin::Method::Best).
    pub skin: SkinOptions,
}

impl SearchOptions {
    /// Both kinds of bones, as many influences as every engine keeps, any number of bones and shapes.
    pub fn new(goal: Goal) -> Self {
        Self {
            goal,
            kinds: vec![BoneKind::Rigid, BoneKind::Flexible],
            influences: vec![DEFAULT_INFLUENCES],
            rank: None,
            skin: SkinOptions::default(),
        }
    }

    /// Checks what can be wrong before any work.
    ///
    /// # Errors
    /// [`SearchError::Percent`], [`SearchError::Nothing`] or [`SearchError::Method`].
    pub fn validate(&self) -> Result<(), SearchError> {
        match self.goal {
            Goal::Percent(most) | Goal::Largest(most) if !(most > 0.0 && most.is_finite()) => {
                Err(SearchError::Percent(most))
            }
            _ if self.kinds.is_empty() || self.influences.is_empty() => Err(SearchError::Nothing),
            _ if self.skin.method.name() != MethodName::Best => {
                Err(SearchError::Method { method: self.skin.method.name() })
            }
            _ => Ok(()),
        }
    }
}

/// What a file of a rig takes, and how far that file is off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// Size of the file.
    pub bytes: u64,
    /// Error of what the file plays, in percent of the motion.
    pub percent: f64,
    /// Its largest error, in percent of the diagonal.
    pub max: f64,
}

/// A rig that was tried.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// What its bones may do.
    pub kind: BoneKind,
    /// Number of bones.
    pub bones: usize,
    /// The most influences a vertex was allowed.
    pub influences: usize,
    /// Number of correction shapes.
    pub rank: usize,
    /// Its error: the largest, in percent of the diagonal, where that is the [`Goal`], else in percent of the motion.
    pub error: f64,
    /// Its size.
    pub bytes: u64,
    /// What was measured; none where nothing was fitted.
    pub cost: Option<Cost>,
    /// Whether this is the one.
    pub chosen: bool,
}

impl Candidate {
    /// Whether another is of the same kind and has as many bones, influences and shapes.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        let sort = |c: &Self| (c.kind, c.bones, c.influences, c.rank);
        sort(self) == sort(other)
    }
}

/// What [`search`](super::search) found.
#[derive(Clone, Debug, PartialEq)]
pub struct Searched {
    /// The rig.
    pub skinned: Skinned,
    /// All that were fitted, the smallest first.
    pub candidates: Vec<Candidate>,
    /// What is told of rigs with more and more bones, about, the smallest first: none of them was fitted.
    pub curve: Vec<Candidate>,
}

/// Why no rig was found.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SearchError {
    /// The animation could not be skinned.
    #[error(transparent)]
    Skin(#[from] SkinError),
    /// The goal is no positive number.
    #[error("the error to keep must be a positive number of percent, not {0}")]
    Percent(f64),
    /// No kind of bones, or no number of influences, to try.
    #[error("there is nothing to choose from")]
    Nothing,
    /// Another method than best.
    #[error("a search for an error or a size goes with method best, not with {method}")]
    Method {
        /// The method asked for.
        method: MethodName,
    },
    /// Every rig tried has a larger error; this one the least.
    #[error("no rig that was tried keeps an error of {percent} %; the best has {}", in_words(.best))]
    OutOfReach {
        /// What was asked for.
        percent: f64,
        /// The best that was tried.
        best: Candidate,
    },
    /// In every rig tried some vertex is farther off; in this one the least.
    #[error(
        "no rig that was tried keeps every vertex within {percent} % of the diagonal; the best is off by {}",
        in_words(.best)
    )]
    FartherOff {
        /// What was asked for, in percent of the diagonal.
        percent: f64,
        /// The best that was tried.
        best: Candidate,
    },
    /// A rig without any motion is larger already.
    #[error("no rig fits into {budget} bytes: the mesh alone takes {mesh}")]
    MeshTooLarge {
        /// What was asked for.
        budget: u64,
        /// What is needed at least.
        mesh: u64,
    },
    /// Every rig tried is larger; this one the least.
    #[error("no rig that was tried fits into {budget} bytes; the smallest has {}", in_words(.smallest))]
    TooLarge {
        /// What was asked for.
        budget: u64,
        /// The smallest that was tried.
        smallest: Candidate,
    },
}

impl From<Cancelled> for SearchError {
    fn from(_: Cancelled) -> Self {
        SkinError::Cancelled.into()
    }
}

fn in_words(candidate: &Candidate) -> String {
    let some = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    format!(
        "{:.3} % with {} ({}), {} and {}, in {} bytes",
        candidate.error,
        some(candidate.bones, "bone"),
        candidate.kind,
        some(candidate.influences, "influence"),
        some(candidate.rank, "correction shape"),
        candidate.bytes
    )
}

/// The Pareto front: those of some rigs that no other beats in both error and size, the smallest first.
pub fn pareto_front(candidates: &[Candidate]) -> Vec<Candidate> {
    let mut sorted = candidates.to_vec();
    sorted.sort_by(|a, b| {
        (a.bytes, a.error).partial_cmp(&(b.bytes, b.error)).unwrap_or(std::cmp::Ordering::Equal)
    });
    let mut least = f64::INFINITY;
    sorted.retain(|c| {
        let better = c.error < least;
        least = least.min(c.error);
        better
    });
    sorted
}

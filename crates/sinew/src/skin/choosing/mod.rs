//! Choosing a rig: the smallest that keeps an error, or the best of a size.
//!
//! A rig costs bytes for its bones (by the frame), for its influences (by the vertex, in steps) and for its
//! correction shapes (by the vertex, each). What any of them takes off the error is only known by fitting, so
//! rigs are fitted and weighed, as few as possible:
//! - For a kind of bones, a number of influences and a rank, the error falls with the number of bones and the
//!   size grows with it: a search between two that stand on either side of the goal (`line`).
//! - Shapes are dear. The strongest come first and the bones they are exchanged for get more and more precious,
//!   so ranks grow only while a rig of the same size with more shapes and fewer bones is better (`search`).
//! - A rig whose bones never move is the lightest that has so many influences and shapes; where that is too
//!   large already, nothing is fitted.
//!
//! Errors are a little uneven in the number of bones: what is found is the smallest or best of all that were
//! tried, and about that of all there are.

mod line;
mod search;

use super::{BestOptions, BoneKind, SkinError, Skinned};
use crate::animation::MeshAnimation;
use crate::progress::Progress;
use crate::rig::Rig;

/// The most bones that are tried.
pub const MOST_BONES: usize = 256;
/// The most correction shapes that are tried.
pub const MOST_RANK: usize = 32;

/// What is wanted of a rig.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Goal {
    /// The fewest bytes with at most this error in percent.
    Percent(f64),
    /// The least error in at most so many bytes.
    Bytes(u64),
}

/// Options of [`choose`].
#[derive(Clone, Debug, PartialEq)]
pub struct ChooseOptions {
    /// What is wanted.
    pub goal: Goal,
    /// Kinds of bones to try.
    pub kinds: Vec<BoneKind>,
    /// Numbers of influences to try, the least first.
    pub influences: Vec<usize>,
    /// Number of correction shapes. `None` tries several.
    pub rank: Option<usize>,
    /// All else. Its number of bones stays where there is one; its kind, influences and rank do not count.
    pub best: BestOptions,
}

impl ChooseOptions {
    /// Both kinds of bones, 4 and 8 influences, any number of bones and shapes.
    pub fn new(goal: Goal) -> Self {
        Self {
            goal,
            kinds: vec![BoneKind::Rigid, BoneKind::Flexible],
            influences: vec![4, 8],
            rank: None,
            best: BestOptions::default(),
        }
    }
}

/// A rig on the scales: what a file of it takes, and how far that file is off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weighed {
    /// Size of the file.
    pub bytes: u64,
    /// Error of what the file plays, in percent.
    pub percent: f64,
}

/// A rig that was tried.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// What its bones may do.
    pub kind: BoneKind,
    /// Number of bones.
    pub bones: usize,
    /// The most influences a vertex was allowed.
    pub influences: usize,
    /// Number of correction shapes.
    pub rank: usize,
    /// Its error.
    pub percent: f64,
    /// Its size.
    pub bytes: u64,
    /// Whether this is the one.
    pub chosen: bool,
}

/// What [`choose`] found.
#[derive(Clone, Debug, PartialEq)]
pub struct ChosenRig {
    /// The rig.
    pub skinned: Skinned,
    /// All that were tried, the smallest first.
    pub choices: Vec<Choice>,
}

/// Why no rig was chosen.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ChooseError {
    /// The animation could not be skinned.
    #[error(transparent)]
    Skin(#[from] SkinError),
    /// The goal is no positive number.
    #[error("the error to keep must be a positive number of percent, not {0}")]
    Percent(f64),
    /// No kind of bones, or no number of influences, to try.
    #[error("there is nothing to choose from")]
    Nothing,
    /// Every rig tried has a larger error; this one the least.
    #[error("no rig that was tried keeps an error of {percent} %; the best has {}", in_words(.best))]
    OutOfReach {
        /// What was asked for.
        percent: f64,
        /// The best that was tried.
        best: Choice,
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
        smallest: Choice,
    },
}

fn in_words(choice: &Choice) -> String {
    let some = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let kind = match choice.kind {
        BoneKind::Rigid => "rigid",
        BoneKind::Flexible => "flexible",
    };
    format!(
        "{:.3} % with {} ({kind}), {} and {}, in {} bytes",
        choice.percent,
        some(choice.bones, "bone"),
        some(choice.influences, "influence"),
        some(choice.rank, "correction shape"),
        choice.bytes
    )
}

/// Finds the rig that meets a goal best.
///
/// `weigh` says what a rig's file takes and how far it is off; `None` ends the search as cancelled. The number
/// of rigs that are fitted is bounded, and the same input gives the same rig for any number of threads.
pub fn choose(
    animation: &MeshAnimation,
    options: &ChooseOptions,
    weigh: &dyn Fn(&Rig) -> Option<Weighed>,
    progress: &dyn Progress,
) -> Result<ChosenRig, ChooseError> {
    if let Goal::Percent(percent) = options.goal
        && !(percent > 0.0 && percent.is_finite())
    {
        return Err(ChooseError::Percent(percent));
    }
    if options.kinds.is_empty() || options.influences.is_empty() {
        return Err(ChooseError::Nothing);
    }
    search::run(animation, options, weigh, progress)
}

/// Those of some choices that no other beats in both error and size, the smallest first.
pub fn useful(choices: &[Choice]) -> Vec<Choice> {
    let mut sorted = choices.to_vec();
    sorted.sort_by(|a, b| {
        (a.bytes, a.percent).partial_cmp(&(b.bytes, b.percent)).unwrap_or(std::cmp::Ordering::Equal)
    });
    let mut least = f64::INFINITY;
    sorted.retain(|c| {
        let better = c.percent < least;
        least = least.min(c.percent);
        better
    });
    sorted
}

//! A rig before and after an edit.

use sinew::rig::Rig;
use sinew_io::formats::Facts;
use sinew_io::formats::sinew_file::Stored;

use crate::warning::Warning;

/// What an edit tells of itself.
#[derive(Default)]
pub(super) struct Told {
    /// In a few words.
    pub done: String,
    /// The first frame that was edited, counted over all clips; none where all frames were.
    pub frame: Option<usize>,
    /// Bones that moved by themselves, where a pose was sculpted.
    pub bones: Option<usize>,
    /// The largest displacement that was left to a correction, in percent of the diagonal.
    pub correction: Option<f64>,
    /// How far the edited frame is from its shape, in percent of the diagonal.
    pub missed: Option<f64>,
    /// Bones that were added for separate pieces of the surface that one bone moved: each after the name of
    /// that bone.
    pub parts: Vec<[String; 2]>,
    pub warnings: Vec<Warning>,
}

/// A rig that was read, edited.
pub(super) struct Edited {
    pub before: Stored,
    pub after: Stored,
    pub clip: Option<String>,
    /// What is known of its numbers.
    pub facts: Facts,
    pub told: Told,
}

impl Edited {
    pub fn rig([before, after]: [Rig; 2], clip: Option<String>, facts: Facts, told: Told) -> Self {
        Self { before: Stored::Rig(before), after: Stored::Rig(after), clip, facts, told }
    }
}

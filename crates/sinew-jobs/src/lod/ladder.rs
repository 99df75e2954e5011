//! Which levels of detail a rig gets: those that are asked for, or those that crowds need.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sinew::lod::{Detail, Level, LodError, LodOptions, simplify};
use sinew::progress::Progress;
use sinew::rig::Rig;

use crate::error::{FieldProblem, JobError, Outcome};
use crate::warning::Warning;

/// How coarse a level is to be.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LevelWish {
    /// So many triangles.
    Triangles(usize),
    /// So many triangles, as a share of all: 0.5 for half of them.
    Share(f64),
    /// As few triangles as keep the mean distance from the whole mesh, over all frames, within this share of its longest
    /// side.
    Error(f64),
}

impl LevelWish {
    /// Checks that there can be such a level.
    pub(super) fn validate(&self) -> Outcome<()> {
        match *self {
            Self::Triangles(0) => JobError::field("levels", FieldProblem::Zero),
            Self::Share(share) | Self::Error(share) if !(share > 0.0 && share <= 1.0) => {
                JobError::field("levels", FieldProblem::NoShareAboveZero(share))
            }
            _ => Ok(()),
        }
    }

    /// Of a rig of so many triangles.
    fn of(&self, full: usize) -> Detail {
        match *self {
            Self::Triangles(count) => Detail::Triangles(count),
            Self::Share(share) => Detail::Triangles(((full as f64 * share).round() as usize).max(1)),
            Self::Error(share) => Detail::Error(share),
        }
    }
}

/// Triangles of the usual levels, over those of the rig.
const USUAL: [f64; 6] = [0.4, 0.16, 0.064, 0.025, 0.01, 0.004];
/// And their least number.
const FEWEST: usize = 48;

/// The levels that are asked for, or where that is none, the usual ones.
pub fn ladder(rig: &Rig, wishes: &[LevelWish]) -> Vec<Detail> {
    if wishes.is_empty() {
        return usual_levels(rig);
    }
    let full = rig.mesh.triangles(&rig.rest).len();
    wishes.iter().map(|wish| wish.of(full)).collect()
}

/// Levels for a crowd, from near to far.
pub fn usual_levels(rig: &Rig) -> Vec<Detail> {
    let triangles: usize = (0..rig.mesh.face_count()).map(|f| rig.mesh.face(f).len() - 2).sum();
    let counts = USUAL.iter().map(|share| (share * triangles as f64) as usize);
    counts.filter(|count| *count >= FEWEST).map(Detail::Triangles).collect()
}

/// The levels of a rig with what was asked of each, finer ones first.
///
/// # Errors
/// A rig without triangles, or that the work was cancelled.
pub fn levels(
    rig: &Rig,
    details: &[Detail],
    options: &LodOptions,
    progress: &dyn Progress,
) -> Result<Vec<(Detail, Level)>, LodError> {
    let found = simplify(rig, details, options, progress)?;
    let mut levels: Vec<(Detail, Level)> = details.iter().copied().zip(found).collect();
    levels.sort_by_key(|(_, level)| std::cmp::Reverse(level.triangle_count()));
    Ok(levels)
}

/// What to say of a level that could not be made as small as it was asked to be.
pub(super) fn short_of(wanted: &Detail, level: &Level) -> Option<Warning> {
    let left = level.triangle_count();
    let Detail::Triangles(most) = *wanted else { return None };
    (left > most).then_some(Warning::TrianglesLeft { asked: most, left })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_of_all_triangles() {
        assert_eq!(LevelWish::Share(0.005).of(100), Detail::Triangles(1));
        assert_eq!(LevelWish::Share(0.5).of(16843), Detail::Triangles(8422));
        assert_eq!(LevelWish::Triangles(2100).of(16843), Detail::Triangles(2100));
        assert_eq!(LevelWish::Error(0.01).of(5), Detail::Error(0.01));
        assert!(LevelWish::Share(1.5).validate().is_err() && LevelWish::Triangles(0).validate().is_err());
        assert!(LevelWish::Error(f64::NAN).validate().is_err() && LevelWish::Share(1.0).validate().is_ok());
    }
}

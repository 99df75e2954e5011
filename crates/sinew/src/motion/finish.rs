//! All that becomes of a motion once it is known how it goes onto a rig: moved, planted, kept in place, and looked at.

use super::agreement::{Agreement, agreement};
use super::{Motion, Plan, Plant, Planted, Transplanter, in_place, plant};
use crate::progress::{Cancelled, Progress};
use crate::rig::Rig;

/// What is done to a motion after it was moved over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Finish {
    /// What becomes of feet that stand in the source. What a rig's own motion carries stands as it stood.
    pub plant: Plant,
    /// Takes the way over the ground out.
    pub in_place: bool,
}

/// A motion on a rig.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Moved {
    /// The rig with the frames of the motion.
    pub rig: Rig,
    /// Feet that were kept where they stand; none where that was not asked for or legs do not bend.
    pub planted: Option<Planted>,
    /// How well its limbs go with those of the source; none where nothing hangs on anything.
    pub agreement: Option<Agreement>,
}

impl Transplanter {
    /// Moves all frames of `motion` onto `rig` and finishes them.
    ///
    /// # Errors
    /// [`Cancelled`] when the listener says so.
    pub fn finished(
        &self,
        rig: &Rig,
        motion: &Motion,
        plan: &Plan,
        finish: Finish,
        progress: &dyn Progress,
    ) -> Result<Moved, Cancelled> {
        let mut moved = self.transplant(rig, motion, progress)?;
        let agreement = agreement(&moved, motion, &plan.mapping, self.parents(), progress)?;
        let legs_bend = self.keeps_skeleton() && !self.copies();
        let planted = match finish.plant {
            Plant::Feet if legs_bend => {
                progress.stage("planting");
                Some(plant(&mut moved, rig, motion, &self.followed(), progress)?)
            }
            _ => None,
        };
        if finish.in_place {
            in_place(&mut moved);
        }
        Ok(Moved { rig: moved, planted, agreement })
    }
}

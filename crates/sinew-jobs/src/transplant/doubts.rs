//! What somebody should know about a motion that is moved over, whichever door it came in by.

use std::borrow::Cow;

use sinew::animation::Clip;
use sinew::motion::{Motion, Moved, Transplanter, split_bones_for};
use sinew::rig::Rig;

use crate::warning::Warning;

/// The rig with bones that can follow the joints of a motion, where some of its own cannot, and what was done for it.
pub fn split_for(rig: &Rig, motion: &Motion) -> Option<(Rig, Warning)> {
    let split = split_bones_for(rig, motion)?;
    let added = split.bones[rig.bones.len()..].iter().map(|bone| bone.name.clone()).collect();
    Some((split, Warning::BonesSplit { added }))
}

/// What there is to say about a clip of a motion, and its frames: of several it was taken as nobody said which, and nothing
/// moves in it.
pub fn of_clip(motion: &Motion, clip: &Clip, played: &Motion, was_said: bool, source: &str) -> Vec<Warning> {
    let clips: Cow<[Clip]> = motion.clips();
    let taken = (!was_said && clips.len() > 1).then(|| Warning::ClipTaken {
        taken: clip.name.clone(),
        clips: clips.iter().map(|clip| clip.name.clone()).collect(),
    });
    let still = played.frame_count() > 1 && !played.moves(0..played.frame_count());
    let still =
        still.then(|| Warning::NothingMoves { source_name: source.to_owned(), clip: clip.name.clone() });
    taken.into_iter().chain(still).collect()
}

/// What a rig with another motion does not have of the one it had.
pub fn of_loss(transplanter: &Transplanter, rig: &Rig) -> Vec<Warning> {
    transplanter.losses(rig).into_iter().map(Warning::Lost).collect()
}

/// What there is to say about a motion on its rig.
pub fn of_result(moved: &Moved) -> Option<Warning> {
    Some(Warning::Plan(moved.agreement.as_ref()?.warning()?))
}

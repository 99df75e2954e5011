//! Names for a rig whose own tell nothing, as those of skeletons that were found do not.
//!
//! Where the source's joints are called by parts of a body, a rig that is a body too, with arms and legs, can be matched
//! by them, whatever its build: a short thigh lies as an upper arm does, but it hangs elsewhere.

use super::Motion;
use super::names::{meaning, named};
use super::tuning::TUNING;
use crate::progress::{Cancelled, Progress};
use crate::rig::{Bone, Rig};
use crate::skeleton::parts_of_body;

/// The rig with its bones called by parts of the body; none where its own names tell enough, the source's do not, or it
/// is no such body.
pub(super) fn called(rig: &Rig, motion: &Motion, progress: &dyn Progress) -> Result<Option<Rig>, Cancelled> {
    let enough = TUNING.alignment.enough_names;
    let told = named(rig, motion).iter().flatten().count();
    let sided = |name: &str| meaning(name).is_some_and(|meant| meant.known && meant.side.is_some());
    let parts = motion.joints.iter().filter(|joint| sided(&joint.name)).count();
    if told >= enough || parts < enough {
        return Ok(None);
    }
    let Some(names) = parts_of_body(rig, progress)? else { return Ok(None) };
    let bones = rig.bones.iter().zip(names).map(|(bone, name)| Bone { name, ..bone.clone() });
    Ok(Some(Rig { bones: bones.collect(), ..rig.clone() }))
}

//! Bones that move several places of a surface, taken apart before a motion goes onto them.

use super::Motion;
use crate::rig::Rig;

/// The rig with a bone of its own for every separate place of the surface that a bone moves ([`Rig::split_bones`]), since no
/// joint is in two places. None where there are no such bones, or where the joints are the bones of this very rig.
pub fn split_bones_for(rig: &Rig, motion: &Motion) -> Option<Rig> {
    if rig.bones.iter().all(|bone| motion.find(&bone.name).is_some()) {
        return None;
    }
    let mut split = rig.clone();
    let added = split.split_bones(&[]);
    (!added.is_empty()).then_some(split)
}

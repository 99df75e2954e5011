//! The skeleton of a file, where its joints only turn.
//!
//! As for glTF: a joint hangs on the nearest bone above it that holds it at the same place in every frame.
//! One that moves about slides on it; the topmost is a root.

use glam::DVec3;
use sinew::geometry::Bounds;
use sinew::rig::{Rig, Skeleton};

use super::bind::{Bindings, Source};
use crate::Warning;
use crate::scene::hierarchy::{BIND_POSE, STRAYS, axes};
use crate::scene::joints::Held;

/// Gives the rig a skeleton where its bones have one: all turn and shift only, some hang on others, and
/// parents come before their children.
pub(super) fn hang_together(bindings: &Bindings, places: &[Option<DVec3>], rig: &mut Rig) -> Option<Warning> {
    let diagonal = Bounds::of(&rig.rest).diagonal();
    let above = |bone: usize| {
        let Source::Joint { skeleton, joint } = bindings.sources[bone] else { return None };
        let bound = &bindings.skeletons[skeleton];
        let above = std::iter::successors(bound.skeleton.parents[joint], |j| bound.skeleton.parents[*j]);
        Some(above.into_iter().find_map(|j| bound.bones[j])? as usize)
    };
    if let Some(bone) = rig.bones.iter().find(|bone| !bone.rigid) {
        let hangs = (0..rig.bones.len()).any(|bone| above(bone).is_some());
        return hangs.then(|| Warning::TreeLost(bone.name.clone()));
    }
    let parent = |bone: usize| {
        let parent = above(bone)?;
        let place = places[bone]?;
        let held = Held::new(&rig.transforms, rig.bones.len(), bone, parent, place);
        let off = held.place.distance(place);
        (held.strays <= STRAYS * diagonal && off <= BIND_POSE * diagonal).then_some(parent)
    };
    let parents: Vec<Option<usize>> = (0..rig.bones.len()).map(parent).collect();
    let slides_on = (0..rig.bones.len()).map(|b| above(b).filter(|_| parents[b].is_none())).collect();
    let skeleton = Skeleton::sliding(parents, slides_on);
    let ordered = (0..skeleton.len()).all(|bone| skeleton.above(bone).is_none_or(|above| above < bone));
    if !ordered || (0..skeleton.len()).all(|bone| skeleton.above(bone).is_none()) {
        return None;
    }
    for (bone, (place, source)) in rig.bones.iter_mut().zip(places.iter().zip(&bindings.sources)) {
        bone.center = place.unwrap_or(bone.center);
        if let Source::Joint { skeleton, joint } = *source {
            bone.axes = axes(&bindings.skeletons[skeleton].skeleton.binds[joint]);
        }
    }
    rig.skeleton = Some(skeleton);
    None
}

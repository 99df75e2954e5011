//! The skeleton of a file, where its joints only turn.
//!
//! As for glTF: a joint hangs on the nearest bone above it that holds it at the same place in every frame.
//! One that moves about is a root, as is the topmost.

use glam::DVec3;
use sinew::geometry::Bounds;
use sinew::rig::{Rig, Skeleton};

use super::bind::{Bindings, Source};
use crate::scene::hierarchy::{BIND_POSE, STRAYS};
use crate::scene::joints::Held;

/// Gives the rig a skeleton where its bones have one: all turn and shift only, some hang on others, and
/// parents come before their children.
pub(super) fn hang_together(bindings: &Bindings, places: &[Option<DVec3>], rig: &mut Rig) {
    if !rig.bones.iter().all(|bone| bone.rigid) {
        return;
    }
    let diagonal = Bounds::of(&rig.rest).diagonal();
    let parent = |bone: usize| {
        let Source::Joint { skeleton, joint } = bindings.sources[bone] else { return None };
        let bound = &bindings.skeletons[skeleton];
        let above = std::iter::successors(bound.skeleton.parents[joint], |j| bound.skeleton.parents[*j]);
        let parent = above.into_iter().find_map(|j| bound.bones[j])? as usize;
        let place = places[bone]?;
        let held = Held::new(&rig.transforms, rig.bones.len(), bone, parent, place);
        let off = held.place.distance(place);
        (held.strays <= STRAYS * diagonal && off <= BIND_POSE * diagonal).then_some(parent)
    };
    let parents: Vec<Option<usize>> = (0..rig.bones.len()).map(parent).collect();
    let ordered = parents.iter().enumerate().all(|(bone, parent)| parent.is_none_or(|p| p < bone));
    if !ordered || parents.iter().all(Option::is_none) {
        return;
    }
    for (bone, place) in rig.bones.iter_mut().zip(places) {
        bone.center = place.unwrap_or(bone.center);
    }
    rig.skeleton = Some(Skeleton { parents });
}

//! The skeleton of a file, where its joints only turn.
//!
//! A joint hangs on the nearest joint among the nodes above it, if that one holds it at the same place in
//! every frame. One that moves about against it slides on it ([`Skeleton::slides_on`]); the topmost is a root. Nodes that
//! are no joints are part of the motion of what is below them. A mesh without a skin that moves against the joint above it
//! hangs on that one in the same way, and nothing hangs on it.

use glam::{DAffine3, DMat3, DQuat, DVec3};
use sinew::geometry::Bounds;
use sinew::nodes;
use sinew::rig::{Bone, Rig, Skeleton};

use super::joints::Held;
use crate::Warning;

/// How far a joint may stray from where its parent holds it, as a fraction of the rest pose's diagonal.
pub(crate) const STRAYS: f64 = 1e-4;
/// How far that place may be from the joint's in the bind pose. Some programs bind in a pose whose lengths
/// are slightly others.
pub(crate) const BIND_POSE: f64 = 0.01;
/// How far a joint's axes may be from right angles, entry by entry, to be kept.
const UPRIGHT: f64 = 1e-4;
/// A node bound in several ways is several bones; only so many of them are tried as parents.
const MOST_CANDIDATES: usize = 16;

/// Where a bone's transforms come from: world(node) · inverse.
pub(crate) struct BoneSource {
    pub node: usize,
    pub inverse: DAffine3,
}

/// The nodes of a file.
pub(crate) struct NodeTree<'a> {
    pub parents: &'a [Option<usize>],
    /// All nodes, parents before children.
    pub order: &'a [usize],
    /// Which nodes are joints.
    pub is_joint: Vec<bool>,
    /// The node that the file calls its skeleton, where it is the only joint.
    pub alone: Option<usize>,
    /// What carries each bone on top of its node, where anything does: bones hang on such as are carried alike.
    /// Nothing carries bones beyond the end.
    pub carriers: &'a [Option<usize>],
}

/// Gives the rig a skeleton where its bones have one: all turn and shift only, and some hang on others.
/// Bones are numbered anew where a parent comes after its child.
pub(crate) fn hang_together(tree: &NodeTree, sources: &[BoneSource], rig: &mut Rig) -> Option<Warning> {
    if let Some(bone) = rig.bones.iter().find(|bone| !bone.rigid) {
        let mut is_source = vec![false; tree.is_joint.len()];
        sources.iter().filter(|s| tree.is_joint[s.node]).for_each(|s| is_source[s.node] = true);
        let above = nearest_above(tree.parents, tree.order, |node| is_source[node]);
        let hangs = (0..above.len()).any(|node| is_source[node] && above[node].is_some());
        return hangs.then(|| Warning::TreeLost(bone.name.clone()));
    }
    let places: Vec<DVec3> = sources.iter().map(|s| s.inverse.inverse().translation).collect();
    let skeleton = skeleton(tree, sources, &places, rig)?;
    for ((bone, place), source) in rig.bones.iter_mut().zip(&places).zip(sources) {
        bone.center = *place;
        bone.axes = axes(&source.inverse.inverse());
    }
    let order = parents_first(tree, sources, &skeleton);
    renumber(rig, &skeleton, &order);
    None
}

/// The axes of a joint that is bound at a place, where these are at right angles and right-handed.
pub(crate) fn axes(place: &DAffine3) -> Option<DQuat> {
    let [x, y, z] =
        [place.matrix3.x_axis, place.matrix3.y_axis, place.matrix3.z_axis].map(DVec3::normalize_or_zero);
    let upright = DMat3::from_cols(x, y, z);
    let whole = DMat3::from_quat(DQuat::from_mat3(&upright).normalize());
    let off = (upright - whole).to_cols_array().iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    (off < UPRIGHT).then(|| DQuat::from_mat3(&upright).normalize())
}

/// What each bone hangs on and slides on, if any does.
fn skeleton(tree: &NodeTree, sources: &[BoneSource], places: &[DVec3], rig: &Rig) -> Option<Skeleton> {
    if !places.iter().all(|p| p.is_finite()) {
        return None;
    }
    let mut of_node: Vec<Vec<usize>> = vec![Vec::new(); tree.is_joint.len()];
    for (bone, source) in sources.iter().enumerate().filter(|(_, s)| tree.is_joint[s.node]) {
        of_node[source.node].push(bone);
    }
    let above = nearest_above(tree.parents, tree.order, |node| !of_node[node].is_empty());
    let diagonal = Bounds::of(&rig.rest).diagonal();
    let mut weighs = vec![false; sources.len()];
    for (&bone, _) in rig.weights.bones.iter().zip(&rig.weights.weights).filter(|(_, w)| **w != 0.0) {
        weighs[bone as usize] = true;
    }
    let carrier = |bone: usize| tree.carriers.get(bone).copied().flatten();
    let holder_at = |bone: usize, node: usize| {
        let candidates = &of_node[node];
        let alike = |parent: &&usize| carrier(**parent) == carrier(bone);
        let held = |&parent: &usize| {
            let held = Held::new(&rig.transforms, sources.len(), bone, parent, places[bone]);
            let off = held.place.distance(places[bone]);
            (held.strays <= STRAYS * diagonal && off <= BIND_POSE * diagonal).then_some((parent, off))
        };
        let found = candidates.iter().filter(alike).take(MOST_CANDIDATES).filter_map(held);
        found.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(parent, _)| parent)
    };
    // A joint that no vertex follows and that holds nothing does not keep the one above it from doing so.
    let passes = |node: &usize| !of_node[*node].iter().any(|&bone| weighs[bone]);
    let holder = |bone: usize| {
        let mut node = above[sources[bone].node]?;
        loop {
            match holder_at(bone, node) {
                None if passes(&node) => node = above[node]?,
                found => return found,
            }
        }
    };
    let parents: Vec<Option<usize>> = (0..sources.len()).map(holder).collect();
    let slides_on = |bone: usize| {
        let node = above[sources[bone].node].filter(|_| parents[bone].is_none())?;
        of_node[node].iter().copied().find(|&other| carrier(other) == carrier(bone))
    };
    let slides_on = (0..sources.len()).map(slides_on).collect();
    let alone = sources.len() == 1 && tree.alone == Some(sources[0].node);
    let skeleton = Skeleton::sliding(parents, slides_on);
    (alone || (0..skeleton.len()).any(|bone| skeleton.above(bone).is_some())).then_some(skeleton)
}

/// For each node the nearest one above it that is `wanted`.
pub(crate) fn nearest_above(
    parents: &[Option<usize>],
    order: &[usize],
    wanted: impl Fn(usize) -> bool,
) -> Vec<Option<usize>> {
    let mut above = vec![None; parents.len()];
    for &node in order {
        above[node] = parents[node].and_then(|p| if wanted(p) { Some(p) } else { above[p] });
    }
    above
}

/// All bones, parents before children; as they are where that is so already.
fn parents_first(tree: &NodeTree, sources: &[BoneSource], skeleton: &Skeleton) -> Vec<usize> {
    let mut order: Vec<usize> = (0..skeleton.len()).collect();
    if order.iter().all(|&bone| skeleton.above(bone).is_none_or(|above| above < bone)) {
        return order;
    }
    let mut rank = vec![0; tree.order.len()];
    tree.order.iter().enumerate().for_each(|(at, &node)| rank[node] = at);
    order.sort_by_key(|&bone| rank[sources[bone].node]);
    order
}

/// Puts the bones in another order and gives the rig its skeleton.
fn renumber(rig: &mut Rig, skeleton: &Skeleton, order: &[usize]) {
    let mut new = vec![0; order.len()];
    order.iter().enumerate().for_each(|(to, &from)| new[from] = to);
    rig.skeleton = Some(skeleton.reordered(order));
    nodes::renumber_bones(&mut rig.nodes, &new);
    let bones: Vec<Bone> = order.iter().map(|&from| rig.bones[from].clone()).collect();
    rig.bones = bones;
    let frames = rig.transforms.chunks_exact(order.len());
    rig.transforms = frames.flat_map(|frame| order.iter().map(|&from| frame[from])).collect();
    for (bone, weight) in rig.weights.bones.iter_mut().zip(&rig.weights.weights) {
        *bone = if *weight == 0.0 { 0 } else { new[*bone as usize] as u32 };
    }
}

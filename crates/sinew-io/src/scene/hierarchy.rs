//! The skeleton of a file, where its joints only turn.
//!
//! A joint hangs on the nearest joint among the nodes above it, if that one holds it at the same place in
//! every frame. One that moves about is a root, as is the topmost; nodes that are no joints are part of the
//! motion of what is below them. A mesh without a skin that moves against the joint above it hangs on that
//! one in the same way, and nothing hangs on it.

use glam::{DAffine3, DVec3};
use sinew::geometry::Bounds;
use sinew::nodes;
use sinew::rig::{Bone, Rig, Skeleton};

use super::joints::Held;

/// How far a joint may stray from where its parent holds it, as a fraction of the rest pose's diagonal.
pub(crate) const STRAYS: f64 = 1e-4;
/// How far that place may be from the joint's in the bind pose. Some programs bind in a pose whose lengths
/// are slightly others.
pub(crate) const BIND_POSE: f64 = 0.01;
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
pub(crate) fn hang_together(tree: &NodeTree, sources: &[BoneSource], rig: &mut Rig) {
    if !rig.bones.iter().all(|bone| bone.rigid) {
        return;
    }
    let places: Vec<DVec3> = sources.iter().map(|s| s.inverse.inverse().translation).collect();
    let Some(parents) = parents(tree, sources, &places, rig) else { return };
    for (bone, place) in rig.bones.iter_mut().zip(&places) {
        bone.center = *place;
    }
    let order = parents_first(tree, sources, &parents);
    renumber(rig, &parents, &order);
}

/// The parent of each bone, if any has one.
fn parents(
    tree: &NodeTree,
    sources: &[BoneSource],
    places: &[DVec3],
    rig: &Rig,
) -> Option<Vec<Option<usize>>> {
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
    let holder_at = |bone: usize, node: usize| {
        let candidates = &of_node[node];
        let carrier = |bone: usize| tree.carriers.get(bone).copied().flatten();
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
    let alone = sources.len() == 1 && tree.alone == Some(sources[0].node);
    (parents.iter().any(Option::is_some) || alone).then_some(parents)
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
fn parents_first(tree: &NodeTree, sources: &[BoneSource], parents: &[Option<usize>]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..parents.len()).collect();
    if parents.iter().enumerate().all(|(bone, parent)| parent.is_none_or(|p| p < bone)) {
        return order;
    }
    let mut rank = vec![0; tree.order.len()];
    tree.order.iter().enumerate().for_each(|(at, &node)| rank[node] = at);
    order.sort_by_key(|&bone| rank[sources[bone].node]);
    order
}

/// Puts the bones in another order and gives the rig its skeleton.
fn renumber(rig: &mut Rig, parents: &[Option<usize>], order: &[usize]) {
    let mut new = vec![0; order.len()];
    order.iter().enumerate().for_each(|(to, &from)| new[from] = to);
    rig.skeleton =
        Some(Skeleton { parents: order.iter().map(|&from| parents[from].map(|p| new[p])).collect() });
    nodes::renumber_bones(&mut rig.nodes, &new);
    let bones: Vec<Bone> = order.iter().map(|&from| rig.bones[from].clone()).collect();
    rig.bones = bones;
    let frames = rig.transforms.chunks_exact(order.len());
    rig.transforms = frames.flat_map(|frame| order.iter().map(|&from| frame[from])).collect();
    for (bone, weight) in rig.weights.bones.iter_mut().zip(&rig.weights.weights) {
        *bone = if *weight == 0.0 { 0 } else { new[*bone as usize] as u32 };
    }
}

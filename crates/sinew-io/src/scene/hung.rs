//! Nodes that move no vertex ([`sinew::nodes`]), between a file's tree and the rig's bones.

use glam::{DAffine3, DQuat, DVec3};
use sinew::nodes::{self, Light, Node, NodeKind, NodeMotion, Parent};
use sinew::rig::Rig;

use super::turns::same_hemisphere;
use crate::Warning;

/// How far a place may stray from frame to frame, as a share of the largest number in it, and be the same up to rounding.
const ROUNDING: f64 = 1e-9;
/// How far a matrix may be from what a shift, a turn and scales make, entry by entry, as a share of its size.
const SHEAR: f64 = 1e-6;

/// A node of a file.
pub(crate) struct FileNode {
    /// Its number in the file.
    pub node: usize,
    pub name: String,
    pub kind: NodeKind,
}

/// What the nodes of a file hang on.
pub(crate) struct Tree<'a> {
    /// Parent of each node of the file.
    pub parents: &'a [Option<usize>],
    /// Bone of each node of the file, where it is one.
    pub bones: &'a [Option<usize>],
    /// Transforms of the rig's bones, frame after frame.
    pub transforms: &'a [DAffine3],
    /// How many bones there are.
    pub bone_count: usize,
}

impl Tree<'_> {
    /// Lets nodes, parents first, hang on the nearest bone or other such node above them, given where they are in the scene
    /// frame after frame.
    pub fn hang(&self, nodes: Vec<FileNode>, worlds: &[DAffine3]) -> Vec<Node> {
        let count = nodes.len();
        let mut number = vec![None; self.parents.len()];
        let mut out = Vec::with_capacity(count);
        for (index, FileNode { node, name, kind }) in nodes.into_iter().enumerate() {
            let above = std::iter::successors(Some(node), |n| self.parents[*n]);
            let found = |n: usize| self.bones[n].map(Parent::Bone).or(number[n].map(Parent::Node));
            let parent = above.into_iter().find_map(found).unwrap_or_default();
            let path = || worlds.iter().skip(index).step_by(count);
            let seen = |(frame, world): (usize, &DAffine3)| {
                let from = match parent {
                    Parent::Scene => DAffine3::IDENTITY,
                    Parent::Bone(bone) => self.transforms[frame * self.bone_count + bone],
                    Parent::Node(other) => worlds[frame * count + other],
                };
                Some(from.inverse() * *world).filter(DAffine3::is_finite)
            };
            let places: Option<Vec<DAffine3>> = path().enumerate().map(seen).collect();
            // What hangs on something that shrinks to nothing has no place there.
            let (parent, places) = match places {
                Some(places) => (parent, places),
                None => (Parent::Scene, path().copied().collect()),
            };
            let largest = path().map(|world| world.translation.abs().max_element()).fold(0.0, f64::max);
            number[node] = Some(out.len());
            out.push(Node { name, parent, kind, motion: settled(places, largest) });
        }
        out
    }
}

/// A motion that stands still where it only strays by rounding.
fn settled(places: Vec<DAffine3>, largest: f64) -> NodeMotion {
    let Some(first) = places.first().copied() else { return NodeMotion::Still(DAffine3::IDENTITY) };
    let size = first.to_cols_array().iter().fold(largest, |size, x| size.max(x.abs()));
    if places.iter().all(|place| place.abs_diff_eq(first, ROUNDING * size)) {
        return NodeMotion::Still(first);
    }
    NodeMotion::Moving(places)
}

/// The same nodes as they are seen from the joints that bones are written as: `unbind` takes the rest pose to a bone's own
/// axes.
pub(crate) fn seen_from_joints(nodes: &[Node], unbind: &[DAffine3]) -> Vec<Node> {
    let seen = |node: &Node| match node.parent {
        Parent::Bone(bone) => {
            let places: Vec<DAffine3> = node.motion.places().iter().map(|p| unbind[bone] * *p).collect();
            let motion = match node.motion {
                NodeMotion::Still(_) => NodeMotion::Still(places[0]),
                NodeMotion::Moving(_) => NodeMotion::Moving(places),
            };
            Node { motion, ..node.clone() }
        }
        _ => node.clone(),
    };
    nodes.iter().map(seen).collect()
}

/// The nodes of a rig without its bones, on the paths that those carry them along.
pub(crate) fn freed(rig: &Rig) -> Vec<Node> {
    nodes::freed(&rig.nodes, &rig.transforms, rig.bones.len())
}

/// Lets nodes of a scene that was made `factor` times as large have the scales of their source.
///
/// Two kinds of programs write files in centimetres. One works in them, and its nodes have the scales that people gave them.
/// The other, Blender, works in metres and makes the topmost nodes a hundred times as large. The nodes themselves tell: most
/// have no scale of their own, so that the way is right in which that of the middle one is closer to one.
pub(crate) fn size_axes(nodes: &mut [Node], factor: f64) {
    let topmost = nodes.iter().filter(|node| !matches!(node.parent, Parent::Node(_)));
    let scale = |node: &Node| node.motion.at(0).matrix3.determinant().abs().cbrt();
    let mut sizes: Vec<f64> = topmost.map(|node| scale(node).ln()).filter(|size| size.is_finite()).collect();
    sizes.sort_by(f64::total_cmp);
    let Some(middle) = sizes.get(sizes.len() / 2) else { return };
    if (middle + factor.ln()).abs() >= middle.abs() {
        return;
    }
    let axes = DAffine3::from_scale(DVec3::splat(factor));
    for node in nodes {
        let above = if matches!(node.parent, Parent::Node(_)) { axes.inverse() } else { DAffine3::IDENTITY };
        match &mut node.motion {
            NodeMotion::Still(place) => *place = above * *place * axes,
            NodeMotion::Moving(places) => places.iter_mut().for_each(|place| *place = above * *place * axes),
        }
    }
}

/// Shift, turn and scales of a place.
pub(crate) struct Posed {
    pub translation: DVec3,
    pub rotation: DQuat,
    pub scale: DVec3,
}

/// A place as a shift, a turn and scales. It cannot shear.
pub(crate) fn posed(place: &DAffine3) -> Posed {
    let (scale, rotation, translation) = place.to_scale_rotation_translation();
    let rotation = if rotation.is_finite() { rotation.normalize() } else { DQuat::IDENTITY };
    Posed { translation, rotation, scale }
}

/// Whether a shift, a turn and scales are not all that a place does.
pub(crate) fn is_sheared(place: &DAffine3) -> bool {
    let Posed { translation, rotation, scale } = posed(place);
    let made = DAffine3::from_scale_rotation_translation(scale, rotation, translation);
    let size = place.matrix3.to_cols_array().iter().fold(0.0_f64, |size, x| size.max(x.abs()));
    !made.matrix3.abs_diff_eq(place.matrix3, SHEAR * size)
}

/// Places in some frames, their turns the short way round.
pub(crate) fn posed_path(places: impl Iterator<Item = DAffine3>) -> Vec<Posed> {
    let mut last = DQuat::IDENTITY;
    let follow = |place: DAffine3| {
        let mut posed = posed(&place);
        posed.rotation = same_hemisphere(posed.rotation, last);
        last = posed.rotation;
        posed
    };
    places.map(follow).collect()
}

/// Says how many nodes cannot be placed as they are, if any.
pub(crate) fn sheared(nodes: &[Node], format: &'static str) -> Option<Warning> {
    let sheared = |node: &&Node| node.motion.places().iter().any(is_sheared);
    let count = nodes.iter().filter(sheared).count();
    (count > 0).then_some(Warning::Sheared { count, format })
}

/// Lights that reach only so far, if any, for formats that have no place for it.
pub(crate) fn ranged(nodes: &[Node], format: &'static str) -> Option<Warning> {
    let reaches = |node: &&Node| matches!(node.kind, NodeKind::Light(Light { range: Some(_), .. }));
    let count = nodes.iter().filter(reaches).count();
    (count > 0).then_some(Warning::LightRanges { count, format })
}

//! Skinned meshes that are carried by their nodes.
//!
//! Most programs show a skinned mesh where its joints take it, wherever its own node is. Maya bends it in the
//! space of its node: what moves the node after the mesh was bound moves all of it on top of what the joints do,
//! and a mesh with several nodes is seen at each of them. With G the place of the mesh and B the one at which it
//! was bound, its vertices are moved on by G B⁻¹.
//!
//! A node above both mesh and joints, which moves both, would count twice. Scenes are made so that it does not:
//! such meshes are told not to inherit transforms. Files do not say so, so here the place of a mesh is always the
//! one that the nearest node above both sees.

use glam::{DAffine3, DVec3};

use super::convert::{affine, usable, vector};
use super::instances::Instance;
use super::open::Fbx;
use super::timeline::Timeline;
use crate::Result;

/// How far a mesh may be from where it was bound, as a fraction of its size, to be there still.
const SAME_PLACE: f64 = 1e-5;
/// The same as a fraction of its distance from the origin: places are stored as f32.
const ROUNDING: f64 = 1e-6;

/// What carries a mesh on, given the scene in some frame.
pub(super) struct Carrier {
    /// The node of the mesh.
    node: usize,
    /// The nearest node above mesh and joints.
    above: usize,
    /// From where the mesh was bound, as seen from the node above.
    back: DAffine3,
}

impl Carrier {
    /// What all joints' transforms are followed by.
    pub fn at(&self, scene: &ufbx::Scene) -> DAffine3 {
        let (mesh, above) = (&scene.nodes[self.node], affine(&scene.nodes[self.above].node_to_world));
        let carry = affine(&mesh.geometry_to_world) * self.back * above.inverse();
        // What is above may be flat.
        if carry.is_finite() { carry } else { DAffine3::IDENTITY }
    }
}

/// Where a mesh was when it was bound to its joints, in the world of the file.
pub(super) fn bound(mesh: &ufbx::Mesh) -> Option<DAffine3> {
    let skin = mesh.skin_deformers.as_ref().first()?;
    let cluster = skin.clusters.as_ref().first()?;
    Some(affine(&cluster.bind_to_world) * affine(&cluster.geometry_to_bone)).filter(usable)
}

impl Fbx {
    /// What carries each instance in the frames to be played; `None` for those that nothing does.
    pub(super) fn carriers(
        &self,
        timeline: &Timeline,
        instances: &[Instance],
    ) -> Result<Vec<Option<Carrier>>> {
        if !self.bends_in_nodes() {
            return Ok(instances.iter().map(|_| None).collect());
        }
        instances.iter().map(|instance| self.carrier(timeline, instance)).collect()
    }

    /// Whether the file was written by a program that bends meshes in the space of their nodes.
    fn bends_in_nodes(&self) -> bool {
        let about = &self.scene.metadata;
        let named = [&about.latest_application.name, &about.original_application.name];
        named.into_iter().find(|name| !name.is_empty()).is_some_and(|name| name.starts_with("Maya"))
    }

    fn carrier(&self, timeline: &Timeline, Instance { node, mesh }: &Instance) -> Result<Option<Carrier>> {
        let Some(bound) = bound(mesh) else { return Ok(None) };
        let skin = &mesh.skin_deformers[0];
        let joints = skin.clusters.as_ref().iter().filter_map(|c| c.bone_node.as_ref());
        let mut line = line(node);
        let mut above = line.len();
        for joint in joints {
            above = above.min(in_common(&line, joint));
        }
        // The root is above everything.
        let Some(&top) = above.checked_sub(1).and_then(|at| line.get(at)) else { return Ok(None) };
        let below = line.split_off(above);
        let rest = (affine(&node.geometry_to_world), affine(&top.node_to_world));
        let back = match self.top_when_bound(top, node, &bound) {
            Some(was) => bound.inverse() * was,
            None => rest.0.inverse() * rest.1,
        };
        let carried = back.is_finite() && self.leaves(timeline, &below, &Bound::new(node, mesh, &back))?;
        let number = |node: &ufbx::Node| node.element.typed_id as usize;
        Ok(carried.then(|| Carrier { node: number(node), above: number(top), back }))
    }

    /// Where a node was when the mesh of another was bound; `None` where the file does not say. A file can have bind
    /// poses of other times: one that has the mesh where it was bound is of that time.
    fn top_when_bound(&self, top: &ufbx::Node, node: &ufbx::Node, bound: &DAffine3) -> Option<DAffine3> {
        if top.is_root {
            return Some(affine(&top.node_to_world));
        }
        let of_mesh = self.stated_place(node)? * affine(&node.geometry_to_node);
        let size = bound.to_cols_array().iter().fold(0.0_f64, |size, x| size.max(x.abs()));
        of_mesh.abs_diff_eq(*bound, SAME_PLACE * size).then(|| self.stated_place(top)).flatten()
    }

    /// Whether a mesh, whose nodes are these from the top down, is ever elsewhere than it was bound.
    fn leaves(&self, timeline: &Timeline, nodes: &[&ufbx::Node], bound: &Bound) -> Result<bool> {
        for (clip, stack) in timeline.clips.iter().zip(&timeline.stacks) {
            let playing = self.playing(*stack)?;
            let moving = nodes.iter().any(|node| moves(playing.anim(), node));
            let frames = if moving { clip.frames.clone() } else { clip.frames.start..clip.frames.start + 1 };
            for frame in frames {
                let local = |node: &&ufbx::Node| {
                    let local = ufbx::evaluate_transform(playing.anim(), node, timeline.times[frame]);
                    affine(&ufbx::transform_to_matrix(&local))
                };
                let place = nodes.iter().map(local).fold(DAffine3::IDENTITY, |above, local| above * local);
                if !bound.is_at(&place) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}

/// The nodes from the root to this one.
fn line(node: &ufbx::Node) -> Vec<&ufbx::Node> {
    let mut line = vec![node];
    while let Some(parent) = line.last().and_then(|n| n.parent.as_ref()) {
        line.push(parent);
    }
    line.reverse();
    line
}

/// How many nodes of a line from the root are also above another node.
fn in_common(nodes: &[&ufbx::Node], other: &ufbx::Node) -> usize {
    let other = line(other);
    let same = |(a, b): &(&&ufbx::Node, &&ufbx::Node)| a.element.typed_id == b.element.typed_id;
    nodes.iter().zip(&other).take_while(same).count()
}

/// Whether any curve of a node goes up or down.
fn moves(anim: &ufbx::Anim, node: &ufbx::Node) -> bool {
    let rises = |p: &ufbx::AnimProp| p.anim_value.curves.iter().flatten().any(|c| c.min_value != c.max_value);
    let layers = anim.layers.as_ref().iter();
    layers.into_iter().any(|layer| ufbx::find_anim_props(layer, &node.element).iter().any(rises))
}

/// A mesh where it was bound, as seen from the node above.
struct Bound {
    /// From the mesh to its node.
    geometry: DAffine3,
    /// Corners of the box around the mesh, and where they were.
    corners: Vec<(DVec3, DVec3)>,
    /// How far they may be from there.
    tolerance: f64,
}

impl Bound {
    fn new(node: &ufbx::Node, mesh: &ufbx::Mesh, back: &DAffine3) -> Self {
        let was = back.inverse();
        let points = || mesh.vertices.iter().map(|p| vector(*p)).filter(|p| p.is_finite());
        let least = points().reduce(DVec3::min).unwrap_or_default();
        let most = points().reduce(DVec3::max).unwrap_or_default();
        let corner = |i: usize| {
            let side = |axis: usize| if i >> axis & 1 == 0 { least[axis] } else { most[axis] };
            let corner = DVec3::new(side(0), side(1), side(2));
            (corner, was.transform_point3(corner))
        };
        let corners: Vec<(DVec3, DVec3)> = (0..8).map(corner).collect();
        let farthest = |from: DVec3| corners.iter().map(|(_, at)| at.distance(from)).fold(0.0, f64::max);
        let tolerance = SAME_PLACE * farthest(corners[0].1) + ROUNDING * farthest(DVec3::ZERO);
        Self { geometry: affine(&node.geometry_to_node), corners, tolerance }
    }

    fn is_at(&self, place: &DAffine3) -> bool {
        let place = *place * self.geometry;
        self.corners
            .iter()
            .all(|(corner, was)| place.transform_point3(*corner).distance(*was) <= self.tolerance)
    }
}

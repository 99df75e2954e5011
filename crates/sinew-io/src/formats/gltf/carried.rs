//! Meshes without a skin that a joint carries: a helmet on a head, a sword in a hand.
//!
//! Their vertices are stored as their node sees them, which is not the space of the bind pose. Where the
//! joint stands in the bind pose says where they are in it, and there they are put, so that the rest pose is
//! whole. One that nothing moves against its joint follows that joint; others have a bone of their own.

use glam::DAffine3;
use sinew::geometry::Part;

use super::primitives::Assembly;
use super::quantised::WholeNumbers;
use super::read::Gltf;
use crate::Result;

/// Where a node is in the bind pose of the joint that carries it.
#[derive(Clone, Copy)]
pub(super) struct Carried {
    /// The node of the joint.
    pub joint: usize,
    /// The joint's inverse bind matrix.
    pub inverse: DAffine3,
    /// From the node's space to that of the bind pose.
    pub place: DAffine3,
    /// Whether no clip of the file moves the node against the joint.
    pub still: bool,
}

impl Gltf {
    /// Of each node the nearest joint at or above it, if any of a skin that `instances` have. A joint of
    /// several skins counts as the first of them binds it.
    pub(super) fn carried(
        &self,
        instances: &[(usize, usize)],
        whole: &WholeNumbers,
    ) -> Result<Vec<Option<Carried>>> {
        let mut carried: Vec<Option<Carried>> = vec![None; self.root.nodes.len()];
        let mut seen = vec![false; self.root.skins.len()];
        for &(node, _) in instances {
            let Some(skin) = self.root.nodes[node].skin else { continue };
            if seen.get_mut(skin).is_some_and(|seen| std::mem::replace(seen, true)) {
                continue;
            }
            for (joint, inverse) in self.skin_joints(node, skin)? {
                let inverse = whole.inverse(node, inverse);
                let bound = || Carried { joint, inverse, place: inverse.inverse(), still: true };
                carried[joint] = Some(carried[joint].unwrap_or_else(bound));
            }
        }
        let (moves, rest) = (self.moves(), self.motion(None, 1, 1.0)?);
        for &node in &self.order {
            let above = self.parents[node].and_then(|parent| carried[parent]);
            carried[node] = carried[node].or(above.map(|above| Carried {
                place: above.place * self.local(&rest, node, 0),
                still: above.still && !moves[node],
                ..above
            }));
        }
        // A joint or node without extent holds nothing at any place.
        let holds = |c: &Carried| c.place.is_finite() && c.place.inverse().is_finite();
        Ok(carried.into_iter().map(|c| c.filter(holds)).collect())
    }

    /// Which nodes any clip turns, shifts or scales.
    fn moves(&self) -> Vec<bool> {
        let mut moves = vec![false; self.root.nodes.len()];
        for channel in self.root.animations.iter().flat_map(|a| &a.channels) {
            let node = channel.target.node.and_then(|node| moves.get_mut(node));
            if let Some(moves) = node.filter(|_| channel.target.path != "weights") {
                *moves = true;
            }
        }
        moves
    }

    /// Joints of a mesh instance's skin with their inverse bind matrices.
    pub(super) fn skin_joints(&self, node: usize, index: usize) -> Result<Vec<(usize, DAffine3)>> {
        let skin =
            self.root.skins.get(index).ok_or_else(|| {
                self.malformed(format!("node {node} has skin {index}, which does not exist"))
            })?;
        if skin.joints.is_empty() {
            return Err(self.malformed(format!("skin {index} has no joints")));
        }
        if let Some(joint) = skin.joints.iter().find(|&&joint| joint >= self.root.nodes.len()) {
            return Err(self.malformed(format!("skin {index} has joint {joint}, which does not exist")));
        }
        let inverses = self.inverse_binds(index, skin)?;
        let inverse = |at: usize| inverses.as_ref().map_or(DAffine3::IDENTITY, |all| all[at]);
        Ok(skin.joints.iter().enumerate().map(|(at, &joint)| (joint, inverse(at))).collect())
    }
}

impl Assembly {
    /// Moves a part to where it is at rest. One that gets mirrored is turned inside out, so that its faces
    /// look outwards again.
    pub fn put(&mut self, part: usize, place: &DAffine3) {
        if *place == DAffine3::IDENTITY {
            return;
        }
        let Part { vertices, faces, .. } = self.parts[part].clone();
        for p in &mut self.positions[vertices.clone()] {
            *p = place.transform_point3(p.as_dvec3()).as_vec3();
        }
        if place.matrix3.determinant() < 0.0 {
            self.triangles[faces].iter_mut().for_each(|t| t.swap(1, 2));
            self.turned.push(part);
        }
        let upright = place.matrix3.inverse().transpose();
        let mut lengths = vec![1.0; vertices.len()];
        for (n, length) in self.normals.iter_mut().skip(vertices.start).zip(&mut lengths) {
            let turned = upright * n.as_dvec3();
            *length = Some(turned.length()).filter(|l| *l > 0.0 && l.is_finite()).unwrap_or(1.0);
            *n = (turned / *length).as_vec3();
        }
        for shape in self.shapes.iter_mut().filter(|s| s.part == part) {
            shape.deltas.iter_mut().for_each(|d| *d = (place.matrix3 * d.as_dvec3()).as_vec3());
            for (change, length) in shape.normals.iter_mut().zip(&lengths) {
                *change = (upright * change.as_dvec3() / *length).as_vec3();
            }
        }
    }
}

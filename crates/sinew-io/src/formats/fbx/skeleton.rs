//! Writing the nodes of the bones.
//!
//! A null node stands for the figure; in it is one joint that all others hang on: the root of the rig's
//! skeleton where it has one, or else a joint that never moves. Bones that do not hang together lie flat in
//! that one; each is one node, or two where it shears, as in glTF (see [`crate::scene::bones`]).

use glam::{DAffine3, DQuat, DVec3};
use sinew::rig::Rig;

use super::angles::degrees;
use super::document::{Document, Properties};
use crate::containers::fbx_nodes::Node;
use crate::scene::bones::Moved;
use crate::scene::joints::JointTree;
use crate::scene::motion::BoneMotion;
use crate::scene::names::Names;
use crate::scene::tree::RestNodes;

/// A bone as written.
pub(super) struct BoneNodes {
    /// The node that carries shift, turn and scale.
    pub outer: i64,
    /// The joint, which turns once more where the bone shears; the same as `outer` where one is enough.
    pub joint: i64,
    /// Where the joint was bound.
    pub bind: DAffine3,
    /// Whether it stands elsewhere than it was bound, as its parent sees it.
    pub aside: bool,
}

impl BoneNodes {
    /// What needs curves, of what moves: also the place of a joint that stands aside (see [`super::aside`]).
    pub fn keyed(&self, moved: Moved) -> Moved {
        Moved { translation: moved.translation || self.aside, ..moved }
    }
}

/// Writes nodes, remembering where they are at rest.
pub(super) struct Nodes<'a> {
    pub document: &'a mut Document,
    pub names: &'a mut Names,
    /// World transforms of all nodes in the bind pose.
    pub bind_pose: Vec<(i64, DAffine3)>,
}

impl Nodes<'_> {
    /// Writes a node of a kind and returns its number.
    pub fn node(&mut self, name: &str, kind: &str, parent: i64, center: DVec3, turn: DQuat) -> i64 {
        let (id, name) = self.place(name, kind, parent, (center, turn, DVec3::ONE));
        let flags = match kind {
            "LimbNode" => Some("Skeleton"),
            "Null" => Some("Null"),
            _ => None,
        };
        if let Some(flags) = flags {
            let attribute = self.document.id();
            let node = Document::object("NodeAttribute", attribute, &name, "NodeAttribute", kind);
            let size = Properties::default().double("Size", 1.0).node();
            self.document.add("NodeAttribute", node.child(Node::of("TypeFlags", flags)).child(size));
            self.document.connect(attribute, id);
        }
        id
    }

    /// Writes a node without saying what it is. Returns its number and the name that it got.
    pub fn place(
        &mut self,
        name: &str,
        kind: &str,
        parent: i64,
        (center, turn, scale): (DVec3, DQuat, DVec3),
    ) -> (i64, String) {
        let id = self.document.id();
        let name = self.names.unique(name.to_owned());
        let properties = Properties::default()
            .add("RotationActive", "bool", "", [1.into()])
            // Scales of a node act on what is in it as matrices do.
            .add("InheritType", "enum", "", [1.into()])
            .whole("DefaultAttributeIndex", 0)
            .vector("Lcl Translation", center)
            .vector("Lcl Rotation", degrees(turn, DVec3::ZERO))
            .vector("Lcl Scaling", scale);
        let model = Document::object("Model", id, &name, "Model", kind)
            .child(Node::of("Version", 232))
            .child(properties.node())
            .child(Node::of("Shading", true))
            .child(Node::of("Culling", "CullingOff"));
        self.document.add("Model", model);
        self.document.connect(id, parent);
        (id, name)
    }

    fn joint(&mut self, name: &str, parent: i64, motion: (DVec3, DQuat), world: DAffine3) -> i64 {
        let id = self.node(name, "LimbNode", parent, motion.0, motion.1);
        self.bind_pose.push((id, world));
        id
    }

    /// The figure, and the joint in it that others hang on where they need one.
    fn top(&mut self, (rig, name, at): (&Rig, &str, DVec3), needed: bool) -> i64 {
        let figure = if rig.armature.is_empty() { format!("{name}_skeleton") } else { rig.armature.clone() };
        let figure = self.node(&figure, "Null", 0, DVec3::ZERO, DQuat::IDENTITY);
        self.bind_pose.push((figure, DAffine3::IDENTITY));
        if !needed {
            return figure;
        }
        let place = DAffine3::from_translation(at);
        self.joint(&format!("{name}_root"), figure, (at, DQuat::IDENTITY), place)
    }

    /// Writes the joints of a skeleton, some of which stand aside. Where several hang on nothing, they hang on one at the
    /// place beside the rig.
    pub fn tree(
        &mut self,
        (rig, name, at): (&Rig, &str, DVec3),
        tree: &JointTree,
        rest: &RestNodes,
        motions: &[BoneMotion],
        aside: &[bool],
    ) -> Vec<BoneNodes> {
        let top = self.top((rig, name, at), tree.hung.roots().count() > 1);
        let mut out: Vec<BoneNodes> = Vec::with_capacity(motions.len());
        for (j, motion) in motions.iter().enumerate() {
            let parent = tree.hung.parents[j].map_or(top, |p| out[p].joint);
            let bind = rest.unbind(j, tree.places[j]).inverse();
            let joint = self.joint(&rig.bones[j].name, parent, (motion.center, motion.turn), bind);
            out.push(BoneNodes { outer: joint, joint, bind, aside: aside[j] });
        }
        out
    }

    /// Writes bones that do not hang together, in a joint at a place.
    pub fn flat(&mut self, rig: &Rig, name: &str, at: DVec3, motions: &[BoneMotion]) -> Vec<BoneNodes> {
        let top = self.top((rig, name, at), true);
        let still = (DVec3::ZERO, DQuat::IDENTITY);
        let write = |(bone, motion): (&sinew::rig::Bone, &BoneMotion)| {
            let bind = DAffine3::from_translation(at + motion.center);
            let place = (motion.center, DQuat::IDENTITY);
            if !motion.is_sheared() {
                let joint = self.joint(&bone.name, top, place, bind);
                return BoneNodes { outer: joint, joint, bind, aside: false };
            }
            let outer = self.joint(&format!("{}_frame", bone.name), top, place, bind);
            let joint = self.joint(&bone.name, outer, still, bind);
            BoneNodes { outer, joint, bind, aside: false }
        };
        rig.bones.iter().zip(motions).map(write).collect()
    }

    /// Writes the bind pose.
    pub fn finish(self, name: &str) {
        let id = self.document.id();
        let pose = Document::object("Pose", id, name, "Pose", "BindPose")
            .child(Node::of("Type", "BindPose"))
            .child(Node::of("Version", 100))
            .child(Node::of("NbPoseNodes", self.bind_pose.len() as i32));
        let of_node = |(node, world): &(i64, DAffine3)| {
            Node::new("PoseNode")
                .child(Node::of("Node", *node))
                .child(Node::of("Matrix", super::document::matrix(world)))
        };
        self.document.add("Pose", pose.children(self.bind_pose.iter().map(of_node)));
    }
}

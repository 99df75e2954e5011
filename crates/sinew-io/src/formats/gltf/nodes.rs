//! Writing the nodes of the bones.
//!
//! One root node holds all bones. Bones that do not hang together lie flat in it; each is one node, or two
//! where it shears (see [`crate::scene::bones`]). The joints of a skeleton make a tree of nodes that only turn
//! (see [`crate::scene::tree`]). Nodes at rest show the bind pose: each joint at its place, its y along its bone,
//! each other bone in the middle of what it moves and not turned.

use glam::{DAffine3, DQuat};
use serde_json::json;

use super::writer::Writer;
use crate::scene::joints::JointTree;
use crate::scene::motion::BoneMotion;
use crate::scene::tree::RestNodes;

/// Nodes of the bones.
pub(super) struct SkeletonNodes {
    /// The node that all bones are in.
    pub root: usize,
    /// What the skin calls its skeleton: the root, or the one joint all others hang on.
    pub top: usize,
    /// Outer and inner node of each bone; the same where one is enough. The inner one is the joint.
    pub bones: Vec<(usize, usize)>,
    /// Takes the rest pose to each bone's own axes.
    pub unbind: Vec<DAffine3>,
    /// Accessor of the inverse bind matrices.
    pub inverse_bind_matrices: usize,
}

impl Writer<'_> {
    /// Writes the node that all bones are in, and returns its number.
    fn root_node(&mut self) -> usize {
        let name = match self.rig.armature.as_str() {
            "" => format!("{}_skeleton", self.name),
            known => known.to_owned(),
        };
        let name = self.names.unique(name);
        self.nodes.push(json!({ "name": name }));
        self.nodes.len() - 1
    }

    /// Writes nodes and inverse bind matrices of joints.
    pub fn tree(&mut self, tree: &JointTree, rest: &RestNodes, motions: &[BoneMotion]) -> SkeletonNodes {
        let root = self.root_node();
        let node = |joint: usize| root + 1 + joint;
        let bones = self.bone_names.iter().zip(motions).zip(tree.hung.children());
        for ((name, motion), children) in bones {
            let mut written = json!({ "name": name, "translation": motion.center.as_vec3().to_array() });
            if motion.turn != DQuat::IDENTITY {
                written["rotation"] = json!(motion.turn.as_quat().to_array());
            }
            if !children.is_empty() {
                written["children"] = json!(children.into_iter().map(node).collect::<Vec<_>>());
            }
            self.nodes.push(written);
        }
        let roots: Vec<usize> = tree.hung.roots().map(node).collect();
        self.nodes[root]["children"] = json!(roots);
        let binds = tree.places.iter().enumerate().map(|(joint, place)| rest.unbind(joint, *place));
        let unbind: Vec<DAffine3> = binds.collect();
        let matrices: Vec<[f32; 16]> = unbind.iter().map(|inverse| self.bind_matrix(*inverse)).collect();
        SkeletonNodes {
            root,
            top: if let [only] = roots[..] { only } else { root },
            bones: (0..motions.len()).map(|joint| (node(joint), node(joint))).collect(),
            unbind,
            inverse_bind_matrices: self.document.matrices(&matrices),
        }
    }

    /// Writes nodes and inverse bind matrices of bones that do not hang together.
    pub fn flat(&mut self, motions: &[BoneMotion]) -> SkeletonNodes {
        let root = self.root_node();
        let (mut bones, mut unbind) = (Vec::new(), Vec::new());
        for (b, motion) in motions.iter().enumerate() {
            let at = motion.center.as_vec3();
            let joint_name = self.bone_names[b].clone();
            let outer = self.nodes.len();
            if motion.is_sheared() {
                let outer_name = self.names.unique(format!("{joint_name}_frame"));
                self.nodes.push(json!({
                    "name": outer_name, "translation": at.to_array(), "children": [outer + 1],
                }));
                self.nodes.push(json!({ "name": joint_name }));
            } else {
                self.nodes.push(json!({ "name": joint_name, "translation": at.to_array() }));
            }
            bones.push((outer, self.nodes.len() - 1));
            unbind.push(DAffine3::from_translation(-at.as_dvec3()));
        }
        let children: Vec<usize> = bones.iter().map(|b| b.0).collect();
        self.nodes[root]["children"] = json!(children);
        let matrices: Vec<[f32; 16]> = unbind.iter().map(|inverse| self.bind_matrix(*inverse)).collect();
        let inverse_bind_matrices = self.document.matrices(&matrices);
        SkeletonNodes { root, top: root, bones, unbind, inverse_bind_matrices }
    }
}

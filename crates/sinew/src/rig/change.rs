//! Rigs in another unit, or with another axis up.

use glam::DQuat;

use super::{Bone, PoseChain, Rig};
use crate::geometry::Similarity;
use crate::nodes;

impl Rig {
    /// Makes everything larger and turns it: mesh, bones, their motion, corrections and nodes.
    pub fn change(&mut self, by: &Similarity) {
        if by.is_identity() {
            return;
        }
        by.apply(&mut self.rest);
        by.apply_to_mesh(&mut self.mesh);
        self.transforms.iter_mut().for_each(|t| *t = by.conjugate(t));
        change_bones(&mut self.bones, by);
        self.nodes = nodes::placed(&self.nodes, by.scale(), by.turn());
        if let Some(corrections) = &mut self.corrections {
            by.apply(&mut corrections.basis);
            by.apply_to_normals(&mut corrections.normals);
        }
    }
}

impl PoseChain {
    /// Makes everything larger and turns it: mesh, bones, their steps, what moves on after them, and nodes.
    pub fn change(&mut self, by: &Similarity) {
        if by.is_identity() {
            return;
        }
        by.apply(&mut self.rest);
        by.apply_to_mesh(&mut self.mesh);
        self.steps.iter_mut().for_each(|t| *t = by.conjugate(t));
        change_bones(&mut self.bones, by);
        self.nodes = nodes::placed(&self.nodes, by.scale(), by.turn());
        let moved = self.moves.iter_mut().flat_map(|(_, moves)| moves);
        moved.for_each(|(_, way)| *way = by.place(*way));
    }
}

fn change_bones(bones: &mut [Bone], by: &Similarity) {
    let turn = DQuat::from_mat3(&by.turn());
    for bone in bones {
        bone.center = by.place(bone.center);
        bone.axes = bone.axes.map(|axes| (turn * axes).normalize());
    }
}

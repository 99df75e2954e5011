//! Everything larger, and turned.

use glam::{DAffine3, DMat3, DVec3, Vec3};
use sinew::geometry::Mesh;
use sinew::nodes;
use sinew::rig::Rig;
use sinew_io::formats::Facts;
use sinew_io::motion::Up;

/// A turn after a scaling.
pub struct Change {
    pub scale: f64,
    pub up: Option<Up>,
    turn: DMat3,
}

impl Change {
    pub fn new(scale: Option<f64>, up: Option<Up>) -> Self {
        let turn = up.and_then(Up::to_y).map_or(DMat3::IDENTITY, DMat3::from_quat);
        Self { scale: scale.unwrap_or(1.0), up, turn }
    }

    fn is_none(&self) -> bool {
        self.scale == 1.0 && self.turn == DMat3::IDENTITY
    }

    /// A place, changed. Quarter turns swap coordinates and round nothing.
    fn place(&self, p: DVec3) -> DVec3 {
        let p = self.scale * p;
        match self.up {
            None | Some(Up::Y) => p,
            Some(Up::Z) => DVec3::new(p.x, p.z, -p.y),
            Some(Up::X) => DVec3::new(-p.y, p.x, p.z),
        }
    }

    /// Changes a pose.
    pub fn apply(&self, pose: &mut [Vec3]) {
        if !self.is_none() {
            pose.iter_mut().for_each(|p| *p = self.place(p.as_dvec3()).as_vec3());
        }
    }

    /// Turns shading normals.
    pub fn turn_mesh(&self, mesh: &mut Mesh) {
        if let Some(normals) = mesh.normals.as_mut().filter(|_| self.turn != DMat3::IDENTITY) {
            normals.values.iter_mut().for_each(|n| *n = (self.turn * n.as_dvec3()).as_vec3());
        }
    }

    /// Changes a rig: M T M⁻¹ for its bones, where M is the change.
    pub fn apply_to_rig(&self, rig: &mut Rig) {
        if self.is_none() {
            return;
        }
        self.apply(&mut rig.rest);
        self.turn_mesh(&mut rig.mesh);
        let change = DAffine3::from_mat3(self.turn * self.scale);
        let back = change.inverse();
        rig.transforms.iter_mut().for_each(|t| *t = change * *t * back);
        rig.nodes = nodes::placed(&rig.nodes, self.scale, self.turn);
        rig.bones.iter_mut().for_each(|bone| bone.center = self.place(bone.center));
        if let Some(corrections) = &mut rig.corrections {
            self.apply(&mut corrections.basis);
            let turned = |n: &mut Vec3| *n = (self.turn * n.as_dvec3()).as_vec3();
            corrections.normals.iter_mut().for_each(turned);
        }
    }

    /// Units become as much shorter as everything becomes larger, so that lengths stay what they are.
    pub fn apply_to_facts(&self, facts: &mut Facts) {
        facts.metres_per_unit = facts.metres_per_unit.map(|metres| metres / self.scale);
    }
}

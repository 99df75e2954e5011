//! Similarities: everything larger, and turned. What lies between the units and the axes of two files.

use glam::{DAffine3, DMat3, DVec3, Vec3};

use super::Mesh;

/// A turn by whole quarters after a scaling.
///
/// Quarters swap coordinates, so that only the scaling rounds: each number once, from double precision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Similarity {
    scale: f64,
    turn: DMat3,
}

impl Default for Similarity {
    fn default() -> Self {
        Self::scaling(1.0)
    }
}

impl Similarity {
    /// Everything `scale` times as large.
    pub fn scaling(scale: f64) -> Self {
        Self { scale, turn: DMat3::IDENTITY }
    }

    /// The same after which everything is turned. `turn` is taken to be by whole quarters.
    #[must_use]
    pub fn then_turned(self, turn: DMat3) -> Self {
        let whole = |column: DVec3| column.round();
        let quarters = DMat3::from_cols(whole(turn.x_axis), whole(turn.y_axis), whole(turn.z_axis));
        Self { turn: quarters * self.turn, ..self }
    }

    /// How many times as large everything becomes.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// How everything is turned.
    pub fn turn(&self) -> DMat3 {
        self.turn
    }

    /// Whether it leaves everything as it is.
    pub fn is_identity(&self) -> bool {
        self.scale == 1.0 && !self.turns()
    }

    fn turns(&self) -> bool {
        self.turn != DMat3::IDENTITY
    }

    /// A place, or the way between two.
    pub fn place(&self, p: DVec3) -> DVec3 {
        let larger = self.scale * p;
        if self.turns() { self.turn * larger } else { larger }
    }

    /// All places of a pose.
    pub fn apply(&self, pose: &mut [Vec3]) {
        if !self.is_identity() {
            pose.iter_mut().for_each(|p| *p = self.place(p.as_dvec3()).as_vec3());
        }
    }

    /// A direction, which keeps its length.
    fn direction(&self, n: Vec3) -> Vec3 {
        (self.turn * n.as_dvec3()).as_vec3()
    }

    /// Shading normals, or how they change.
    pub fn apply_to_normals(&self, normals: &mut [Vec3]) {
        if self.turns() {
            normals.iter_mut().for_each(|n| *n = self.direction(*n));
        }
    }

    /// What a mesh has besides positions: its shading normals.
    pub fn apply_to_mesh(&self, mesh: &mut Mesh) {
        if let Some(normals) = &mut mesh.normals {
            self.apply_to_normals(&mut normals.values);
        }
    }

    /// What does to changed places what `transform` does to them as they were: M T M⁻¹, where M is this.
    pub fn conjugate(&self, transform: &DAffine3) -> DAffine3 {
        let translation = self.place(transform.translation);
        let matrix3 = match self.turns() {
            true => self.turn * transform.matrix3 * self.turn.transpose(),
            false => transform.matrix3,
        };
        DAffine3 { matrix3, translation }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_that_a_transform_moved_are_moved_alike_after_the_change() {
        let quarter = DMat3::from_rotation_x(-std::f64::consts::FRAC_PI_2);
        let change = Similarity::scaling(0.01).then_turned(quarter);
        let transform = DAffine3::from_rotation_translation(
            glam::DQuat::from_rotation_y(0.7) * glam::DQuat::from_rotation_z(-1.1),
            DVec3::new(3.0, -40.0, 500.0),
        );
        let p = DVec3::new(12.0, 150.0, -7.0);
        assert_eq!(change.place(p), DVec3::new(0.12, -0.07, -1.5), "z was up, and is y");
        let before = change.place(transform.transform_point3(p));
        let after = change.conjugate(&transform).transform_point3(change.place(p));
        assert!(before.distance(after) < 1e-12, "{before} {after}");
    }

    #[test]
    fn there_and_back_is_right_to_rounding() {
        let metres = Similarity::scaling(0.01);
        let centimetres = Similarity::scaling(100.0);
        for step in 1..2000 {
            let p = Vec3::new(step as f32 * 0.173, -165.0 / step as f32, 1e-3 * step as f32);
            let mut pose = [p];
            metres.apply(&mut pose);
            centimetres.apply(&mut pose);
            assert!((pose[0] - p).abs().cmple(p.abs() * 1.2e-7).all(), "{p} {}", pose[0]);
        }
    }
}

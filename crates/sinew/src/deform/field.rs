//! What an example adds to the plain result, triangle by triangle.

use glam::{DMat3, DQuat, DVec3};

/// The difference between an example and the plain result in the example's pose, turned back into the rest
/// pose: for every triangle m the polar parts Q and S of T = Q S, each as its distance from nothing.
///
/// All zero is an example that adds nothing. Fields are blended by adding them, weighted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExampleField {
    /// Q of every triangle as its axis times its angle in radians. Neighbours are on the same side of a half
    /// turn, so an angle may exceed π.
    pub turns: Vec<DVec3>,
    /// S − 1 of every triangle: xx, yy, zz, xy, xz, yz.
    pub skews: Vec<[f64; 6]>,
}

impl ExampleField {
    /// A field that adds nothing to so many triangles.
    pub fn none(triangles: usize) -> Self {
        Self { turns: vec![DVec3::ZERO; triangles], skews: vec![[0.0; 6]; triangles] }
    }

    /// Number of triangles.
    pub fn len(&self) -> usize {
        self.turns.len()
    }

    /// Whether there is no triangle.
    pub fn is_empty(&self) -> bool {
        self.turns.is_empty()
    }
}

/// The transformation Q S that one triangle's share of a (blended) field stands for.
pub fn transformation(turn: DVec3, skew: [f64; 6]) -> DMat3 {
    let [xx, yy, zz, xy, xz, yz] = skew;
    let s = DMat3::from_cols(
        DVec3::new(1.0 + xx, xy, xz),
        DVec3::new(xy, 1.0 + yy, yz),
        DVec3::new(xz, yz, 1.0 + zz),
    );
    DMat3::from_quat(DQuat::from_scaled_axis(turn)) * s
}

#[cfg(test)]
#[path = "../../tests/unit/deform_field.rs"]
mod tests;

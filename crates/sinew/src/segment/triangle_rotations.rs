//! Triangle rotation sequences (James and Twigg 2005, section 4.1).
//!
//! The paper takes the polar factor of the 3×3 deformation gradient F = O Õ⁻¹, whose third column maps
//! the unit normal to the unit normal. Such an F is block diagonal, in-plane stretch and identity along
//! the normal, so the polar factor is known in closed form: with G the 3×2 in-plane gradient,
//! R = [G (GᵀG)^(-1/2), n] against the rest triangle's frame. No iteration, no SVD.

use glam::{Mat3, Vec3};
use rayon::prelude::*;

use crate::animation::Frames;

/// Rest-pose frames of all triangles, ready to give each triangle's rotation in any frame.
pub struct TriangleRotations {
    triangles: Vec<[u32; 3]>,
    /// None where a triangle has no area.
    rest: Vec<Option<RestTriangle>>,
}

#[derive(Clone, Copy)]
struct RestTriangle {
    /// Columns: along the first edge, in the plane across it, along the normal.
    frame: Mat3,
    /// The in-plane gradient of edges v1, v2 is [v1·a, v2·c + v1·b].
    gradient: [f32; 3],
}

/// Height over base below which a triangle has no direction worth trusting in single precision.
const FLATTEST: f32 = 1e-5;

impl TriangleRotations {
    /// Prepares `triangles` of the rest pose.
    pub fn new(triangles: &[[u32; 3]], rest: &[Vec3]) -> Self {
        let at_rest = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|i| rest[i as usize]);
            RestTriangle::new(b - a, c - a)
        };
        Self { triangles: triangles.to_vec(), rest: triangles.iter().map(at_rest).collect() }
    }

    /// Number of triangles.
    pub fn len(&self) -> usize {
        self.triangles.len()
    }

    /// Whether there are no triangles.
    pub fn is_empty(&self) -> bool {
        self.triangles.is_empty()
    }

    /// Whether a triangle has an area in the rest pose, so that it has a rotation at all.
    pub fn is_sound(&self, triangle: usize) -> bool {
        self.rest[triangle].is_some()
    }

    /// Rotation of one triangle; `None` when it is collapsed in either pose.
    pub fn rotation(&self, triangle: usize, positions: &[Vec3]) -> Option<Mat3> {
        let RestTriangle { frame, gradient: [ga, gb, gc] } = self.rest[triangle]?;
        let [a, b, c] = self.triangles[triangle].map(|i| positions[i as usize]);
        let (v1, v2) = (b - a, c - a);
        let (g1, g2) = (v1 * ga, v2 * gc + v1 * gb);
        let (p, q, r) = (g1.length_squared(), g1.dot(g2), g2.length_squared());
        let normal = g1.cross(g2);
        let s = normal.length();
        let t = (p + r + 2.0 * s).sqrt();
        let scale = 1.0 / (s * t);
        if !(s > FLATTEST * FLATTEST * (p + r) && scale.is_finite()) {
            return None;
        }
        let u1 = (g1 * (r + s) - g2 * q) * scale;
        let u2 = (g2 * (p + s) - g1 * q) * scale;
        Some(Mat3::from_cols(u1, u2, normal / s) * frame.transpose())
    }

    /// Calls `visit` for every frame with the rotations of all triangles in it, until it fails.
    ///
    /// A triangle that is collapsed in a frame keeps the rotation it had before (the identity at first).
    ///
    /// # Errors
    /// What `visit` fails with.
    pub fn for_each_frame<E>(
        &self,
        frames: &Frames,
        mut visit: impl FnMut(usize, &[Mat3]) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut rotations = vec![Mat3::IDENTITY; self.len()];
        for frame in 0..frames.len() {
            let positions = frames.frame(frame);
            rotations.par_iter_mut().with_min_len(2048).enumerate().for_each(|(triangle, r)| {
                if let Some(rotation) = self.rotation(triangle, positions) {
                    *r = rotation;
                }
            });
            visit(frame, &rotations)?;
        }
        Ok(())
    }
}

impl RestTriangle {
    fn new(v1: Vec3, v2: Vec3) -> Option<Self> {
        let base = v1.length();
        let x = v1 / base;
        let along = v2.dot(x);
        let across = v2 - x * along;
        let height = across.length();
        if !(base > 0.0 && height > FLATTEST * (base + v2.length())) {
            return None;
        }
        let y = across / height;
        // Edges in the frame are (base, 0) and (along, height); this is the inverse of that matrix.
        let gradient = [1.0 / base, -along / (base * height), 1.0 / height];
        let frame = Mat3::from_cols(x, y, x.cross(y));
        gradient.iter().all(|g| g.is_finite()).then_some(Self { frame, gradient })
    }
}

#[cfg(test)]
#[path = "../../tests/unit/segment_triangle_rotations.rs"]
mod tests;

//! Spheres that hold the vertices of a leaf in any frame (Bounded Deformation Trees, James and Pai 2004).
//!
//! The region's model puts vertex v at L c + t + R Σ_i u_i q_i, and is off by no more than ε. Of a leaf's vertices
//! the middle c̄ of all c is stored with the radius ρ around it, and for each shape the middle ū_i of all u_i
//! with the farthest ρ_i from it. In a frame with the motion L, t, R and the coefficients q they are within the
//! sphere of James and Pai 2004:
//!
//! ```text
//! centre  L c̄ + t + R Σ ū_i q_i
//! radius  ‖L‖ ρ + Σ |q_i| ρ_i + ε
//! ```
//!
//! A sphere around a large piece of surface reaches far beyond it, and bodies that are near lie side by side. So
//! spheres bound the leaves only, and above them are boxes that are kept for every frame.

use glam::{Mat3A, Vec3, Vec3A};

/// What the bound of a leaf needs to know of its vertices.
#[derive(Clone, Debug)]
pub(super) struct LeafBound {
    pub region: u32,
    /// Its triangles are `start..end`, in the order of the trees.
    pub start: u32,
    pub end: u32,
    /// c̄ and ρ.
    pub middle: Vec3,
    pub radius: f32,
    /// The farthest that the model is off at any of its vertices.
    pub missed: f32,
    /// Its shapes begin here.
    pub shapes: u32,
}

/// One shape on a leaf's vertices: ū_i and ρ_i.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShapeBound {
    pub mean: Vec3,
    pub radius: f32,
}

/// A region in one frame.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Region {
    pub linear: Mat3A,
    pub turn: Mat3A,
    pub shift: Vec3A,
    /// By how much the linear part lengthens at most, and the other, which is the place's doing.
    pub stretch: f32,
    pub place: f32,
    /// The farthest that the model is off.
    pub missed: f32,
    /// Its coefficients begin here.
    pub coefficients: usize,
}

/// Rounding of a sum of few terms, as a share of it.
const ROUNDING: f32 = 1e-6;

/// Middle and radius of a sphere around points; the middle moves towards the farthest, less and less (Bădoiu and
/// Clarkson 2003).
pub(super) fn sphere_around(places: &[Vec3]) -> (Vec3, f32) {
    const STEPS: usize = 16;
    let nothing = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    let (low, high) = places.iter().fold(nothing, |(low, high), p| (low.min(*p), high.max(*p)));
    let mut middle = 0.5 * (low + high);
    let farthest = |from: Vec3| {
        let distance = |p: &Vec3| p.distance_squared(from);
        places.iter().fold(from, |far, p| if distance(p) > distance(&far) { *p } else { far })
    };
    let mut best = (middle, farthest(middle).distance(middle));
    for step in 0..STEPS {
        middle += (farthest(middle) - middle) / (step + 2) as f32;
        let radius = farthest(middle).distance(middle);
        if radius < best.1 {
            best = (middle, radius);
        }
    }
    (best.0, best.1 * (1.0 + ROUNDING))
}

/// The sphere of a leaf in one frame. Rounding is not in it yet.
pub(super) fn sphere(
    leaf: &LeafBound,
    shapes: &[ShapeBound],
    region: &Region,
    coefficients: &[f32],
) -> (Vec3A, f32) {
    let (mut moved, mut off) = (Vec3A::ZERO, leaf.missed.min(region.missed));
    for (shape, &q) in shapes.iter().zip(coefficients) {
        moved += Vec3A::from(shape.mean) * q;
        off += shape.radius * q.abs();
    }
    let center = region.linear * Vec3A::from(leaf.middle) + region.turn * moved + region.shift;
    (center, region.stretch * leaf.radius + region.place * off)
}

/// At least the largest factor by which a matrix lengthens anything: from the trace of its square and what is
/// beyond that.
pub(super) fn largest_stretch(m: &Mat3A) -> f32 {
    let columns = [m.x_axis, m.y_axis, m.z_axis];
    let dot = |i: usize, j: usize| columns[i].dot(columns[j]);
    let mean = (dot(0, 0) + dot(1, 1) + dot(2, 2)) / 3.0;
    let diagonal = [0, 1, 2].map(|i| (dot(i, i) - mean).powi(2)).iter().sum::<f32>();
    let beside = [(0, 1), (1, 2), (2, 0)].map(|(i, j)| dot(i, j).powi(2)).iter().sum::<f32>();
    // No eigenvalue of a symmetric matrix without trace is more than √(2/3) of its norm.
    const SHARE: f32 = 0.816_497;
    (mean + SHARE * (diagonal + 2.0 * beside).sqrt()).sqrt() * (1.0 + ROUNDING)
}

#[cfg(test)]
#[path = "../../tests/unit/collide_bounds.rs"]
mod tests;

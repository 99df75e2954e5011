//! Sums of squared distances, as functions of a place.

use std::ops::AddAssign;

use glam::{DVec3, Vec2, Vec3};

/// Σ w (n·p + d)² over planes: a quadratic function of p, and Σ w.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Quadric {
    /// The symmetric matrix: xx, xy, xz, yy, yz, zz.
    matrix: [f64; 6],
    linear: DVec3,
    constant: f64,
    pub weight: f64,
}

impl Quadric {
    /// Squared distance from the plane through `at` with a unit `normal`.
    pub fn plane(normal: DVec3, at: DVec3, weight: f64) -> Self {
        Self::square(normal, -normal.dot(at), weight)
    }

    /// (n·p + d)².
    fn square(n: DVec3, d: f64, weight: f64) -> Self {
        let matrix = [n.x * n.x, n.x * n.y, n.x * n.z, n.y * n.y, n.y * n.z, n.z * n.z].map(|m| weight * m);
        Self { matrix, linear: n * (weight * d), constant: weight * d * d, weight }
    }

    /// Its value at a place; never negative.
    pub fn at(&self, p: DVec3) -> f64 {
        let [xx, xy, xz, yy, yz, zz] = self.matrix;
        let moved = DVec3::new(
            xx * p.x + xy * p.y + xz * p.z,
            xy * p.x + yy * p.y + yz * p.z,
            xz * p.x + yz * p.y + zz * p.z,
        );
        (p.dot(moved) + 2.0 * self.linear.dot(p) + self.constant).max(0.0)
    }
}

impl AddAssign for Quadric {
    fn add_assign(&mut self, other: Self) {
        self.matrix.iter_mut().zip(other.matrix).for_each(|(a, b)| *a += b);
        self.linear += other.linear;
        self.constant += other.constant;
        self.weight += other.weight;
    }
}

/// Σ w |g(p) − s|² over triangles, where g is the triangle's texture coordinate as a linear function of the
/// place: how far the texture has slid if a place p gets the coordinate s (Hoppe 1999).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Slide {
    /// Σ w g(p)² of both coordinates.
    squares: Quadric,
    /// Σ w g, as gradient and constant, of each coordinate.
    sums: [(DVec3, f64); 2],
}

impl Slide {
    /// Of one triangle; none if it has no area.
    pub fn of_triangle(places: [DVec3; 3], uvs: [Vec2; 3], weight: f64) -> Self {
        let [a, b, c] = places;
        let (e, f) = (b - a, c - a);
        let normal = e.cross(f);
        let area = normal.length_squared();
        if area <= 0.0 {
            return Self::default();
        }
        // The dual basis of the two edges in the plane.
        let (to_e, to_f) = (f.cross(normal) / area, normal.cross(e) / area);
        let [s, t, u] = uvs.map(|uv| uv.as_dvec2());
        let mut slide = Self::default();
        for (k, [at, along_e, along_f]) in
            [[s.x, t.x - s.x, u.x - s.x], [s.y, t.y - s.y, u.y - s.y]].into_iter().enumerate()
        {
            let gradient = to_e * along_e + to_f * along_f;
            let constant = at - gradient.dot(a);
            slide.squares += Quadric::square(gradient, constant, weight);
            slide.sums[k] = (gradient * weight, constant * weight);
        }
        // Counted once, not once for each coordinate.
        slide.squares.weight = weight;
        slide
    }

    /// Its value where a place has a coordinate.
    pub fn at(&self, p: DVec3, uv: Vec2) -> f64 {
        let uv = uv.as_dvec2();
        let [(gu, du), (gv, dv)] = self.sums;
        let mixed = uv.x * (gu.dot(p) + du) + uv.y * (gv.dot(p) + dv);
        (self.squares.at(p) - 2.0 * mixed + self.squares.weight * uv.length_squared()).max(0.0)
    }
}

impl AddAssign for Slide {
    fn add_assign(&mut self, other: Self) {
        self.squares += other.squares;
        for (sum, more) in self.sums.iter_mut().zip(other.sums) {
            *sum = (sum.0 + more.0, sum.1 + more.1);
        }
    }
}

/// The normal of a triangle, as long as twice its area.
pub(super) fn double_area([a, b, c]: [Vec3; 3]) -> DVec3 {
    let [a, b, c] = [a, b, c].map(|p| p.as_dvec3());
    (b - a).cross(c - a)
}

#[cfg(test)]
#[path = "../../tests/unit/lod_quadric.rs"]
mod tests;

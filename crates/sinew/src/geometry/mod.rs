//! Meshes: their topology, what lies where on them, and turning.

mod attribute;
pub(crate) mod bvh;
pub(crate) mod bvh4;
pub(crate) mod closest;
mod delaunay;
mod euler;
pub(crate) mod grouped;
pub(crate) mod joining;
pub mod laplacian;
mod material;
mod mesh;
mod normals;
mod similarity;
pub(crate) mod surface;
mod sweep;
mod swing;
pub(crate) mod triangle_bvh;
mod triangulate;
pub(crate) mod union_find;
pub(crate) mod weld;

pub use attribute::{Attribute, AttributeKind, Domain, Looks};
pub(crate) use euler::wrapped;
pub use euler::{EulerAngles, angle_between};
pub use material::{Image, Material, Texture, TextureSlot};
pub use mesh::{CornerLayer, Mesh, MeshError, Part};
pub(crate) use normals::normals_of;
pub use normals::{corner_normals, vertex_normals};
pub use similarity::Similarity;
pub(crate) use swing::angle_about;
pub use swing::{rotation_vector, swing_and_twist};
pub use triangulate::triangulate_polygon;

use glam::{DVec3, Vec3};

/// An axis-aligned box around points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Smallest coordinate on each axis.
    pub min: Vec3,
    /// Largest coordinate on each axis.
    pub max: Vec3,
}

impl Bounds {
    /// The box around `points`; an empty box at the origin when there are none.
    pub fn of(points: &[Vec3]) -> Self {
        let Some(&first) = points.first() else {
            return Self { min: Vec3::ZERO, max: Vec3::ZERO };
        };
        points
            .iter()
            .fold(Self { min: first, max: first }, |b, &p| Self { min: b.min.min(p), max: b.max.max(p) })
    }

    /// Length of the diagonal.
    pub fn diagonal(&self) -> f64 {
        (self.max.as_dvec3() - self.min.as_dvec3()).length()
    }

    /// Length of the longest side.
    pub fn longest_side(&self) -> f64 {
        (self.max.as_dvec3() - self.min.as_dvec3()).max_element()
    }

    /// The middle of the box.
    pub fn center(&self) -> DVec3 {
        0.5 * (self.max.as_dvec3() + self.min.as_dvec3())
    }
}

/// A third of each triangle's area for each of its corners.
pub(crate) fn vertex_areas(triangles: &[[u32; 3]], positions: &[Vec3]) -> Vec<f64> {
    let mut areas = vec![0.0; positions.len()];
    for triangle in triangles {
        let [a, b, c] = triangle.map(|v| positions[v as usize].as_dvec3());
        let third = (b - a).cross(c - a).length() / 6.0;
        triangle.iter().for_each(|&v| areas[v as usize] += third);
    }
    areas
}

/// How long a body is: the distance between two points that are about as far apart as any. Unlike the sides of a box,
/// it stays the same when the body is turned.
pub(crate) fn length_of(points: &[Vec3]) -> f64 {
    let farthest = |from: DVec3| {
        let all = points.iter().map(|p| p.as_dvec3());
        all.fold(from, |far, p| if p.distance_squared(from) > far.distance_squared(from) { p } else { far })
    };
    let middle = points.iter().map(|p| p.as_dvec3()).sum::<DVec3>() / points.len().max(1) as f64;
    let end = farthest(farthest(middle));
    end.distance(farthest(end))
}

//! Boxes of one body around which there are boxes in another's space.

use glam::{Mat3A, Vec3A};

use super::Place;
use super::bounds::largest_stretch;
use crate::geometry::bvh::Aabb;

/// What takes boxes of one body to boxes in another's space, before that is placed.
#[derive(Clone, Copy)]
pub(super) struct BoxTransform {
    matrix: Mat3A,
    /// The size of each of its entries.
    size: Mat3A,
    shift: Vec3A,
    /// What rounding may add.
    margin: f32,
}

impl BoxTransform {
    /// Where nothing is known.
    const ANYWHERE: Self =
        Self { matrix: Mat3A::ZERO, size: Mat3A::ZERO, shift: Vec3A::ZERO, margin: f32::INFINITY };

    /// From one place to another, where rounding moves anything by so much before it is taken back from there.
    pub fn new(from: &Place, to: &Place, rounding: f32) -> Self {
        let back = to.inverse();
        let way = back * *from;
        let matrix = Mat3A::from(way.matrix3.as_mat3());
        let found = Self {
            matrix,
            size: Mat3A::from_cols(matrix.x_axis.abs(), matrix.y_axis.abs(), matrix.z_axis.abs()),
            shift: way.translation.as_vec3a(),
            margin: 2.0 * rounding * largest_stretch(&Mat3A::from(back.matrix3.as_mat3())),
        };
        // What a place makes flat cannot be taken back: then all may be anywhere.
        let known = way.is_finite() && found.margin.is_finite();
        if known { found } else { Self::ANYWHERE }
    }

    /// The box around a box.
    #[inline]
    pub fn around(&self, [low, high]: Aabb<Vec3A>) -> Aabb<Vec3A> {
        let (middle, half) = (0.5 * (low + high), 0.5 * (high - low));
        let (middle, half) = (self.matrix * middle + self.shift, self.size * half + self.margin);
        [middle - half, middle + half]
    }
}

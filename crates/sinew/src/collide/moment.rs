//! What moves vertices in one frame.

use glam::{DAffine3, Mat3A, Vec3A};

use super::Place;
use super::body::Body;
use super::bound::largest_stretch;

/// All that moves a body's vertices in one frame, as [`Player`](crate::rig::Player) has it: each bone takes p to
/// `matrix · (p − center) + shift`.
#[derive(Default)]
pub(super) struct Moment {
    bones: Vec<(Mat3A, Vec3A)>,
    pub coefficients: Vec<f32>,
}

impl Moment {
    /// A frame of a rig at a place; the rest pose where the rig has no frames.
    ///
    /// # Panics
    /// When there are frames, but not this one.
    pub fn set(&mut self, body: &Body, frame: usize, place: &Place) {
        let rig = body.rig;
        let still = [DAffine3::IDENTITY];
        let empty = rig.frame_count() == 0;
        let transforms = if empty { &still[..] } else { rig.frame_transforms(frame) };
        self.bones.clear();
        self.bones.extend(transforms.iter().cycle().take(rig.bones.len()).map(|t| {
            let t = *place * *t;
            (t.matrix3.as_mat3().into(), t.transform_point3(body.center).as_vec3().into())
        }));
        self.coefficients.clear();
        if let Some(c) = rig.corrections.as_ref().filter(|_| !empty) {
            self.coefficients.extend(&c.coefficients[frame * c.rank..(frame + 1) * c.rank]);
        }
    }

    /// At least how far from the origin anything is that goes into a vertex, of a body that reaches so far.
    pub fn far(&self, reach: f32) -> f32 {
        let far = |(matrix, shift): &(Mat3A, Vec3A)| largest_stretch(matrix) * reach + shift.length();
        self.bones.iter().map(far).fold(0.0, f32::max)
    }

    /// Where a vertex is: what [`Player`](crate::rig::Player) says, but for how it is rounded. All of this room takes
    /// it from here, so that all ways to find contacts see the same bits.
    #[inline]
    pub fn vertex(&self, body: &Body, vertex: u32) -> Vec3A {
        let v = vertex as usize;
        let mut place = body.rest[v];
        let rank = self.coefficients.len();
        for (u, q) in body.shapes[v * rank..(v + 1) * rank].iter().zip(&self.coefficients) {
            place += *u * *q;
        }
        let mut sum = Vec3A::ZERO;
        let each = body.rig.weights.per_vertex;
        for &(bone, weight) in &body.influences[v * each..(v + 1) * each] {
            if weight != 0.0 {
                let (matrix, shift) = self.bones[bone as usize];
                sum += (matrix * place + shift) * weight;
            }
        }
        sum
    }
}

//! Where the vertices of a rig are in one frame: linear blending with corrections, vertex by vertex.
//!
//! All of this room takes vertices from here, so that all ways to find contacts see the same bits.

use glam::{DAffine3, DVec3, Mat3A, Vec3A};

use super::Place;
use super::bounds::largest_stretch;
use crate::geometry::Bounds;
use crate::rig::Rig;

/// A rig's vertices and what moves them. They may be in another order than the rig's, so that what one leaf needs
/// lies together.
pub(super) struct Skinned<'a> {
    pub rig: &'a Rig,
    /// The middle of the rest pose, and the rest pose as seen from it.
    center: DVec3,
    pub rest: Vec<Vec3A>,
    /// Displacements by all correction shapes, vertex after vertex.
    shapes: Vec<Vec3A>,
    /// Bones and their weights, vertex after vertex.
    influences: Vec<(u32, f32)>,
}

impl<'a> Skinned<'a> {
    /// In the order of the rig.
    pub fn new(rig: &'a Rig) -> Self {
        let center = Bounds::of(&rig.rest).center();
        Self {
            rig,
            center,
            rest: rig.rest.iter().map(|p| (p.as_dvec3() - center).as_vec3().into()).collect(),
            shapes: by_vertex(rig),
            influences: rig.weights.bones.iter().copied().zip(rig.weights.weights.iter().copied()).collect(),
        }
    }

    /// In another order.
    pub fn reorder(&mut self, order: &[usize]) {
        self.rest = reordered(&self.rest, order);
        self.shapes = reordered(&self.shapes, order);
        self.influences = reordered(&self.influences, order);
    }
}

/// The same in another order, an equal share for each number.
fn reordered<T: Copy>(all: &[T], order: &[usize]) -> Vec<T> {
    let each = all.len() / order.len().max(1);
    order.iter().flat_map(|&v| &all[v * each..(v + 1) * each]).copied().collect()
}

/// Displacements, vertex after vertex: what one vertex needs lies together.
fn by_vertex(rig: &Rig) -> Vec<Vec3A> {
    let Some(c) = &rig.corrections else { return Vec::new() };
    let n = rig.rest.len();
    (0..n).flat_map(|v| (0..c.rank).map(move |r| c.basis[r * n + v].into())).collect()
}

/// All that moves vertices in one frame, as [`Player`](crate::rig::Player) has it: each bone takes p to
/// `matrix · (p − center) + shift`.
#[derive(Default)]
pub(super) struct FramePose {
    bones: Vec<(Mat3A, Vec3A)>,
    pub coefficients: Vec<f32>,
}

impl FramePose {
    /// A frame of a rig at a place; the rest pose where the rig has no frames.
    ///
    /// # Panics
    /// When there are frames, but not this one.
    pub fn set(&mut self, skinned: &Skinned, frame: usize, place: &Place) {
        let rig = skinned.rig;
        let still = [DAffine3::IDENTITY];
        let empty = rig.frame_count() == 0;
        let transforms = if empty { &still[..] } else { rig.frame_transforms(frame) };
        self.bones.clear();
        self.bones.extend(transforms.iter().cycle().take(rig.bones.len()).map(|t| {
            let t = *place * *t;
            (t.matrix3.as_mat3().into(), t.transform_point3(skinned.center).as_vec3().into())
        }));
        self.coefficients.clear();
        if !empty {
            self.coefficients.extend(rig.frame_coefficients(frame));
        }
    }

    /// At least how far from the origin anything is that goes into a vertex, of a body that reaches so far.
    pub fn far(&self, reach: f32) -> f32 {
        let far = |(matrix, shift): &(Mat3A, Vec3A)| largest_stretch(matrix) * reach + shift.length();
        self.bones.iter().map(far).fold(0.0, f32::max)
    }

    /// Where a vertex is: what [`Player`](crate::rig::Player) says, but for how it is rounded.
    #[inline]
    pub fn vertex(&self, skinned: &Skinned, vertex: u32) -> Vec3A {
        let v = vertex as usize;
        let mut place = skinned.rest[v];
        let rank = self.coefficients.len();
        for (u, q) in skinned.shapes[v * rank..(v + 1) * rank].iter().zip(&self.coefficients) {
            place += *u * *q;
        }
        let mut sum = Vec3A::ZERO;
        let each = skinned.rig.weights.per_vertex;
        for &(bone, weight) in &skinned.influences[v * each..(v + 1) * each] {
            if weight != 0.0 {
                let (matrix, shift) = self.bones[bone as usize];
                sum += (matrix * place + shift) * weight;
            }
        }
        sum
    }
}

//! Playing a rig: p = Σ_b w_b T_b (p̄ + U q), for all vertices of a frame.
//!
//! Positions are taken relative to the middle of the rest pose and bone transforms are brought to that
//! origin in double precision, so that a rig a kilometre away from the origin plays as exactly as one
//! at it.

use glam::{DVec3, Mat3A, Vec3, Vec3A};
use rayon::prelude::*;

use super::Rig;
use crate::animation::PoseSource;
use crate::geometry::Bounds;

/// Plays a rig frame by frame without allocating.
pub struct Player<'a> {
    rig: &'a Rig,
    center: DVec3,
    /// Rest pose relative to `center`.
    rest: Vec<Vec3>,
}

/// One bone in one frame: `matrix · (p − center) + shift`.
#[derive(Clone, Copy)]
struct PaletteEntry {
    matrix: Mat3A,
    shift: Vec3A,
}

/// Vertices handled by one task: enough to pay for the hand-over, few enough to spread.
const BLOCK: usize = 1024;

impl<'a> Player<'a> {
    /// Prepares to play `rig`.
    pub fn new(rig: &'a Rig) -> Self {
        let center = Bounds::of(&rig.rest).center();
        let rest = rig.rest.iter().map(|p| (p.as_dvec3() - center).as_vec3()).collect();
        Self { rig, center, rest }
    }

    fn palette(&self, frame: usize) -> Vec<PaletteEntry> {
        self.rig
            .frame_transforms(frame)
            .iter()
            .map(|t| PaletteEntry {
                matrix: t.matrix3.as_mat3().into(),
                shift: t.transform_point3(self.center).as_vec3().into(),
            })
            .collect()
    }

    /// Writes the pose of `frame` into `out`, spreading the work over the current thread pool.
    ///
    /// # Panics
    /// When `frame` or the length of `out` is out of range.
    pub fn pose_into(&self, frame: usize, out: &mut [Vec3]) {
        assert_eq!(out.len(), self.rest.len(), "one slot per vertex");
        let palette = self.palette(frame);
        out.par_chunks_mut(BLOCK).enumerate().for_each(|(block, out)| {
            let first = block * BLOCK;
            out.copy_from_slice(&self.rest[first..first + out.len()]);
            self.add_corrections(frame, first, out);
            self.blend(&palette, first, out);
        });
    }

    fn add_corrections(&self, frame: usize, first: usize, out: &mut [Vec3]) {
        let Some(c) = &self.rig.corrections else { return };
        let coefficients = &c.coefficients[frame * c.rank..(frame + 1) * c.rank];
        for (shape, &q) in c.basis.chunks_exact(self.rest.len()).zip(coefficients) {
            for (p, u) in out.iter_mut().zip(&shape[first..]) {
                *p += *u * q;
            }
        }
    }

    fn blend(&self, palette: &[PaletteEntry], first: usize, out: &mut [Vec3]) {
        let k = self.rig.weights.per_vertex;
        for (i, p) in out.iter_mut().enumerate() {
            let (bones, weights) = self.rig.weights.of(first + i);
            let x = Vec3A::from(*p);
            let mut sum = Vec3A::ZERO;
            for slot in 0..k {
                if weights[slot] != 0.0 {
                    let entry = &palette[bones[slot] as usize];
                    sum += (entry.matrix * x + entry.shift) * weights[slot];
                }
            }
            *p = sum.into();
        }
    }
}

impl PoseSource for Player<'_> {
    fn frame_count(&self) -> usize {
        self.rig.frame_count()
    }

    fn vertex_count(&self) -> usize {
        self.rest.len()
    }

    fn pose_into(&self, frame: usize, out: &mut [Vec3]) {
        Player::pose_into(self, frame, out);
    }
}

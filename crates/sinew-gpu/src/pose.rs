//! Poses of a model computed on the CPU: what is streamed where vertices are sent, and what bounds are found
//! from.

use glam::{Vec3, Vec4};
use rayon::prelude::*;

use crate::model::Model;

/// Vertices handled by one task.
const BLOCK: usize = 2048;

impl Model {
    /// The two poses that a time lies between, and the share of the second.
    pub fn between(&self, time: f32) -> (usize, usize, f32) {
        let period = self.gait.period;
        let time = time - period as f32 * (time / period as f32).floor();
        let whole = (time as usize).min(period - 1);
        let fold = |frame: usize| if self.gait.returns { frame.min(period - frame) } else { frame };
        (fold(whole), fold((whole + 1) % period), (time - whole as f32).clamp(0.0, 1.0))
    }

    /// The pose at a time, counted in frames: rows of the bones, then coefficients.
    pub fn pose_at(&self, time: f32) -> Vec<Vec4> {
        let size = self.pose_size();
        let (first, second, share) = self.between(time);
        let pose = |frame: usize| self.poses[frame * size..(frame + 1) * size].iter();
        pose(first)
            .zip(pose(second))
            .map(|(a, b)| Vec4::from_array(*a).lerp(Vec4::from_array(*b), share))
            .collect()
    }

    /// Writes positions, and normals if wanted, of all vertices at a time, counted in frames. Normals are not
    /// of unit length.
    pub fn pose_into(&self, time: f32, positions: &mut [Vec3], normals: Option<&mut [Vec3]>) {
        let pose = self.pose_at(time);
        match normals {
            None => positions.par_chunks_mut(BLOCK).enumerate().for_each(|(block, out)| {
                for (i, p) in out.iter_mut().enumerate() {
                    *p = self.skinned(&pose, block * BLOCK + i).0;
                }
            }),
            Some(normals) => {
                let blocks = positions.par_chunks_mut(BLOCK).zip(normals.par_chunks_mut(BLOCK));
                blocks.enumerate().for_each(|(block, (positions, normals))| {
                    for (i, (p, n)) in positions.iter_mut().zip(normals).enumerate() {
                        (*p, *n) = self.skinned(&pose, block * BLOCK + i);
                    }
                });
            }
        }
    }

    /// Position and normal of one vertex in a pose.
    pub(crate) fn skinned(&self, pose: &[Vec4], vertex: usize) -> (Vec3, Vec3) {
        let (mut p, mut n) = (self.vertices[vertex].position, self.vertices[vertex].normal);
        for r in 0..self.rank {
            let q = pose[3 * self.bones + r / 4][r % 4];
            p += q * self.basis[vertex * self.rank + r];
            if !self.normal_basis.is_empty() {
                n += q * self.normal_basis[vertex * self.rank + r];
            }
        }
        let mut rows = [Vec4::ZERO; 3];
        for &(bone, weight) in &self.influences[vertex * self.per_vertex..(vertex + 1) * self.per_vertex] {
            if weight == 0.0 {
                break;
            }
            let bone = 3 * bone as usize;
            for (row, bone) in rows.iter_mut().zip(&pose[bone..bone + 3]) {
                *row += weight * *bone;
            }
        }
        let from = p.extend(1.0);
        let [x, y, z] = rows.map(|row| row.truncate());
        let cofactors = Vec3::new(y.cross(z).dot(n), z.cross(x).dot(n), x.cross(y).dot(n));
        let side = if x.dot(y.cross(z)) < 0.0 { -1.0 } else { 1.0 };
        (Vec3::from_array(rows.map(|row| row.dot(from))), side * cofactors)
    }
}

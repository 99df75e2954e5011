//! Bone transforms from core triangles (James and Twigg 2005, sections 4.3 and 4.4 and the appendix).
//!
//! Rigid bones take the area-weighted mean rotation of their triangles, projected onto the rotations, and
//! the translation that fits the triangles' centroids. Flexible bones are the affine map that fits the
//! centroids best.
//!
//! Departures: triangles count by area for the paper's core sets, but alike for refined ones, which cover
//! the whole mesh: the error counts every vertex alike, and that is where small triangles are. The
//! appendix' normal equations are singular for a flat or tiny core and nearly so for a
//! thin one. Centred about the core they become F (M + λI) = C + λR with M the spread of the rest
//! centroids, C their cross moments and R the rigid bone's rotation, so that a direction the core does
//! not show stretches as the rigid bone would instead of exploding; λ is a millionth of the spread where
//! the core is solid and more only where it is thin.

use glam::{DAffine3, DMat3, DVec3, Mat3, Vec3};
use rayon::prelude::*;

use super::{BoneKind, CoreSets};
use crate::progress::{Cancelled, Progress};
use crate::segment::{Segmentation, SurfaceMotion, TriangleRotations, members};
use crate::solve::procrustes::{outer, polar};
use crate::solve::symmetric_eigen3;

/// Spread of a core in a direction, relative to its widest, below which the stretch in that direction
/// is more noise than motion.
const THINNEST: f64 = 1e-2;

/// Triangles of one bone.
struct Core {
    triangles: Vec<u32>,
    /// How much each triangle counts.
    shares: Vec<f64>,
    total: f64,
    /// Weighted mean of the rest centroids.
    center: DVec3,
    /// (M + λI)⁻¹ and λ, see the module's documentation.
    inverse_spread: DMat3,
    lambda: f64,
}

/// Fits the transform of every bone in every frame to its core triangles, frame after frame.
///
/// The segmentation was made for the triangles of that rest pose; every bone has at least one triangle.
///
/// # Errors
/// When `progress` cancels.
pub fn fit_bones(
    motion: SurfaceMotion,
    segmentation: &Segmentation,
    kind: BoneKind,
    core: CoreSets,
    progress: &dyn Progress,
) -> Result<Vec<DAffine3>, Cancelled> {
    let SurfaceMotion { frames, triangles, rest } = motion;
    let cores = cores(motion, segmentation, core);
    let rotations = TriangleRotations::new(triangles, rest);
    let mut transforms = Vec::with_capacity(frames.len() * cores.len());
    let mut last = vec![DMat3::IDENTITY; cores.len()];
    rotations.for_each_frame(frames, |frame, now| {
        progress.check()?;
        progress.advance(frame as f64 / frames.len() as f64);
        let positions = frames.frame(frame);
        let fitted: Vec<(DMat3, DAffine3)> = cores
            .par_iter()
            .zip(&last)
            .map(|(core, last)| {
                let rotation = mean_rotation(core, now).unwrap_or(*last);
                (rotation, core.fit(motion, positions, rotation, kind))
            })
            .collect();
        for (last, (rotation, transform)) in last.iter_mut().zip(fitted) {
            *last = rotation;
            transforms.push(transform);
        }
        Ok(())
    })?;
    Ok(transforms)
}

fn centroid(triangle: [u32; 3], positions: &[Vec3]) -> DVec3 {
    let [a, b, c] = triangle.map(|i| positions[i as usize].as_dvec3());
    (a + b + c) / 3.0
}

fn area(triangle: [u32; 3], positions: &[Vec3]) -> f64 {
    let [a, b, c] = triangle.map(|i| positions[i as usize].as_dvec3());
    0.5 * (b - a).cross(c - a).length()
}

fn cores(motion: SurfaceMotion, segmentation: &Segmentation, core: CoreSets) -> Vec<Core> {
    let SurfaceMotion { triangles, rest, .. } = motion;
    let weight = |triangle: u32| match core {
        CoreSets::Modes => area(triangles[triangle as usize], rest),
        CoreSets::Refined => 1.0,
    };
    members(&segmentation.bone_of_triangle, segmentation.bone_count)
        .into_iter()
        .map(|list| {
            let shares = list.iter().map(|&t| weight(t)).collect();
            Core::new(list, shares, triangles, rest)
        })
        .collect()
}

/// The weighted mean rotation, projected (Moakher 2002). `None` where the rotations cancel out.
fn mean_rotation(core: &Core, now: &[Mat3]) -> Option<DMat3> {
    let sum = core
        .triangles
        .iter()
        .zip(&core.shares)
        .fold(DMat3::ZERO, |sum, (&t, &share)| sum + now[t as usize].as_dmat3() * share);
    polar(sum)
}

impl Core {
    fn new(list: Vec<u32>, shares: Vec<f64>, triangles: &[[u32; 3]], rest: &[Vec3]) -> Self {
        let total: f64 = shares.iter().sum();
        let points = || list.iter().zip(&shares).map(|(&t, &a)| (centroid(triangles[t as usize], rest), a));
        let center = points().fold(DVec3::ZERO, |sum, (c, a)| sum + c * a) / total;
        let spread = points().fold(DMat3::ZERO, |sum, (c, a)| sum + outer(c - center, c - center) * a);
        let (widths, _) = symmetric_eigen3(spread);
        let (widest, thinnest) = (widths.max_element(), widths.min_element());
        // A core of one triangle has no spread at all; any positive λ then gives the rigid bone.
        let lambda = if widest <= 0.0 { 1.0 } else { (THINNEST * widest - thinnest).max(1e-6 * widest) };
        let inverse_spread = (spread + DMat3::from_diagonal(DVec3::splat(lambda))).inverse();
        Self { triangles: list, shares, total, center, inverse_spread, lambda }
    }

    fn fit(&self, motion: SurfaceMotion, positions: &[Vec3], rotation: DMat3, kind: BoneKind) -> DAffine3 {
        let SurfaceMotion { triangles, rest, .. } = motion;
        let now = |t: u32| centroid(triangles[t as usize], positions);
        let members = || self.triangles.iter().zip(&self.shares);
        let mean = members().fold(DVec3::ZERO, |sum, (&t, &a)| sum + now(t) * a) / self.total;
        let matrix = match kind {
            BoneKind::Rigid => rotation,
            BoneKind::Flexible => {
                let cross = members().fold(DMat3::ZERO, |sum, (&t, &a)| {
                    sum + outer(now(t) - mean, centroid(triangles[t as usize], rest) - self.center) * a
                });
                (cross + rotation * self.lambda) * self.inverse_spread
            }
        };
        DAffine3 { matrix3: matrix, translation: mean - matrix * self.center }
    }
}

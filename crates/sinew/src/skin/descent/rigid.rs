//! Bones that only turn and shift: weighted Procrustes against what the other bones leave over, bone after
//! bone (Le and Deng 2012), on sums over the vertices instead of the vertices.
//!
//! With A the normal matrix and D the right-hand sides, brought back from reduced coordinates to the frames, the
//! target of bone b in a frame is D_b − Σ_c T_c A_cb; its best rotation is the polar factor of the centred
//! target. A sweep (`sweep`) thus costs the same for any number of vertices.

use glam::{DAffine3, DMat3, DVec3};
use rayon::prelude::*;

use super::blocks::{Blocks, about, mass_and_center, rows};
use super::sweep::{sweeps, together};
use super::{Bones, Normal, RigidMotion};
use crate::progress::{Cancelled, Progress};
use crate::reduced::Reduced;
use crate::reduced::kernels::mixed_dot;
use crate::solve::procrustes::{nearest_rotation, polar};

/// Improves the bones; their runs are for [`Bones::refresh`] to bring up to date.
pub fn solve(
    bones: &mut Bones,
    normal: &Normal,
    reduced: &Reduced,
    progress: &dyn Progress,
) -> Result<(), Cancelled> {
    let count = bones.count();
    let blocks = Blocks::new(normal);
    let locked = bones.locked.clone();
    let Some(rigid) = &mut bones.rigid else { return Ok(()) };
    let together = together(reduced.frame_count());
    rigid.transforms.par_chunks_mut(together * count).enumerate().try_for_each(|(part, transforms)| {
        progress.check()?;
        let frames = part * together..part * together + transforms.len() / count;
        let targets: Vec<_> = frames.flat_map(|frame| targets(normal, reduced, frame, count)).collect();
        sweeps(transforms, &targets, &blocks, &locked);
        Ok(())
    })
}

/// Makes rigid bones of flexible ones: the rigid motion nearest to each, over the vertices it moves, improved so many
/// times.
pub fn from_flexible(
    bones: &mut Bones,
    normal: &Normal,
    reduced: &Reduced,
    solves: usize,
    progress: &dyn Progress,
) -> Result<(), Cancelled> {
    let count = bones.count();
    let mut transforms = vec![DAffine3::IDENTITY; reduced.frame_count() * count];
    transforms.par_chunks_mut(count).enumerate().try_for_each(|(frame, transforms)| {
        progress.check()?;
        for (b, transform) in transforms.iter_mut().enumerate() {
            let t = expand(bones.bone(b), reduced, frame);
            let block = normal.own(b);
            let (mass, center) = mass_and_center(&block);
            let spread = DMat3::from_cols_array(&std::array::from_fn(|i| {
                block[i % 3][i / 3] - mass * center[i / 3] * center[i % 3]
            }));
            let rotation =
                nearest_rotation(t.matrix3 * spread).or_else(|| polar(t.matrix3)).unwrap_or(DMat3::IDENTITY);
            *transform = about(rotation, center, t.transform_point3(center));
        }
        Ok::<(), Cancelled>(())
    })?;
    bones.rigid = Some(RigidMotion { transforms });
    for _ in 0..solves {
        solve(bones, normal, reduced, progress)?;
    }
    bones.refresh(reduced);
    Ok(())
}

/// A bone's affine motion in one frame, from its runs.
pub fn expand(runs: &[f64], reduced: &Reduced, frame: usize) -> DAffine3 {
    let d = reduced.dims;
    let column = |c: usize| {
        DVec3::from_array(std::array::from_fn(|axis| {
            let row = &reduced.basis[(3 * frame + axis) * d..(3 * frame + axis + 1) * d];
            mixed_dot(row, &runs[c * d..(c + 1) * d])
        }))
    };
    DAffine3 { matrix3: DMat3::from_cols(column(0), column(1), column(2)), translation: column(3) }
}

/// One frame's right-hand sides: for each bone the rows of its target.
fn targets(normal: &Normal, reduced: &Reduced, frame: usize, count: usize) -> Vec<[[f64; 4]; 3]> {
    (0..count)
        .map(|b| rows(&expand(&normal.right[b * 4 * normal.dims..(b + 1) * 4 * normal.dims], reduced, frame)))
        .collect()
}

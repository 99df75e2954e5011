//! Scenes of another size than their meshes.
//!
//! Some programs store a mesh in one unit and show it in another: a node above all joints scales them alike.
//! The bones of such a file do nothing but turn and shift a mesh that is so many times larger, and that is
//! how it is read. Files written by Sinew come back as they were written.

use glam::{DAffine3, DVec3, Vec3};

use super::bones::is_rotation;
use super::hierarchy::BoneSource;
use super::primitives::Shape;

/// How far bones may differ in size, as a fraction of it.
const ALIKE: f64 = 1e-4;

/// How many times larger than stored the mesh is shown, where all bones agree on that in all frames.
pub(super) fn shown_size(transforms: &[DAffine3]) -> Option<f64> {
    let sizes = transforms.iter().map(|t| t.matrix3.determinant().cbrt());
    let size = sizes.sum::<f64>() / transforms.len() as f64;
    let alike = |t: &DAffine3| is_rotation(t.matrix3 * size.recip(), ALIKE);
    (size > 0.0 && (size - 1.0).abs() > ALIKE && transforms.iter().all(alike)).then_some(size)
}

/// Makes the mesh `size` times larger, and the bones that much smaller.
pub(super) fn resize(
    size: f64,
    rest: &mut [Vec3],
    shapes: &mut [Shape],
    sources: &mut [BoneSource],
    transforms: &mut [DAffine3],
) {
    let larger = |v: &mut Vec3| *v = (v.as_dvec3() * size).as_vec3();
    rest.iter_mut().for_each(larger);
    shapes.iter_mut().flat_map(|s| &mut s.deltas).for_each(larger);
    let smaller = DAffine3::from_scale(DVec3::splat(size.recip()));
    sources.iter_mut().for_each(|s| s.inverse *= smaller);
    transforms.iter_mut().for_each(|t| *t *= smaller);
}

//! Scenes of another size than their meshes.
//!
//! Some programs store a mesh in one unit and show it in another: a node above all joints scales them alike.
//! The bones of such a file do nothing but turn and shift a mesh that is so many times larger, and that is
//! how it is read. Files written by Sinew come back as they were written.

use glam::{DAffine3, Vec3};

use super::hierarchy::BoneSource;
use super::shapes::Shape;
use super::turns::is_rotation;

/// How far bones may differ in size, as a fraction of it.
const ALIKE: f64 = 1e-4;

/// How many times larger than stored the mesh is shown, where all bones agree on that in all frames.
pub(crate) fn shown_size(transforms: &[DAffine3]) -> Option<f64> {
    let sizes = transforms.iter().map(|t| t.matrix3.determinant().cbrt());
    let size = sizes.sum::<f64>() / transforms.len() as f64;
    let alike = |t: &DAffine3| is_rotation(t.matrix3 * size.recip(), ALIKE);
    (size > 0.0 && (size - 1.0).abs() > ALIKE && transforms.iter().all(alike)).then_some(size)
}

/// Moves the mesh as stored to where the rest pose is, and the bones the other way.
pub(crate) fn place_rest(
    place: &DAffine3,
    rest: &mut [Vec3],
    shapes: &mut [Shape],
    sources: &mut [BoneSource],
    transforms: &mut [DAffine3],
) {
    rest.iter_mut().for_each(|p| *p = place.transform_point3(p.as_dvec3()).as_vec3());
    let deltas = shapes.iter_mut().flat_map(|s| &mut s.deltas);
    deltas.for_each(|d| *d = place.transform_vector3(d.as_dvec3()).as_vec3());
    let back = place.inverse();
    sources.iter_mut().for_each(|s| s.inverse *= back);
    transforms.iter_mut().for_each(|t| *t *= back);
}

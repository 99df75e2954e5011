//! Sculpting the rest pose of a rig once for all frames.
//!
//! Follows "Skinning Mesh Animations" (James and Twigg 2005, section 7): displacements of the rest pose are
//! carried by each vertex' blended transform, so that they turn with the body. Corrections of the rig stay
//! and are added to them.
//!
//! Where this departs from it: the displacement is not stored as it was sculpted, but so that the frames look
//! as if their surface had carried it ([`Carry::Surface`], `surface_displacement`); in the rest pose itself it may come
//! out a little askew. [`Carry::Bones`] does what the paper does.
//!
//! The paper asks for weights that are not negative. With others a vertex' blended transform fits the frames
//! where the vertex is and means little beside it, so that displacements come out long or askew
//! ([`RestEdited::least_weight`]).

use glam::Vec3;

use super::edit_bone::check_shape;
use super::error::{EditError, EditWarning};
use super::surface_displacement::{Displaced, with_surface};
use super::tuning::TUNING;
use super::undo::Undo;
use crate::choices;
use crate::geometry::corner_normals;
use crate::progress::Progress;
use crate::rig::Rig;

choices! {
    /// What displacements of the rest pose follow in the frames.
    #[derive(Default)]
    pub enum Carry: "carrier" {
        /// The surface, as nearly as the bones can in all frames.
        #[default]
        Surface = "surface",
            "the surface, as nearly as bones can in all frames; the rest pose may differ a little from the shape",
        /// The blended transforms of the bones. The rest pose is exactly as sculpted.
        Bones = "bones", "the bones as they are; the rest pose is the shape",
    }
}

/// What became of a sculpted rest pose.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RestEdited {
    /// Takes it back.
    pub undo: Undo,
    /// Vertices that are elsewhere in the rest pose now.
    pub moved: usize,
    /// The most negative weight on any of them, 0 without. Far below zero the edit may not look in other
    /// frames as it does in the rest pose.
    pub least_weight: f32,
}

impl RestEdited {
    /// What may not be as it was meant.
    pub fn warnings(&self) -> Vec<EditWarning> {
        let least = self.least_weight;
        let negative = least < TUNING.doubts.negative_weight;
        negative.then_some(EditWarning::NegativeWeights { least }).into_iter().collect()
    }
}

/// Gives `rig` another rest pose. All frames take over the difference, each in its own way.
///
/// ```
/// use glam::Vec3;
/// use sinew::motion::{Carry, edit_rest};
/// use sinew::{progress::Silent, skin};
/// use sinew_sample::{CreatureOptions, creature};
///
/// let animation = creature(&CreatureOptions { frames: 4, detail: 0.6, ..Default::default() });
/// let options = skin::SkinOptions { bones: Some(12), ..Default::default() };
/// let mut rig = skin::skin(&animation, &options, &Silent)?.rig;
/// let mut shape = rig.rest.clone();
/// shape[100] += Vec3::Y * 0.1;
/// let before = rig.pose(3)[100];
/// edit_rest(&mut rig, &shape, Carry::Surface, &Silent)?;
/// assert!((rig.pose(3)[100].distance(before) - 0.1).abs() < 0.02);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When the shape is none of the rig's mesh, or the listener cancels. The rig is then as it was.
pub fn edit_rest(
    rig: &mut Rig,
    shape: &[Vec3],
    carry: Carry,
    progress: &dyn Progress,
) -> Result<RestEdited, EditError> {
    check_shape(shape, rig.rest.len())?;
    let moved: Vec<usize> = (0..shape.len()).filter(|&v| rig.rest[v] != shape[v]).collect();
    let least = |v: &usize| rig.weights.of(*v).1.iter().copied().fold(0.0, f32::min);
    let least_weight = moved.iter().map(least).fold(0.0, f32::min);
    let mut rest = shape.to_vec();
    if carry == Carry::Surface && rig.frame_count() > 0 {
        let by = |&vertex: &usize| shape[vertex].as_dvec3() - rig.rest[vertex].as_dvec3();
        let displaced: Vec<Displaced> =
            moved.iter().map(|v| Displaced { vertex: *v, wanted: by(v), usual: by(v) }).collect();
        let found = with_surface(rig, &rig.rest, &displaced, 0..=rig.frame_count() - 1, progress)?;
        moved.iter().zip(found).for_each(|(&v, d)| rest[v] = (rig.rest[v].as_dvec3() + d).as_vec3());
    }
    // Shading normals were modelled for the old shape.
    let normals = match &rig.mesh.normals {
        Some(_) if !moved.is_empty() => Some(corner_normals(&rig.mesh, &rest)),
        unchanged => unchanged.clone(),
    };
    let old = (std::mem::replace(&mut rig.rest, rest), rig.mesh.normals.take());
    rig.mesh.normals = normals;
    Ok(RestEdited { undo: Undo { rest: Some(old), ..Undo::default() }, moved: moved.len(), least_weight })
}

//! Meshes that were sculpted, beside the rigs they are shapes of.

use std::path::Path;

use glam::Vec3;
use sinew::animation::{AnimationError, doubt_poses};
use sinew::geometry::{Bounds, Mesh, Similarity};
use sinew_io::formats::{Facts, Said};
use sinew_io::scene::{SampleOptions, SampledRig};
use sinew_io::{StaticMesh, open};

use super::order::EditJob;
use crate::error::Outcome;
use crate::pair::rig_like;
use crate::refusals::EditRefusal;
use crate::units::beside;
use crate::warning::{Warning, told};

/// Reads a rig and a shape of it, and says what is odd about them.
pub(super) fn rig_and_shape(job: &EditJob, shape: &Path) -> Outcome<(SampledRig, Vec<Vec3>, Vec<Warning>)> {
    let mut sculpted = Shape::read(shape)?;
    let read = rig_like(&job.rig, sculpted.mesh.positions.len(), &all_clips())?.said(&job.said());
    let mut warnings = told(read.warnings.clone());
    warnings.extend(sculpted.check(&job.rig, &read.rig.mesh)?);
    warnings.extend(sculpted.bring_to(job, &read.facts, &read.rig.rest));
    sculpted.check_size(&job.rig, &read.rig.mesh, &read.rig.rest)?;
    Ok((read, sculpted.mesh.positions, warnings))
}

/// A mesh that was sculpted.
pub(super) struct Shape<'a> {
    path: &'a Path,
    pub mesh: StaticMesh,
}

impl<'a> Shape<'a> {
    pub fn read(path: &'a Path) -> Outcome<Self> {
        // What is odd about its materials does not matter: only places are taken from it.
        Ok(Self { path, mesh: open::rest(path, None)? })
    }

    /// Refuses a shape that cannot be one of the rig's mesh; warns of one that may not be.
    pub fn check(&self, rig: &Path, mesh: &Mesh) -> Outcome<Option<Warning>> {
        let (found, expected) = (self.mesh.positions.len(), mesh.vertex_count);
        if found != expected {
            let (shape, rig) = (self.path.into(), rig.into());
            return Err(EditRefusal::OtherMesh { shape, rig, found, expected }.into());
        }
        let faces = |mesh: &Mesh| (mesh.face_starts.clone(), mesh.corners.clone());
        let others = self.mesh.mesh.face_count() > 0 && faces(&self.mesh.mesh) != faces(mesh);
        Ok(others.then(|| Warning::OtherFaces { path: self.path.into() }))
    }

    /// Refuses a shape in quite another unit than the rig, which is in some pose: no sculptor makes a body so large or small.
    pub fn check_size(&self, rig: &Path, mesh: &Mesh, pose: &[Vec3]) -> Outcome<()> {
        match doubt_poses(mesh, pose, &self.mesh.positions) {
            Some(AnimationError::Units { ratio }) => {
                Err(EditRefusal::OtherSize { shape: self.path.into(), rig: rig.into(), ratio }.into())
            }
            _ => Ok(()),
        }
    }

    /// Brings the shape to the unit and axes of the rig, which is in some pose. What is said about the rig is said about
    /// the shape where its file tells nothing.
    pub fn bring_to(&mut self, job: &EditJob, facts: &Facts, pose: &[Vec3]) -> Option<Warning> {
        let up = job.up.filter(|_| self.mesh.facts.up.is_none());
        let said = Said { up, scale: job.scale, metres_per_unit: None };
        let change = said.settle(&mut self.mesh.facts);
        self.mesh.change(&change);
        let sizes = [pose, &self.mesh.positions].map(|pose| Bounds::of(pose).diagonal());
        let names = [&job.rig, self.path].map(|path| path.display().to_string());
        let agreed = beside([facts, &self.mesh.facts], [&names[0], &names[1]], sizes)?;
        self.mesh.change(&Similarity::scaling(agreed.factor));
        Some(agreed.warning.into())
    }
}

/// Everything a file holds is kept.
pub(super) fn all_clips() -> SampleOptions {
    SampleOptions { clips: vec!["all".into()], ..SampleOptions::default() }
}

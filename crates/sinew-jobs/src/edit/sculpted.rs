//! Meshes that were sculpted, beside the rigs they are shapes of.

use std::path::Path;

use glam::Vec3;
use sinew::geometry::Mesh;
use sinew_io::scene::{SampleOptions, SampledRig};
use sinew_io::{StaticMesh, open};

use crate::error::Outcome;
use crate::pair::rig_like;
use crate::refusals::EditRefusal;
use crate::warning::{Warning, told};

/// Reads a rig and a shape of it, and says what is odd about them.
pub(super) fn rig_and_shape(rig: &Path, shape: &Path) -> Outcome<(SampledRig, Vec<Vec3>, Vec<Warning>)> {
    let sculpted = Shape::read(shape)?;
    let read = rig_like(rig, sculpted.mesh.positions.len(), &all_clips())?;
    let mut warnings = told(read.warnings.clone());
    warnings.extend(sculpted.check(rig, &read.rig.mesh)?);
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
}

/// Everything a file holds is kept.
pub(super) fn all_clips() -> SampleOptions {
    SampleOptions { clips: vec!["all".into()], ..SampleOptions::default() }
}

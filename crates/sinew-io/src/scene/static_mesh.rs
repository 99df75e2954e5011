//! A mesh in one pose, as OBJ and PLY files hold it.

use std::path::Path;

use glam::Vec3;
use sinew::geometry::Mesh;

use super::facts::Facts;
use crate::{Error, Result, Warning};

/// A mesh that does not move.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StaticMesh {
    /// Faces, UVs, materials, parts.
    pub mesh: Mesh,
    /// One position per vertex, in the file's order.
    pub positions: Vec<Vec3>,
    /// What was found amiss and left out.
    pub warnings: Vec<Warning>,
    /// What the file says about its unit and axes.
    pub facts: Facts,
}

impl StaticMesh {
    /// Hands the mesh out when there is one and it does not contradict itself.
    pub(crate) fn checked(self, path: &Path) -> Result<Self> {
        if self.positions.is_empty() {
            return Err(Error::malformed(path, "there are no vertices in this file"));
        }
        self.mesh.validate().map_err(|e| Error::malformed(path, e.to_string()))?;
        Ok(self)
    }
}

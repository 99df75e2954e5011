//! A mesh in one pose, as OBJ and PLY files hold it.

use std::path::Path;

use glam::Vec3;
use sinew::geometry::Mesh;

use super::facts::Facts;
use crate::{Error, Result};

/// A mesh that does not move.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StaticMesh {
    /// Faces, UVs, materials, parts.
    pub mesh: Mesh,
    /// One position per vertex, in the file's order.
    pub positions: Vec<Vec3>,
    /// What was found amiss and left out, as sentences for people.
    pub warnings: Vec<String>,
    /// What the file says about its numbers.
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

/// Reads a whole regular file. Devices and pipes named by a hostile file would never end.
pub(crate) fn read_regular_file(path: &Path) -> std::io::Result<Vec<u8>> {
    if !std::fs::metadata(path)?.is_file() {
        return Err(std::io::Error::new(std::io::ErrorKind::InvalidInput, "not a regular file"));
    }
    std::fs::read(path)
}

//! PLY out.

use std::path::Path;

use glam::Vec3;
use sinew::geometry::Mesh;

use crate::{Result, Target, save_target};

/// Writes positions and faces as binary little-endian PLY. Returns the number of bytes.
///
/// # Panics
/// When there is not one position per vertex of the mesh.
pub fn write(path: &Path, mesh: &Mesh, positions: &[Vec3]) -> Result<u64> {
    Ok(save_target(path, |to| put(to, mesh, positions))?.0)
}

/// The same into any file.
pub(super) fn put(to: &mut Target, mesh: &Mesh, positions: &[Vec3]) -> Result<()> {
    assert_eq!(positions.len(), mesh.vertex_count, "one position per vertex");
    let most_corners = (0..mesh.face_count()).map(|face| mesh.corner_range(face).len()).max().unwrap_or(0);
    let wide = most_corners > u8::MAX.into();
    to.write(|out| {
        write!(
            out,
            "ply\nformat binary_little_endian 1.0\nelement vertex {}\n\
             property float x\nproperty float y\nproperty float z\n\
             element face {}\nproperty list {} uint vertex_indices\nend_header\n",
            positions.len(),
            mesh.face_count(),
            if wide { "uint" } else { "uchar" },
        )?;
        for value in positions.iter().flat_map(|p| p.to_array()) {
            out.write_all(&value.to_le_bytes())?;
        }
        for face in 0..mesh.face_count() {
            let vertices = mesh.face(face);
            let length = (vertices.len() as u32).to_le_bytes();
            out.write_all(if wide { &length } else { &length[..1] })?;
            for vertex in vertices {
                out.write_all(&vertex.to_le_bytes())?;
            }
        }
        Ok(())
    })
}

//! PLY out.

use std::path::Path;

use glam::Vec3;
use sinew::geometry::Mesh;

use crate::scene::color::{changed, of_vertices, to_srgb};
use crate::{Result, Target, save_target};

/// Writes positions, faces and colours of vertices, as screens show them, as binary little-endian PLY. Returns the number
/// of bytes.
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
    let colors = of_vertices(mesh);
    let columns = ["red", "green", "blue", "alpha"].map(|name| format!("property float {name}\n")).concat();
    to.write(|out| {
        write!(
            out,
            "ply\nformat binary_little_endian 1.0\nelement vertex {}\n\
             property float x\nproperty float y\nproperty float z\n{}\
             element face {}\nproperty list {} uint vertex_indices\nend_header\n",
            positions.len(),
            if colors.is_some() { &columns } else { "" },
            mesh.face_count(),
            if wide { "uint" } else { "uchar" },
        )?;
        for (vertex, p) in positions.iter().enumerate() {
            p.to_array().iter().try_for_each(|value| out.write_all(&value.to_le_bytes()))?;
            let color = colors.as_ref().map(|colors| changed(&colors[vertex], to_srgb));
            for value in color.into_iter().flatten() {
                out.write_all(&(value as f32).to_le_bytes())?;
            }
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

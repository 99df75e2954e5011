//! NPY and NPZ out.

use std::path::Path;

use glam::Vec3;
use sinew::geometry::Mesh;

use super::array::header;
use super::{FACES, FPS, POSES, REST};
use crate::containers::zip::Archive;
use crate::formats::PoseSet;
use crate::scene::point_cache::write_poses;
use crate::{Result, Target, save_target};

/// Writes poses as one array, frames × vertices × 3. Returns the number of bytes.
pub fn write_npy(
    path: &Path,
    vertex_count: usize,
    frame_count: usize,
    pose: impl FnMut(usize, &mut [Vec3]) -> std::io::Result<()>,
) -> Result<u64> {
    Ok(save_target(path, |to| put_npy(to, vertex_count, frame_count, pose))?.0)
}

/// The same into any file.
pub(super) fn put_npy(
    to: &mut Target,
    vertex_count: usize,
    frame_count: usize,
    pose: impl FnMut(usize, &mut [Vec3]) -> std::io::Result<()>,
) -> Result<()> {
    to.write(|out| {
        out.write_all(&header("<f4", &[frame_count, vertex_count, 3]))?;
        write_poses(out, vertex_count, frame_count, pose, f32::to_le_bytes)
    })
}

/// Writes poses with their faces, rest pose and frame rate. Returns the number of bytes.
pub fn write_npz(
    path: &Path,
    set: &PoseSet,
    pose: impl FnMut(usize, &mut [Vec3]) -> std::io::Result<()>,
) -> Result<u64> {
    Ok(save_target(path, |to| put_npz(to, set, pose))?.0)
}

/// The same into any file.
pub(super) fn put_npz(
    to: &mut Target,
    set: &PoseSet,
    pose: impl FnMut(usize, &mut [Vec3]) -> std::io::Result<()>,
) -> Result<()> {
    let (frames, vertices) = (set.frames, set.mesh.vertex_count);
    to.write(|out| {
        let mut archive = Archive::new(out);
        let start = header("<f4", &[frames, vertices, 3]);
        let size = start.len() as u64 + 12 * frames as u64 * vertices as u64;
        archive.entry(&named(POSES[0]), size, |out| {
            out.write_all(&start)?;
            write_poses(out, vertices, frames, pose, f32::to_le_bytes)
        })?;
        if set.mesh.face_count() > 0 {
            whole(&mut archive, FACES[0], &faces(set.mesh))?;
        }
        if let Some(rest) = set.rest {
            let mut bytes = header("<f4", &[rest.len(), 3]);
            bytes.extend(rest.iter().flat_map(|p| p.to_array()).flat_map(f32::to_le_bytes));
            whole(&mut archive, REST[0], &bytes)?;
        }
        whole(&mut archive, FPS[0], &[header("<f8", &[]), set.fps.to_le_bytes().to_vec()].concat())?;
        archive.finish()
    })
}

fn named(array: &str) -> String {
    format!("{array}.npy")
}

fn whole(archive: &mut Archive, name: &str, bytes: &[u8]) -> std::io::Result<()> {
    archive.entry(&named(name), bytes.len() as u64, |out| out.write_all(bytes))
}

/// Faces × corners, with −1 where a face has fewer than others.
fn faces(mesh: &Mesh) -> Vec<u8> {
    let corners = (0..mesh.face_count()).map(|face| mesh.face(face).len()).max().unwrap_or(3);
    let mut bytes = header("<i4", &[mesh.face_count(), corners]);
    for face in 0..mesh.face_count() {
        let vertices = mesh.face(face);
        bytes.extend(vertices.iter().flat_map(|v| (*v as i32).to_le_bytes()));
        bytes.extend((vertices.len()..corners).flat_map(|_| (-1_i32).to_le_bytes()));
    }
    bytes
}

//! The triangles of a rig as they are collapsed: over points, with what their corners carry.

use glam::{Vec2, Vec3};

use crate::geometry::surface::{pieces, same_places};
use crate::rig::{Player, Rig};

/// One triangle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Triangle {
    /// Vertices, each the first of those that are one point.
    pub points: [u32; 3],
    /// Indices into the mesh's texture coordinates and normals; 0 without.
    pub uvs: [u32; 3],
    pub normals: [u32; 3],
    /// Material of the face it is of, and that face.
    pub material: u32,
    pub face: u32,
}

pub(super) struct Surface {
    pub triangles: Vec<Triangle>,
    /// Values of the texture coordinates; empty without.
    pub uvs: Vec<Vec2>,
    /// The rest pose.
    pub rest: Vec<Vec3>,
    /// Some poses.
    pub poses: Vec<Vec<Vec3>>,
}

impl Surface {
    pub fn new(rig: &Rig, poses: usize) -> Self {
        let mesh = &rig.mesh;
        let point = points(rig);
        let mut face_of = vec![0_u32; mesh.corners.len()];
        for face in 0..mesh.face_count() {
            face_of[mesh.corner_range(face)].fill(face as u32);
        }
        let layer = |indices: Option<&Vec<u32>>, corners: [u32; 3]| {
            corners.map(|c| indices.map_or(0, |indices| indices[c as usize]))
        };
        let triangle = |corners: [u32; 3]| {
            let face = face_of[corners[0] as usize];
            Triangle {
                points: corners.map(|c| point[mesh.corners[c as usize] as usize]),
                uvs: layer(mesh.uvs.as_ref().map(|l| &l.indices), corners),
                normals: layer(mesh.normals.as_ref().map(|l| &l.indices), corners),
                material: mesh.face_materials.get(face as usize).copied().unwrap_or(0),
                face,
            }
        };
        let flat = |t: &Triangle| {
            t.points[0] == t.points[1] || t.points[1] == t.points[2] || t.points[2] == t.points[0]
        };
        let triangles =
            mesh.triangle_corners(&rig.rest).into_iter().map(triangle).filter(|t| !flat(t)).collect();
        let uvs = mesh.uvs.as_ref().map(|layer| layer.values.clone()).unwrap_or_default();
        Self { triangles, uvs, rest: rig.rest.clone(), poses: some_poses(rig, poses) }
    }
}

/// For each vertex the first that is at the same place in every pose.
fn points(rig: &Rig) -> Vec<u32> {
    let moves_alike = |&[a, b]: &[u32; 2]| {
        let same_weights = rig.weights.of(a as usize) == rig.weights.of(b as usize);
        let shapes = rig.corrections.iter().flat_map(|c| c.basis.chunks_exact(rig.rest.len().max(1)));
        same_weights && shapes.into_iter().all(|shape| shape[a as usize] == shape[b as usize])
    };
    let ties: Vec<[u32; 2]> = same_places(&rig.rest).into_iter().filter(moves_alike).collect();
    pieces(rig.rest.len(), &ties)
}

/// Poses spread over all frames; the rest pose if there are none.
fn some_poses(rig: &Rig, count: usize) -> Vec<Vec<Vec3>> {
    let frames = rig.frame_count();
    let count = count.clamp(1, frames.max(1));
    if frames == 0 {
        return vec![rig.rest.clone()];
    }
    let player = Player::new(rig);
    let frame = |i: usize| if count == 1 { 0 } else { i * (frames - 1) / (count - 1) };
    (0..count)
        .map(|i| {
            let mut pose = vec![Vec3::ZERO; rig.rest.len()];
            player.pose_into(frame(i), &mut pose);
            pose
        })
        .collect()
}

//! The triangles of a rig as they are collapsed: over points, with what their corners carry.

use std::collections::HashMap;

use bytemuck::{NoUninit, bytes_of};
use glam::{Vec2, Vec3};

use crate::animation::PoseSource;
use crate::geometry::{CornerLayer, Looks};
use crate::rig::{Player, Rig};

/// One triangle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Triangle {
    /// Vertices, each the first of those that are one point.
    pub points: [u32; 3],
    /// The same, but of the triangle's own part of the mesh: parts that meet do not share vertices.
    pub vertices: [u32; 3],
    /// Indices into the mesh's texture coordinates and normals; 0 without.
    pub uvs: [u32; 3],
    pub normals: [u32; 3],
    /// What the mesh's attributes have there together, as [`Surface::looks`] numbers it.
    pub looks: [u32; 3],
    /// Material of the face it is of, and that face.
    pub material: u32,
    pub face: u32,
}

pub(super) struct Surface {
    pub triangles: Vec<Triangle>,
    /// Values of the texture coordinates; empty without.
    pub uvs: Vec<Vec2>,
    /// Values of the mesh's attributes.
    pub looks: Looks,
    /// The rest pose.
    pub rest: Vec<Vec3>,
    /// Some poses.
    pub poses: Vec<Vec<Vec3>>,
}

impl Surface {
    pub fn new(rig: &Rig, poses: usize) -> Self {
        let mesh = &rig.mesh;
        let point = rig.points();
        let own = own_vertices(rig, &point);
        let mut face_of = vec![0_u32; mesh.corners.len()];
        (0..mesh.face_count()).for_each(|face| face_of[mesh.corner_range(face)].fill(face as u32));
        let (uvs, normals) = (mesh.uvs.as_ref().map(distinct), mesh.normals.as_ref().map(distinct));
        let layer = |indices: &Option<Vec<u32>>, corners: [u32; 3]| {
            corners.map(|c| indices.as_ref().map_or(0, |indices| indices[c as usize]))
        };
        let mut looks = Looks::default();
        let triangle = |corners: [u32; 3]| {
            let face = face_of[corners[0] as usize];
            Triangle {
                points: corners.map(|c| point[mesh.corners[c as usize] as usize]),
                vertices: corners.map(|c| own[mesh.corners[c as usize] as usize]),
                uvs: layer(&uvs, corners),
                normals: layer(&normals, corners),
                looks: corners.map(|c| looks.number(&mesh.attributes, &mesh.corners, c as usize)),
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
        Self { triangles, uvs, looks, rest: rig.rest.clone(), poses: some_poses(rig, poses) }
    }
}

/// Indices of the corners, the same for equal values: files repeat values under several indices, and that is no
/// seam.
fn distinct<T: NoUninit>(layer: &CornerLayer<T>) -> Vec<u32> {
    let mut first = HashMap::new();
    let same = |&index: &u32| *first.entry(bytes_of(&layer.values[index as usize])).or_insert(index);
    layer.indices.iter().map(same).collect()
}

/// For each vertex the first of its part that is the same point.
fn own_vertices(rig: &Rig, point: &[u32]) -> Vec<u32> {
    let mut own = point.to_vec();
    for part in &rig.mesh.parts {
        let mut first = HashMap::new();
        for v in part.vertices.clone().filter(|&v| v < point.len()) {
            own[v] = *first.entry(point[v]).or_insert(v as u32);
        }
    }
    own
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
    (0..count).map(|i| player.pose(frame(i))).collect()
}

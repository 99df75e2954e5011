//! One level of detail.

use glam::Vec3;

use super::surface::Triangle;
use crate::geometry::grouped::distinct;
use crate::geometry::{Attribute, CornerLayer, Domain, Looks, Mesh, Part};
use crate::rig::{Corrections, Rig, SkinWeights};

/// A coarser surface over some of the vertices of a rig.
#[derive(Clone, Debug, PartialEq)]
pub struct Level {
    /// Its triangles, over all vertices of the rig. Parts, materials and what hangs on corners are the rig's;
    /// parts count all vertices of the rig.
    pub mesh: Mesh,
    /// How far off the surface is, as a share of the rest pose's diagonal: an estimate of the root mean square
    /// where it is worst.
    pub error: f64,
}

impl Level {
    pub(super) fn new(full: &Mesh, looks: &Looks, triangles: &[Triangle], error: f64) -> Self {
        let mut mesh = Mesh { face_starts: vec![0], corners: Vec::new(), ..full.clone() };
        let layer = |of: Option<&mut Vec<u32>>, values: [u32; 3]| of.map(|indices| indices.extend(values));
        mesh.uvs.iter_mut().for_each(|layer| layer.indices.clear());
        mesh.normals.iter_mut().for_each(|layer| layer.indices.clear());
        mesh.face_materials.clear();
        let mut faces = Vec::new();
        for triangle in triangles {
            mesh.push_face(&triangle.vertices);
            layer(mesh.uvs.as_mut().map(|l| &mut l.indices), triangle.uvs);
            layer(mesh.normals.as_mut().map(|l| &mut l.indices), triangle.normals);
            if !full.face_materials.is_empty() {
                mesh.face_materials.push(triangle.material);
            }
            faces.push(triangle.face as usize);
        }
        for part in &mut mesh.parts {
            let at = |face: usize| faces.partition_point(|&f| f < face);
            part.faces = at(part.faces.start)..at(part.faces.end);
        }
        let numbers: Vec<u32> = triangles.iter().flat_map(|triangle| triangle.looks).collect();
        let mut start = 0;
        for attribute in &mut mesh.attributes {
            let own = start..start + attribute.width;
            start = own.end;
            *attribute = at_corners(attribute, &mesh.corners, |c| &looks.values(numbers[c])[own.clone()]);
        }
        Self { mesh, error }
    }

    /// Number of triangles.
    pub fn triangle_count(&self) -> usize {
        self.mesh.face_count()
    }

    /// The vertices that its triangles use, in ascending order.
    pub fn vertices(&self) -> Vec<u32> {
        distinct(self.mesh.corners.iter().copied())
    }

    /// The rig with this surface and no other vertices.
    pub fn rig(&self, full: &Rig) -> Rig {
        let kept = self.vertices();
        let index = |v: u32| kept.partition_point(|&k| k < v);
        let mut mesh = self.mesh.clone();
        mesh.vertex_count = kept.len();
        mesh.corners.iter_mut().for_each(|v| *v = index(*v) as u32);
        mesh.uvs = mesh.uvs.map(used_values);
        mesh.normals = mesh.normals.map(used_values);
        for attribute in &mut mesh.attributes {
            if attribute.domain == Domain::Vertex {
                attribute.indices = kept.iter().map(|&v| attribute.indices[v as usize]).collect();
            }
            *attribute = attribute.without_unused();
        }
        let part = |part: &Part| {
            let vertices = index(part.vertices.start as u32)..index(part.vertices.end as u32);
            Part { vertices, ..part.clone() }
        };
        mesh.parts = mesh.parts.iter().map(part).collect();
        let k = full.weights.per_vertex;
        let slots = || kept.iter().flat_map(|&v| v as usize * k..(v as usize + 1) * k);
        let places = |all: &[Vec3]| -> Vec<Vec3> { kept.iter().map(|&v| all[v as usize]).collect() };
        let shapes = |all: &[Vec3]| all.chunks_exact(full.rest.len()).flat_map(places).collect();
        Rig {
            mesh,
            rest: places(&full.rest),
            weights: SkinWeights {
                per_vertex: k,
                bones: slots().map(|s| full.weights.bones[s]).collect(),
                weights: slots().map(|s| full.weights.weights[s]).collect(),
            },
            corrections: full.corrections.as_ref().map(|c| Corrections {
                basis: shapes(&c.basis),
                normals: shapes(&c.normals),
                ..c.clone()
            }),
            bones: full.bones.clone(),
            transforms: full.transforms.clone(),
            skeleton: full.skeleton.clone(),
            fps: full.fps,
            clips: full.clips.clone(),
            nodes: full.nodes.clone(),
            armature: full.armature.clone(),
        }
    }
}

/// An attribute with these values at the corners. One that hangs on vertices still does, where vertices that were made
/// one do not differ in it.
fn at_corners<'a>(old: &Attribute, corners: &[u32], value: impl Fn(usize) -> &'a [f32]) -> Attribute {
    let agrees = |c: usize| old.at_corner(corners, c) == value(c);
    match old.domain {
        Domain::Vertex if (0..corners.len()).all(agrees) => old.clone(),
        _ => Attribute::new(&*old.name, old.kind, Domain::Corner, old.width, (0..corners.len()).map(value)),
    }
}

/// The layer without values that no corner has.
fn used_values<T: Copy>(layer: CornerLayer<T>) -> CornerLayer<T> {
    let used = distinct(layer.indices.iter().copied());
    CornerLayer {
        values: used.iter().map(|&i| layer.values[i as usize]).collect(),
        indices: layer.indices.iter().map(|i| used.partition_point(|u| u < i) as u32).collect(),
    }
}

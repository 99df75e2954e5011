//! Writing meshes: polygons, UVs, normals, materials of faces.

use std::collections::BTreeMap;

use glam::Vec3;
use sinew::geometry::{CornerLayer, Mesh, Part};
use sinew::rig::Rig;

use super::attributes::{FIRST_UVS, attributes_of, element};
use super::document::{Document, Properties};
use crate::containers::fbx_nodes::Node;
use crate::scene::layout::{Piece, Primitive};
use crate::scene::morphs::{Morphed, Morphs, Target};

/// What the parts of a rig look like.
pub(super) struct Look<'a> {
    pub rig: &'a Rig,
    /// Shading normals of the rest pose.
    pub normals: &'a CornerLayer<Vec3>,
    pub morphs: &'a Morphs<'a>,
    /// The materials as written.
    pub materials: &'a [i64],
}

/// A mesh as written, and its shapes, which are not yet.
pub(super) struct Geometry {
    pub id: i64,
    /// Numbers of the shapes that ever move anything.
    pub shapes: Vec<usize>,
    pub targets: Vec<Target>,
    /// Weights of the shapes at rest.
    pub weights: Vec<f32>,
}

impl Look<'_> {
    /// Writes the mesh of a part for the node `model`.
    pub fn write(&self, document: &mut Document, part: &Part, name: &str, model: i64) -> Geometry {
        let mesh = &self.rig.mesh;
        let corners = match part.faces.is_empty() {
            true => 0..0,
            false => mesh.face_starts[part.faces.start] as usize..mesh.face_starts[part.faces.end] as usize,
        };
        let vertices = part.vertices.clone().map(|v| v as u32).collect();
        let piece =
            Piece { name: name.into(), primitives: vec![primitive(vertices, self.vertex_normals(part))] };
        let shapes = self.morphs.active(&piece);
        let Morphed { positions, targets, .. } = self.morphs.of(&piece.primitives[0], &shapes);
        let normal = |c: usize| self.normals.values[self.normals.indices[c] as usize];
        let looks = primitive(mesh.corners[corners.clone()].to_vec(), corners.clone().map(normal).collect());
        let normals = self.morphs.of(&looks, &shapes).normals;
        let id = document.id();
        let mut geometry = Document::object("Geometry", id, name, "Geometry", "Mesh")
            .child(Properties::default().node())
            .child(Node::of("GeometryVersion", 124))
            .child(Node::of("Vertices", doubles(&positions)))
            .child(Node::of("PolygonVertexIndex", polygons(mesh, part)));
        let (values, indices) = shared(&self.normals.indices[corners.clone()], &widened(&normals));
        let mut elements = vec![
            element("LayerElementNormal", 0, "ByPolygonVertex", "")
                .child(Node::of("Normals", values))
                .child(Node::of("NormalsIndex", indices)),
        ];
        if let Some(uvs) = &mesh.uvs {
            let upright: Vec<[f64; 2]> = corners
                .clone()
                .map(|c| uvs.values[uvs.indices[c] as usize])
                .map(|uv| [f64::from(uv.x), 1.0 - f64::from(uv.y)])
                .collect();
            let (values, indices) = shared(&uvs.indices[corners.clone()], &upright);
            let element = element("LayerElementUV", 0, "ByPolygonVertex", FIRST_UVS);
            elements.push(element.child(Node::of("UV", values)).child(Node::of("UVIndex", indices)));
        }
        let (more, layers) = attributes_of(mesh, part);
        if !mesh.face_materials.is_empty() {
            let (used, slots) = slots(&mesh.face_materials[part.faces.clone()]);
            let element = element("LayerElementMaterial", 0, "ByPolygon", "");
            elements.push(element.child(Node::of("Materials", slots)));
            used.iter().for_each(|&m| document.connect(self.materials[m as usize], model));
        }
        let mut first: Vec<(&'static str, i32)> = elements.iter().map(|e| (e.name, 0)).collect();
        first.extend(layers.first().into_iter().flatten());
        geometry = geometry.children(elements).children(more).child(layer(0, &first));
        geometry = geometry.children((1..).zip(layers.iter().skip(1)).map(|(number, of)| layer(number, of)));
        document.add("Geometry", geometry);
        document.connect(id, model);
        Geometry { id, weights: self.morphs.default_weights(&shapes), shapes, targets }
    }

    /// Normals of a part's vertices, for the changes of normals that go with shapes.
    fn vertex_normals(&self, part: &Part) -> Vec<Vec3> {
        let mesh = &self.rig.mesh;
        let mut sums = vec![Vec3::ZERO; part.vertices.len()];
        for corner in part.faces.clone().flat_map(|f| mesh.corner_range(f)) {
            let vertex = mesh.corners[corner] as usize - part.vertices.start;
            sums[vertex] += self.normals.values[self.normals.indices[corner] as usize];
        }
        sums.iter().map(|n| n.try_normalize().unwrap_or(Vec3::Z)).collect()
    }
}

/// Vertices and their normals, in the form in which shapes are shared with glTF.
fn primitive(sources: Vec<u32>, normals: Vec<Vec3>) -> Primitive {
    let (uvs, attributes, indices, levels) = Default::default();
    Primitive { material: None, sources, normals, uvs, attributes, indices, levels, verbatim: true }
}

/// Numbers of a list of vectors.
pub(super) fn doubles(values: &[[f32; 3]]) -> Vec<f64> {
    values.as_flattened().iter().map(|x| f64::from(*x)).collect()
}

fn widened(values: &[[f32; 3]]) -> Vec<[f64; 3]> {
    values.iter().map(|v| v.map(f64::from)).collect()
}

/// Vertices of all corners of a part; the last of each face as minus itself less one.
fn polygons(mesh: &Mesh, part: &Part) -> Vec<i32> {
    let mut out = Vec::new();
    for face in part.faces.clone() {
        out.extend(mesh.face(face).iter().map(|&v| (v as usize - part.vertices.start) as i32));
        if let Some(last) = out.last_mut() {
            *last = -*last - 1;
        }
    }
    out
}

/// A layer of these elements, by kind and number.
fn layer(number: i32, elements: &[(&'static str, i32)]) -> Node {
    let used = |(kind, index): &(&'static str, i32)| {
        let used = Node::new("LayerElement").child(Node::of("Type", *kind));
        used.child(Node::of("TypedIndex", *index))
    };
    let layer = Node::of("Layer", number).child(Node::of("Version", 100));
    layer.children(elements.iter().map(used).collect::<Vec<_>>())
}

/// Values of corners that share one where they did in the rig, in the rig's order.
pub(super) fn shared<const N: usize>(indices: &[u32], values: &[[f64; N]]) -> (Vec<f64>, Vec<i32>) {
    let key = |(index, value): (&u32, &[f64; N])| (*index, value.map(f64::to_bits));
    let keys: Vec<(u32, [u64; N])> = indices.iter().zip(values).map(key).collect();
    let mut numbers: BTreeMap<(u32, [u64; N]), i32> = keys.iter().map(|k| (*k, 0)).collect();
    numbers.values_mut().zip(0..).for_each(|(number, next)| *number = next);
    let distinct = numbers.keys().flat_map(|(_, bits)| bits.map(f64::from_bits)).collect();
    (distinct, keys.iter().map(|k| numbers[k]).collect())
}

/// Materials that faces use, in their order, and which of them each face has.
fn slots(materials: &[u32]) -> (Vec<u32>, Vec<i32>) {
    let mut used = materials.to_vec();
    used.sort_unstable();
    used.dedup();
    let slots = materials.iter().map(|m| used.partition_point(|u| u < m) as i32).collect();
    (used, slots)
}

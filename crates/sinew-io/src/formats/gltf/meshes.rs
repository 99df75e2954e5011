//! Writing the meshes of a rig: their nodes, primitives, morph targets and levels of detail.

use std::collections::BTreeMap;

use glam::{Vec2, Vec3};
use serde_json::{Value, json};
use sinew::geometry::{CornerLayer, corner_normals};
use sinew::light::Light;
use sinew::lod::Level;

use super::SOURCE_VERTEX;
use super::attributes_out::{Keys, Layers};
use super::document::{Elements, Number, Use};
use super::levels::{self, level_name};
use super::materials::Materials;
use super::packing::NORMAL_BITS;
use super::writer::Writer;
use crate::scene::layout::{self, Piece, Primitive, Surface};
use crate::scene::morphs::{Morphs, Target};
use crate::scene::skinning::{Influences, WeightFormat};

/// Whole numbers up to this are exact in f32.
const EXACT_IN_F32: usize = 1 << 24;

/// What primitives are written with.
pub(super) struct MeshLook<'a> {
    pub materials: &'a Materials,
    pub influences: &'a Influences,
    pub format: WeightFormat,
    pub morphs: &'a Morphs<'a>,
    pub light: Option<&'a Light>,
    pub keys: &'a Keys,
}

impl Writer<'_> {
    pub(super) fn pieces(&mut self, levels: &[Level], keep_normals: bool) -> Vec<Piece> {
        let kept = self.rig.mesh.normals.as_ref().filter(|_| keep_normals).map(|layer| CornerLayer {
            values: layer.values.iter().map(|n| n.try_normalize().unwrap_or(Vec3::Z)).collect(),
            indices: layer.indices.clone(),
        });
        let normals = kept.unwrap_or_else(|| corner_normals(&self.rig.mesh, &self.rig.rest));
        let mut surfaces = levels::surfaces(self.rig, &normals, levels);
        surfaces.insert(0, Surface { mesh: &self.rig.mesh, normals });
        layout::lay_out(self.rig, &surfaces, &self.name)
    }

    /// Writes all meshes and, for each, a node.
    pub(super) fn meshes(&mut self, pieces: &[Piece], look: &MeshLook) -> Vec<Value> {
        let mut meshes = Vec::new();
        for (index, piece) in pieces.iter().enumerate() {
            let shapes = look.morphs.active(piece);
            let layers = Layers::new(&self.rig.mesh, piece);
            let primitives: Vec<Value> =
                piece.primitives.iter().map(|p| self.primitive(p, look, &layers, &shapes)).collect();
            let mut mesh = json!({ "name": piece.name, "primitives": primitives });
            if !shapes.is_empty() {
                let names: Vec<String> = shapes.iter().map(|&r| look.morphs.name(r)).collect();
                mesh["weights"] = json!(look.morphs.default_weights(&shapes));
                mesh["extras"] = json!({ "targetNames": names });
            }
            look.keys.name(&self.rig.mesh, &mut mesh);
            meshes.push(mesh);
            let name = self.names.unique(piece.name.clone());
            self.nodes.push(json!({ "name": name, "mesh": index, "skin": 0 }));
        }
        meshes
    }

    /// Writes the levels' meshes and nodes, level after level, and returns the nodes. Meshes and nodes of the
    /// pieces are the first there are.
    pub(super) fn levels(
        &mut self,
        meshes: &mut Vec<Value>,
        pieces: &[Piece],
        levels: &[Level],
    ) -> Vec<usize> {
        let mut nodes = Vec::new();
        for level in 0..levels.len() {
            for (index, piece) in pieces.iter().enumerate() {
                let name = self.names.unique(level_name(&piece.name, level));
                let mut node = json!({ "name": name });
                let mut primitives = Vec::new();
                for (number, p) in
                    piece.primitives.iter().enumerate().filter(|(_, p)| !p.levels[level].is_empty())
                {
                    let mut primitive = meshes[index]["primitives"][number].clone();
                    primitive["indices"] = json!(self.indices(&p.levels[level], p.sources.len()));
                    primitives.push(primitive);
                }
                if !primitives.is_empty() {
                    let mut mesh = meshes[index].clone();
                    mesh["name"] = json!(level_name(&piece.name, level));
                    mesh["primitives"] = json!(primitives);
                    node["mesh"] = json!(meshes.len());
                    node["skin"] = json!(0);
                    meshes.push(mesh);
                }
                nodes.push(self.nodes.len());
                self.nodes.push(node);
            }
        }
        for (index, node) in self.nodes[..pieces.len()].iter_mut().enumerate() {
            if !levels.is_empty() {
                levels::name_levels(node, nodes.iter().skip(index).step_by(pieces.len()), levels);
            }
        }
        nodes
    }

    fn primitive(&mut self, p: &Primitive, look: &MeshLook, layers: &Layers, shapes: &[usize]) -> Value {
        let count = p.sources.len();
        let morphed = look.morphs.of(p, shapes);
        let mut attributes = BTreeMap::new();
        attributes.insert("POSITION".to_owned(), self.positions(&morphed.positions));
        attributes.insert("NORMAL".into(), self.directions(&morphed.normals));
        if !p.uvs.is_empty() && layers.uv_sets > 0 {
            let uvs: Vec<_> = p.uvs.iter().map(|uv| if uv.is_finite() { *uv } else { Vec2::ZERO }).collect();
            attributes.insert("TEXCOORD_0".into(), self.uvs(&uvs));
        }
        self.attributes(p, look.keys, layers, &mut attributes);
        self.influences(p, look, &mut attributes);
        if let Some(light) = look.light {
            self.light(p, light, &mut attributes);
        }
        if !p.verbatim && self.packing.is_none() && self.rig.mesh.vertex_count <= EXACT_IN_F32 {
            let accessor = self.source_vertices(p, look.keys);
            attributes.insert(SOURCE_VERTEX.into(), accessor);
        }
        let targets: Vec<Value> = morphed.targets.iter().map(|t| self.target(t)).collect();
        let material = look.materials.number(p.material);
        let mut primitive = json!({ "attributes": attributes, "material": material });
        if p.indices.is_empty() {
            primitive["mode"] = json!(0);
        } else {
            primitive["indices"] = json!(self.indices(&p.indices, count));
        }
        if !targets.is_empty() {
            primitive["targets"] = json!(targets);
        }
        primitive
    }

    fn influences(&mut self, p: &Primitive, look: &MeshLook, attributes: &mut BTreeMap<String, usize>) {
        let influences = look.influences;
        let elements =
            |number, normalized| Elements { number, kind: "VEC4", count: p.sources.len(), normalized };
        for set in 0..influences.slots / 4 {
            let slots = match self.packing {
                Some(_) => influences.steady_set(&p.sources, set),
                None => influences.set(&p.sources, set),
            };
            let joints = slots.iter().map(|s| influences.joints[*s]);
            let joints = if self.rig.bones.len() <= 256 {
                let joints: Vec<u8> = joints.map(|j| j as u8).collect();
                self.document.array(&joints, elements(Number::U8, false), Use::Vertices)
            } else {
                let joints: Vec<u16> = joints.collect();
                self.document.array(&joints, elements(Number::U16, false), Use::Vertices)
            };
            let weights = slots.iter().map(|s| influences.weights[*s]);
            let weights = match look.format {
                WeightFormat::U8 => {
                    let weights: Vec<u8> = weights.map(|w| (w * 255.0).round() as u8).collect();
                    self.document.array(&weights, elements(Number::U8, true), Use::Vertices)
                }
                WeightFormat::U16 => {
                    let weights: Vec<u16> = weights.map(|w| (w * 65535.0).round() as u16).collect();
                    self.document.array(&weights, elements(Number::U16, true), Use::Vertices)
                }
                WeightFormat::F32 => {
                    let weights: Vec<f32> = weights.collect();
                    self.document.array(&weights, elements(Number::F32, false), Use::Vertices)
                }
            };
            attributes.insert(format!("JOINTS_{set}"), joints);
            attributes.insert(format!("WEIGHTS_{set}"), weights);
        }
    }

    fn target(&mut self, shape: &Target) -> Value {
        let Some(packing) = self.packing else {
            let mut target = json!({ "POSITION": self.document.positions(&shape.positions) });
            if !shape.normals.is_empty() {
                target["NORMAL"] = json!(self.directions(&shape.normals));
            }
            return target;
        };
        let steps = self.document.steps(&packing.displacements(&shape.positions), Number::I16);
        let mut target = json!({ "POSITION": steps });
        if !shape.normals.is_empty() {
            target["NORMAL"] = json!(self.document.small_vectors(&shape.normals));
        }
        target
    }

    fn positions(&mut self, positions: &[[f32; 3]]) -> usize {
        match self.packing {
            Some(packing) => self.document.steps(&packing.positions(positions), Number::U16),
            None => self.document.positions(positions),
        }
    }

    pub(super) fn uvs(&mut self, uvs: &[Vec2]) -> usize {
        let inside = |uv: &Vec2| (0.0..=1.0).contains(&uv.x) && (0.0..=1.0).contains(&uv.y);
        if self.packing.is_some() && uvs.iter().all(inside) {
            let parts: Vec<[u16; 2]> =
                uvs.iter().map(|uv| uv.to_array().map(|x| (x * 65535.0).round() as u16)).collect();
            let elements =
                Elements { number: Number::U16, kind: "VEC2", count: parts.len(), normalized: true };
            return self.document.array(&parts, elements, Use::Vertices);
        }
        self.document.array(uvs, Elements::floats("VEC2", uvs.len()), Use::Vertices)
    }

    fn directions(&mut self, data: &[[f32; 3]]) -> usize {
        if self.packing.is_some() {
            return self.document.unit_vectors(data, NORMAL_BITS);
        }
        self.document.array(data, Elements::floats("VEC3", data.len()), Use::Vertices)
    }

    fn indices(&mut self, indices: &[u32], vertices: usize) -> usize {
        let elements = |number| Elements { number, kind: "SCALAR", count: indices.len(), normalized: false };
        // The largest value of each type is reserved for restarting strips.
        if vertices <= 65535 {
            let indices: Vec<u16> = indices.iter().map(|i| *i as u16).collect();
            self.document.array(&indices, elements(Number::U16), Use::Indices)
        } else {
            self.document.array(indices, elements(Number::U32), Use::Indices)
        }
    }
}

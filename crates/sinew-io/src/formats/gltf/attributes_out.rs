//! Further attributes of vertices, out: UV sets after the first, colours, and a file's own (see [`super::attributes`]).

use std::collections::BTreeMap;

use serde_json::{Value, json};
use sinew::geometry::{Attribute, AttributeKind, Mesh};

use super::SOURCE_VERTEX;
use super::attributes::{NAMES, is_light};
use super::document::{Elements, Number, Use};
use super::writer::Writer;
use crate::scene::layout;
use crate::scene::names::Names;

/// Types of elements of one to four numbers.
const TYPES: [&str; 4] = ["SCALAR", "VEC2", "VEC3", "VEC4"];

/// What the attributes of a mesh are called in a file.
pub(super) struct Keys(Vec<String>);

impl Keys {
    pub fn new(mesh: &Mesh) -> Self {
        let (mut uvs, mut colours, mut names) = (0, 0, Names::default());
        names.unique(SOURCE_VERTEX.into());
        let key = |attribute: &Attribute| match attribute.kind {
            AttributeKind::Uv => {
                uvs += 1;
                format!("TEXCOORD_{uvs}")
            }
            AttributeKind::Color => {
                colours += 1;
                format!("COLOR_{}", colours - 1)
            }
            AttributeKind::Custom => {
                let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
                let name: String = attribute.name.trim_start_matches('_').chars().map(plain).collect();
                // Light has names of its own.
                let name = if is_light(&format!("_{name}")) { format!("X{name}") } else { name };
                names.unique(format!("_{name}"))
            }
        };
        Self(mesh.attributes.iter().map(key).collect())
    }

    /// What the file cannot call by their names, for the extras of a mesh.
    pub fn name(&self, mesh: &Mesh, written: &mut Value) {
        let other: BTreeMap<&str, &str> = self
            .0
            .iter()
            .zip(&mesh.attributes)
            .filter(|(key, attribute)| **key != attribute.name)
            .map(|(key, attribute)| (&key[..], &attribute.name[..]))
            .collect();
        if !other.is_empty() {
            written["extras"][NAMES] = json!(other);
        }
    }
}

impl Writer<'_> {
    /// Writes the attributes of a primitive.
    pub(super) fn attributes(
        &mut self,
        p: &layout::Primitive,
        keys: &Keys,
        written: &mut BTreeMap<String, usize>,
    ) {
        for ((attribute, key), values) in self.rig.mesh.attributes.iter().zip(&keys.0).zip(&p.attributes) {
            let count = p.sources.len();
            let accessor = match attribute.kind {
                AttributeKind::Uv => self.uvs(bytemuck::cast_slice(values)),
                AttributeKind::Color
                    if self.packing.is_some() && values.iter().all(|x| (0.0..=1.0).contains(x)) =>
                {
                    // Four numbers, so that each vertex starts where GPUs want it.
                    let opaque = |row: &[f32]| -> [u16; 4] {
                        std::array::from_fn(|i| (row.get(i).copied().unwrap_or(1.0) * 65535.0).round() as u16)
                    };
                    let colours: Vec<[u16; 4]> = values.chunks_exact(attribute.width).map(opaque).collect();
                    let elements = Elements { number: Number::U16, kind: "VEC4", count, normalized: true };
                    self.document.array(&colours, elements, Use::Vertices)
                }
                _ => {
                    let elements = Elements::floats(TYPES[attribute.width - 1], count);
                    self.document.array(values, elements, Use::Vertices)
                }
            };
            written.insert(key.clone(), accessor);
        }
    }
}

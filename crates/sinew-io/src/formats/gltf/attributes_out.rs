//! Further attributes of vertices, out: UV sets after the first, colours, and a file's own (see [`super::attributes`]).

use std::collections::BTreeMap;

use glam::Vec2;
use serde_json::{Value, json};
use sinew::geometry::{Attribute, AttributeKind, Mesh};

use super::SOURCE_VERTEX;
use super::attributes::{NAMES, WIDTHS, is_light};
use super::document::{Elements, Number, Use};
use super::writer::Writer;
use crate::Warning;
use crate::scene::layout::{self, Piece};
use crate::scene::names::Names;

/// Types of elements of one to four numbers.
const TYPES: [&str; 4] = ["SCALAR", "VEC2", "VEC3", "VEC4"];

/// Numbers of a vertex of light.
const LIGHT_WIDTH: usize = 4;

/// What the attributes of a mesh are called in a file, and how wide those of its own are.
pub(super) struct Keys {
    names: Vec<String>,
    /// Blender up to 5.0 mixes up attributes of a file's own where they are not equally wide (glTF-Blender-IO 2658), in an
    /// order that changes from run to run: all are as wide as the widest.
    width: usize,
}

impl Keys {
    /// For a mesh that holds light or not.
    pub fn new(mesh: &Mesh, lit: bool) -> Self {
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
        let own = mesh.attributes.iter().filter(|a| a.kind == AttributeKind::Custom).map(|a| a.width);
        let width = own.chain(lit.then_some(LIGHT_WIDTH)).max().unwrap_or(1);
        Self { names: mesh.attributes.iter().map(key).collect(), width }
    }

    /// What the file cannot call by their names, and how wide those are that are written wider, for the extras of a mesh.
    pub fn name(&self, mesh: &Mesh, written: &mut Value) {
        let all = || self.names.iter().map(|key| &key[..]).zip(&mesh.attributes);
        let other: BTreeMap<&str, &str> =
            all().filter(|(key, a)| *key != a.name).map(|(key, a)| (key, &a.name[..])).collect();
        if !other.is_empty() {
            written["extras"][NAMES] = json!(other);
        }
        let widths: BTreeMap<&str, usize> = self.widened(mesh).map(|(key, a)| (key, a.width)).collect();
        if !widths.is_empty() {
            written["extras"][WIDTHS] = json!(widths);
        }
    }

    /// Attributes that are written wider than they are.
    fn widened<'a>(&'a self, mesh: &'a Mesh) -> impl Iterator<Item = (&'a str, &'a Attribute)> {
        let all = self.names.iter().map(|key| &key[..]).zip(&mesh.attributes);
        all.filter(|(_, a)| a.kind == AttributeKind::Custom && a.width < self.width)
    }

    /// Says which those are.
    pub fn warning(&self, mesh: &Mesh) -> Option<Warning> {
        let names: Vec<String> = self.widened(mesh).map(|(key, _)| key.into()).collect();
        (!names.is_empty()).then_some(Warning::AttributesWidened { names, width: self.width })
    }
}

/// How many UV sets and colours a part has. One that lacks what others have is filled up with zeros and white, which need
/// not be written; a mesh of one part has all it is said to have.
pub(super) struct Layers {
    pub uv_sets: usize,
    colors: usize,
}

impl Layers {
    pub fn new(mesh: &Mesh, piece: &Piece) -> Self {
        if mesh.parts.len() < 2 {
            return Self { uv_sets: usize::MAX, colors: usize::MAX };
        }
        let says = |at: usize, kind: AttributeKind| {
            piece.primitives.iter().any(|p| p.attributes[at].iter().any(|x| *x != kind.neutral()))
        };
        // Sets are numbered without gaps, so that those before the last one count as well.
        let to_last = |kind: AttributeKind| {
            let all = mesh.attributes.iter().enumerate().filter(|(_, a)| a.kind == kind);
            all.enumerate().filter(|(_, (at, _))| says(*at, kind)).last().map_or(0, |(number, _)| number + 1)
        };
        let first = piece.primitives.iter().any(|p| p.uvs.iter().any(|uv| *uv != Vec2::ZERO));
        let uv_sets = match to_last(AttributeKind::Uv) {
            0 => usize::from(first),
            more => more + 1,
        };
        let materials = piece.primitives.iter().filter_map(|p| mesh.materials.get(p.material? as usize));
        let textured = materials.flat_map(|m| &m.textures).map(|texture| texture.uv_set + 1).max();
        Self { uv_sets: uv_sets.max(textured.unwrap_or(0)), colors: to_last(AttributeKind::Color) }
    }
}

/// Rows of some width as wider ones, filled up with zeros.
fn widened(values: &[f32], from: usize, to: usize) -> Vec<f32> {
    let row = |row: &[f32]| row.iter().copied().chain(std::iter::repeat(0.0)).take(to).collect::<Vec<_>>();
    values.chunks_exact(from).flat_map(row).collect()
}

impl Writer<'_> {
    /// Writes the attributes of a primitive.
    pub(super) fn attributes(
        &mut self,
        p: &layout::Primitive,
        keys: &Keys,
        layers: &Layers,
        written: &mut BTreeMap<String, usize>,
    ) {
        let (mut uv_sets, mut colors) = (1, 0);
        for ((attribute, key), values) in self.rig.mesh.attributes.iter().zip(&keys.names).zip(&p.attributes)
        {
            let is_lacking = match attribute.kind {
                AttributeKind::Uv => {
                    uv_sets += 1;
                    uv_sets > layers.uv_sets
                }
                AttributeKind::Color => {
                    colors += 1;
                    colors > layers.colors
                }
                AttributeKind::Custom => false,
            };
            if is_lacking {
                continue;
            }
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
                AttributeKind::Color => self.numbers(values, attribute.width, count),
                AttributeKind::Custom => {
                    self.numbers(&widened(values, attribute.width, keys.width), keys.width, count)
                }
            };
            written.insert(key.clone(), accessor);
        }
    }
    fn numbers(&mut self, values: &[f32], width: usize, count: usize) -> usize {
        self.document.array(values, Elements::floats(TYPES[width - 1], count), Use::Vertices)
    }

    /// Which vertex of the rig each vertex is: the first number of each.
    pub(super) fn source_vertices(&mut self, p: &layout::Primitive, keys: &Keys) -> usize {
        let sources: Vec<f32> = p.sources.iter().map(|v| *v as f32).collect();
        self.numbers(&widened(&sources, 1, keys.width), keys.width, sources.len())
    }
}

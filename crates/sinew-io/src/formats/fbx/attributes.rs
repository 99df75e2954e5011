//! UV sets after the first, and colours, in and out. FBX has no place for other attributes that programs would read.
//!
//! A file has layers: the first holds the first UVs and colours, the next the next. Colours are stored as screens show
//! them, as Blender and Maya have them.

use sinew::geometry::{Attribute, AttributeKind, Domain, Mesh, Part};

use crate::containers::fbx_nodes::Node;
use crate::scene::color::{changed, to_linear, to_srgb};

/// What the first UVs are called.
pub(super) const FIRST_UVS: &str = "UVMap";

/// Numbers of all corners, of one UV set or colour.
struct Rows {
    kind: AttributeKind,
    name: String,
    numbers: Vec<f32>,
}

/// Attributes of meshes as they are laid out: the first of one mesh and the first of another are one.
#[derive(Default)]
pub(super) struct Rest {
    sets: Vec<Rows>,
    corners: usize,
}

fn width(kind: AttributeKind) -> usize {
    if kind == AttributeKind::Uv { 2 } else { 4 }
}

impl Rest {
    /// Adds some corners of a mesh.
    pub fn add(&mut self, mesh: &ufbx::Mesh, corners: &[usize]) {
        let uvs = mesh.uv_sets.as_ref().iter().skip(1).enumerate();
        for (number, set) in uvs {
            let (values, indices) = (&set.vertex_uv.values, &set.vertex_uv.indices);
            let value = |c: usize| {
                let v = values.get(indices.get(c).copied().unwrap_or(0) as usize);
                v.map_or([0.0; 2], |v| [v.x as f32, (1.0 - v.y) as f32])
            };
            let rows: Vec<[f32; 2]> = corners.iter().map(|&c| value(c)).collect();
            self.extend(AttributeKind::Uv, number, &set.name, rows.as_flattened());
        }
        for (number, set) in mesh.color_sets.as_ref().iter().enumerate() {
            let (values, indices) = (&set.vertex_color.values, &set.vertex_color.indices);
            let value = |c: usize| {
                let v = values.get(indices.get(c).copied().unwrap_or(0) as usize);
                let [x, y, z, w] = v.map_or([1.0; 4], |v| [v.x, v.y, v.z, v.w]);
                [to_linear(x), to_linear(y), to_linear(z), w].map(|x| x as f32)
            };
            let rows: Vec<[f32; 4]> = corners.iter().map(|&c| value(c)).collect();
            self.extend(AttributeKind::Color, number, &set.name, rows.as_flattened());
        }
        self.corners += corners.len();
    }

    fn extend(&mut self, kind: AttributeKind, number: usize, name: &str, values: &[f32]) {
        let places = self.sets.iter().enumerate().filter(|(_, set)| set.kind == kind).map(|(at, _)| at);
        let at = places.clone().nth(number).unwrap_or_else(|| {
            self.sets.push(Rows { kind, name: name.into(), numbers: Vec::new() });
            self.sets.len() - 1
        });
        let numbers = &mut self.sets[at].numbers;
        numbers.resize(self.corners * width(kind), kind.neutral());
        numbers.extend(values.iter().map(|x| if x.is_finite() { *x } else { 0.0 }));
    }

    /// The attributes of the mesh that all instances make, UV sets first.
    pub fn finish(mut self, mesh: &Mesh) -> Vec<Attribute> {
        self.sets.sort_by_key(|set| set.kind != AttributeKind::Uv);
        let attribute = |mut set: Rows| {
            let width = width(set.kind);
            set.numbers.resize(self.corners * width, set.kind.neutral());
            let row = |c: usize| &set.numbers[c * width..(c + 1) * width];
            Attribute::of_corners(&*set.name, set.kind, width, (mesh.vertex_count, &mesh.corners), row)
        };
        self.sets.into_iter().map(attribute).collect()
    }
}

/// Kinds and numbers of the elements in a layer.
pub(super) type Layer = Vec<(&'static str, i32)>;

/// The elements of a part's attributes, and which of them are in which layer.
pub(super) fn attributes_of(mesh: &Mesh, part: &Part) -> (Vec<Node>, Vec<Layer>) {
    let (mut elements, mut layers) = (Vec::new(), Vec::<Layer>::new());
    // The first UVs are the mesh's own.
    let (mut uvs, mut colours) = (1, 0);
    for attribute in &mesh.attributes {
        let (kind, values_name, index_name, number) = match attribute.kind {
            AttributeKind::Uv => ("LayerElementUV", "UV", "UVIndex", &mut uvs),
            AttributeKind::Color => ("LayerElementColor", "Colors", "ColorIndex", &mut colours),
            AttributeKind::Custom => continue,
        };
        let (values, indices) = values_of(mesh, attribute, part);
        let element = element(kind, *number, "ByPolygonVertex", &attribute.name)
            .child(Node::of(values_name, values))
            .child(Node::of(index_name, indices));
        elements.push(element);
        layers.resize(layers.len().max(*number as usize + 1), Vec::new());
        layers[*number as usize].push((kind, *number));
        *number += 1;
    }
    (elements, layers)
}

/// Values of the corners of a part, each once in the order of first use, and which corner has which.
fn values_of(mesh: &Mesh, attribute: &Attribute, part: &Part) -> (Vec<f64>, Vec<i32>) {
    let mut places = vec![-1_i32; attribute.value_count()];
    let (mut values, mut indices, mut next) = (Vec::new(), Vec::new(), 0);
    for corner in part.faces.clone().flat_map(|face| mesh.corner_range(face)) {
        let at = match attribute.domain {
            Domain::Vertex => mesh.corners[corner] as usize,
            Domain::Corner => corner,
        };
        let place = &mut places[attribute.indices[at] as usize];
        if *place < 0 {
            *place = next;
            next += 1;
            let value = attribute.value(at);
            match attribute.kind {
                AttributeKind::Uv => values.extend([f64::from(value[0]), 1.0 - f64::from(value[1])]),
                _ => values.extend(changed(value, to_srgb).chain([1.0]).take(4)),
            }
        }
        indices.push(*place);
    }
    (values, indices)
}

/// An element of a layer, by its number among those of its kind.
pub(super) fn element(kind: &'static str, number: i32, mapping: &str, name: &str) -> Node {
    Node::of(kind, number)
        .child(Node::of("Version", 101))
        .child(Node::of("Name", name))
        .child(Node::of("MappingInformationType", mapping))
        .child(Node::of("ReferenceInformationType", "IndexToDirect"))
}

//! Further attributes of vertices, in: UV sets after the first, colours, and a file's own, whose names start with `_`.
//!
//! glTF numbers UV sets and colours. Where they have names, and where a file's own cannot be called as they are, the mesh
//! says so in its extras: `"attributeNames": { "TEXCOORD_1": "lightmap" }`. Where some of a file's own are written wider
//! than they are, it says how wide: `"attributeWidths": { "_HEAT": 1 }`.

use glam::Vec2;
use serde_json::Value;
use sinew::geometry::{Attribute, AttributeKind, Mesh};

use super::accessors::Floats;
use super::read::Gltf;
use super::schema::{self, Primitive};
use super::{LIGHT, SOURCE_VERTEX};
use crate::Result;

/// Where a mesh says what its attributes are called.
pub(super) const NAMES: &str = "attributeNames";
/// Where it says how many of the numbers that they are written with they have.
pub(super) const WIDTHS: &str = "attributeWidths";

/// Values of stored vertices.
pub(super) struct Layer {
    /// What it is called in the file.
    key: String,
    name: String,
    kind: AttributeKind,
    /// Which of its kind it is: the number in its name.
    number: usize,
    width: usize,
    values: Vec<f32>,
}

/// Whether an attribute of this name holds light.
pub(super) fn is_light(name: &str) -> bool {
    name.strip_prefix(LIGHT).is_some_and(|number| number.parse::<usize>().is_ok())
}

/// All that a scene has, by kind and number.
#[derive(Default)]
pub(super) struct Layers {
    list: Vec<Layer>,
    /// Attributes of a shape that no layer can have.
    pub left_out: usize,
}

/// What an attribute of a file is, and its number among those.
fn kind_of(key: &str) -> Option<(AttributeKind, usize)> {
    let numbered = |start: &str| key.strip_prefix(start)?.parse().ok();
    if let Some(number) = numbered("TEXCOORD_") {
        return Some((AttributeKind::Uv, number));
    }
    if let Some(number) = numbered("COLOR_") {
        return Some((AttributeKind::Color, number));
    }
    let ours = key == SOURCE_VERTEX || is_light(key);
    (key.starts_with('_') && !ours).then_some((AttributeKind::Custom, 0))
}

/// Values without the numbers that they were filled up with, given how wide the file says that they are.
fn narrowed(found: Floats, stated: Option<&Value>) -> Floats {
    let width = stated.and_then(Value::as_u64).and_then(|width| usize::try_from(width).ok());
    let Some(width) = width.filter(|width| (1..found.width).contains(width)) else { return found };
    let data = found.data.chunks_exact(found.width).flat_map(|row| &row[..width]).copied().collect();
    Floats { data, width }
}

impl Layers {
    /// Adds the attributes of a primitive with so many vertices, which is laid out from vertex `first` on.
    pub fn add(
        &mut self,
        gltf: &Gltf,
        (mesh, primitive): (&schema::Mesh, &Primitive),
        (first, count): (usize, usize),
    ) -> Result<()> {
        for (key, &accessor) in &primitive.attributes {
            let Some((kind, number)) = kind_of(key).filter(|k| *k != (AttributeKind::Uv, 0)) else {
                continue;
            };
            let widths = match kind {
                AttributeKind::Uv => 2..=2,
                AttributeKind::Color => 3..=4,
                AttributeKind::Custom => 1..=4,
            };
            let fits =
                |found: &Floats| widths.contains(&found.width) && found.data.len() == count * found.width;
            let Some(mut found) = gltf.any_floats(accessor)?.filter(fits) else {
                self.left_out += 1;
                continue;
            };
            if kind == AttributeKind::Custom {
                found = narrowed(found, mesh.extras.get(WIDTHS).and_then(|widths| widths.get(key)));
            }
            let at = self.list.iter().position(|layer| layer.key == *key).unwrap_or_else(|| {
                let name = mesh.extras.get(NAMES).and_then(|names| names.get(key)?.as_str()).unwrap_or(key);
                let (name, width, values) = (name.into(), found.width, Vec::new());
                self.list.push(Layer { key: key.clone(), name, kind, number, width, values });
                self.list.len() - 1
            });
            self.list[at].extend(first, found.width, &found.data);
        }
        Ok(())
    }

    /// Brings all to full length, UV sets first, then colours, each in the order of their numbers.
    pub fn finish(&mut self, vertices: usize) {
        self.list.iter_mut().for_each(|layer| layer.extend(vertices, layer.width, &[]));
        let rank = |kind: AttributeKind| match kind {
            AttributeKind::Uv => 0,
            AttributeKind::Color => 1,
            AttributeKind::Custom => 2,
        };
        self.list.sort_by(|a, b| (rank(a.kind), a.number, &a.key).cmp(&(rank(b.kind), b.number, &b.key)));
    }

    /// Takes out the first UV set, with its number in the file.
    pub fn take_uvs(&mut self) -> Option<(usize, Vec<Vec2>)> {
        let at = self.list.iter().position(|layer| layer.kind == AttributeKind::Uv)?;
        let Layer { number, values, .. } = self.list.remove(at);
        Some((number, values.chunks_exact(2).map(Vec2::from_slice).collect()))
    }

    /// The number among UV sets after the first of the file's set of this number.
    pub fn uv_set(&self, number: usize) -> Option<usize> {
        let mut sets = self.list.iter().filter(|layer| layer.kind == AttributeKind::Uv);
        sets.position(|layer| layer.number == number)
    }

    /// Attributes of a mesh whose corners have the values of these stored vertices.
    pub fn attributes(&self, mesh: &Mesh, stored: &[u32]) -> Vec<Attribute> {
        let attribute = |layer: &Layer| {
            let row = |c: usize| {
                let at = stored[c] as usize * layer.width;
                &layer.values[at..at + layer.width]
            };
            Attribute::of_corners(
                &*layer.name,
                layer.kind,
                layer.width,
                (mesh.vertex_count, &mesh.corners),
                row,
            )
        };
        self.list.iter().map(attribute).collect()
    }
}

impl Layer {
    /// Adds values for vertices from `first` on; those before that have none yet have neutral ones. A fourth number that
    /// some lack is an opacity of one.
    fn extend(&mut self, first: usize, width: usize, values: &[f32]) {
        let neutral = self.kind.neutral();
        if width > self.width {
            let wider = |row: &[f32]| {
                row.iter().copied().chain(std::iter::repeat(neutral)).take(width).collect::<Vec<_>>()
            };
            self.values = self.values.chunks_exact(self.width).flat_map(wider).collect();
            self.width = width;
        }
        self.values.resize(first * self.width, neutral);
        let own = self.width;
        let row =
            |row: &[f32]| row.iter().copied().chain(std::iter::repeat(neutral)).take(own).collect::<Vec<_>>();
        self.values.extend(values.chunks_exact(width.max(1)).flat_map(row));
    }
}

//! Further attributes of a mesh, in and out: UV sets, colours, and numbers of the file's own, as `.arbGeomParams`.
//!
//! Two numbers a corner that call themselves a vector are taken for UVs, `rgb` and `rgba` for colours, and all else of one
//! to four real numbers for the file's own. Archives do not say how colours are coded. Blender has
//! them as screens show them, both ways, and so have files of our own; in those of others they are linear.

use sinew::geometry::{Attribute, AttributeKind, CornerLayer, Domain, Mesh};

use super::geometry::Faces;
use super::header::Kind;
use super::layer::{Layer, append, complete};
use super::pieces::Piece;
use super::scene::{MeshObject, Scene};
use crate::scene::color::{changed, to_linear, to_srgb};
use crate::scene::names::Names;

/// Where files of our own keep the rest pose.
pub(super) const REST: &str = ".arbGeomParams/Pref";
/// And its normals.
pub(super) const REST_NORMALS: &str = ".arbGeomParams/Nref";
/// Where attributes are.
const PARAMETERS: &str = ".arbGeomParams/";

/// Values at corners that any file may have, of all attributes; more only where its length allows for them. Otherwise a
/// small one could name the same numbers many times over.
const MOST_VALUES: usize = 1 << 24;

/// Attributes of the objects so far: those of one kind, name and width are one.
pub(super) struct Attributes<'a> {
    scene: &'a Scene,
    sets: Vec<Set>,
}

struct Set {
    name: String,
    kind: AttributeKind,
    width: usize,
    layer: CornerLayer<[f32; 4]>,
}

impl<'a> Attributes<'a> {
    pub fn new(scene: &'a Scene) -> Self {
        Self { scene, sets: Vec::new() }
    }

    /// Adds those of an object, whose corners come after so many others. Names of those that make no sense.
    pub fn add(
        &mut self,
        object: &MeshObject,
        faces: &Faces,
        vertices: usize,
        corners_before: usize,
    ) -> Vec<String> {
        let mut left_out = Vec::new();
        for property in &object.properties {
            let known = property.name == REST || property.name == REST_NORMALS;
            let name = property.name.strip_prefix(PARAMETERS).filter(|name| !known && !name.contains('/'));
            let Some(name) = name else { continue };
            let most = MOST_VALUES.max(self.scene.file.bytes().len());
            let fits = (corners_before + faces.corners.len()).saturating_mul(self.sets.len() + 1) <= most;
            let shape = object.shape(&property.name).filter(|_| fits);
            let layer = shape.and_then(|(_, width)| {
                object.layer(&self.scene.file, &property.name, width, faces, vertices)?.ok()
            });
            let (Some((kind, width)), Some(layer)) = (shape, layer) else {
                left_out.push(name.to_owned());
                continue;
            };
            let number = |place: usize, x: f64| {
                let x = match kind {
                    AttributeKind::Uv if place == 1 => 1.0 - x,
                    AttributeKind::Color if place < 3 && self.scene.colors_are_shown() => to_linear(x),
                    _ => x,
                } as f32;
                if x.is_finite() { x } else { 0.0 }
            };
            let row = |row: &[f64]| -> [f32; 4] {
                std::array::from_fn(|place| row.get(place).map_or(0.0, |x| number(place, *x)))
            };
            let values = layer.values.chunks_exact(width).map(row).collect();
            let same = |set: &Set| (set.kind, &set.name[..], set.width) == (kind, name, width);
            let at = self.sets.iter().position(same).unwrap_or_else(|| {
                let layer = CornerLayer { values: Vec::new(), indices: Vec::new() };
                self.sets.push(Set { name: name.into(), kind, width, layer });
                self.sets.len() - 1
            });
            append(&mut self.sets[at].layer, Layer { values, indices: layer.indices }, corners_before);
        }
        left_out
    }

    /// The attributes of the mesh that all objects make, UV sets first, then colours.
    pub fn finish(self, mesh: &Mesh) -> Vec<Attribute> {
        let rank = |kind: AttributeKind| match kind {
            AttributeKind::Uv => 0,
            AttributeKind::Color => 1,
            AttributeKind::Custom => 2,
        };
        let mut sets = self.sets;
        sets.sort_by_key(|set| rank(set.kind));
        let attribute = |Set { name, kind, width, layer }: Set| {
            let none = Layer { values: vec![[kind.neutral(); 4]], indices: Vec::new() };
            let layer = complete(layer, none, mesh.corners.len());
            let row = |corner: usize| &layer.values[layer.indices[corner] as usize][..width];
            Attribute::of_corners(name, kind, width, (mesh.vertex_count, &mesh.corners), row)
        };
        sets.into_iter().map(attribute).collect()
    }
}

impl MeshObject {
    /// What an attribute is, and how many numbers a value of it has.
    fn shape(&self, name: &str) -> Option<(AttributeKind, usize)> {
        let top = self.property(name)?;
        let values = match top.kind {
            Kind::Compound => self.property(&format!("{name}/.vals"))?,
            _ => top,
        };
        let meta = |key: &str| top.meta.get(key).or(values.meta.get(key)).unwrap_or_default();
        let kind = match (values.extent, meta("interpretation")) {
            (2, "vector") if meta("geoScope") == "fvr" => AttributeKind::Uv,
            (3, "rgb") | (4, "rgba") => AttributeKind::Color,
            _ => AttributeKind::Custom,
        };
        (1..=4).contains(&values.extent).then_some((kind, values.extent))
    }
}

/// An attribute of an object as it is written.
pub(super) struct Stored {
    pub name: String,
    pub meta: String,
    pub width: usize,
    pub values: Vec<f32>,
    /// Which of them each corner has.
    pub indices: Vec<u32>,
}

/// The attributes of a piece of a mesh.
pub(super) fn stored(mesh: &Mesh, piece: &Piece) -> Vec<Stored> {
    let mut names = Names::default();
    let taken = [REST, REST_NORMALS].map(|name| name.trim_start_matches(PARAMETERS));
    taken.iter().for_each(|name| _ = names.unique((*name).into()));
    mesh.attributes.iter().map(|attribute| one(mesh, piece, attribute, &mut names)).collect()
}

fn one(mesh: &Mesh, piece: &Piece, attribute: &Attribute, names: &mut Names) -> Stored {
    let width = attribute.width;
    let interpretation = match (attribute.kind, width) {
        (AttributeKind::Uv, _) => "interpretation=vector;",
        (AttributeKind::Color, 3) => "interpretation=rgb;",
        (AttributeKind::Color, _) => "interpretation=rgba;",
        (AttributeKind::Custom, _) => "",
    };
    let indices = match attribute.domain {
        Domain::Corner => attribute.indices.clone(),
        Domain::Vertex => mesh.corners.iter().map(|vertex| attribute.indices[*vertex as usize]).collect(),
    };
    let rows = CornerLayer { values: (0..attribute.value_count() as u32).collect(), indices };
    let (rows, indices) = piece.layer(mesh, &rows);
    let mut values: Vec<f32> = Vec::with_capacity(rows.len() * width);
    for row in rows {
        values.extend(&attribute.values[row as usize * width..][..width]);
    }
    if attribute.kind == AttributeKind::Uv {
        values.chunks_exact_mut(2).for_each(|uv| uv[1] = (1.0 - f64::from(uv[1])) as f32);
    }
    if attribute.kind == AttributeKind::Color {
        let shown = |row: &[f32]| changed(row, to_srgb).map(|x| x as f32).collect::<Vec<f32>>();
        values = values.chunks_exact(width).flat_map(shown).collect();
    }
    let meta = format!(
        "arrayExtent=1;geoScope=fvr;{interpretation}isGeomParam=true;podExtent={width};podName=float32_t"
    );
    let plain = |c: char| if c == '/' || c.is_control() { '_' } else { c };
    let name = names.unique(attribute.name.chars().map(plain).collect());
    Stored { name, meta, width, values, indices }
}

//! A mesh cut into the objects that an archive holds.

use std::collections::HashMap;
use std::ops::Range;

use sinew::geometry::{CornerLayer, Mesh, Part};

use crate::Warning;
use crate::scene::names::Names;
use crate::warning::Remark;

/// What becomes one object.
pub(super) struct Piece {
    /// Without slashes, and no other has it.
    pub name: String,
    pub faces: Range<usize>,
    pub vertices: Range<usize>,
    /// Those of the values of [`sinew::geometry::corner_normals`] that its corners have.
    pub normals: Range<usize>,
    /// Materials of its faces, with names that objects may have.
    pub materials: Vec<(usize, String)>,
    /// Whether layers keep values that no corner has: where it is all of the mesh.
    is_all: bool,
}

/// The objects of a mesh, and what they cannot hold.
pub(super) fn pieces(mesh: &Mesh) -> (Vec<Piece>, Vec<Warning>) {
    let mut warnings = Vec::new();
    let whole = [Part { name: "mesh".into(), faces: 0..mesh.face_count(), vertices: 0..mesh.vertex_count }];
    let own = |part: &Part| {
        part.faces.clone().flat_map(|f| mesh.face(f)).all(|v| part.vertices.contains(&(*v as usize)))
    };
    let mut parts = if mesh.parts.is_empty() { &whole[..] } else { &mesh.parts };
    if !parts.iter().all(own) {
        warnings.push(Remark::PartsJoined.into());
        parts = &whole;
    }
    if !mesh.materials.is_empty() {
        let plain = |m: &sinew::geometry::Material| sinew::geometry::Material {
            name: m.name.clone(),
            base_color: m.base_color,
            ..Default::default()
        };
        if mesh.materials.iter().any(|m| *m != plain(m)) {
            warnings.push(Remark::MaterialsOfAlembic.into());
        }
    }
    let mut names = Names::default();
    let materials = material_names(mesh);
    let ends = normal_ends(mesh, parts);
    let starts = [0].into_iter().chain(ends.iter().copied());
    let pieces = parts.iter().zip(starts.zip(&ends)).map(|(part, (start, end))| {
        let used = |m: &usize| part.faces.clone().any(|f| mesh.face_materials[f] as usize == *m);
        let used = (0..if mesh.face_materials.is_empty() { 0 } else { materials.len() }).filter(used);
        Piece {
            name: names.unique(allowed(&part.name, "mesh")),
            faces: part.faces.clone(),
            vertices: part.vertices.clone(),
            normals: start..*end,
            materials: used.map(|m| (m, materials[m].clone())).collect(),
            is_all: parts.len() == 1,
        }
    });
    (pieces.collect(), warnings)
}

/// Names of objects have no slashes, and there has to be one.
fn allowed(name: &str, otherwise: &str) -> String {
    let name: String = name.chars().map(|c| if c == '/' || c.is_control() { '_' } else { c }).collect();
    if name.is_empty() { otherwise.into() } else { name }
}

fn material_names(mesh: &Mesh) -> Vec<String> {
    let mut names = Names::default();
    mesh.materials.iter().map(|m| names.unique(allowed(&m.name, "material"))).collect()
}

/// Where the normals of each part end. They are numbered in the order of the corners, by vertex and value.
fn normal_ends(mesh: &Mesh, parts: &[Part]) -> Vec<usize> {
    let Some(layer) = &mesh.normals else { return vec![0; parts.len()] };
    let mut seen = HashMap::new();
    let mut end = |part: &Part| {
        for corner in part.faces.clone().flat_map(|f| mesh.corner_range(f)) {
            let bits = layer.values[layer.indices[corner] as usize].to_array().map(f32::to_bits);
            seen.entry((mesh.corners[corner], bits)).or_insert(());
        }
        seen.len()
    };
    parts.iter().map(&mut end).collect()
}

impl Piece {
    /// Its corners in the order of the file: those of each face backwards.
    pub fn corners<'a>(&self, mesh: &'a Mesh) -> impl Iterator<Item = usize> + use<'a> {
        self.faces.clone().flat_map(|f| mesh.corner_range(f).rev())
    }

    /// Its share of a layer's values, and which of them each corner has.
    pub fn layer<T: Copy>(&self, mesh: &Mesh, layer: &CornerLayer<T>) -> (Vec<T>, Vec<u32>) {
        if self.is_all {
            return (layer.values.clone(), self.corners(mesh).map(|c| layer.indices[c]).collect());
        }
        let mut numbers = HashMap::new();
        let mut values = Vec::new();
        let number = |corner: usize| {
            let index = layer.indices[corner];
            *numbers.entry(index).or_insert_with(|| {
                values.push(layer.values[index as usize]);
                values.len() as u32 - 1
            })
        };
        let indices = self.corners(mesh).map(number).collect();
        (values, indices)
    }
}

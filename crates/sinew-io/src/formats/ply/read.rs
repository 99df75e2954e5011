//! PLY in.

use std::path::Path;

use glam::{Vec2, Vec3};
use sinew::geometry::{Attribute, AttributeKind, CornerLayer, Domain, Mesh};

use super::body::{Body, open};
use super::header::{Element, Header};
use crate::scene::color::{NAMELESS_COLOR, to_linear};
use crate::source::Source;
use crate::warning::Layer;
use crate::{Error, Result, StaticMesh, Warning};

/// Reads a PLY file.
pub fn read(source: impl Into<Source>) -> Result<StaticMesh> {
    let source = source.into();
    parse(&source.read()?, source.path())
}

/// Reads a PLY file from memory. `path` is for messages.
///
/// Text files with numbers that are not finite are refused. Binary ones may hold such positions, for
/// the caller to check; UVs and normals that are not finite are left out with a warning.
pub fn parse(bytes: &[u8], path: &Path) -> Result<StaticMesh> {
    let header = Header::parse(bytes, path)?;
    if !header.elements.iter().any(|e| e.name == "vertex") {
        return Err(Error::malformed(path, "the header lists no element “vertex”"));
    }
    let mut body = open(bytes, &header, path);
    let mut vertices = Vertices::default();
    let mut mesh = Mesh { face_starts: vec![0], ..Mesh::default() };
    for element in &header.elements {
        match element.name.as_str() {
            "vertex" => vertices = read_vertices(element, &mut *body, path)?,
            "face" => read_faces(element, &mut *body, path, &mut mesh)?,
            _ => body.skip(element)?,
        }
    }
    let mut warnings = Vec::new();
    mesh.vertex_count = vertices.positions.len();
    mesh.uvs = layer(vertices.uvs, |uv| uv.is_finite(), Layer::Uvs, &mesh, path, &mut warnings);
    mesh.normals = layer(vertices.normals, |n| n.is_finite(), Layer::Normals, &mesh, path, &mut warnings);
    if !vertices.colors.is_empty() && vertices.colors.as_flattened().iter().all(|x| x.is_finite()) {
        let rows = vertices.colors.iter().map(|color| &color[..]);
        let color = Attribute::new(NAMELESS_COLOR, AttributeKind::Color, Domain::Vertex, 4, rows);
        mesh.attributes.push(color);
    }
    StaticMesh { mesh, positions: vertices.positions, warnings, ..StaticMesh::default() }.checked(path)
}

/// The known columns of the vertices; those that a file does not have are empty.
#[derive(Default)]
struct Vertices {
    positions: Vec<Vec3>,
    normals: Vec<Vec3>,
    uvs: Vec<Vec2>,
    colors: Vec<[f32; 4]>,
}

/// Names of the known columns, in the order of [`Row`].
const COLUMNS: [&[&str]; 12] = [
    &["x"],
    &["y"],
    &["z"],
    &["nx"],
    &["ny"],
    &["nz"],
    &["s", "u", "texture_u"],
    &["t", "v", "texture_v"],
    &["red", "r", "diffuse_red"],
    &["green", "g", "diffuse_green"],
    &["blue", "b", "diffuse_blue"],
    &["alpha", "a"],
];

/// The known values of one vertex.
type Row = [f32; COLUMNS.len()];

fn read_vertices(element: &Element, body: &mut dyn Body, path: &Path) -> Result<Vertices> {
    let places = COLUMNS.map(|names| element.find(names));
    let missing = places[..3].iter().position(Option::is_none);
    if let Some(axis) = missing {
        let message = format!("the vertices have no property “{}”", COLUMNS[axis][0]);
        return Err(Error::at_line(path, element.line, message));
    }
    let mut columns = vec![None; element.properties.len()];
    for (column, place) in places.iter().enumerate() {
        if let Some(place) = *place {
            columns[place] = Some(column);
        }
    }
    let (has_normals, has_uvs) =
        (places[3..6].iter().all(|p| p.is_some()), places[6..8].iter().all(|p| p.is_some()));
    let has_colors = places[8..11].iter().all(|p| p.is_some());
    // What the numbers of a column count to: whole ones to the most their type holds.
    let largest = places.map(|place| place.map_or(1.0, |p| element.properties[p].scalar.largest()));
    body.begin_element(element)?;
    let mut vertices = Vertices::default();
    vertices.positions.reserve(element.count);
    let mut row: Row = Default::default();
    for _ in 0..element.count {
        read_row(element, &columns, body, &mut row)?;
        let [x, y, z, nx, ny, nz, u, v, colour @ ..] = row;
        vertices.positions.push(Vec3::new(x, y, z));
        if has_normals {
            vertices.normals.push(Vec3::new(nx, ny, nz));
        }
        if has_uvs {
            vertices.uvs.push(Vec2::new(u, 1.0 - v));
        }
        if has_colors {
            let [r, g, b, a] = std::array::from_fn(|i| f64::from(colour[i]) / largest[8 + i]);
            let a = if places[11].is_some() { a } else { 1.0 };
            vertices.colors.push([to_linear(r), to_linear(g), to_linear(b), a].map(|x| x as f32));
        }
    }
    Ok(vertices)
}

fn read_row(element: &Element, columns: &[Option<usize>], body: &mut dyn Body, row: &mut Row) -> Result<()> {
    body.begin_record()?;
    for (property, column) in element.properties.iter().zip(columns) {
        if let Some(count) = property.list {
            for _ in 0..body.list_length(count)? {
                body.value(property.scalar)?;
            }
            continue;
        }
        let value = body.value(property.scalar)?;
        if let Some(column) = *column {
            row[column] = value as f32;
        }
    }
    Ok(())
}

fn read_faces(element: &Element, body: &mut dyn Body, path: &Path, mesh: &mut Mesh) -> Result<()> {
    let place = element.find(&["vertex_indices", "vertex_index"]);
    let place = place.filter(|place| element.properties[*place].list.is_some()).ok_or_else(|| {
        let message = "the faces have no list “vertex_indices” or “vertex_index”";
        Error::at_line(path, element.line, message)
    })?;
    body.begin_element(element)?;
    mesh.face_starts.reserve(element.count);
    for face in 0..element.count {
        body.begin_record()?;
        for (i, property) in element.properties.iter().enumerate() {
            let length = property.list.map_or(Ok(1), |count| body.list_length(count))?;
            for _ in 0..length {
                let value = body.value(property.scalar)?;
                if i == place {
                    mesh.corners.push(vertex_index(value).ok_or_else(|| {
                        body.error(format!("face {face} refers to vertex {value}, which cannot be"))
                    })?);
                }
            }
        }
        let end = u32::try_from(mesh.corners.len())
            .map_err(|_| body.error("the file has more face corners than Sinew can hold".into()))?;
        mesh.face_starts.push(end);
    }
    Ok(())
}

fn vertex_index(value: f64) -> Option<u32> {
    (value >= 0.0 && value < f64::from(u32::MAX) && value.fract() == 0.0).then_some(value as u32)
}

/// Hangs values of vertices on their corners.
fn layer<T>(
    values: Vec<T>,
    is_finite: impl Fn(&T) -> bool,
    layer: Layer,
    mesh: &Mesh,
    path: &Path,
    warnings: &mut Vec<Warning>,
) -> Option<CornerLayer<T>> {
    if let Some(vertex) = values.iter().position(|value| !is_finite(value)) {
        warnings.push(Warning::LayerNotFinite { layer, vertex }.at(path));
        return None;
    }
    (!values.is_empty()).then(|| CornerLayer { values, indices: mesh.corners.clone() })
}

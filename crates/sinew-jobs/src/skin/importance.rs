//! How much each vertex counts: a list, a picture over the UVs, or a colour of the mesh.

use std::path::Path;

use sinew::animation::MeshAnimation;
use sinew::geometry::{Attribute, Domain, Mesh};
use sinew_io::Source;
use sinew_picture::Image;

use crate::error::Outcome;
use crate::refusals::ImportanceRefusal;

/// How much each vertex counts, by what names it: a file of numbers, a PNG file, or else an attribute of the mesh.
pub(super) fn read(map: &Path, animation: &MeshAnimation) -> Outcome<Vec<f32>> {
    let mesh = &animation.mesh;
    if map.is_file() {
        let unreadable = |error: String| ImportanceRefusal::Unreadable { path: map.into(), error };
        let bytes = Source::file(map).read()?;
        if bytes.starts_with(b"\x89PNG") {
            let image = Image::decode_png(&bytes).map_err(|error| unreadable(error.to_string()))?;
            return of_picture(&image, mesh).ok_or_else(|| ImportanceRefusal::NoUvs(map.into()).into());
        }
        let text = std::str::from_utf8(&bytes).map_err(|error| unreadable(error.to_string()))?;
        return Ok(of_list(text, map, mesh.vertex_count)?);
    }
    let name = map.to_string_lossy();
    match mesh.attributes.iter().find(|attribute| attribute.name == name) {
        Some(attribute) => Ok(of_attribute(attribute, mesh)),
        None => Err(ImportanceRefusal::NoMap {
            name: name.into_owned(),
            known: mesh.attributes.iter().map(|attribute| attribute.name.clone()).collect(),
        }
        .into()),
    }
}

/// Numbers, one a vertex.
fn of_list(text: &str, path: &Path, vertices: usize) -> Result<Vec<f32>, ImportanceRefusal> {
    let mut values = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default();
        for word in line.split([' ', '\t', ',']).filter(|word| !word.is_empty()) {
            let value = word.parse::<f32>().ok().filter(|x| *x >= 0.0 && x.is_finite());
            values.push(value.ok_or_else(|| ImportanceRefusal::NoNumber {
                path: path.into(),
                line: number + 1,
                word: word.into(),
            })?);
        }
    }
    match values.len() == vertices {
        true => Ok(values),
        false => Err(ImportanceRefusal::Count { path: path.into(), found: values.len(), expected: vertices }),
    }
}

/// The first three numbers of an attribute, in the mean; of all corners of a vertex.
fn of_attribute(attribute: &Attribute, mesh: &Mesh) -> Vec<f32> {
    let value = |place: usize| brightness(attribute.value(place));
    match attribute.domain {
        Domain::Vertex => (0..mesh.vertex_count).map(value).collect(),
        Domain::Corner => of_corners(mesh, value),
    }
}

/// How bright a picture is under each vertex.
fn of_picture(image: &Image, mesh: &Mesh) -> Option<Vec<f32>> {
    let uvs = mesh.uvs.as_ref()?;
    let pixel = |corner: usize| {
        let uv = uvs.values[uvs.indices[corner] as usize];
        let at = |x: f32, side: usize| ((x - x.floor()) * side as f32).min(side as f32 - 1.0) as usize;
        let [r, g, b, _] = image.pixel(at(uv.x, image.width), at(uv.y, image.height));
        brightness(&[r, g, b].map(|c| f32::from(c) / 255.0))
    };
    Some(of_corners(mesh, pixel))
}

/// Numbers never below zero.
fn brightness(value: &[f32]) -> f32 {
    let colors = &value[..value.len().min(3)];
    (colors.iter().sum::<f32>() / colors.len().max(1) as f32).max(0.0)
}

/// The mean over the corners of each vertex; one where there are none.
fn of_corners(mesh: &Mesh, value: impl Fn(usize) -> f32) -> Vec<f32> {
    let mut sums = vec![(0.0_f32, 0.0_f32); mesh.vertex_count];
    for (corner, &vertex) in mesh.corners.iter().enumerate() {
        let sum = &mut sums[vertex as usize];
        *sum = (sum.0 + value(corner), sum.1 + 1.0);
    }
    sums.iter().map(|(sum, count)| if *count > 0.0 { sum / count } else { 1.0 }).collect()
}

//! Values over a mesh: UVs and normals.

use glam::{Vec2, Vec3};
use sinew::geometry::CornerLayer;

use super::geometry::Faces;
use super::header::{Kind, Property};
use super::scene::MeshObject;
use crate::Error;
use crate::containers::ogawa::Ogawa;

/// Stands for "none" while lists are being filled.
pub(super) const MISSING: u32 = u32::MAX;

/// A layer, or why there is none: what is wrong with one is no reason to refuse the file.
pub(super) type Said<T> = Result<T, String>;

/// What each value of a layer belongs to.
#[derive(Clone, Copy, PartialEq)]
enum Scope {
    Corner,
    Vertex,
    Face,
    Mesh,
}

/// Values over a mesh and which of them each of its corners has.
pub(super) struct Layer<T> {
    pub values: Vec<T>,
    pub indices: Vec<u32>,
}

impl MeshObject {
    /// UVs, as Sinew has them: with the origin at the upper left. A sentence where they make no sense.
    pub fn uvs(&self, file: &Ogawa, faces: &Faces, vertices: usize) -> Option<Said<Layer<Vec2>>> {
        let layer = self.layer(file, "uv", 2, faces, vertices)?;
        Some(
            layer.map(|layer| Layer {
                values: layer
                    .values
                    .as_chunks()
                    .0
                    .iter()
                    .map(|&[u, v]| flip(Vec2::new(u as f32, v as f32)))
                    .collect(),
                indices: layer.indices,
            }),
        )
    }

    /// Vectors over the corners, such as normals.
    pub fn vectors(
        &self,
        file: &Ogawa,
        name: &str,
        faces: &Faces,
        vertices: usize,
    ) -> Option<Said<Layer<Vec3>>> {
        let layer = self.layer(file, name, 3, faces, vertices)?;
        Some(layer.map(|layer| Layer {
            values:
                layer.values.as_chunks().0.iter().map(|v| Vec3::from_array(v.map(|x| x as f32))).collect(),
            indices: layer.indices,
        }))
    }

    /// A layer as plain numbers, `extent` of them a value.
    pub fn layer(
        &self,
        file: &Ogawa,
        name: &str,
        extent: usize,
        faces: &Faces,
        vertices: usize,
    ) -> Option<Said<Layer<f64>>> {
        let top = self.property(name)?;
        let (values, indices) = match top.kind {
            Kind::Compound => {
                (self.property(&format!("{name}/.vals"))?, self.property(&format!("{name}/.indices")))
            }
            _ => (top, None),
        };
        if values.samples == 0 {
            return None;
        }
        let scope = top.meta.get("geoScope").or(values.meta.get("geoScope")).unwrap_or_default();
        let indices = indices.filter(|p| p.samples > 0);
        Some(read_layer(file, values, indices, scope, extent, faces, vertices))
    }
}

fn read_layer(
    file: &Ogawa,
    values: &Property,
    indices: Option<&Property>,
    scope: &str,
    extent: usize,
    faces: &Faces,
    vertices: usize,
) -> Said<Layer<f64>> {
    let damaged = |e: Error| e.to_string();
    let numbers = values.numbers(file, 0).map_err(damaged)?.reals();
    let numbers = numbers.filter(|_| values.extent == extent).ok_or("values of another kind")?;
    let count = numbers.len() / extent;
    let chosen = match indices {
        Some(p) => Some(p.numbers(file, 0).map_err(damaged)?.integers().ok_or("indices of another kind")?),
        None => None,
    };
    let entries = chosen.as_ref().map_or(count, Vec::len);
    let scope = scope_of(scope, entries, faces, vertices)
        .ok_or_else(|| format!("{entries} values, which is neither one a corner nor one a vertex"))?;
    let face_of_corner = faces.counts.iter().zip(&faces.source_face);
    let face_of_corner = face_of_corner.flat_map(|(count, face)| std::iter::repeat_n(*face, *count as usize));
    let corners = faces.corners.iter().zip(&faces.source_corner).zip(face_of_corner);
    let index = |((vertex, corner), face): ((&u32, &u32), u32)| {
        let entry = match scope {
            Scope::Corner => *corner,
            Scope::Vertex => *vertex,
            Scope::Face => face,
            Scope::Mesh => 0,
        };
        let index = chosen.as_ref().map_or(i64::from(entry), |chosen| chosen[entry as usize]);
        let known = (0..count as i64).contains(&index);
        known.then_some(index as u32).ok_or_else(|| format!("a corner names value {index} of {count}"))
    };
    let indices = corners.map(index).collect::<Said<_>>()?;
    Ok(Layer { values: numbers, indices })
}

/// What values belong to: what the file says where their number agrees, otherwise what that allows for.
fn scope_of(named: &str, entries: usize, faces: &Faces, vertices: usize) -> Option<Scope> {
    let sizes = [
        ("fvr", Scope::Corner, faces.stored_corners),
        ("vtx", Scope::Vertex, vertices),
        ("var", Scope::Vertex, vertices),
        ("uni", Scope::Face, faces.stored),
        ("con", Scope::Mesh, 1),
    ];
    let fits = |(_, scope, size): &(&str, Scope, usize)| (*size == entries).then_some(*scope);
    let said = sizes.iter().filter(|(name, ..)| *name == named).find_map(fits);
    said.or_else(|| sizes[..2].iter().find_map(fits))
}

/// From an origin at the lower left to one at the upper left, or back.
pub(super) fn flip(uv: Vec2) -> Vec2 {
    Vec2::new(uv.x, 1.0 - uv.y)
}

/// Adds an object's layer to that of the objects before it, of which some may have none.
pub(super) fn append<T>(to: &mut CornerLayer<T>, layer: Layer<T>, corners_before: usize) {
    let first = to.values.len() as u32;
    to.indices.resize(corners_before, MISSING);
    to.indices.extend(layer.indices.iter().map(|i| first + i));
    to.values.extend(layer.values);
}

/// Gives corners without a value one of `others`: that of their own, or the only one.
pub(super) fn complete<T>(mut layer: CornerLayer<T>, others: Layer<T>, corners: usize) -> CornerLayer<T> {
    layer.indices.resize(corners, MISSING);
    if layer.indices.contains(&MISSING) {
        let first = layer.values.len() as u32;
        layer.values.extend(others.values);
        for (corner, index) in layer.indices.iter_mut().enumerate().filter(|(_, i)| **i == MISSING) {
            *index = first + others.indices.get(corner).copied().unwrap_or(0);
        }
    }
    layer
}

//! UVs, normals and materials of corners and faces that have none of their own.

use glam::{Vec2, Vec3};
use sinew::geometry::{Attribute, AttributeKind, CornerLayer, Domain, Mesh};

use crate::scene::color::{NAMELESS_COLOR, to_linear};

/// Stands for "none" in index lists while they are being read.
pub(super) const MISSING: u32 = u32::MAX;

/// Gives corners without UVs one value of their own.
pub(super) fn complete_uvs(mut values: Vec<Vec2>, mut indices: Vec<u32>) -> CornerLayer<Vec2> {
    if indices.contains(&MISSING) {
        let none = values.len() as u32;
        values.push(Vec2::ZERO);
        indices.iter_mut().filter(|i| **i == MISSING).for_each(|i| *i = none);
    }
    CornerLayer { values, indices }
}

/// Gives corners without normals the smooth normal of their vertex.
pub(super) fn complete_normals(
    mut values: Vec<Vec3>,
    mut indices: Vec<u32>,
    mesh: &Mesh,
    positions: &[Vec3],
) -> CornerLayer<Vec3> {
    if indices.contains(&MISSING) {
        let mut smooth = vec![Vec3::ZERO; positions.len()];
        for face in 0..mesh.face_count() {
            let vertices = mesh.face(face);
            let normal = area_vector(vertices, positions);
            vertices.iter().for_each(|&v| smooth[v as usize] += normal);
        }
        let first = values.len() as u32;
        values.extend(smooth.into_iter().map(|n| n.normalize_or(Vec3::Z)));
        for (index, vertex) in indices.iter_mut().zip(&mesh.corners).filter(|(i, _)| **i == MISSING) {
            *index = first + vertex;
        }
    }
    CornerLayer { values, indices }
}

/// Colours of vertices, as screens show them; those without are white. Some programs count to 255.
pub(super) fn vertex_colors(found: &[(usize, [f32; 3])], vertices: usize) -> Option<Attribute> {
    let largest = found.iter().flat_map(|(_, color)| color).fold(0.0_f32, |m, x| m.max(*x));
    let unit = if largest > 1.0 { 255.0 } else { 1.0 };
    let mut colors = vec![[1.0_f32; 3]; vertices];
    for (vertex, color) in found {
        colors[*vertex] = color.map(|x| to_linear(f64::from(x) / unit) as f32);
    }
    let rows = colors.iter().map(|color| &color[..]);
    (!found.is_empty()).then(|| Attribute::new(NAMELESS_COLOR, AttributeKind::Color, Domain::Vertex, 3, rows))
}

/// Newell's normal of a polygon, twice its area long.
fn area_vector(vertices: &[u32], positions: &[Vec3]) -> Vec3 {
    let point = |i: usize| positions[vertices[i % vertices.len()] as usize] - positions[vertices[0] as usize];
    (1..vertices.len()).map(|i| point(i).cross(point(i + 1))).sum()
}

/// Faces before the first `usemtl` need a material too when others have one.
pub(super) fn name_faces_without_material(mesh: &mut Mesh) {
    if mesh.face_materials.contains(&MISSING) {
        let plain = mesh.materials.len() as u32;
        mesh.materials.push(sinew::geometry::Material { name: "default".into(), ..Default::default() });
        mesh.face_materials.iter_mut().filter(|m| **m == MISSING).for_each(|m| *m = plain);
    }
}

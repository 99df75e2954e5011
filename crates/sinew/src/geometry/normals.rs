//! Shading normals of a pose.

use glam::Vec3;

use super::{CornerLayer, Mesh};

/// Area-weighted unit normals, one per vertex. A vertex without area gets +Z.
///
/// `out` is as long as `positions`.
pub fn vertex_normals(triangles: &[[u32; 3]], positions: &[Vec3], out: &mut [Vec3]) {
    out.fill(Vec3::ZERO);
    for &[a, b, c] in triangles {
        let [pa, pb, pc] = [a, b, c].map(|i| positions[i as usize]);
        let n = (pb - pa).cross(pc - pa);
        for i in [a, b, c] {
            out[i as usize] += n;
        }
    }
    for n in out {
        *n = unit_or_up(*n);
    }
}

/// Shading normals of `positions` with the hard edges of `mesh`: corners that share a normal in
/// [`Mesh::normals`] share one here. Without such a layer every vertex has one normal.
pub fn corner_normals(mesh: &Mesh, positions: &[Vec3]) -> CornerLayer<Vec3> {
    let (groups, count) = match &mesh.normals {
        Some(layer) => normal_groups(mesh, layer),
        None => (mesh.corners.clone(), mesh.vertex_count),
    };
    // All corners of a group are of one vertex.
    let mut places = vec![Vec3::ZERO; count];
    for (&group, &vertex) in groups.iter().zip(&mesh.corners) {
        places[group as usize] = positions[vertex as usize];
    }
    let triangles = mesh.triangle_corners(positions).into_iter().map(|t| t.map(|c| groups[c as usize]));
    CornerLayer { values: normals_of(&triangles.collect::<Vec<_>>(), &places), indices: groups }
}

/// [`vertex_normals`] of their own.
pub(crate) fn normals_of(triangles: &[[u32; 3]], positions: &[Vec3]) -> Vec<Vec3> {
    let mut normals = vec![Vec3::ZERO; positions.len()];
    vertex_normals(triangles, positions, &mut normals);
    normals
}

/// Numbers the distinct (vertex, normal) pairs of the corners in order of first appearance.
fn normal_groups(mesh: &Mesh, layer: &CornerLayer<Vec3>) -> (Vec<u32>, usize) {
    let mut numbers = std::collections::HashMap::new();
    let groups = mesh
        .corners
        .iter()
        .zip(&layer.indices)
        .map(|(&vertex, &normal)| {
            let next = numbers.len() as u32;
            // Files repeat equal normals under several indices: the value decides, not the index.
            let bits = layer.values[normal as usize].to_array().map(f32::to_bits);
            *numbers.entry((vertex, bits)).or_insert(next)
        })
        .collect();
    (groups, numbers.len())
}

fn unit_or_up(n: Vec3) -> Vec3 {
    // Squares of tiny areas underflow: scale first.
    let largest = n.abs().max_element();
    if largest > 0.0 && largest.is_finite() { (n / largest).normalize() } else { Vec3::Z }
}

//! Vertices as glTF stores them: one normal, one UV and one material each.
//!
//! Where nothing forces a split the vertices stay as they are, in number and order. Where something does,
//! the first copy keeps its place and further ones follow at the end.

use std::collections::{BTreeMap, HashMap};

use glam::{Vec2, Vec3};
use sinew::geometry::{CornerLayer, Part};
use sinew::rig::Rig;

/// One mesh node.
pub(super) struct Piece {
    pub name: String,
    pub primitives: Vec<Primitive>,
}

/// Triangles of one material with vertices of their own.
pub(super) struct Primitive {
    /// Index into the mesh's materials.
    pub material: Option<u32>,
    /// The rig's vertex behind each stored vertex.
    pub sources: Vec<u32>,
    pub normals: Vec<Vec3>,
    /// Empty without UVs.
    pub uvs: Vec<Vec2>,
    /// Empty for vertices without faces, which are stored as points.
    pub indices: Vec<u32>,
    /// Whether the stored vertices are the part's, one for one and in order. The same for all primitives
    /// of a part.
    pub verbatim: bool,
}

/// Lays out all parts of a rig's mesh; `name` is for a mesh without parts.
pub(super) fn lay_out(rig: &Rig, normals: &CornerLayer<Vec3>, name: &str) -> Vec<Piece> {
    let mesh = &rig.mesh;
    let whole = [Part { name: name.into(), faces: 0..mesh.face_count(), vertices: 0..mesh.vertex_count }];
    let parts = if mesh.parts.is_empty() { &whole[..] } else { &mesh.parts[..] };
    let triangles = mesh.triangle_corners(&rig.rest);
    let mut at = 0;
    let mut pieces = Vec::new();
    for part in parts {
        // Every face of n corners gives n − 2 triangles.
        let mut groups: BTreeMap<Option<u32>, Vec<[u32; 3]>> = BTreeMap::new();
        for face in part.faces.clone() {
            let count = mesh.corner_range(face).len() - 2;
            let material = mesh.face_materials.get(face).copied();
            groups.entry(material).or_default().extend_from_slice(&triangles[at..at + count]);
            at += count;
        }
        if groups.is_empty() {
            groups.insert(None, Vec::new());
        }
        let primitives = lay_out_part(rig, normals, part, groups);
        if !part.vertices.is_empty() {
            pieces.push(Piece { name: part.name.clone(), primitives });
        }
    }
    pieces
}

fn lay_out_part(
    rig: &Rig,
    normals: &CornerLayer<Vec3>,
    part: &Part,
    groups: BTreeMap<Option<u32>, Vec<[u32; 3]>>,
) -> Vec<Primitive> {
    let mut used = vec![false; part.vertices.len()];
    for corner in groups.values().flatten().flatten() {
        if let Some(used) = used.get_mut(place(rig, part, *corner)) {
            *used = true;
        }
    }
    let mut loose: Vec<usize> = (0..used.len()).filter(|&v| !used[v]).collect();
    let mut primitives: Vec<Primitive> = groups
        .into_iter()
        .map(|(material, triangles)| {
            // Vertices without faces go along with the first material.
            lay_out_primitive(rig, normals, part, material, &triangles, std::mem::take(&mut loose))
        })
        .collect();
    let stored: usize = primitives.iter().map(|p| p.sources.len()).sum();
    let verbatim = primitives.len() == 1 && stored == part.vertices.len();
    primitives.iter_mut().for_each(|p| p.verbatim = verbatim);
    primitives
}

/// A corner's vertex, counted within its part.
fn place(rig: &Rig, part: &Part, corner: u32) -> usize {
    (rig.mesh.corners[corner as usize] as usize).wrapping_sub(part.vertices.start)
}

fn lay_out_primitive(
    rig: &Rig,
    normals: &CornerLayer<Vec3>,
    part: &Part,
    material: Option<u32>,
    triangles: &[[u32; 3]],
    loose: Vec<usize>,
) -> Primitive {
    const UNUSED: u32 = u32::MAX;
    let mut slots = vec![UNUSED; part.vertices.len()];
    for vertex in triangles.as_flattened().iter().map(|&c| place(rig, part, c)).chain(loose) {
        slots[vertex] = 0;
    }
    let mut sources = Vec::new();
    for (vertex, slot) in slots.iter_mut().enumerate().filter(|(_, s)| **s != UNUSED) {
        *slot = sources.len() as u32;
        sources.push((part.vertices.start + vertex) as u32);
    }
    let mut looks: Vec<Option<(Vec3, Vec2)>> = vec![None; sources.len()];
    let mut copies: HashMap<(u32, [u32; 5]), u32> = HashMap::new();
    let mut indices = Vec::with_capacity(3 * triangles.len());
    for &corner in triangles.as_flattened() {
        let normal = normals.values[normals.indices[corner as usize] as usize];
        let uv = rig.mesh.uvs.as_ref().map_or(Vec2::ZERO, |l| l.values[l.indices[corner as usize] as usize]);
        let slot = slots[place(rig, part, corner)];
        let first = looks[slot as usize].get_or_insert((normal, uv));
        if bits(*first) == bits((normal, uv)) {
            indices.push(slot);
            continue;
        }
        let copy = *copies.entry((slot, bits((normal, uv)))).or_insert_with(|| {
            looks.push(Some((normal, uv)));
            sources.push(sources[slot as usize]);
            looks.len() as u32 - 1
        });
        indices.push(copy);
    }
    let looks: Vec<(Vec3, Vec2)> = looks.into_iter().map(|l| l.unwrap_or((Vec3::Z, Vec2::ZERO))).collect();
    let has_uvs = rig.mesh.uvs.is_some();
    Primitive {
        material,
        verbatim: false,
        sources,
        normals: looks.iter().map(|l| l.0).collect(),
        uvs: if has_uvs { looks.iter().map(|l| l.1).collect() } else { Vec::new() },
        indices,
    }
}

fn bits((normal, uv): (Vec3, Vec2)) -> [u32; 5] {
    // Adding zero makes one of the two zeros.
    [normal.x, normal.y, normal.z, uv.x, uv.y].map(|x| (x + 0.0).to_bits())
}

//! Vertices as glTF stores them: one normal, one UV, one of every other value and one material each.
//!
//! Where nothing forces a split the vertices stay as they are, in number and order. Where something does,
//! the first copy keeps its place and further ones follow at the end.
//!
//! Levels of detail are other triangles over the same stored vertices.

use std::collections::{BTreeMap, HashMap};

use glam::{Vec2, Vec3};
use sinew::geometry::{Attribute, CornerLayer, Domain, Looks, Mesh, Part};
use sinew::rig::Rig;

/// Triangles over a rig's vertices: its own, or a level of it.
pub(crate) struct Surface<'a> {
    pub mesh: &'a Mesh,
    /// Shading normals of its corners.
    pub normals: CornerLayer<Vec3>,
}

/// Triangles as corners of their surface, for each surface.
type Faces = Vec<Vec<[u32; 3]>>;

/// One mesh node.
pub(crate) struct Piece {
    pub name: String,
    pub primitives: Vec<Primitive>,
}

/// Triangles of one material with vertices of their own.
pub(crate) struct Primitive {
    /// Index into the mesh's materials.
    pub material: Option<u32>,
    /// The rig's vertex behind each stored vertex.
    pub sources: Vec<u32>,
    pub normals: Vec<Vec3>,
    /// Empty without UVs.
    pub uvs: Vec<Vec2>,
    /// Values of each of the mesh's attributes, vertex after vertex.
    pub attributes: Vec<Vec<f32>>,
    /// Empty for vertices without faces, which are stored as points.
    pub indices: Vec<u32>,
    /// The same for each level of detail; empty where nothing is left of the primitive.
    pub levels: Vec<Vec<u32>>,
    /// Whether the stored vertices are the part's, one for one and in order. The same for all primitives
    /// of a part.
    pub verbatim: bool,
}

impl Surface<'_> {
    fn vertex(&self, corner: u32) -> u32 {
        self.mesh.corners[corner as usize]
    }

    /// Normal, UV and all attributes of a corner.
    fn look(&self, corner: u32, looks: &mut Looks) -> Look {
        let mesh = self.mesh;
        let normal = self.normals.values[self.normals.indices[corner as usize] as usize];
        let uv = mesh.uvs.as_ref().map_or(Vec2::ZERO, |l| l.values[l.indices[corner as usize] as usize]);
        Look { normal, uv, others: looks.number(&mesh.attributes, &mesh.corners, corner as usize) }
    }

    /// Faces of the rig's part number `part`.
    fn faces(&self, part: usize) -> std::ops::Range<usize> {
        self.mesh.parts.get(part).map_or(0..self.mesh.face_count(), |part| part.faces.clone())
    }
}

/// Lays out all parts of a rig's mesh; `name` is for a mesh without parts. The first surface is the rig's own.
pub(crate) fn lay_out(rig: &Rig, surfaces: &[Surface], name: &str) -> Vec<Piece> {
    let mesh = &rig.mesh;
    let whole = [Part { name: name.into(), faces: 0..mesh.face_count(), vertices: 0..mesh.vertex_count }];
    let parts = if mesh.parts.is_empty() { &whole[..] } else { &mesh.parts[..] };
    let triangles: Faces = surfaces.iter().map(|s| s.mesh.triangle_corners(&rig.rest)).collect();
    let mut at = vec![0; surfaces.len()];
    let mut looks = Looks::default();
    let mut pieces = Vec::new();
    for (number, part) in parts.iter().enumerate() {
        // Every face of n corners gives n − 2 triangles.
        let mut groups: BTreeMap<Option<u32>, Faces> = BTreeMap::new();
        for (k, surface) in surfaces.iter().enumerate() {
            for face in surface.faces(number) {
                let count = surface.mesh.corner_range(face).len() - 2;
                let material = surface.mesh.face_materials.get(face).copied();
                let group = groups.entry(material).or_insert_with(|| vec![Vec::new(); surfaces.len()]);
                group[k].extend_from_slice(&triangles[k][at[k]..at[k] + count]);
                at[k] += count;
            }
        }
        if groups.is_empty() {
            groups.insert(None, vec![Vec::new(); surfaces.len()]);
        }
        let primitives = lay_out_part(surfaces, part, groups, &mut looks);
        if !part.vertices.is_empty() {
            pieces.push(Piece { name: part.name.clone(), primitives });
        }
    }
    pieces
}

fn lay_out_part(
    surfaces: &[Surface],
    part: &Part,
    groups: BTreeMap<Option<u32>, Faces>,
    looks: &mut Looks,
) -> Vec<Primitive> {
    let mut used = vec![false; part.vertices.len()];
    for corner in groups.values().flat_map(|faces| &faces[0]).flatten() {
        if let Some(used) = used.get_mut(place(&surfaces[0], part, *corner)) {
            *used = true;
        }
    }
    let mut loose: Vec<usize> = (0..used.len()).filter(|&v| !used[v]).collect();
    let mut primitives: Vec<Primitive> = groups
        .into_iter()
        .map(|(material, faces)| {
            // Vertices without faces go along with the first material.
            lay_out_primitive(surfaces, part, (material, &faces), std::mem::take(&mut loose), looks)
        })
        .collect();
    let stored: usize = primitives.iter().map(|p| p.sources.len()).sum();
    let verbatim = primitives.len() == 1 && stored == part.vertices.len();
    primitives.iter_mut().for_each(|p| p.verbatim = verbatim);
    primitives
}

/// A corner's vertex, counted within its part.
fn place(surface: &Surface, part: &Part, corner: u32) -> usize {
    (surface.vertex(corner) as usize).wrapping_sub(part.vertices.start)
}

fn lay_out_primitive(
    surfaces: &[Surface],
    part: &Part,
    (material, faces): (Option<u32>, &[Vec<[u32; 3]>]),
    loose: Vec<usize>,
    looks: &mut Looks,
) -> Primitive {
    let mut stored = Stored::new(part.vertices.len());
    let own = faces[0].as_flattened().iter().map(|&c| place(&surfaces[0], part, c));
    stored.keep(own.chain(loose), part.vertices.start);
    let mut levels: Vec<Vec<u32>> = surfaces
        .iter()
        .zip(faces)
        .map(|(surface, triangles)| {
            let corners = triangles.as_flattened().iter();
            let slot =
                |&c: &u32| stored.slot(place(surface, part, c), surface.vertex(c), surface.look(c, looks));
            corners.map(slot).collect()
        })
        .collect();
    let has_uvs = surfaces[0].mesh.uvs.is_some();
    let attributes = attributes(surfaces[0].mesh, &stored, looks);
    let of_stored = |l: &Option<Look>| l.map_or((Vec3::Z, Vec2::ZERO), |l| (l.normal, l.uv));
    let looks: Vec<(Vec3, Vec2)> = stored.looks.iter().map(of_stored).collect();
    Primitive {
        material,
        verbatim: false,
        sources: stored.sources,
        normals: looks.iter().map(|l| l.0).collect(),
        uvs: if has_uvs { looks.iter().map(|l| l.1).collect() } else { Vec::new() },
        attributes,
        indices: levels.remove(0),
        levels,
    }
}

/// Values of each attribute at the stored vertices. Those without faces have none at corners.
fn attributes(mesh: &Mesh, stored: &Stored, looks: &Looks) -> Vec<Vec<f32>> {
    let mut start = 0;
    let mut values = |attribute: &Attribute| {
        let own = start..start + attribute.width;
        start = own.end;
        let neutral = [attribute.kind.neutral(); 4];
        let value = |(look, &source): (&Option<Look>, &u32)| match (look, attribute.domain) {
            (Some(look), _) => &looks.values(look.others)[own.clone()],
            (None, Domain::Vertex) => attribute.value(source as usize),
            (None, Domain::Corner) => &neutral[..attribute.width],
        };
        stored.looks.iter().zip(&stored.sources).flat_map(value).copied().collect()
    };
    mesh.attributes.iter().map(&mut values).collect()
}

/// What a corner looks like.
#[derive(Clone, Copy)]
struct Look {
    normal: Vec3,
    uv: Vec2,
    /// A number for all attributes.
    others: u32,
}

/// Stored vertices of one primitive.
struct Stored {
    /// The first stored vertex of each vertex of the part.
    slots: Vec<u32>,
    /// The rig's vertex behind each.
    sources: Vec<u32>,
    looks: Vec<Option<Look>>,
    /// Further ones, by the first and how they look.
    copies: HashMap<(u32, [u32; 6]), u32>,
}

const UNUSED: u32 = u32::MAX;

impl Stored {
    fn new(vertices: usize) -> Self {
        Self { slots: vec![UNUSED; vertices], sources: Vec::new(), looks: Vec::new(), copies: HashMap::new() }
    }

    /// Stores these vertices of the part, in ascending order.
    fn keep(&mut self, vertices: impl Iterator<Item = usize>, start: usize) {
        vertices.for_each(|vertex| self.slots[vertex] = 0);
        for (vertex, slot) in self.slots.iter_mut().enumerate().filter(|(_, s)| **s != UNUSED) {
            *slot = self.sources.len() as u32;
            self.sources.push((start + vertex) as u32);
        }
        self.looks = vec![None; self.sources.len()];
    }

    /// The stored vertex that looks so.
    fn slot(&mut self, place: usize, vertex: u32, look: Look) -> u32 {
        if self.slots[place] == UNUSED {
            self.slots[place] = self.sources.len() as u32;
            self.sources.push(vertex);
            self.looks.push(None);
        }
        let slot = self.slots[place];
        let first = self.looks[slot as usize].get_or_insert(look);
        if bits(*first) == bits(look) {
            return slot;
        }
        *self.copies.entry((slot, bits(look))).or_insert_with(|| {
            self.looks.push(Some(look));
            self.sources.push(vertex);
            self.looks.len() as u32 - 1
        })
    }
}

fn bits(Look { normal, uv, others }: Look) -> [u32; 6] {
    // Adding zero makes one of the two zeros.
    let [x, y, z, u, v] = [normal.x, normal.y, normal.z, uv.x, uv.y].map(|x| (x + 0.0).to_bits());
    [x, y, z, u, v, others]
}

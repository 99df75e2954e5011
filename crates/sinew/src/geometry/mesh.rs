//! What stays the same in every frame: faces, UVs, shading normals, materials, names.

use std::ops::Range;

use glam::{Vec2, Vec3};

use super::attribute::{Attribute, AttributeKind};
use super::material::{Image, Material};
use super::triangulate_polygon;

/// Connectivity and appearance of a mesh. Positions live beside it, in an animation or a rig.
///
/// Faces are polygons of any size over shared vertices. UVs and shading normals hang on face corners, so
/// that seams and hard edges need no doubled vertices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Number of vertices, referenced by faces or not.
    pub vertex_count: usize,
    /// Where each face's corners start in `corners`; one entry more than there are faces.
    pub face_starts: Vec<u32>,
    /// Vertex of each corner, face after face, counter-clockwise seen from outside.
    pub corners: Vec<u32>,
    /// Texture coordinates per corner, origin at the upper left as in glTF.
    pub uvs: Option<CornerLayer<Vec2>>,
    /// Shading normals per corner, of the rest pose the mesh was read with. Which corners share a normal
    /// says where edges are hard.
    pub normals: Option<CornerLayer<Vec3>>,
    /// Whatever else hangs on vertices and corners: further UV sets, colours, a file's own.
    pub attributes: Vec<Attribute>,
    /// Material of each face, an index into `materials`. Empty when there are no materials.
    pub face_materials: Vec<u32>,
    /// Materials that faces refer to.
    pub materials: Vec<Material>,
    /// Images that materials refer to.
    pub images: Vec<Image>,
    /// Named objects, in order; empty for a single nameless mesh. Either empty or covering all faces and
    /// all vertices with contiguous ranges.
    pub parts: Vec<Part>,
}

/// One value per face corner, with sharing kept: corner c has `values[indices[c]]`.
#[derive(Clone, Debug, PartialEq)]
pub struct CornerLayer<T> {
    /// The distinct values.
    pub values: Vec<T>,
    /// Which value each corner has; as long as [`Mesh::corners`].
    pub indices: Vec<u32>,
}

/// A named object in a mesh of several.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The object's name in the file it came from.
    pub name: String,
    /// Its faces.
    pub faces: Range<usize>,
    /// Its vertices.
    pub vertices: Range<usize>,
}

/// Ways in which a mesh can contradict itself.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MeshError {
    /// A face refers to a vertex that does not exist.
    #[error("face {face} refers to vertex {vertex}, but there are only {count} vertices")]
    NoSuchVertex {
        /// The face, counted from 0.
        face: usize,
        /// The vertex it names.
        vertex: u32,
        /// How many there are.
        count: usize,
    },
    /// A face has fewer than three corners.
    #[error("face {face} has {corners} corners; a face needs at least 3")]
    TooFewCorners {
        /// The face, counted from 0.
        face: usize,
        /// How many corners it has.
        corners: usize,
    },
    /// A per-corner or per-face array has the wrong length or refers out of range.
    #[error("{what} do not fit the mesh's faces")]
    BadLayer {
        /// Which array.
        what: &'static str,
    },
}

impl Mesh {
    /// A mesh of triangles over `vertex_count` vertices, without UVs or materials.
    pub fn from_triangles(vertex_count: usize, triangles: &[[u32; 3]]) -> Self {
        Self {
            vertex_count,
            face_starts: (0..=triangles.len() as u32).map(|i| 3 * i).collect(),
            corners: triangles.iter().flatten().copied().collect(),
            ..Self::default()
        }
    }

    /// A mesh of polygons over `vertex_count` vertices, without UVs or materials.
    pub fn from_faces<F: AsRef<[u32]>>(vertex_count: usize, faces: &[F]) -> Self {
        let corners: Vec<u32> = faces.iter().flat_map(|face| face.as_ref()).copied().collect();
        let mut face_starts = vec![0];
        for face in faces {
            face_starts.push(face_starts[face_starts.len() - 1] + face.as_ref().len() as u32);
        }
        Self { vertex_count, face_starts, corners, ..Self::default() }
    }

    /// Number of polygons.
    pub fn face_count(&self) -> usize {
        self.face_starts.len().saturating_sub(1)
    }

    /// Vertices of one face.
    pub fn face(&self, face: usize) -> &[u32] {
        &self.corners[self.corner_range(face)]
    }

    /// Corners of one face, as indices into [`Mesh::corners`] and the corner layers.
    pub fn corner_range(&self, face: usize) -> Range<usize> {
        self.face_starts[face] as usize..self.face_starts[face + 1] as usize
    }

    /// The UV sets after [`Mesh::uvs`], in order.
    pub fn more_uv_sets(&self) -> impl Iterator<Item = &Attribute> {
        self.attributes.iter().filter(|a| a.kind == AttributeKind::Uv)
    }

    /// Adds a face with the given vertices.
    pub fn push_face(&mut self, vertices: &[u32]) {
        if self.face_starts.is_empty() {
            self.face_starts.push(0);
        }
        self.corners.extend_from_slice(vertices);
        self.face_starts.push(self.corners.len() as u32);
    }

    /// Checks that all indices and lengths agree. Readers call this before they hand a mesh out.
    pub fn validate(&self) -> Result<(), MeshError> {
        for face in 0..self.face_count() {
            let vertices = self.face(face);
            if vertices.len() < 3 {
                return Err(MeshError::TooFewCorners { face, corners: vertices.len() });
            }
            if let Some(&vertex) = vertices.iter().find(|&&v| v as usize >= self.vertex_count) {
                return Err(MeshError::NoSuchVertex { face, vertex, count: self.vertex_count });
            }
        }
        let corners = self.corners.len();
        let fits = |indices: &[u32], values: usize| {
            indices.len() == corners && indices.iter().all(|&i| (i as usize) < values)
        };
        let (faces, of_faces) = (self.face_count(), &self.face_materials);
        let materials =
            || of_faces.len() == faces && of_faces.iter().all(|&m| (m as usize) < self.materials.len());
        let cover = |range: fn(&Part) -> &Range<usize>, total: usize| {
            let mut ranges = self.parts.iter().map(range);
            let end = ranges.try_fold(0, |at, r| (r.start == at && r.end >= at).then_some(r.end));
            end == Some(total)
        };
        let parts = || cover(|part| &part.faces, faces) && cover(|part| &part.vertices, self.vertex_count);
        let layers = [
            ("UVs", self.uvs.as_ref().is_none_or(|l| fits(&l.indices, l.values.len()))),
            ("normals", self.normals.as_ref().is_none_or(|l| fits(&l.indices, l.values.len()))),
            ("attributes", self.attributes.iter().all(|a| a.fits(self.vertex_count, corners))),
            ("face materials", of_faces.is_empty() || materials()),
            ("parts", self.parts.is_empty() || parts()),
        ];
        match layers.iter().find(|(_, fits)| !fits) {
            Some((what, _)) => Err(MeshError::BadLayer { what }),
            None => Ok(()),
        }
    }

    /// Cuts all faces into triangles, given the positions of one pose (concave polygons need them).
    ///
    /// Each triangle is three indices into [`Mesh::corners`], so UVs and normals can be looked up too.
    pub fn triangle_corners(&self, positions: &[Vec3]) -> Vec<[u32; 3]> {
        let mut triangles = Vec::with_capacity(self.corners.len().saturating_sub(2 * self.face_count()));
        for face in 0..self.face_count() {
            let range = self.corner_range(face);
            let start = range.start as u32;
            triangulate_polygon(&self.corners[range], positions, |a, b, c| {
                triangles.push([start + a, start + b, start + c]);
            });
        }
        triangles
    }

    /// Cuts all faces into triangles of vertices, given the positions of one pose.
    pub fn triangles(&self, positions: &[Vec3]) -> Vec<[u32; 3]> {
        let mut triangles = self.triangle_corners(positions);
        for corner in triangles.as_flattened_mut() {
            *corner = self.corners[*corner as usize];
        }
        triangles
    }
}

#[cfg(test)]
#[path = "../../tests/unit/geometry_mesh.rs"]
mod tests;

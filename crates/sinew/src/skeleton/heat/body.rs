//! What stays the same of a body in all its poses: which vertices are one, which pieces there are.

use glam::{DVec3, Vec3};

use crate::animation::Frames;
use crate::geometry::grouped::Lists;
use crate::geometry::laplacian::LaplacianPattern;
use crate::geometry::surface::pieces;
use crate::geometry::triangle_bvh::TriangleBvh;
use crate::geometry::weld::weld;

/// A mesh in which vertices that are at the same place in all frames are one: files cut meshes along seams,
/// and heat is to cross them.
pub struct Body {
    /// The one of each vertex of the mesh.
    pub one_of: Vec<u32>,
    /// The first vertex of each.
    first: Vec<u32>,
    /// Edges and triangles.
    pub pattern: LaplacianPattern,
    /// The piece of each, named by one of its vertices: what edges connect.
    pub piece: Vec<u32>,
    /// For lines of sight.
    pub tree: TriangleBvh,
    /// Triangles of the pattern around each vertex.
    around: Lists<u32>,
}

impl Body {
    /// The body of a mesh that moves through some of its `frames`.
    pub fn new(triangles: &[[u32; 3]], frames: &Frames, chosen: &[usize]) -> Self {
        let place = |pose: usize, v: u32| frames.frame(chosen[pose])[v as usize];
        let (one_of, first) = weld(frames.vertex_count(), chosen.len(), place);
        let triangles: Vec<[u32; 3]> = triangles.iter().map(|t| t.map(|v| one_of[v as usize])).collect();
        let pattern = LaplacianPattern::new(first.len(), &triangles);
        let piece = pieces(first.len(), pattern.edges());
        let pose = frames.frame(chosen[0]);
        let places: Vec<DVec3> = first.iter().map(|&v| pose[v as usize].as_dvec3()).collect();
        let tree = TriangleBvh::new(pattern.triangles(), &places);
        let corners = (0_u32..).zip(pattern.triangles()).flat_map(|(number, t)| t.map(|v| (v, number)));
        let around = Lists::grouped(first.len(), corners);
        Self { one_of, first, pattern, piece, tree, around }
    }

    /// The triangles around a vertex.
    pub fn around(&self, v: usize) -> impl Iterator<Item = &[u32; 3]> {
        self.around.of(v).iter().map(|&t| &self.pattern.triangles()[t as usize])
    }

    /// Number of vertices.
    pub fn len(&self) -> usize {
        self.first.len()
    }

    /// Positions of one pose.
    pub fn gather(&self, pose: &[Vec3]) -> Vec<Vec3> {
        self.first.iter().map(|&v| pose[v as usize]).collect()
    }
}

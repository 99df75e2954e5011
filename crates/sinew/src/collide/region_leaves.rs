//! One region: how it moves, and its triangles divided into leaves with a bounding sphere each.

use std::ops::Range;

use glam::Vec3;

use super::bounds::{LeafBound, ShapeBound, sphere_around};
use super::frame_pose::{FramePose, Skinned};
use super::leaf_boxes::MOST;
use super::model::Model;
use super::regions::Numbered;
use crate::geometry::bvh::Bvh;
use crate::geometry::grouped::distinct;

/// A region, how it moves, and its leaves.
pub(super) struct RegionLeaves {
    pub model: Model,
    pub triangles: Vec<Numbered>,
    pub leaves: Vec<LeafBound>,
    pub shapes: Vec<ShapeBound>,
    /// The vertices that the model counts, and where they are at rest.
    vertices: Vec<u32>,
    rest: Vec<Vec3>,
}

impl RegionLeaves {
    /// Learns how some triangles move, with what is left by the model within `fine`, and divides them into leaves.
    pub fn new(skinned: &Skinned, poses: &[FramePose], triangles: &[Numbered], fine: f64) -> Self {
        let vertices = vertices_of(triangles);
        let rest: Vec<Vec3> = vertices.iter().map(|&v| skinned.rest[v as usize].into()).collect();
        let pose = |pose: &FramePose| vertices.iter().map(|&v| pose.vertex(skinned, v).into()).collect();
        let poses: Vec<Vec<Vec3>> = poses.iter().map(pose).collect();
        let mut found = Self {
            model: Model::new(&rest, &poses, fine),
            triangles: Vec::new(),
            leaves: Vec::new(),
            shapes: Vec::new(),
            vertices,
            rest,
        };
        let middle = |t: &[u32; 3]| t.iter().map(|&v| found.rest[found.index(v)]).sum::<Vec3>();
        let mut sorted: Vec<(Vec3, Numbered)> = triangles.iter().map(|one| (middle(&one.1), *one)).collect();
        let bvh = Bvh::new(&mut sorted, MOST, |(place, _)| *place, |(_, one)| *one);
        found.triangles = sorted.into_iter().map(|(_, one)| one).collect();
        bvh.leaves().for_each(|leaf| found.push_leaf(leaf));
        // What only building needed.
        (found.model.shapes, found.model.missed, found.vertices, found.rest) = Default::default();
        found
    }

    fn push_leaf(&mut self, triangles: Range<usize>) {
        let Range { start, end } = triangles;
        let vertices: Vec<usize> =
            vertices_of(&self.triangles[start..end]).into_iter().map(|v| self.index(v)).collect();
        let Model { rank, shapes, missed, .. } = &self.model;
        let those: Vec<Vec3> = vertices.iter().map(|&v| self.rest[v]).collect();
        let (middle, radius) = sphere_around(&those);
        self.leaves.push(LeafBound {
            region: 0,
            start: start as u32,
            end: end as u32,
            middle,
            radius,
            missed: vertices.iter().map(|&v| missed[v]).fold(0.0, f32::max),
            shapes: self.shapes.len() as u32,
        });
        for shape in 0..*rank {
            let moved: Vec<Vec3> = vertices.iter().map(|&v| shapes[v * rank + shape]).collect();
            let (mean, radius) = sphere_around(&moved);
            self.shapes.push(ShapeBound { mean, radius });
        }
    }

    /// The model's number of a vertex.
    fn index(&self, vertex: u32) -> usize {
        self.vertices.partition_point(|&v| v < vertex)
    }
}

/// Vertices of some triangles, in ascending order.
fn vertices_of(triangles: &[Numbered]) -> Vec<u32> {
    distinct(triangles.iter().flat_map(|(_, triangle)| *triangle))
}

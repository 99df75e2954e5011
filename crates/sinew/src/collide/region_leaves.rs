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
}

impl RegionLeaves {
    /// Learns how some triangles move, with what is left by the model within `fine`, and divides them into leaves.
    pub fn new(skinned: &Skinned, poses: &[FramePose], triangles: &[Numbered], fine: f64) -> Self {
        let vertices = vertices_of(triangles);
        let index = |vertex: &u32| vertices.partition_point(|v| v < vertex);
        let rest: Vec<Vec3> = vertices.iter().map(|&v| skinned.rest[v as usize].into()).collect();
        let pose = |pose: &FramePose| vertices.iter().map(|&v| pose.vertex(skinned, v).into()).collect();
        let poses: Vec<Vec<Vec3>> = poses.iter().map(pose).collect();
        let mut model = Model::new(&rest, &poses, fine);
        let middle = |t: &[u32; 3]| t.iter().map(|v| rest[index(v)]).sum::<Vec3>();
        let mut sorted: Vec<(Vec3, Numbered)> = triangles.iter().map(|one| (middle(&one.1), *one)).collect();
        let bvh = Bvh::new(&mut sorted, MOST, |(place, _)| *place, |(_, one)| *one);
        let triangles: Vec<Numbered> = sorted.into_iter().map(|(_, one)| one).collect();
        let (mut leaves, mut shapes) = (Vec::new(), Vec::new());
        for Range { start, end } in bvh.leaves() {
            let own: Vec<usize> = vertices_of(&triangles[start..end]).iter().map(index).collect();
            let sphere = |place: &dyn Fn(usize) -> Vec3| {
                sphere_around(&own.iter().map(|&v| place(v)).collect::<Vec<Vec3>>())
            };
            let (middle, radius) = sphere(&|v| rest[v]);
            leaves.push(LeafBound {
                region: 0,
                start: start as u32,
                end: end as u32,
                middle,
                radius,
                missed: own.iter().map(|&v| model.missed[v]).fold(0.0, f32::max),
                shapes: shapes.len() as u32,
            });
            for shape in 0..model.rank {
                let (mean, radius) = sphere(&|v| model.shapes[v * model.rank + shape]);
                shapes.push(ShapeBound { mean, radius });
            }
        }
        // What only building needed.
        (model.shapes, model.missed) = Default::default();
        Self { model, triangles, leaves, shapes }
    }
}

/// Vertices of some triangles, in ascending order.
fn vertices_of(triangles: &[Numbered]) -> Vec<u32> {
    distinct(triangles.iter().flat_map(|(_, triangle)| *triangle))
}

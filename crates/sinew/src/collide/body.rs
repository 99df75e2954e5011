//! A rig made ready for queries: regions, how they move, and a hierarchy over their leaves.

use glam::Vec3A;
use rayon::prelude::*;

use super::bounds::{LeafBound, ShapeBound};
use super::frame_pose::{FramePose, Skinned};
use super::model::Model;
use super::region_leaves::RegionLeaves;
use super::regions::{Numbered, main_bone, regions};
use super::tuning::TUNING;
use super::{CollideError, Place, surface_area};
use crate::animation::evenly;
use crate::geometry::Bounds;
use crate::geometry::bvh::{Aabb, Point, around};
use crate::geometry::bvh4::{self, Boxes4, Node};
use crate::progress::{Cancelled, Progress};
use crate::rig::Rig;

/// A rig made ready for queries in any of its frames.
pub struct Body<'a> {
    pub(super) skinned: Skinned<'a>,
    /// The vertices of the rig by the numbers they have here.
    pub(super) numbers_here: Vec<u32>,
    /// Triangles in the order of the trees, and their numbers in the rig.
    pub(super) triangles: Vec<[u32; 3]>,
    pub(super) numbers: Vec<u32>,
    /// Corners of the triangles, the same for vertices that are always at one place.
    pub(super) points: Vec<[u32; 3]>,
    /// Of each region how it moves.
    pub(super) models: Vec<Model>,
    /// The hierarchy, from its root, and the bounds of its leaves.
    pub(super) nodes: Vec<Node>,
    pub(super) leaves: Vec<LeafBound>,
    pub(super) shapes: Vec<ShapeBound>,
    /// Boxes of what is below each node, frame after frame.
    pub(super) boxes: Vec<Boxes4>,
    /// At least how far from the origin anything is that goes into a vertex or a bound, in each frame.
    pub(super) far: Vec<f32>,
    /// The largest sum of sizes of weights on a vertex.
    pub(super) heaviest: f32,
}

impl<'a> Body<'a> {
    /// Sorts the triangles of a rig into regions, learns how they move, and builds a hierarchy over them. All vertices
    /// of all frames are looked at here, once, and never again.
    ///
    /// # Errors
    /// When the rig contradicts itself, has no triangles or holds numbers that are not finite, or `progress` cancels.
    pub fn new(rig: &'a Rig, progress: &dyn Progress) -> Result<Self, CollideError> {
        rig.validate()?;
        rig.check_finite()?;
        let mut body = Self {
            skinned: Skinned::new(rig),
            numbers_here: Vec::new(),
            triangles: Vec::new(),
            numbers: Vec::new(),
            points: Vec::new(),
            models: Vec::new(),
            nodes: Vec::new(),
            leaves: Vec::new(),
            shapes: Vec::new(),
            boxes: Vec::new(),
            far: Vec::new(),
            heaviest: heaviest(rig),
        };
        let poses: Vec<FramePose> = (0..rig.frame_count().max(1))
            .map(|frame| {
                let mut pose = FramePose::default();
                pose.set(&body.skinned, frame, &Place::IDENTITY);
                pose
            })
            .collect();
        let points = rig.points();
        let regions = regions(&body.numbered(), &rig.weights, &points);
        if regions.is_empty() {
            return Err(CollideError::NoTriangles);
        }
        let fine = TUNING.left * Bounds::of(&rig.rest).diagonal();
        let divide = |triangles: Vec<Numbered>| {
            progress.check()?;
            Ok(RegionLeaves::new(&body.skinned, &poses, &triangles, fine))
        };
        let regions: Vec<RegionLeaves> =
            regions.into_par_iter().map(divide).collect::<Result<_, Cancelled>>()?;
        regions.into_iter().for_each(|region| body.add(region));
        body.points = body.triangles.iter().map(|t| t.map(|v| points[v as usize])).collect();
        body.renumber();
        let boxes = |pose| progress.check().map(|()| body.leaf_boxes(pose));
        let leaves: Vec<Vec<Aabb<Vec3A>>> = poses.par_iter().map(boxes).collect::<Result<_, _>>()?;
        let shown: Vec<_> =
            evenly(leaves.len(), TUNING.build_frames).map(|frame| leaves[frame].clone()).collect();
        body.nodes = surface_area::build(&shown);
        let fit = |leaves: &Vec<Aabb<Vec3A>>| {
            bvh4::fit(&body.nodes, |leaf| leaf.map(|leaf| leaves[leaf]).next().unwrap_or(Vec3A::NOWHERE))
        };
        body.boxes = leaves.par_iter().flat_map_iter(fit).collect();
        let reach = reach(rig);
        body.far = poses.iter().map(|pose| pose.far(reach)).collect();
        for model in &body.models {
            for (far, frame) in body.far.iter_mut().zip(&model.frames) {
                *far = far.max(frame.far(reach));
            }
        }
        Ok(body)
    }

    /// The rig.
    pub fn rig(&self) -> &'a Rig {
        self.skinned.rig
    }

    /// The bone that moves each triangle most, by the triangles' numbers in [`Mesh::triangles`].
    ///
    /// [`Mesh::triangles`]: crate::geometry::Mesh::triangles
    pub fn bones_of_triangles(&self) -> Vec<u32> {
        let all = self.rig().mesh.triangles(&self.rig().rest);
        all.iter().map(|triangle| main_bone(&self.rig().weights, triangle)).collect()
    }

    /// Triangles of three vertices, with their numbers.
    fn numbered(&self) -> Vec<Numbered> {
        let all = self.rig().mesh.triangles(&self.rig().rest).into_iter().enumerate();
        let whole = all.filter(|(_, [a, b, c])| a != b && b != c && c != a);
        whole.map(|(number, triangle)| (number as u32, triangle)).collect()
    }

    /// Adds a region.
    fn add(&mut self, region: RegionLeaves) {
        let RegionLeaves { model, triangles, leaves, shapes } = region;
        let (first, first_shape) = (self.triangles.len() as u32, self.shapes.len() as u32);
        let region = self.models.len() as u32;
        self.leaves.extend(leaves.into_iter().map(|leaf| LeafBound {
            region,
            start: leaf.start + first,
            end: leaf.end + first,
            shapes: leaf.shapes + first_shape,
            ..leaf
        }));
        self.shapes.extend(shapes);
        self.numbers.extend(triangles.iter().map(|(number, _)| *number));
        self.triangles.extend(triangles.iter().map(|(_, triangle)| *triangle));
        self.models.push(model);
    }

    /// Gives vertices new numbers, in the order of the triangles.
    fn renumber(&mut self) {
        let count = self.skinned.rest.len();
        self.numbers_here = vec![u32::MAX; count];
        let mut order = Vec::with_capacity(count);
        for v in self.triangles.as_flattened().iter().copied().chain(0..count as u32) {
            if self.numbers_here[v as usize] == u32::MAX {
                self.numbers_here[v as usize] = order.len() as u32;
                order.push(v as usize);
            }
        }
        let here = &self.numbers_here;
        self.triangles.as_flattened_mut().iter_mut().for_each(|v| *v = here[*v as usize]);
        self.skinned.reorder(&order);
    }

    /// The boxes of the leaves in a frame.
    fn leaf_boxes(&self, pose: &FramePose) -> Vec<Aabb<Vec3A>> {
        let count = self.skinned.rest.len() as u32;
        let vertices: Vec<Vec3A> = (0..count).map(|v| pose.vertex(&self.skinned, v)).collect();
        let of_leaf = |leaf: &LeafBound| {
            let corners = self.triangles[leaf.start as usize..leaf.end as usize].as_flattened().iter();
            around(corners.map(|&v| vertices[v as usize]))
        };
        self.leaves.iter().map(of_leaf).collect()
    }
}

/// How far the rest pose, displaced by the corrections, is from its middle at most.
fn reach(rig: &Rig) -> f32 {
    let corrections = rig.corrections.iter().filter(|c| c.rank > 0);
    let moved = corrections.map(|c| {
        let longest = |r: usize| {
            let shape = &c.basis[r * rig.rest.len()..(r + 1) * rig.rest.len()];
            shape.iter().map(|u| u.length()).fold(0.0, f32::max)
        };
        let most = |r: usize| c.coefficients.iter().skip(r).step_by(c.rank).fold(0.0, |m, q| q.abs().max(m));
        (0..c.rank).map(|r| longest(r) * most(r)).sum::<f32>()
    });
    Bounds::of(&rig.rest).diagonal() as f32 + moved.sum::<f32>()
}

fn heaviest(rig: &Rig) -> f32 {
    let weight = |w: &[f32]| w.iter().map(|w| w.abs()).sum::<f32>();
    rig.weights.weights.chunks_exact(rig.weights.per_vertex.max(1)).map(weight).fold(1.0, f32::max)
}

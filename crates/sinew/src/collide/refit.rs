//! The plain way: every vertex of every frame, and a hierarchy of boxes fitted anew to all triangles.

use std::ops::Range;

use glam::{DVec3, Vec3A};

use super::Place;
use super::body::Body;
use super::contact::{Contact, sorted};
use super::frame_pose::FramePose;
use crate::geometry::bvh::{Aabb, Bvh, around};

/// Triangles in a leaf, at most.
const LEAF: usize = 4;

/// A body in one frame, all of it, in a hierarchy that is refitted from frame to frame.
pub struct RefitBvh<'a> {
    body: &'a Body<'a>,
    /// Triangles as the body counts them, in the order of the hierarchy.
    order: Vec<u32>,
    bvh: Bvh,
    pose: FramePose,
    vertices: Vec<Vec3A>,
    boxes: Vec<Aabb<Vec3A>>,
}

impl<'a> RefitBvh<'a> {
    /// Builds the hierarchy in the rest pose.
    pub fn new(body: &'a Body<'a>) -> Self {
        let rest = &body.skinned.rest;
        let middle = |t: u32| body.triangles[t as usize].iter().map(|&v| rest[v as usize]).sum::<Vec3A>();
        let mut order: Vec<(u32, Vec3A)> = (0..body.triangles.len() as u32).map(|t| (t, middle(t))).collect();
        let bvh = Bvh::new(&mut order, LEAF, |(_, place)| *place, |(t, _)| *t);
        let mut refit = Self {
            body,
            order: order.into_iter().map(|(t, _)| t).collect(),
            bvh,
            pose: FramePose::default(),
            vertices: vec![Vec3A::ZERO; rest.len()],
            boxes: Vec::new(),
        };
        refit.set(0, &Place::IDENTITY);
        refit
    }

    /// Computes all vertices of a frame and fits all boxes to them.
    ///
    /// # Panics
    /// When there are frames, but not this one.
    pub fn set(&mut self, frame: usize, place: &Place) {
        self.pose.set(&self.body.skinned, frame, place);
        for (v, vertex) in self.vertices.iter_mut().enumerate() {
            *vertex = self.pose.vertex(&self.body.skinned, v as u32);
        }
        self.boxes = self.bvh.fit(|some| {
            let corners = self.order[some].iter().flat_map(|&t| self.body.triangles[t as usize]);
            around(corners.map(|v| self.vertices[v as usize]))
        });
    }

    /// Where two bodies touch: the same as [`between`](super::between), the plain way.
    pub fn between(&self, other: &Self) -> Vec<Contact> {
        let mut found = Vec::new();
        self.descend(other, vec![[0, 0]], |some, others| {
            for (i, j) in some.flat_map(|i| others.clone().map(move |j| (i, j))) {
                found.extend(self.contact(other, i, j));
            }
        });
        sorted(found)
    }

    /// Where a body touches itself: the same as [`within`](super::within), the plain way.
    pub fn within(&self) -> Vec<Contact> {
        let mut found = Vec::new();
        let mut test = |i: usize, j: usize| {
            let (of_i, of_j) = (self.points(i), self.points(j));
            if of_i.iter().any(|p| of_j.contains(p)) {
                return;
            }
            let (i, j) = if self.number(i) < self.number(j) { (i, j) } else { (j, i) };
            found.extend(self.contact(self, i, j));
        };
        for leaf in self.bvh.leaves() {
            leaf.clone().for_each(|j| (leaf.start..j).for_each(|i| test(i, j)));
        }
        self.descend(self, self.bvh.halves().collect(), |some, others| {
            some.for_each(|i| others.clone().for_each(|j| test(i, j)));
        });
        sorted(found)
    }

    /// Hands out triangles of leaves whose boxes overlap.
    fn descend(&self, other: &Self, waiting: Vec<[usize; 2]>, test: impl FnMut(Range<usize>, Range<usize>)) {
        let size = |[min, max]: Aabb<Vec3A>| (max - min).length_squared();
        let larger = |a, b| size(a) >= size(b);
        self.bvh.overlaps(&self.boxes, (&other.bvh, &other.boxes), waiting, larger, test);
    }

    fn contact(&self, other: &Self, i: usize, j: usize) -> Option<Contact> {
        let (of_a, of_b) = (self.corners(i), other.corners(j));
        // Most are not even near.
        let reach = |t: &[DVec3; 3]| (t[0].min(t[1]).min(t[2]), t[0].max(t[1]).max(t[2]));
        let ((min_a, max_a), (min_b, max_b)) = (reach(&of_a), reach(&of_b));
        if min_a.cmpgt(max_b).any() || min_b.cmpgt(max_a).any() {
            return None;
        }
        Contact::of(&of_a, &of_b, [self.number(i), other.number(j)])
    }

    fn corners(&self, triangle: usize) -> [DVec3; 3] {
        let [a, b, c] = self.body.triangles[self.order[triangle] as usize];
        [a, b, c].map(|v| self.vertices[v as usize].as_dvec3())
    }

    fn number(&self, triangle: usize) -> u32 {
        self.body.numbers[self.order[triangle] as usize]
    }

    fn points(&self, triangle: usize) -> [u32; 3] {
        self.body.points[self.order[triangle] as usize]
    }
}

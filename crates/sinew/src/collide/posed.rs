//! A body in one frame: bounds and vertices, each computed when first asked for.

use std::cell::{Cell, Ref, RefCell};

use glam::{Mat3A, Vec3, Vec3A};

use super::Place;
use super::body::Body;
use super::bounds::{LeafBound, Region, largest_stretch, sphere};
use super::box_transform::BoxTransform;
use super::frame_pose::FramePose;
use super::leaf_boxes::LeafBoxes;
use crate::geometry::bvh4::Boxes4;

/// What queries had to do since the body was set to its frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Spheres brought up to date.
    pub bounds: usize,
    /// Vertices computed.
    pub vertices: usize,
}

/// A value and the frame it is of, as [`Posed::set`] counts them.
type Kept<T> = Cell<(u64, T)>;

/// A body in one frame, at a place. Made once and set from frame to frame.
pub struct Posed<'a> {
    pub(super) body: &'a Body<'a>,
    pose: FramePose,
    frame: usize,
    place: Place,
    /// By how much the place lengthens at most.
    stretch: f32,
    regions: Vec<Kept<Region>>,
    /// What rounding may add to a radius.
    margin: f32,
    count: u64,
    /// Of each leaf.
    spheres: Vec<Kept<(Vec3A, f32)>>,
    /// Leaves that were met, and the number that each has among them.
    leaves: RefCell<LeafBoxes>,
    met: Vec<Kept<u32>>,
    vertices: Vec<Kept<Vec3A>>,
    work: Cell<Work>,
}

impl Body<'_> {
    /// Ready to be set to a frame.
    pub fn posed(&self) -> Posed<'_> {
        Posed::new(self)
    }
}

impl<'a> Posed<'a> {
    fn new(body: &'a Body<'a>) -> Self {
        let mut posed = Self {
            body,
            pose: FramePose::default(),
            frame: 0,
            place: Place::IDENTITY,
            stretch: 1.0,
            regions: vec![Cell::default(); body.models.len()],
            margin: 0.0,
            count: 0,
            spheres: vec![Cell::default(); body.leaves.len()],
            leaves: RefCell::default(),
            met: vec![Cell::default(); body.leaves.len()],
            vertices: vec![Cell::default(); body.skinned.rest.len()],
            work: Cell::default(),
        };
        posed.set(0, &Place::IDENTITY);
        posed
    }

    /// Sets the body to a frame and a place; to its rest pose where the rig has no frames. This takes time for
    /// each bone and region and for nothing else.
    ///
    /// # Panics
    /// When there are frames, but not this one.
    pub fn set(&mut self, frame: usize, place: &Place) {
        self.pose.set(&self.body.skinned, frame, place);
        self.frame = frame;
        self.place = *place;
        self.stretch = largest_stretch(&Mat3A::from(place.matrix3.as_mat3()));
        self.margin = self.margin(place);
        self.work.set(Work::default());
        self.leaves.get_mut().clear();
        self.count += 1;
    }

    /// At least what rounding, here or where vertices are computed, can move anything by.
    fn margin(&self, place: &Place) -> f32 {
        let far = self.stretch * self.body.far[self.frame] + place.translation.length() as f32;
        let terms = self.body.rig().weights.per_vertex + self.pose.coefficients.len() + 16;
        far * self.body.heaviest * terms as f32 * f32::EPSILON
    }

    /// A region in this frame.
    fn region(&self, number: usize) -> Region {
        let (count, kept) = self.regions[number].get();
        if count == self.count {
            return kept;
        }
        let model = &self.body.models[number];
        let own = &model.frames[self.frame];
        let place = &self.place;
        let linear = Mat3A::from((place.matrix3 * own.linear).as_mat3());
        let found = Region {
            linear,
            turn: (place.matrix3 * own.turn).as_mat3().into(),
            shift: place.transform_point3(own.shift).as_vec3().into(),
            stretch: largest_stretch(&linear),
            place: self.stretch,
            missed: own.missed,
            coefficients: self.frame * model.rank,
        };
        self.regions[number].set((self.count, found));
        found
    }

    /// What queries had to do since then.
    pub fn work(&self) -> Work {
        self.work.get()
    }

    /// What takes boxes of this body to boxes in the space of another.
    pub(super) fn boxes_for(&self, other: &Self) -> BoxTransform {
        BoxTransform::new(&self.place, &other.place, self.margin + other.margin)
    }

    /// The boxes of what is below a node, as the body has them before it is placed.
    #[inline]
    pub(super) fn boxes(&self, node: usize) -> &Boxes4 {
        &self.body.boxes[self.frame * self.body.nodes.len() + node]
    }

    /// The sphere of a leaf.
    pub(super) fn sphere(&self, leaf: u32) -> (Vec3A, f32) {
        let (count, kept) = self.spheres[leaf as usize].get();
        if count == self.count {
            return kept;
        }
        let bound = &self.body.leaves[leaf as usize];
        let (region, model) = (&self.region(bound.region as usize), &self.body.models[bound.region as usize]);
        let shapes = &self.body.shapes[bound.shapes as usize..bound.shapes as usize + model.rank];
        let coefficients = &model.coefficients[region.coefficients..region.coefficients + model.rank];
        let (center, radius) = sphere(bound, shapes, region, coefficients);
        let found = (center, radius * (1.0 + 1e-5) + 2.0 * self.margin);
        self.spheres[leaf as usize].set((self.count, found));
        let work = self.work.get();
        self.work.set(Work { bounds: work.bounds + 1, ..work });
        found
    }

    /// Sees to it that a leaf's triangles are known, and returns its number among those that are.
    #[inline]
    pub(super) fn leaf(&self, leaf: u32) -> u32 {
        let (count, kept) = self.met[leaf as usize].get();
        if count == self.count {
            return kept;
        }
        let LeafBound { start, end, .. } = self.body.leaves[leaf as usize];
        let number = self.leaves.borrow_mut().add((start..end).map(|triangle| self.corners(triangle)));
        self.met[leaf as usize].set((self.count, number));
        number
    }

    /// Leaves whose triangles are known.
    pub(super) fn leaves(&self) -> Ref<'_, LeafBoxes> {
        self.leaves.borrow()
    }

    /// Where a vertex of the rig is.
    pub fn vertex(&self, vertex: u32) -> Vec3 {
        self.at(self.body.numbers_here[vertex as usize]).into()
    }

    /// Where a vertex is, by its number in the body.
    #[inline(always)]
    fn at(&self, vertex: u32) -> Vec3A {
        let (count, kept) = self.vertices[vertex as usize].get();
        if count == self.count { kept } else { self.pose(vertex) }
    }

    /// Computes where a vertex is.
    #[inline(never)]
    fn pose(&self, vertex: u32) -> Vec3A {
        let found = self.pose.vertex(&self.body.skinned, vertex);
        self.vertices[vertex as usize].set((self.count, found));
        let work = self.work.get();
        self.work.set(Work { vertices: work.vertices + 1, ..work });
        found
    }

    /// Corners of a triangle, as the tree counts them.
    #[inline]
    pub(super) fn corners(&self, triangle: u32) -> [Vec3A; 3] {
        let [a, b, c] = self.body.triangles[triangle as usize];
        [self.at(a), self.at(b), self.at(c)]
    }
}

#[cfg(test)]
#[path = "../../tests/unit/collide_posed.rs"]
mod tests;

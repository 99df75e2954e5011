//! Boxes of the triangles of leaves in one frame, and candidate pairs of triangles of two leaves.

use glam::Vec3A;

use crate::geometry::bvh::{Aabb, Point};
use crate::geometry::bvh4::{Boxes4, LANES, ones};

/// Triangles in a leaf, at most.
pub(super) const MOST: usize = 16;

/// Leaves whose triangles are known, in one frame.
#[derive(Default)]
pub(super) struct LeafBoxes {
    /// The box of each leaf.
    leaves: Vec<Aabb<Vec3A>>,
    /// Those of its triangles, filled up with boxes that reach nowhere.
    triangles: Vec<[Aabb<Vec3A>; MOST]>,
    fours: Vec<[Boxes4; MOST / LANES]>,
}

/// One of the leaves.
#[derive(Clone, Copy)]
pub(super) struct Leaf<'a> {
    all: Aabb<Vec3A>,
    triangles: &'a [Aabb<Vec3A>; MOST],
    fours: &'a [Boxes4; MOST / LANES],
}

impl LeafBoxes {
    /// Forgets all.
    pub fn clear(&mut self) {
        self.leaves.clear();
        self.triangles.clear();
        self.fours.clear();
    }

    /// Adds a leaf by the corners of its triangles, and returns its number.
    #[inline]
    pub fn add(&mut self, triangles: impl Iterator<Item = [Vec3A; 3]>) -> u32 {
        let mut all = Vec3A::NOWHERE;
        let mut reaches = [Vec3A::NOWHERE; MOST];
        for (to, [a, b, c]) in reaches.iter_mut().zip(triangles) {
            *to = [a.min(b).min(c), a.max(b).max(c)];
            all = Vec3A::joined(all, *to);
        }
        let some = |k: usize| Boxes4::new(&std::array::from_fn(|lane| reaches[k * LANES + lane]));
        self.leaves.push(all);
        self.fours.push(std::array::from_fn(some));
        self.triangles.push(reaches);
        self.leaves.len() as u32 - 1
    }

    #[inline]
    pub fn get(&self, number: u32) -> Leaf<'_> {
        let number = number as usize;
        Leaf { all: self.leaves[number], triangles: &self.triangles[number], fours: &self.fours[number] }
    }
}

impl Leaf<'_> {
    /// Hands out pairs of triangles whose boxes meet, by their numbers in the two leaves.
    #[inline]
    pub fn pairs(self, other: Self, mut test: impl FnMut(u32, u32)) {
        if !Vec3A::overlap(self.all, other.all) {
            return;
        }
        for i in ones(self.overlapping(&other.all)) {
            for j in ones(other.overlapping(&self.triangles[i])) {
                test(i as u32, j as u32);
            }
        }
    }

    /// A bit for each triangle whose box meets this.
    #[inline]
    fn overlapping(&self, reach: &Aabb<Vec3A>) -> u32 {
        let [a, b, c, d] = self.fours;
        let low = a.overlapping(reach) | b.overlapping(reach) << LANES;
        low | (c.overlapping(reach) | d.overlapping(reach) << LANES) << (2 * LANES)
    }
}

//! The triangles of leaves in one frame, and those of two leaves against each other.

use glam::Vec3A;

use super::lanes::{LANES, Lanes, NOTHING, Reach, joined, meet, ones};

/// Triangles in a leaf, at most.
pub(super) const MOST: usize = 16;

/// Leaves whose triangles are known, in one frame.
#[derive(Default)]
pub(super) struct Leaves {
    /// The box of each leaf.
    leaves: Vec<Reach>,
    /// Those of its triangles, filled up with boxes that reach nowhere.
    triangles: Vec<[Reach; MOST]>,
    lanes: Vec<[Lanes; MOST / LANES]>,
}

/// One of the leaves.
#[derive(Clone, Copy)]
pub(super) struct Leaf<'a> {
    all: Reach,
    triangles: &'a [Reach; MOST],
    lanes: &'a [Lanes; MOST / LANES],
}

impl Leaves {
    /// Forgets all.
    pub fn clear(&mut self) {
        self.leaves.clear();
        self.triangles.clear();
        self.lanes.clear();
    }

    /// Adds a leaf by the corners of its triangles, and returns its number.
    #[inline]
    pub fn add(&mut self, triangles: impl Iterator<Item = [Vec3A; 3]>) -> u32 {
        let mut all = NOTHING;
        let mut reaches = [NOTHING; MOST];
        for (to, [a, b, c]) in reaches.iter_mut().zip(triangles) {
            *to = [a.min(b).min(c), a.max(b).max(c)];
            all = joined(all, *to);
        }
        let some = |k: usize| Lanes::new(&std::array::from_fn(|lane| reaches[k * LANES + lane]));
        self.leaves.push(all);
        self.lanes.push(std::array::from_fn(some));
        self.triangles.push(reaches);
        self.leaves.len() as u32 - 1
    }

    #[inline]
    pub fn get(&self, number: u32) -> Leaf<'_> {
        let number = number as usize;
        Leaf { all: self.leaves[number], triangles: &self.triangles[number], lanes: &self.lanes[number] }
    }
}

impl Leaf<'_> {
    /// Hands out pairs of triangles whose boxes meet, by their numbers in the two leaves.
    #[inline]
    pub fn pairs(self, other: Self, mut test: impl FnMut(u32, u32)) {
        if !meet(self.all, other.all) {
            return;
        }
        for i in ones(self.meeting(&other.all)) {
            for j in ones(other.meeting(&self.triangles[i])) {
                test(i as u32, j as u32);
            }
        }
    }

    /// A bit for each triangle whose box meets this.
    #[inline]
    fn meeting(&self, reach: &Reach) -> u32 {
        let [a, b, c, d] = self.lanes;
        let low = a.meeting(reach) | b.meeting(reach) << LANES;
        low | (c.meeting(reach) | d.meeting(reach) << LANES) << (2 * LANES)
    }
}

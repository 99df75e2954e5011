//! Pairs of bones that have to do with each other: few of all, where there are many bones.

use rayon::prelude::*;

use crate::rig::SkinWeights;

/// Vertices whose bones are gone through by one thread, at least.
const TOGETHER: usize = 2048;

/// No such pair.
const NONE: u32 = u32::MAX;

/// Pairs of bones, each once and in ascending order, and where in that order each stands. A bone is a pair with itself.
pub struct Pairs {
    /// The pairs, the smaller number first.
    pub list: Vec<[u32; 2]>,
    /// For every two bones their place in the list.
    slots: Vec<u32>,
    count: usize,
}

impl Pairs {
    /// All pairs of so many bones.
    pub fn all(count: usize) -> Self {
        Self::marked(count, |slots| slots.fill(0))
    }

    /// Every bone with itself.
    pub fn alone(count: usize) -> Self {
        Self::marked(count, |slots| (0..count).for_each(|b| slots[b * count + b] = 0))
    }

    /// Bones that move the same vertex.
    pub fn sharing_vertices(weights: &SkinWeights, count: usize) -> Self {
        let meet = |mut met: Vec<bool>, i: usize| {
            for (b, _) in weights.influences(i) {
                weights.influences(i).for_each(|(c, _)| met[b * count + c] = true);
            }
            met
        };
        let vertices = (0..weights.bones.len() / weights.per_vertex).into_par_iter().with_min_len(TOGETHER);
        let parts = vertices.fold(|| vec![false; count * count], meet);
        let all = parts.reduce_with(|mut all, part| {
            all.iter_mut().zip(part).for_each(|(all, met)| *all |= met);
            all
        });
        Self::marked(count, |slots| {
            let met = all.iter().flatten();
            slots.iter_mut().zip(met).filter(|(_, met)| **met).for_each(|(slot, _)| *slot = 0);
        })
    }

    /// Bones that are in the same of some lists.
    pub fn listed_together(lists: &[Vec<u32>], count: usize) -> Self {
        Self::marked(count, |slots| {
            for list in lists {
                for &b in list {
                    list.iter().for_each(|&c| slots[b as usize * count + c as usize] = 0);
                }
            }
        })
    }

    /// `mark` writes zero for every pair there is, both ways round.
    fn marked(count: usize, mark: impl FnOnce(&mut [u32])) -> Self {
        let mut slots = vec![NONE; count * count];
        mark(&mut slots);
        let mut list = Vec::new();
        for b in 0..count {
            for c in b..count {
                if slots[b * count + c] != NONE {
                    slots[b * count + c] = list.len() as u32;
                    slots[c * count + b] = list.len() as u32;
                    list.push([b as u32, c as u32]);
                }
            }
        }
        Self { list, slots, count }
    }

    /// The place of a pair, either way round.
    #[inline]
    pub fn slot(&self, b: usize, c: usize) -> Option<usize> {
        let slot = self.slots[b * self.count + c];
        (slot != NONE).then_some(slot as usize)
    }

    /// The places of all pairs, bone by bone, as [`crate::reduced::Forms`] has them.
    pub fn into_slots(self) -> Vec<u32> {
        self.slots
    }
}

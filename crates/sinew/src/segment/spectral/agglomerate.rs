//! Agglomerative clustering: clusters of seeds made into patches, each of one piece, and those that move alike joined.

use super::Pairs;
use crate::geometry::surface::pieces_within;
use crate::geometry::weld::numbered;
use crate::progress::{Cancelled, Progress};
use crate::segment::TUNING;

/// Changes closer than this share of the body's size are alike: of two such seeds the first is taken.
const ALIKE: f64 = 1e-6;

/// A partition of the seeds.
pub struct Groups {
    /// Group of each seed. Numbers of groups that were joined to others are not used any more.
    of_member: Vec<u32>,
    /// Seeds in each group; 0 once it has been joined to another.
    sizes: Vec<usize>,
    /// Sum of changes of distance between the seeds of two groups, a square matrix.
    changes: Vec<f64>,
    /// Whether two groups touch, a square matrix.
    touch: Vec<bool>,
    /// Whether a group is cut off from the largest part of its cluster.
    scrap: Vec<bool>,
}

impl Groups {
    /// A group for each piece of each cluster, given the pairs of seeds that touch.
    pub fn of_clusters(cluster_of: &[u32], pairs: &Pairs, neighbours: &[[u32; 2]]) -> Self {
        let (of_member, first) = numbered(&pieces_within(cluster_of, neighbours));
        let count = first.len();
        let mut groups = Self {
            sizes: vec![0; count],
            changes: vec![0.0; count * count],
            touch: vec![false; count * count],
            scrap: vec![true; count],
            of_member,
        };
        for (i, &a) in groups.of_member.iter().enumerate() {
            groups.sizes[a as usize] += 1;
            for (j, &b) in groups.of_member.iter().enumerate() {
                groups.changes[a as usize * count + b as usize] += pairs.change(i, j);
            }
        }
        for edge in neighbours {
            let [a, b] = edge.map(|i| groups.of_member[i as usize] as usize);
            groups.touch[a * count + b] = true;
            groups.touch[b * count + a] = true;
        }
        groups.keep_largest(cluster_of);
        groups
    }

    /// All pieces are scraps but the largest of each cluster.
    fn keep_largest(&mut self, cluster_of: &[u32]) {
        let mut largest: Vec<Option<u32>> = vec![None; cluster_of.len()];
        for (&cluster, &group) in cluster_of.iter().zip(&self.of_member) {
            let kept = &mut largest[cluster as usize];
            if kept.is_none_or(|k| self.sizes[group as usize] > self.sizes[k as usize]) {
                *kept = Some(group);
            }
        }
        largest.into_iter().flatten().for_each(|group| self.scrap[group as usize] = false);
    }

    /// Joins every scrap, the smallest first, to the touching group it moves with.
    pub fn absorb_scraps(&mut self) {
        let mut scraps: Vec<usize> = (0..self.sizes.len()).filter(|&g| self.scrap[g]).collect();
        scraps.sort_by_key(|&g| self.sizes[g]);
        for scrap in scraps {
            let beside = (0..self.sizes.len()).filter(|&g| self.joinable(g, scrap));
            let best =
                beside.reduce(|a, b| if self.change(b, scrap) < self.change(a, scrap) { b } else { a });
            if let Some(best) = best {
                self.join(best, scrap);
            }
        }
    }

    /// Joins touching groups, the most alike first, until there are `count` or, without a count, until the
    /// most alike do not move as one.
    pub fn join_alike(&mut self, count: Option<usize>, progress: &dyn Progress) -> Result<(), Cancelled> {
        let all = self.sizes.len();
        let mut left = self.sizes.iter().filter(|&&s| s > 0).count();
        while count.is_none_or(|count| left > count) {
            progress.check()?;
            let pairs = (0..all).flat_map(|a| (a + 1..all).map(move |b| (a, b)));
            let best = pairs
                .filter(|&(a, b)| self.joinable(a, b))
                .map(|(a, b)| (self.change(a, b), a, b))
                .reduce(|x, y| if y.0 < x.0 { y } else { x });
            match best {
                Some((change, a, b)) if count.is_some() || change < TUNING.spectral.same_motion => {
                    self.join(a, b)
                }
                _ => break,
            }
            left -= 1;
        }
        Ok(())
    }

    /// Whether each seed keeps its mean distance from the others of its group within `tolerance`.
    pub fn steady_members(&self, pairs: &Pairs, tolerance: f64) -> Vec<bool> {
        (0..self.of_member.len()).map(|i| self.mean_change(i, pairs) <= tolerance).collect()
    }

    /// For each group the seed that keeps its distances from the others best, and the groups numbered
    /// without a gap.
    pub fn cores(&self, pairs: &Pairs) -> (Vec<u32>, Vec<u32>) {
        let mut number = vec![None; self.sizes.len()];
        let mut cores: Vec<(f64, u32)> = Vec::new();
        let mut of_member = Vec::with_capacity(self.of_member.len());
        for (i, &group) in self.of_member.iter().enumerate() {
            let change = self.mean_change(i, pairs);
            let at = *number[group as usize].get_or_insert(cores.len());
            match cores.get_mut(at) {
                Some(core) if change < core.0 - ALIKE => *core = (change, i as u32),
                Some(_) => (),
                None => cores.push((change, i as u32)),
            }
            of_member.push(at as u32);
        }
        (cores.into_iter().map(|(_, seed)| seed).collect(), of_member)
    }

    /// Mean change of a seed's distances from the seeds of its group.
    fn mean_change(&self, member: usize, pairs: &Pairs) -> f64 {
        let group = self.of_member[member];
        let others = self.of_member.iter().enumerate().filter(|(_, g)| **g == group);
        others.map(|(j, _)| pairs.change(member, j)).sum::<f64>() / self.sizes[group as usize] as f64
    }

    fn joinable(&self, a: usize, b: usize) -> bool {
        a != b && self.sizes[a] > 0 && self.sizes[b] > 0 && self.touch[a * self.sizes.len() + b]
    }

    /// Mean change of distance between the seeds of two groups.
    fn change(&self, a: usize, b: usize) -> f64 {
        self.changes[a * self.sizes.len() + b] / (self.sizes[a] * self.sizes[b]) as f64
    }

    /// Makes `from` a part of `into`.
    fn join(&mut self, into: usize, from: usize) {
        let n = self.sizes.len();
        let rows = (0..n).map(|other| [into * n + other, from * n + other]);
        let columns = (0..n).map(|other| [other * n + into, other * n + from]);
        for [into, from] in rows.chain(columns) {
            self.changes[into] += self.changes[from];
            self.touch[into] |= self.touch[from];
        }
        self.sizes[into] += std::mem::take(&mut self.sizes[from]);
        self.of_member.iter_mut().filter(|g| **g == from as u32).for_each(|g| *g = into as u32);
    }
}

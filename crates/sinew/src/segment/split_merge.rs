//! Exactly so many bones: sets of triangles split and merged by how well one transform predicts them, as ISODATA does
//! with clusters.
//!
//! Mean shift answers with the number of bones it finds. When another number is wanted, its sets are a
//! start: pairs whose common transform costs least are merged while there are too many, sets that fit
//! worst are split while there are too few, and every triangle then goes to the bone that predicts it
//! best, a few times over. A set is judged by the motion of its triangles' centroids, all counting alike,
//! on a sample of triangles and frames where there are many.

use glam::DAffine3;
use rayon::prelude::*;

use super::{
    NO_BONE, Segmentation, SplitMergeTuning, SurfaceMotion, TUNING, Trajectories, TransformSums, members,
};
use crate::geometry::grouped::largest_first;
use crate::progress::{Cancelled, Progress, in_parallel};
use crate::tracks::{Origins, Tracks, dot, residual};

const TUNED: SplitMergeTuning = TUNING.split_merge;

/// Brings `segmentation` to exactly `bones` sets (fewer only when there are fewer triangles with an area)
/// and gives every triangle of the mesh one. With `rigid`, sets are judged by rigid transforms, otherwise
/// by affine ones.
///
/// # Errors
/// [`Cancelled`].
///
/// # Panics
/// When no bones are asked for.
pub fn split_and_merge(
    motion: SurfaceMotion,
    segmentation: &Segmentation,
    bones: usize,
    rigid: bool,
    progress: &dyn Progress,
) -> Result<Segmentation, Cancelled> {
    assert!(bones > 0, "at least one bone");
    let origins = Origins::spread(motion.frames, TUNED.frames, motion.rest);
    let triangles = motion.triangles.len();
    let step = triangles.div_ceil(TUNED.triangles.max(8 * bones)).max(1);
    let chosen: Vec<u32> = (0..triangles as u32).step_by(step).collect();
    let sample = Trajectories::of_triangles(motion, &origins, &chosen);
    let start = chosen.iter().map(|&t| segmentation.bone_of_triangle[t as usize]).collect();
    let mut sets = Sets { sample: &sample, rigid, progress, set_of: start, fitted: Vec::new() };
    sets.refit(segmentation.bone_count.max(1));
    let first = sets.count();
    // What is left to merge or split, as a share of what there was.
    let left = |count: usize| count.abs_diff(bones) as f64 / first.abs_diff(bones).max(1) as f64;
    while sets.count() > bones {
        progress.advance(0.5 * (1.0 - left(sets.count())));
        sets.merge_cheapest()?;
    }
    sets.reassign()?;
    while sets.count() < bones && sets.split_worst()? {
        progress.advance(0.5 * (1.0 - left(sets.count())));
    }
    for round in 0..TUNED.rounds {
        progress.advance(0.5 + 0.3 * round as f64 / TUNED.rounds as f64);
        sets.reassign()?;
        while sets.count() < bones && sets.split_worst()? {}
    }
    sets.relocate()?;
    let bone_of_triangle = sets.extend_to(motion, &origins)?;
    Ok(Segmentation { bone_of_triangle, bone_count: sets.count(), ..segmentation.clone() })
}

/// A partition of the sample.
struct Sets<'a> {
    sample: &'a Trajectories,
    rigid: bool,
    progress: &'a dyn Progress,
    set_of: Vec<u32>,
    fitted: Vec<Fitted>,
}

/// A set with its best motion and the squared error of that.
struct Fitted {
    sums: TransformSums,
    motion: Vec<DAffine3>,
    cost: f64,
}

impl Fitted {
    fn new(sums: TransformSums, rigid: bool) -> Self {
        let motion = sums.fit(rigid);
        Self { cost: sums.cost(&motion), sums, motion }
    }
}

impl Sets<'_> {
    fn count(&self) -> usize {
        self.fitted.len()
    }

    fn fit(&self, members: impl Iterator<Item = u32>) -> Fitted {
        Fitted::new(self.sample.sums(members.map(|i| i as usize)), self.rigid)
    }

    fn tracks(&self) -> Tracks {
        Tracks::of_motions(&self.fitted.iter().map(|set| &set.motion).collect::<Vec<_>>())
    }

    /// Fits every set anew and drops empty ones.
    fn refit(&mut self, count: usize) {
        if self.set_of.iter().all(|&s| s == NO_BONE) {
            self.set_of.fill(0);
        }
        let mut members = members(&self.set_of, count);
        members.retain(|m| !m.is_empty());
        for (s, list) in members.iter().enumerate() {
            list.iter().for_each(|&i| self.set_of[i as usize] = s as u32);
        }
        self.fitted = members.par_iter().map(|list| self.fit(list.iter().copied())).collect();
    }

    /// Every triangle goes to the bone that predicts it best; bones are fitted anew.
    fn reassign(&mut self) -> Result<(), Cancelled> {
        self.set_of = best_bones(self.sample, &self.tracks(), self.progress)?;
        self.refit(self.count());
        Ok(())
    }

    fn total_cost(&self) -> f64 {
        self.fitted.iter().map(|set| set.cost).sum()
    }

    /// Moves bones from where they are hardly missed to where they are needed: splits the worst set and
    /// merges the cheapest pair, as long as the whole gains.
    fn relocate(&mut self) -> Result<(), Cancelled> {
        for round in 0..TUNED.moves {
            self.progress.advance(0.8 + 0.2 * round as f64 / TUNED.moves as f64);
            let (set_of, before) = (self.set_of.clone(), self.total_cost());
            let count = self.count();
            if !self.split_worst()? {
                break;
            }
            self.reassign()?;
            while self.count() > count {
                self.merge_cheapest()?;
            }
            for _ in 0..2 {
                self.reassign()?;
            }
            while self.count() < count && self.split_worst()? {}
            if self.total_cost() > 0.999 * before {
                self.set_of = set_of;
                self.refit(count);
                break;
            }
        }
        Ok(())
    }

    /// Merges the two sets that a common transform serves best.
    fn merge_cheapest(&mut self) -> Result<(), Cancelled> {
        let n = self.count();
        let mut pairs: Vec<(usize, usize)> = (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b))).collect();
        if pairs.len() > TUNED.pairs {
            // The cost with one set's transform for both bounds the cost with the best common one.
            let with = |a: &Fitted, b: &Fitted| b.sums.cost(&a.motion) - b.cost;
            let bounds = self.of_pairs(&pairs, |a, b| with(a, b).min(with(b, a)))?;
            let order = largest_first(pairs.len(), |i| -bounds[i]);
            pairs = order[..TUNED.pairs].iter().map(|&i| pairs[i]).collect();
        }
        let together = |a: &Fitted, b: &Fitted| Fitted::new(a.sums.plus(&b.sums), self.rigid).cost;
        let costs = self.of_pairs(&pairs, |a, b| together(a, b) - a.cost - b.cost)?;
        let best = (0..pairs.len()).min_by(|&a, &b| costs[a].total_cmp(&costs[b]));
        let Some((a, b)) = best.map(|i| pairs[i]) else { return Ok(()) };
        for s in self.set_of.iter_mut().filter(|s| **s == b as u32) {
            *s = a as u32;
        }
        self.refit(n);
        Ok(())
    }

    /// A number for each of some pairs of sets.
    fn of_pairs(
        &self,
        pairs: &[(usize, usize)],
        of: impl Fn(&Fitted, &Fitted) -> f64 + Sync,
    ) -> Result<Vec<f64>, Cancelled> {
        let pair = |i: usize| Ok(of(&self.fitted[pairs[i].0], &self.fitted[pairs[i].1]));
        in_parallel(self.progress, pairs.len(), pair)
    }

    /// Splits the set with the largest cost that can be split. `false` when none can.
    fn split_worst(&mut self) -> Result<bool, Cancelled> {
        self.progress.check()?;
        let members = members(&self.set_of, self.count());
        let order = largest_first(self.count(), |set| self.fitted[set].cost);
        let Some(set) = order.into_iter().find(|&set| members[set].len() > 1) else { return Ok(false) };
        let (members, new) = (&members[set], self.count() as u32);
        let leaves = self.halve(set, members);
        let side = |leaving: bool| members.iter().zip(&leaves).filter(move |x| *x.1 == leaving).map(|x| *x.0);
        self.fitted[set] = self.fit(side(false));
        self.fitted.push(self.fit(side(true)));
        side(true).for_each(|i| self.set_of[i as usize] = new);
        Ok(true)
    }

    /// Which members of a set leave for a new one: those on one side of the strongest pattern in what the
    /// set's transform leaves over; of a set that fits perfectly, those on one side of its middle. Both
    /// sides get at least one.
    fn halve(&self, set: usize, members: &[u32]) -> Vec<bool> {
        let Fitted { motion, sums, .. } = &self.fitted[set];
        let tracks = Tracks::of_motions(&[motion]);
        let (run, rest) = (self.sample.run, |i: u32| self.sample.rest[i as usize]);
        let mut residuals = vec![0.0; members.len() * run];
        residuals.par_chunks_mut(run).zip(members).for_each(|(out, &i)| {
            residual(tracks.bone(0), rest(i), self.sample.run(i as usize), out);
        });
        let mut side: Vec<f64> = residuals.par_chunks(run).map(|r| dot(r, r)).collect();
        let scale: f64 = members.iter().map(|&i| f64::from(rest(i).length_squared())).sum();
        if side.iter().sum::<f64>() <= 1e-12 * scale {
            let spread = sums.rest;
            let axis = (0..3).max_by(|&a, &b| spread.col(a)[a].total_cmp(&spread.col(b)[b])).unwrap_or(0);
            side = members.iter().map(|&i| f64::from(rest(i)[axis])).collect();
            let mean = side.iter().sum::<f64>() / side.len() as f64;
            side.iter_mut().for_each(|s| *s -= mean);
        } else {
            for _ in 0..8 {
                let mut pattern = vec![0.0_f32; run];
                let largest = side.iter().fold(0.0_f64, |m, s| m.max(s.abs()));
                for (r, s) in residuals.chunks(run).zip(&side) {
                    let weight = (s / largest) as f32;
                    pattern.iter_mut().zip(r).for_each(|(p, x)| *p += weight * x);
                }
                side = residuals.par_chunks(run).map(|r| dot(r, &pattern)).collect();
            }
        }
        let mut leaves: Vec<bool> = side.iter().map(|s| *s > 0.0).collect();
        if leaves.iter().all(|l| *l == leaves[0]) {
            leaves[0] = !leaves[0];
        }
        leaves
    }

    /// The set of every triangle of the mesh, sampled or not.
    fn extend_to(&self, motion: SurfaceMotion, origins: &Origins) -> Result<Vec<u32>, Cancelled> {
        let triangles = motion.triangles.len();
        if self.sample.len() == triangles {
            return Ok(self.set_of.clone());
        }
        let tracks = self.tracks();
        let all: Vec<u32> = (0..triangles as u32).collect();
        let mut bones: Vec<u32> = Vec::with_capacity(triangles);
        for some in all.chunks(TUNED.triangles) {
            let paths = Trajectories::of_triangles(motion, origins, some);
            bones.extend(best_bones(&paths, &tracks, self.progress)?);
        }
        // The sample keeps its sets, so that none is lost.
        let step = triangles.div_ceil(self.sample.len());
        for (bone, &set) in bones.iter_mut().step_by(step).zip(&self.set_of) {
            *bone = set;
        }
        Ok(bones)
    }
}

/// For each path the bone that predicts it best.
fn best_bones(paths: &Trajectories, tracks: &Tracks, progress: &dyn Progress) -> Result<Vec<u32>, Cancelled> {
    let best = |unused: &mut Vec<f32>, i: usize| {
        progress.check()?;
        let errors = (0..tracks.bone_count() as u32).map(|bone| (paths.error(i, bone, tracks, unused), bone));
        Ok(errors.min_by(|a, b| a.0.total_cmp(&b.0)).map_or(0, |(_, bone)| bone))
    };
    (0..paths.len()).into_par_iter().map_init(Vec::new, best).collect()
}

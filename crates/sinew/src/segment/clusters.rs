//! Exactly so many bones: sets of triangles split and merged by how well one transform predicts them.
//!
//! Mean shift answers with the number of bones it finds. When another number is wanted, its sets are a
//! start: pairs whose common transform costs least are merged while there are too many, sets that fit
//! worst are split while there are too few, and every triangle then goes to the bone that predicts it
//! best, a few times over. A set is judged by the motion of its triangles' centroids, all counting alike,
//! on a sample of triangles and frames where there are many.

use glam::{DAffine3, Vec3};
use rayon::prelude::*;

use super::moments::{Moments, Paths};
use super::{NO_BONE, Segmentation};
use crate::animation::Frames;
use crate::progress::Progress;
use crate::tracks::{Origins, Tracks, dot, residual};

/// Triangles looked at while sets are formed.
const LARGEST_SAMPLE: usize = 6000;
/// Frames looked at: evenly spread over a long animation, where neighbours differ little.
const MOST_FRAMES: usize = 64;
/// Rounds in which triangles change sets.
const ROUNDS: usize = 6;
/// Bones moved to a better place.
const MOST_MOVES: usize = 8;
/// Pairs of sets that are fitted together when two are to be merged.
const PAIRS_FITTED: usize = 128;

/// Brings `segmentation` to exactly `bones` sets (fewer only when there are fewer triangles with an area)
/// and gives every triangle of the mesh one. With `rigid`, sets are judged by rigid transforms, otherwise
/// by affine ones. `None` when `progress` cancels.
///
/// # Panics
/// When no bones are asked for.
pub fn with_bone_count(
    frames: &Frames,
    triangles: &[[u32; 3]],
    rest: &[Vec3],
    segmentation: &Segmentation,
    bones: usize,
    rigid: bool,
    progress: &dyn Progress,
) -> Option<Segmentation> {
    assert!(bones > 0, "at least one bone");
    let count = frames.len().min(MOST_FRAMES);
    let origins = Origins::of_some(frames, (0..count).map(|i| i * frames.len() / count).collect(), rest);
    let step = triangles.len().div_ceil(LARGEST_SAMPLE.max(8 * bones)).max(1);
    let chosen: Vec<u32> = (0..triangles.len() as u32).step_by(step).collect();
    let sample = Paths::gather(frames, triangles, rest, &origins, &chosen);
    let start = chosen.iter().map(|&t| segmentation.bone_of_triangle[t as usize]).collect();
    let mut sets = Sets::new(&sample, &origins, start, segmentation.bone_count, rigid);
    while sets.count() > bones && !progress.cancelled() {
        sets.merge_cheapest();
    }
    sets.reassign();
    while sets.count() < bones && sets.split_worst() && !progress.cancelled() {}
    for round in 0..ROUNDS {
        if progress.cancelled() {
            return None;
        }
        progress.advance(round as f64 / ROUNDS as f64);
        sets.reassign();
        while sets.count() < bones && sets.split_worst() {}
    }
    sets.relocate(progress);
    let bone_of_triangle = sets.extend_to(frames, triangles, rest);
    Some(Segmentation { bone_of_triangle, bone_count: sets.count(), ..segmentation.clone() })
}

/// A partition of the sample.
struct Sets<'a> {
    sample: &'a Paths,
    origins: &'a Origins,
    rigid: bool,
    set_of: Vec<u32>,
    moments: Vec<Moments>,
    fits: Vec<Vec<DAffine3>>,
    costs: Vec<f64>,
}

impl<'a> Sets<'a> {
    fn new(sample: &'a Paths, origins: &'a Origins, set_of: Vec<u32>, count: usize, rigid: bool) -> Self {
        let mut sets =
            Self { sample, origins, rigid, set_of, moments: Vec::new(), fits: Vec::new(), costs: Vec::new() };
        sets.refit(count.max(1));
        sets
    }

    fn count(&self) -> usize {
        self.moments.len()
    }

    /// Fits every set anew and drops empty ones.
    fn refit(&mut self, count: usize) {
        if self.set_of.iter().all(|&s| s == NO_BONE) {
            self.set_of.fill(0);
        }
        let mut members = vec![Vec::new(); count];
        for (i, &s) in self.set_of.iter().enumerate().filter(|(_, s)| **s != NO_BONE) {
            members[s as usize].push(i);
        }
        members.retain(|m| !m.is_empty());
        for (s, list) in members.iter().enumerate() {
            for &i in list {
                self.set_of[i] = s as u32;
            }
        }
        self.moments = members.par_iter().map(|list| self.moments_of(list)).collect();
        self.fits = self.moments.par_iter().map(|m| m.fit(self.rigid)).collect();
        self.costs = self.moments.iter().zip(&self.fits).map(|(m, f)| m.cost(f)).collect();
    }

    fn moments_of(&self, members: &[usize]) -> Moments {
        let mut moments = Moments::new(self.origins.frames.len());
        for &i in members {
            moments.add(self.sample.rest[i], self.sample.run(i));
        }
        moments
    }

    fn tracks(&self, fits: &[Vec<DAffine3>]) -> Tracks {
        let by_frame: Vec<DAffine3> =
            (0..self.origins.frames.len()).flat_map(|t| fits.iter().map(move |f| f[t])).collect();
        // Fits are relative to the origins already.
        Tracks::new(&self.origins.at_zero(), &by_frame)
    }

    /// Every triangle goes to the bone that predicts it best; bones are fitted anew.
    fn reassign(&mut self) {
        let tracks = self.tracks(&self.fits);
        self.set_of = best_bones(self.sample, &tracks);
        self.refit(self.count());
    }

    fn total_cost(&self) -> f64 {
        self.costs.iter().sum()
    }

    /// Moves bones from where they are hardly missed to where they are needed: splits the worst set and
    /// merges the cheapest pair, as long as the whole gains.
    fn relocate(&mut self, progress: &dyn Progress) {
        for _ in 0..MOST_MOVES {
            if progress.cancelled() {
                return;
            }
            let (set_of, before) = (self.set_of.clone(), self.total_cost());
            let count = self.count();
            if !self.split_worst() {
                return;
            }
            self.reassign();
            while self.count() > count {
                self.merge_cheapest();
            }
            for _ in 0..2 {
                self.reassign();
            }
            while self.count() < count && self.split_worst() {}
            if self.total_cost() > 0.999 * before {
                self.set_of = set_of;
                self.refit(count);
                return;
            }
        }
    }

    /// Merges the two sets that a common transform serves best.
    fn merge_cheapest(&mut self) {
        let n = self.count();
        let mut pairs: Vec<(usize, usize)> = (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b))).collect();
        if pairs.len() > PAIRS_FITTED {
            // The cost with one set's transform for both bounds the cost with the best common one.
            let bound = |&(a, b): &(usize, usize)| {
                let with_a = self.moments[b].cost(&self.fits[a]) - self.costs[b];
                let with_b = self.moments[a].cost(&self.fits[b]) - self.costs[a];
                with_a.min(with_b)
            };
            let bounds: Vec<f64> = pairs.par_iter().map(bound).collect();
            let mut order: Vec<usize> = (0..pairs.len()).collect();
            order.sort_by(|&i, &j| bounds[i].total_cmp(&bounds[j]).then(i.cmp(&j)));
            pairs = order[..PAIRS_FITTED].iter().map(|&i| pairs[i]).collect();
        }
        let costs: Vec<f64> = pairs
            .par_iter()
            .map(|&(a, b)| {
                let both = self.moments[a].plus(&self.moments[b]);
                both.cost(&both.fit(self.rigid)) - self.costs[a] - self.costs[b]
            })
            .collect();
        let Some(best) = (0..pairs.len()).min_by(|&a, &b| costs[a].total_cmp(&costs[b])) else { return };
        let (a, b) = pairs[best];
        for s in self.set_of.iter_mut().filter(|s| **s == b as u32) {
            *s = a as u32;
        }
        self.refit(n);
    }

    /// Splits the set with the largest cost that can be split. `false` when none can.
    fn split_worst(&mut self) -> bool {
        let mut order: Vec<usize> = (0..self.count()).collect();
        order.sort_by(|&a, &b| self.costs[b].total_cmp(&self.costs[a]).then(a.cmp(&b)));
        for set in order {
            let members: Vec<usize> =
                (0..self.sample.len()).filter(|&i| self.set_of[i] == set as u32).collect();
            if members.len() < 2 {
                continue;
            }
            let leaves = self.halve(set, &members);
            let new = self.count();
            for (&i, _) in members.iter().zip(&leaves).filter(|(_, leaves)| **leaves) {
                self.set_of[i] = new as u32;
            }
            self.moments.push(Moments::new(0));
            self.fits.push(Vec::new());
            self.costs.push(0.0);
            for (set, side) in [(set, false), (new, true)] {
                let list: Vec<usize> =
                    members.iter().zip(&leaves).filter(|(_, l)| **l == side).map(|(&i, _)| i).collect();
                self.moments[set] = self.moments_of(&list);
                self.fits[set] = self.moments[set].fit(self.rigid);
                self.costs[set] = self.moments[set].cost(&self.fits[set]);
            }
            return true;
        }
        false
    }

    /// Which members of a set leave for a new one: those on one side of the strongest pattern in what the
    /// set's transform leaves over; of a set that fits perfectly, those on one side of its middle. Both
    /// sides get at least one.
    fn halve(&self, set: usize, members: &[usize]) -> Vec<bool> {
        let tracks = self.tracks(&self.fits[set..set + 1]);
        let run = self.sample.run;
        let mut residuals = vec![0.0; members.len() * run];
        residuals.par_chunks_mut(run).zip(members).for_each(|(out, &i)| {
            residual(tracks.bone(0), self.sample.rest[i], self.sample.run(i), out);
        });
        let mut side: Vec<f64> = residuals.par_chunks(run).map(|r| dot(r, r)).collect();
        let scale: f64 = members.iter().map(|&i| f64::from(self.sample.rest[i].length_squared())).sum();
        if side.iter().sum::<f64>() <= 1e-12 * scale {
            let spread = self.moments[set].rest;
            let axis = (0..3).max_by(|&a, &b| spread.col(a)[a].total_cmp(&spread.col(b)[b])).unwrap_or(0);
            side = members.iter().map(|&i| f64::from(self.sample.rest[i][axis])).collect();
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
            let first = leaves[0];
            leaves[0] = !first;
        }
        leaves
    }

    /// The set of every triangle of the mesh, sampled or not.
    fn extend_to(&self, frames: &Frames, triangles: &[[u32; 3]], rest: &[Vec3]) -> Vec<u32> {
        if self.sample.len() == triangles.len() {
            return self.set_of.clone();
        }
        let tracks = self.tracks(&self.fits);
        let all: Vec<u32> = (0..triangles.len() as u32).collect();
        let mut bones: Vec<u32> = all
            .chunks(LARGEST_SAMPLE)
            .flat_map(|some| best_bones(&Paths::gather(frames, triangles, rest, self.origins, some), &tracks))
            .collect();
        // The sample keeps its sets, so that none is lost.
        let step = triangles.len().div_ceil(self.sample.len());
        for (bone, &set) in bones.iter_mut().step_by(step).zip(&self.set_of) {
            *bone = set;
        }
        bones
    }
}

/// For each path the bone that predicts it best.
fn best_bones(paths: &Paths, tracks: &Tracks) -> Vec<u32> {
    (0..paths.len())
        .into_par_iter()
        .map_init(
            || vec![0.0; paths.run],
            |unused, i| {
                let mut best = (f64::INFINITY, 0);
                for bone in 0..tracks.bone_count() {
                    let error = residual(tracks.bone(bone), paths.rest[i], paths.run(i), unused);
                    if error < best.0 {
                        best = (error, bone as u32);
                    }
                }
                best.1
            },
        )
        .collect()
}

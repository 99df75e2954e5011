//! k-means over triangle rotations: triangles that turn alike.
//!
//! As in "Skinning Mesh Animations" a triangle is the sequence of its rotations, which tells parts of an
//! articulated body apart better than positions do. Where that paper climbs to modes, here a fixed number of
//! clusters is wanted, so this is k-means: greedy k-means++ seeding (Arthur and Vassilvitskii 2007, with candidates at even
//! shares of the error instead of random ones), then a few rounds, on a sample of triangles and frames.

use rayon::prelude::*;

use super::{
    CountRule, Facts, NO_BONE, SegmentOptions, Segmentation, Segmented, Segmenter, Starts, SurfaceMotion,
    TUNING, TriangleRotations, TurnsTuning, members, needed,
};
use crate::progress::{Cancelled, Progress};
use crate::reduced::kernels;
use crate::tracks::spread_frames;
use crate::wide::for_wide_machines;

const TUNED: TurnsTuning = TUNING.turns;
const CANDIDATES: usize = TUNED.candidates;
const LANES: usize = 16;
/// Share of the time that seeding takes, about.
const SEEDING: f64 = 0.4;
/// Triangles whose rotations are held at once.
const AT_ONCE: usize = 8192;

/// k-means over triangle rotations.
pub struct Turns;

impl Segmenter for Turns {
    fn facts(&self) -> Facts {
        let about = "Triangles that turn alike, by k-means; a fit tries several";
        Facts { start: Some("turns"), ..Facts::new("turns", about, CountRule::AtMost) }
    }

    fn segment(&self, motion: SurfaceMotion, options: &SegmentOptions, progress: &dyn Progress) -> Segmented {
        let count = needed(options, usize::MAX)?;
        let sample = RotationKMeans::new(motion, count, progress)?;
        let means = sample.means(count, 0.0, &progress.part(0.0, 0.8))?;
        let rotations = TriangleRotations::new(motion.triangles, motion.rest);
        let mut bone_of_triangle = vec![0; motion.triangles.len()];
        for (some, bones) in motion.triangles.chunks(AT_ONCE).zip(bone_of_triangle.chunks_mut(AT_ONCE)) {
            Features::new(motion, some, progress)?.assign(&means, bones, progress)?;
        }
        let flat = bone_of_triangle.iter_mut().enumerate().filter(|(t, _)| !rotations.is_sound(*t));
        flat.for_each(|(_, bone)| *bone = NO_BONE);
        let found = Segmentation { bone_of_triangle, bone_count: count, near_rigid_fraction: 1.0 };
        Ok(found.labels(motion.triangles, motion.rest.len()).without_empty())
    }

    fn starts(
        &self,
        motion: SurfaceMotion,
        options: &SegmentOptions,
        progress: &dyn Progress,
    ) -> Segmented<Box<dyn Starts>> {
        Ok(Box::new(RotationKMeans::new(motion, needed(options, usize::MAX)?, progress)?))
    }
}

/// Sampled triangles and how they turn.
struct RotationKMeans {
    triangles: Vec<[u32; 3]>,
    features: Features,
    /// Triangles of the mesh that have an area.
    sound: usize,
}

/// How many triangles are looked at for so many clusters.
fn looked_at(sound: usize, clusters: usize) -> usize {
    let [least, per_cluster] = TUNED.triangles;
    sound.min(least.max(per_cluster.saturating_mul(clusters)))
}

impl Starts for RotationKMeans {
    fn serve(&self, count: usize) -> bool {
        looked_at(self.sound, count) == self.triangles.len()
    }

    fn at_most(&self, most: usize) -> usize {
        most
    }

    fn sets(&self, count: usize, which: f64, progress: &dyn Progress) -> Result<Vec<Vec<u32>>, Cancelled> {
        let means = self.means(count, which, progress)?;
        let mut cluster_of = vec![0; self.triangles.len()];
        self.features.assign(&means, &mut cluster_of, progress)?;
        let mut sets = vec![Vec::new(); count];
        for (triangle, &c) in self.triangles.iter().zip(&cluster_of) {
            sets[c as usize].extend(triangle);
        }
        Ok(sets)
    }
}

impl RotationKMeans {
    /// Looks at enough triangles for so many clusters.
    fn new(motion: SurfaceMotion, clusters: usize, progress: &dyn Progress) -> Result<Self, Cancelled> {
        let triangles = motion.triangles;
        let rotations = TriangleRotations::new(triangles, motion.rest);
        let sound: Vec<usize> = (0..triangles.len()).filter(|&t| rotations.is_sound(t)).collect();
        let count = looked_at(sound.len(), clusters);
        let chosen: Vec<[u32; 3]> = (0..count).map(|i| triangles[sound[i * sound.len() / count]]).collect();
        let features = Features::new(motion, &chosen, progress)?;
        Ok(Self { triangles: chosen, features, sound: sound.len() })
    }

    /// The centres of at most so many clusters. `first`, from 0 to 1, says where the first seed is and so which of
    /// several outcomes comes out.
    fn means(&self, clusters: usize, first: f64, progress: &dyn Progress) -> Result<Vec<f32>, Cancelled> {
        let mut cluster_of = vec![0; self.triangles.len()];
        if self.triangles.is_empty() {
            return Ok(Vec::new());
        }
        let first = (first * self.triangles.len() as f64) as usize;
        let mut means = self.features.seeds(clusters, first, &progress.part(0.0, SEEDING))?;
        for round in 0..TUNED.rounds {
            progress.advance(SEEDING + (1.0 - SEEDING) * round as f64 / (TUNED.rounds + 1) as f64);
            self.features.assign(&means, &mut cluster_of, progress)?;
            self.features.means(&cluster_of, &mut means);
        }
        Ok(means)
    }
}

/// The seed that a triangle is nearest to.
#[derive(Clone, Copy)]
struct Nearest {
    seed: u32,
    /// Squared.
    distance: f32,
}

/// Two points of which one is more than twice as far from a third as that is from the other: the squares differ by a
/// factor of four, and a little more for rounding. By the triangle inequality (Elkan 2003) the one is then farther from
/// the other than the third is, and need not be looked at.
const FARTHER: f32 = 4.001;

/// Rotations of each triangle in some frames, one after the other.
struct Features {
    len: usize,
    entries: Vec<f32>,
}

impl Features {
    fn new(
        motion: SurfaceMotion,
        triangles: &[[u32; 3]],
        progress: &dyn Progress,
    ) -> Result<Self, Cancelled> {
        let rotations = TriangleRotations::new(triangles, motion.rest);
        let chosen = spread_frames(motion.frames.len(), TUNED.frames);
        let len = (9 * chosen.len()).next_multiple_of(LANES);
        let mut entries = vec![0.0; len * triangles.len()];
        entries.par_chunks_mut(len).enumerate().try_for_each(|(triangle, out)| {
            progress.check()?;
            let mut last = glam::Mat3::IDENTITY;
            for (&frame, out) in chosen.iter().zip(out.chunks_exact_mut(9)) {
                last = rotations.rotation(triangle, motion.frames.frame(frame)).unwrap_or(last);
                out.copy_from_slice(&last.to_cols_array());
            }
            Ok(())
        })?;
        Ok(Self { len, entries })
    }

    fn count(&self) -> usize {
        self.entries.len() / self.len
    }

    fn of(&self, i: usize) -> &[f32] {
        &self.entries[i * self.len..(i + 1) * self.len]
    }

    /// Triangles that are far from each other, as first means.
    fn seeds(&self, wanted: usize, first: usize, progress: &dyn Progress) -> Result<Vec<f32>, Cancelled> {
        let mut means = self.of(first).to_vec();
        let unseen = Nearest { seed: 0, distance: f32::INFINITY };
        let mut nearest = self.nearer(first, &[], &vec![unseen; self.count()]);
        for seed in 1..wanted.min(self.count()) {
            progress.check()?;
            progress.advance(seed as f64 / wanted as f64);
            let total: f64 = nearest.iter().map(|n| f64::from(n.distance)).sum();
            if total <= 0.0 {
                break;
            }
            let tried = self.at_even_shares(&nearest, total).map(|i| {
                let with = self.nearer(i, &means, &nearest);
                let sum: f64 = with.iter().map(|n| f64::from(n.distance)).sum();
                (sum, i, with)
            });
            let Some((_, i, with)) = tried.into_iter().min_by(|a, b| a.0.total_cmp(&b.0)) else { break };
            means.extend_from_slice(self.of(i));
            nearest = with;
        }
        Ok(means)
    }

    /// Triangles at which the running sum of distances passes even steps.
    fn at_even_shares(&self, nearest: &[Nearest], total: f64) -> [usize; CANDIDATES] {
        let mut found = [0; CANDIDATES];
        let mut sum = 0.0;
        let mut next = 0;
        for (i, n) in nearest.iter().enumerate() {
            sum += f64::from(n.distance);
            while next < CANDIDATES && sum >= total * (next as f64 + 0.5) / CANDIDATES as f64 {
                found[next] = i;
                next += 1;
            }
        }
        found
    }

    /// What is nearest with one more seed.
    fn nearer(&self, seed: usize, seeds: &[f32], nearest: &[Nearest]) -> Vec<Nearest> {
        let from = self.of(seed);
        let apart: Vec<f32> =
            seeds.chunks_exact(self.len).map(|s| distance_within(s, from, f32::INFINITY)).collect();
        let new = apart.len() as u32;
        let rows = self.entries.par_chunks(self.len).with_min_len(256);
        rows.zip(nearest)
            .map(|(x, &known)| {
                if apart.get(known.seed as usize).is_some_and(|apart| *apart > FARTHER * known.distance) {
                    return known;
                }
                let distance = distance_within(x, from, known.distance);
                if distance < known.distance { Nearest { seed: new, distance } } else { known }
            })
            .collect()
    }

    fn assign(
        &self,
        means: &[f32],
        cluster_of: &mut [u32],
        progress: &dyn Progress,
    ) -> Result<(), Cancelled> {
        let (mean, count) = (|c: usize| &means[c * self.len..][..self.len], means.len() / self.len);
        let between = |i: usize| distance_within(mean(i / count), mean(i % count), f32::INFINITY);
        let apart: Vec<f32> = (0..count * count).into_par_iter().with_min_len(256).map(between).collect();
        cluster_of.par_iter_mut().with_min_len(64).enumerate().try_for_each(|(i, cluster)| {
            progress.check()?;
            // The last cluster is likely the best; of equals the first counts.
            let last = *cluster as usize;
            let mut best = distance_within(self.of(i), mean(last), f32::INFINITY);
            for c in (0..count).filter(|c| *c != last) {
                if apart[*cluster as usize * count + c] > FARTHER * best {
                    continue;
                }
                let d = distance_within(self.of(i), mean(c), best);
                if d < best || (d == best && c < *cluster as usize) {
                    best = d;
                    *cluster = c as u32;
                }
            }
            Ok(())
        })
    }

    fn means(&self, cluster_of: &[u32], means: &mut [f32]) {
        let members = members(cluster_of, means.len() / self.len);
        means.par_chunks_mut(self.len).zip(&members).filter(|(_, m)| !m.is_empty()).for_each(
            |(mean, members)| {
                mean.fill(0.0);
                for &i in members {
                    mean.iter_mut().zip(self.of(i as usize)).for_each(|(sum, x)| *sum += x);
                }
                mean.iter_mut().for_each(|sum| *sum /= members.len() as f32);
            },
        );
    }
}

/// Entries after which a distance is compared with its limit.
const GLANCE: usize = 6 * LANES;
/// What rounding may make of a sum, with plenty to spare.
const SURELY: f32 = 1.0001;

for_wide_machines!(
    /// Squared distance; infinite where it is larger than `limit`, or about.
    fn distance_within(a: &[f32], b: &[f32], limit: f32) -> f32 {
        let mut lanes = [0.0_f32; LANES];
        for (a, b) in a.chunks(GLANCE).zip(b.chunks(GLANCE)) {
            for (a, b) in a.chunks_exact(LANES).zip(b.chunks_exact(LANES)) {
                for lane in 0..LANES {
                    let d = a[lane] - b[lane];
                    lanes[lane] += d * d;
                }
            }
            // Sums of squares only grow, in floating point too.
            if kernels::sum(&lanes) > SURELY * limit {
                return f32::INFINITY;
            }
        }
        lanes.iter().sum()
    }
);

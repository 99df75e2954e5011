//! Patches of a surface that hardly change their shape.
//!
//! Many small patches, evenly spread, are joined pair by pair, those first that lose least by moving as one rigid
//! body; before and after, points change over to a patch beside them that moves them better. Images are cut into
//! superpixels like this, too. A skin has finer ways to begin, but a skeleton must not change when the body is
//! turned or scaled, which changes every number in its last digits. There, weights and transforms go from round to
//! round, and so do the last digits, growing on the way. Here all that goes from round to round is which point is
//! in which patch. Rounding then matters only where a choice is a tie, and where differences are too small to mean
//! anything the order of the points decides.

use rayon::prelude::*;

use super::rigid_bodies::{Body, bodies, motions, touching};
use super::{
    CountRule, Facts, Labels, PatchesTuning, SegmentError, SegmentOptions, Segmented, Segmenter,
    SurfaceMotion, SurfaceSamples, TUNING, distinct, needed,
};
use crate::geometry::grouped::Lists;
use crate::progress::{Cancelled, Progress};

const TUNED: PatchesTuning = TUNING.patches;
/// Differences below this mean nothing: the distance of a point, in units; and the share of a distance.
const NOTHING: f64 = 1e-4;
const AS_NEAR: f32 = 1e-5;

/// Patches in the table.
pub struct Patches;

impl Segmenter for Patches {
    fn facts(&self) -> Facts {
        let about = "Patches that keep their shape, less those that the motion does not need";
        Facts { skeleton: Some("best"), ..Facts::new("patches", about, CountRule::AtMost) }
    }

    fn segment(&self, motion: SurfaceMotion, options: &SegmentOptions, progress: &dyn Progress) -> Segmented {
        let samples = SurfaceSamples::new(motion, &progress.part(0.0, 0.5))?;
        let found = self.segment_samples(&samples, options, &progress.part(0.5, 1.0))?;
        let of_vertex = samples.nearest.iter().map(|&point| found.of_vertex[point as usize]).collect();
        Ok(Labels { of_vertex, count: found.count })
    }

    /// Cuts a body into about as many patches as are wanted, fewer where it does not bend.
    fn segment_samples(
        &self,
        samples: &SurfaceSamples,
        options: &SegmentOptions,
        progress: &dyn Progress,
    ) -> Result<Labels, SegmentError> {
        let wanted = needed(options, usize::MAX)?;
        let count = (TUNED.spare.saturating_mul(wanted)).min(samples.rest.len() / TUNED.points).max(1);
        let mut cut = Cut { of_point: nearest_of_first(samples, count), count };
        let both = |&[a, b]: &[u32; 2]| [(a, b), (b, a)];
        let neighbours = Lists::grouped(samples.rest.len(), samples.edges.iter().flat_map(both));
        for _ in 0..TUNED.rounds[0] {
            cut.change_over(samples, &neighbours, progress)?;
        }
        progress.advance(0.3);
        cut.join(samples, wanted, progress)?;
        progress.advance(0.8);
        for _ in 0..TUNED.rounds[1] {
            cut.change_over(samples, &neighbours, progress)?;
        }
        Ok(Labels { of_vertex: cut.of_point, count: cut.count })
    }
}

/// Points sorted into patches.
struct Cut {
    /// Patch of each point.
    of_point: Vec<u32>,
    count: usize,
}

impl Cut {
    /// Points go over to the patch beside them that moves them best, if it does so clearly better.
    fn change_over(
        &mut self,
        samples: &SurfaceSamples,
        neighbours: &Lists<u32>,
        progress: &dyn Progress,
    ) -> Result<(), Cancelled> {
        progress.check()?;
        let motions = motions(samples, &self.of_point, self.count);
        let nothing = NOTHING * NOTHING * samples.posed.len() as f64;
        let error = |v: usize, patch: u32| -> f64 {
            let off = |(motion, pose): (&glam::DAffine3, &Vec<glam::DVec3>)| {
                motion.transform_point3(samples.rest[v]).distance_squared(pose[v])
            };
            motions[patch as usize].iter().zip(&samples.posed).map(off).sum()
        };
        let better = |v: usize| {
            let own = self.of_point[v];
            let beside = neighbours.of(v).iter().map(|&u| self.of_point[u as usize]);
            let beside = distinct(beside.filter(|p| *p != own));
            if beside.is_empty() {
                return own;
            }
            let start = (error(v, own), own);
            let lower = |best: (f64, u32), patch: u32| {
                let other = error(v, patch);
                if other + nothing < best.0 { (other, patch) } else { best }
            };
            beside.into_iter().fold(start, lower).1
        };
        self.of_point = (0..self.of_point.len()).into_par_iter().map(better).collect();
        self.renumber();
        Ok(())
    }

    /// Joins patches that touch until there are few enough and all that are left differ.
    fn join(
        &mut self,
        samples: &SurfaceSamples,
        wanted: usize,
        progress: &dyn Progress,
    ) -> Result<(), Cancelled> {
        let mut joining = Joining::new(samples, self);
        while let Some(into) = joining.next(wanted) {
            progress.check()?;
            self.of_point.iter_mut().filter(|p| **p == into[1]).for_each(|p| *p = into[0]);
        }
        self.renumber();
        Ok(())
    }

    /// Drops patches without points.
    fn renumber(&mut self) {
        let used = distinct(self.of_point.iter().copied());
        self.of_point.iter_mut().for_each(|p| *p = used.partition_point(|u| u < p) as u32);
        self.count = used.len();
    }
}

/// Patches while they are joined.
struct Joining {
    bodies: Vec<Body>,
    errors: Vec<f64>,
    /// Which patches touch each, and what joining costs with those of higher number.
    beside: Vec<Vec<(u32, f64)>>,
    left: usize,
    /// A rise of the error, for each point, that means nothing.
    nothing: f64,
}

impl Joining {
    fn new(samples: &SurfaceSamples, cut: &Cut) -> Self {
        let bodies = bodies(samples, &cut.of_point, cut.count);
        let errors = bodies.par_iter().map(Body::error).collect();
        let nothing = NOTHING * NOTHING * samples.posed.len() as f64;
        let beside = vec![Vec::new(); cut.count];
        let mut joining = Self { bodies, errors, beside, left: cut.count, nothing };
        let pairs = touching(samples, &cut.of_point);
        let costs: Vec<f64> = pairs.par_iter().map(|&pair| joining.cost(pair)).collect();
        for (&[a, b], cost) in pairs.iter().zip(costs) {
            joining.beside[a as usize].push((b, cost));
        }
        joining
    }

    /// What is lost when two patches move as one, for each point (of the smaller, where one is much smaller); nothing where that is too little to
    /// mean anything.
    fn cost(&self, pair: [u32; 2]) -> f64 {
        // The same sum whichever comes first.
        let [a, b] = [pair[0].min(pair[1]), pair[0].max(pair[1])].map(|p| p as usize);
        let (one, other) = (&self.bodies[a], &self.bodies[b]);
        let points = one.points * other.points / (one.points + other.points);
        let rise = (one.with(other).error() - self.errors[a] - self.errors[b]) / points;
        if rise < self.nothing { 0.0 } else { rise }
    }

    /// Joins the pair that costs least: the first takes in the second. `None` when there are few enough.
    fn next(&mut self, wanted: usize) -> Option<[u32; 2]> {
        let pairs =
            self.beside.iter().zip(0..).flat_map(|(list, a)| list.iter().map(move |&(b, c)| (c, [a, b])));
        let ordered = pairs.filter(|(_, [a, b])| a < b);
        let (cost, pair) = ordered.min_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)))?;
        if self.left <= wanted && cost > 0.0 {
            return None;
        }
        let [a, b] = pair.map(|p| p as usize);
        self.bodies[a] = self.bodies[a].with(&self.bodies[b]);
        self.errors[a] = self.bodies[a].error();
        let mut near = distinct(self.beside[a].iter().chain(&self.beside[b]).map(|n| n.0));
        near.retain(|p| !pair.contains(p));
        self.beside[b].clear();
        let costs: Vec<f64> = near.par_iter().map(|&c| self.cost([pair[0], c])).collect();
        for (&c, &cost) in near.iter().zip(&costs) {
            let list = &mut self.beside[c as usize];
            list.retain(|n| !pair.contains(&n.0));
            list.push((pair[0], cost));
        }
        self.beside[a] = near.into_iter().zip(costs).collect();
        self.left -= 1;
        Some(pair)
    }
}

/// The nearest of the first `count` points for each point: samples are spread evenly from the first on.
fn nearest_of_first(samples: &SurfaceSamples, count: usize) -> Vec<u32> {
    let n = samples.rest.len();
    let nearest = |v: usize| {
        let row = &samples.distances[v * n..v * n + count];
        (0..count).fold(0, |best, k| if row[k] < row[best] * (1.0 - AS_NEAR) { k } else { best }) as u32
    };
    (0..n).into_par_iter().map(nearest).collect()
}

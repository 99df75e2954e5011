//! The first cut of a body: patches of its surface that hardly change their shape.
//!
//! Many small patches, evenly spread, are joined pair by pair, those first that lose least by moving as one rigid
//! body; before and after, points change over to a patch beside them that moves them better. Images are cut up like
//! this, too. A skin has finer ways to begin ([`crate::skin::Descent`]), but a skeleton must not change when the body is
//! turned or scaled, which changes every number in its last digits. There, weights and transforms go from round to
//! round, and so do the last digits, growing on the way. Here all that goes from round to round is which point is
//! in which patch. Rounding then matters only where a choice is a tie, and where differences are too small to mean
//! anything the order of the points decides.

use rayon::prelude::*;

use super::bodies::{Body, bodies, motions, touching};
use super::scene::Scene;
use crate::progress::Progress;
use crate::rig::SkinWeights;

/// Patches for each that is wanted, at first, and the fewest points of one.
const SPARE: usize = 4;
const POINTS: usize = 4;
/// Rounds of points changing over: before patches are joined, and after.
const ROUNDS_BEFORE: usize = 4;
const ROUNDS_AFTER: usize = 8;
/// Differences below this mean nothing: the distance of a point, in units; and the share of a distance.
const NOTHING: f64 = 1e-4;
const AS_NEAR: f32 = 1e-5;

/// Points sorted into patches.
pub(super) struct Patches {
    /// Patch of each point.
    of_point: Vec<u32>,
    count: usize,
}

impl Patches {
    /// Cuts a body into about `wanted` patches, fewer where it does not bend; `None` when cancelled.
    pub fn find(scene: &Scene, wanted: usize, progress: &dyn Progress) -> Option<Self> {
        let count = (SPARE * wanted).min(scene.rest.len() / POINTS).max(1);
        let mut patches = Self { of_point: nearest_of_first(scene, count), count };
        let neighbours = neighbours(scene);
        for _ in 0..ROUNDS_BEFORE {
            patches.change_over(scene, &neighbours);
        }
        progress.advance(0.3);
        patches.join(scene, wanted);
        for _ in 0..ROUNDS_AFTER {
            patches.change_over(scene, &neighbours);
        }
        (!progress.cancelled()).then_some(patches)
    }

    /// Number of patches.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Every point follows its patch.
    pub fn weights(&self) -> SkinWeights {
        SkinWeights { per_vertex: 1, bones: self.of_point.clone(), weights: vec![1.0; self.of_point.len()] }
    }

    /// Points go over to the patch beside them that moves them best, if it does so clearly better.
    fn change_over(&mut self, scene: &Scene, neighbours: &[Vec<u32>]) {
        let motions = motions(scene, &self.of_point, self.count);
        let nothing = NOTHING * NOTHING * scene.posed.len() as f64;
        let error = |v: usize, patch: u32| -> f64 {
            let off = |(motion, pose): (&glam::DAffine3, &Vec<glam::DVec3>)| {
                motion.transform_point3(scene.rest[v]).distance_squared(pose[v])
            };
            motions[patch as usize].iter().zip(&scene.posed).map(off).sum()
        };
        let better = |v: usize| {
            let own = self.of_point[v];
            let mut beside: Vec<u32> = neighbours[v].iter().map(|&u| self.of_point[u as usize]).collect();
            beside.sort_unstable();
            beside.dedup();
            beside.retain(|p| *p != own);
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
    }

    /// Joins patches that touch until there are few enough and all that are left differ.
    fn join(&mut self, scene: &Scene, wanted: usize) {
        let mut joining = Joining::new(scene, self);
        while let Some(into) = joining.next(wanted) {
            self.of_point.iter_mut().filter(|p| **p == into[1]).for_each(|p| *p = into[0]);
        }
        self.renumber();
    }

    /// Drops patches without points.
    fn renumber(&mut self) {
        let mut used = vec![false; self.count];
        self.of_point.iter().for_each(|&p| used[p as usize] = true);
        let mut next = 0;
        let number: Vec<u32> = used
            .iter()
            .map(|u| {
                let number = next;
                next += u32::from(*u);
                number
            })
            .collect();
        self.of_point.iter_mut().for_each(|p| *p = number[*p as usize]);
        self.count = next as usize;
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
    fn new(scene: &Scene, patches: &Patches) -> Self {
        let bodies = bodies(scene, &patches.of_point, patches.count);
        let errors = bodies.par_iter().map(Body::error).collect();
        let nothing = NOTHING * NOTHING * scene.posed.len() as f64;
        let beside = vec![Vec::new(); patches.count];
        let mut joining = Self { bodies, errors, beside, left: patches.count, nothing };
        let pairs = touching(scene, &patches.of_point);
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
        let mut near: Vec<u32> = self.beside[a].iter().chain(&self.beside[b]).map(|n| n.0).collect();
        near.sort_unstable();
        near.dedup();
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

/// The nearest of the first `count` points for each point: points of a sketch are spread evenly from the first on.
fn nearest_of_first(scene: &Scene, count: usize) -> Vec<u32> {
    let n = scene.rest.len();
    let nearest = |v: usize| {
        let row = &scene.distances[v * n..v * n + count];
        (0..count).fold(0, |best, k| if row[k] < row[best] * (1.0 - AS_NEAR) { k } else { best }) as u32
    };
    (0..n).into_par_iter().map(nearest).collect()
}

fn neighbours(scene: &Scene) -> Vec<Vec<u32>> {
    let mut neighbours = vec![Vec::new(); scene.rest.len()];
    for &[a, b] in &scene.sketch.edges {
        neighbours[a as usize].push(b);
        neighbours[b as usize].push(a);
    }
    neighbours
}

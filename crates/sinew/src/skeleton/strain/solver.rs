//! Weights of all points, solved one point at a time.
//!
//! Since the weights of a point sum to one, (s_k(i) − s)² is the product of Σ_b w_b (B_kb − s) with itself,
//! where B_kb tells whether joint b is carried by joint k. What neighbours want is therefore one more matrix
//! of products of a point's joints, like that of their residuals, and a point is solved as it is without
//! neighbours.

use glam::{DAffine3, DVec3, Vec3};
use rayon::prelude::*;

use super::{Surface, nearby_joints};
use crate::animation::Frames;
use crate::geometry::Bounds;
use crate::progress::{Cancelled, Progress};
use crate::rig::{Skeleton, SkinWeights};
use crate::skeleton::{StrainTuning, TUNING, parents_first};
use crate::skin::MOST_INFLUENCES;
use crate::solve::nnls::{Mixture, best_mixture, least_needed};

const TUNED: StrainTuning = TUNING.strain;

type Blend = Mixture<MOST_INFLUENCES>;

/// A skeleton's motion and the surface that follows it.
pub struct StrainProblem<'a> {
    pub frames: &'a Frames,
    /// From the rest pose to each frame, all joints of the first, then of the second, and so on.
    pub transforms: &'a [DAffine3],
    pub triangles: &'a [[u32; 3]],
    pub rest: &'a [Vec3],
    pub skeleton: &'a Skeleton,
    /// Places of the joints in the rest pose.
    pub joints: &'a [DVec3],
    /// How much smooth weights are worth; see [`crate::skeleton::SkeletonOptions`].
    pub smoothness: f64,
}

/// Weights in the making. Lengths are in shares of the longest side.
pub(super) struct Solver<'a> {
    surface: &'a Surface,
    joints: usize,
    parents: &'a [Option<usize>],
    /// Joints, parents first.
    order: Vec<usize>,
    /// For each pair of joints the lowest joint that carries both.
    meets: Vec<u32>,
    /// What the squared strain of each edge costs.
    stiffness: Vec<f64>,
    /// Half the squared distance of each point from each joint; zero for the root, whose turns strain
    /// nothing.
    far: Vec<f32>,
    /// Joints and weights of each point, and the products of what the joints leave over.
    blends: Vec<Held>,
    /// For each point and joint the sum of the weights on the joint and all below.
    sums: Vec<f32>,
}

/// A [`Blend`] that takes no more room than it needs.
struct Held {
    bones: Vec<u32>,
    weights: Vec<f64>,
    /// The lower triangle, row after row.
    products: Vec<f64>,
}

/// What neighbours want of a point, for each joint.
#[derive(Default)]
struct Pull {
    /// What a difference of one from all of them costs, summed up from the root.
    hold: Vec<f64>,
    /// The same times where they are.
    towards: Vec<f64>,
    level: f64,
}

impl<'a> Solver<'a> {
    /// Starts from `fitted`; a strain of one is worth an error of `worth`.
    pub fn new(
        problem: &'a StrainProblem,
        surface: &'a Surface,
        fitted: &SkinWeights,
        worth: f64,
        progress: &dyn Progress,
    ) -> Result<Self, Cancelled> {
        let unit = Bounds::of(problem.rest).longest_side();
        let parents = &problem.skeleton.parents;
        let joints = parents.len();
        let half_squared = |&v: &u32| {
            let place = problem.rest[v as usize].as_dvec3();
            problem.joints.iter().zip(parents).map(move |(joint, parent)| match parent {
                Some(_) => {
                    0.5 * (place.distance_squared(*joint) / (unit * unit) + TUNED.around * TUNED.around)
                        as f32
                }
                None => 0.0,
            })
        };
        let factor = worth * worth * unit * unit / surface.mean_area;
        let most = TUNED.candidates.max(fitted.per_vertex);
        let blends = nearby_joints::joints(surface, fitted, joints, most, progress)?
            .into_par_iter()
            .enumerate()
            .map(|(i, bones)| {
                progress.check()?;
                let vertex = surface.points[i] as usize;
                let of =
                    |b: &u32| fitted.influences(vertex).filter(|u| u.0 == *b as usize).map(|u| u.1).sum();
                let weights = bones.iter().map(of).collect();
                let products = products(problem, vertex, &bones, surface.masses[i] / (unit * unit));
                Ok(Held { bones, weights, products })
            })
            .collect::<Result<_, Cancelled>>()?;
        let mut solver = Self {
            surface,
            joints,
            parents,
            order: parents_first(parents),
            meets: meets(parents),
            stiffness: surface.shares.iter().map(|share| factor * share).collect(),
            far: surface.points.iter().flat_map(half_squared).collect(),
            blends,
            sums: vec![0.0; surface.len() * joints],
        };
        (0..surface.len()).for_each(|i| solver.sum_up(i));
        Ok(solver)
    }

    /// Finds a point's sums anew.
    fn sum_up(&mut self, i: usize) {
        let sums = &mut self.sums[i * self.joints..(i + 1) * self.joints];
        sums.fill(0.0);
        let held = &self.blends[i];
        held.bones.iter().zip(&held.weights).for_each(|(b, w)| sums[*b as usize] = *w as f32);
        for &k in self.order.iter().rev() {
            if let Some(parent) = self.parents[k] {
                sums[parent] += sums[k];
            }
        }
    }

    /// Solves every point once.
    pub fn sweep(&mut self, progress: &dyn Progress) -> Result<(), Cancelled> {
        let surface = self.surface;
        for colour in &surface.colours {
            let solved: Vec<Blend> = colour
                .par_iter()
                .map_init(Pull::default, |pull, &i| {
                    progress.check()?;
                    let mut blend = self.pulled(i as usize, pull);
                    let before = blend.weights;
                    best_mixture(&blend.gram, blend.len, &mut blend.weights);
                    go_beyond(&before, &mut blend.weights);
                    Ok(blend)
                })
                .collect::<Result<_, Cancelled>>()?;
            for (&i, blend) in colour.iter().zip(&solved) {
                let weights = &mut self.blends[i as usize].weights;
                weights.copy_from_slice(&blend.weights[..blend.len]);
                self.sum_up(i as usize);
            }
        }
        Ok(())
    }

    /// A point's joints with what they leave over and what the neighbours want.
    fn pulled(&self, i: usize, pull: &mut Pull) -> Blend {
        self.pull(i, pull);
        let mut blend = self.blends[i].blend();
        for x in 0..blend.len {
            for y in 0..blend.len {
                let (a, b) = (blend.bones[x], blend.bones[y]);
                let meet = self.meets[a * self.joints + b] as usize;
                blend.gram[x][y] += pull.hold[meet] - pull.towards[a] - pull.towards[b] + pull.level;
            }
        }
        blend
    }

    fn pull(&self, i: usize, pull: &mut Pull) {
        let n = self.joints;
        pull.hold.clear();
        pull.hold.resize(n, 0.0);
        pull.towards.clear();
        pull.towards.resize(n, 0.0);
        pull.level = 0.0;
        let far = &self.far[i * n..(i + 1) * n];
        for &(j, edge) in self.surface.neighbours(i) {
            let other = j as usize * n..(j as usize + 1) * n;
            let (sums, others) = (&self.sums[other.clone()], &self.far[other]);
            let stiffness = self.stiffness[edge as usize];
            for k in 0..n {
                let hold = stiffness * f64::from(far[k] + others[k]);
                let towards = hold * f64::from(sums[k]);
                pull.hold[k] += hold;
                pull.towards[k] += towards;
                pull.level += towards * f64::from(sums[k]);
            }
        }
        for &k in &self.order {
            if let Some(parent) = self.parents[k] {
                pull.hold[k] += pull.hold[parent];
                pull.towards[k] += pull.towards[parent];
            }
        }
    }

    /// Leaves at most `most` joints to every point: those it would miss least go, one after the other.
    pub fn choose(&mut self, most: usize, progress: &dyn Progress) -> Result<(), Cancelled> {
        let chosen: Vec<Vec<(usize, f64)>> = (0..self.surface.len())
            .into_par_iter()
            .map_init(Pull::default, |pull, i| {
                progress.check()?;
                let mut blend = self.pulled(i, pull);
                blend.drop_negligible();
                while blend.len > most {
                    let out = least_needed(&blend.gram, blend.len);
                    blend.remove(out);
                    best_mixture(&blend.gram, blend.len, &mut blend.weights);
                    blend.drop_negligible();
                }
                Ok((0..blend.len).map(|x| (blend.bones[x], blend.weights[x])).collect())
            })
            .collect::<Result<_, Cancelled>>()?;
        for (i, chosen) in chosen.iter().enumerate() {
            self.blends[i].keep(chosen);
            self.sum_up(i);
        }
        Ok(())
    }

    /// The weights of all vertices.
    pub fn weights(&self, influences: usize) -> SkinWeights {
        let mut out = SkinWeights::zeros(self.surface.point_of.len(), influences);
        let of_vertices =
            out.bones.chunks_exact_mut(influences).zip(out.weights.chunks_exact_mut(influences));
        for (&i, (bones, weights)) in self.surface.point_of.iter().zip(of_vertices) {
            let mut blend = self.blends[i as usize].blend();
            blend.drop_negligible();
            blend.store(bones, weights);
        }
        out
    }
}

impl Held {
    fn blend(&self) -> Blend {
        let mut blend = Blend::empty();
        blend.len = self.bones.len();
        blend.weights[..blend.len].copy_from_slice(&self.weights);
        let mut products = self.products.iter();
        for x in 0..blend.len {
            blend.bones[x] = self.bones[x] as usize;
            for (y, product) in (0..=x).zip(&mut products) {
                blend.gram[x][y] = *product;
                blend.gram[y][x] = *product;
            }
        }
        blend
    }

    /// Keeps some of the joints, with new weights.
    fn keep(&mut self, chosen: &[(usize, f64)]) {
        let at = |bone: usize| self.bones.iter().position(|b| *b as usize == bone).expect("one of them");
        let places: Vec<usize> = chosen.iter().map(|c| at(c.0)).collect();
        let product = |x: usize, y: usize| {
            let (low, high) = (x.min(y), x.max(y));
            self.products[high * (high + 1) / 2 + low]
        };
        self.products = places
            .iter()
            .enumerate()
            .flat_map(|(x, &p)| places[..=x].iter().map(move |&q| (p, q)))
            .map(|(p, q)| product(p, q))
            .collect();
        self.bones = chosen.iter().map(|c| c.0 as u32).collect();
        self.weights = chosen.iter().map(|c| c.1).collect();
    }
}

/// Goes on from `before` through `best`, but not below zero: neighbours will follow, and all settle in fewer
/// sweeps.
fn go_beyond(before: &[f64], best: &mut [f64]) {
    let shrinks = before.iter().zip(best.iter()).filter(|(now, best)| best < now);
    let step = shrinks.map(|(now, best)| now / (now - best)).fold(TUNED.relaxation, f64::min);
    best.iter_mut().zip(before).for_each(|(best, now)| *best = (now + step * (*best - now)).max(0.0));
}

/// Products of what a vertex' joints leave over, in the mean frame.
fn products(problem: &StrainProblem, vertex: usize, bones: &[u32], factor: f64) -> Vec<f64> {
    let (joints, frames) = (problem.joints.len(), problem.frames.len());
    let rest = problem.rest[vertex].as_dvec3();
    let mut left = vec![DVec3::ZERO; bones.len()];
    let mut out = vec![0.0; bones.len() * (bones.len() + 1) / 2];
    for t in 0..frames {
        let place = problem.frames.frame(t)[vertex].as_dvec3();
        for (left, b) in left.iter_mut().zip(bones) {
            *left = problem.transforms[t * joints + *b as usize].transform_point3(rest) - place;
        }
        let pairs = (0..bones.len()).flat_map(|x| (0..=x).map(move |y| (x, y)));
        out.iter_mut().zip(pairs).for_each(|(out, (x, y))| *out += left[x].dot(left[y]));
    }
    out.iter_mut().for_each(|x| *x *= factor / frames as f64);
    out
}

/// For each pair of joints the lowest joint that carries both; the root where no other does.
fn meets(parents: &[Option<usize>]) -> Vec<u32> {
    let n = parents.len();
    let up = |b: usize| std::iter::successors(Some(b), |&k| parents[k]);
    (0..n * n)
        .map(|pair| {
            let (a, b) = (pair / n, pair % n);
            up(a).find(|k| up(b).any(|l| l == *k)).expect("one tree") as u32
        })
        .collect()
}

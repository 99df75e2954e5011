//! Weights and rest pose for more frames than are ever held at once.
//!
//! Where bones and their motion are given, the squared error of a vertex, Σ‖Σ w T h − p‖² over all frames (Le and Deng 2012,
//! equation 1; section 4.1 has its weights for given bones), depends on the frames by three sums alone: Σ TᵀT of every two bones that
//! share a vertex, a 4 × 4 matrix; Σ Tᵀp of each of a vertex' bones, four numbers; and Σ‖p‖². So frames go by, are added
//! up and forgotten; sums of some frames and of others add up to those of both, wherever they were taken. From sums, weights
//! of the bones that a vertex has and its rest position are solved once, as the rounds do it (`vertex`, `smoothing`): which
//! bones a vertex has stays as it was learnt.

use glam::{DMat3, DVec3, Vec3};
use rayon::prelude::*;

use super::normal::Block;
use super::smoothing::match_alike;
use super::{Neighbours, Pairs};
use crate::animation::{Frames, centroid};
use crate::rig::{Rig, SkinWeights};
use crate::skin::{FrameSolver, MOST_INFLUENCES, TUNING};
use crate::solve::nnls::{Mixture, best_mixture, energy};

/// How far the rest position is held where the bones leave it free, as in the rounds.
const REST_DAMPING: f64 = 1e-4;

/// What frames of a rig's animation add up to, for weights and rest positions of its vertices.
pub struct SkinSums {
    frames: f64,
    pairs: Pairs,
    /// Σ TᵀT of each pair, from rest positions relative to their middle to positions relative to that of their frame.
    blocks: Vec<Block>,
    /// Σ Tᵀp of the bones of every vertex, one entry an influence.
    right: Vec<[f64; 4]>,
    /// Σ‖p‖² of every vertex.
    squares: Vec<f64>,
}

/// What weights and rest positions are solved for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SumsOptions {
    /// How smooth weights are over the surface; see [`super::DescentOptions::smoothness`].
    pub smoothness: f64,
    /// Leaves the rest pose as it is.
    pub keep_rest: bool,
}

/// Products of the residuals of a vertex' bones.
type Products = Mixture<MOST_INFLUENCES>;

impl SkinSums {
    /// Of no frames, for the vertices and bones of a rig.
    pub fn new(rig: &Rig) -> Self {
        let pairs = Pairs::sharing_vertices(&rig.weights, rig.bones.len());
        let vertices = rig.rest.len();
        Self {
            frames: 0.0,
            blocks: vec![Block::default(); pairs.list.len()],
            pairs,
            right: vec![[0.0; 4]; vertices * rig.weights.per_vertex],
            squares: vec![0.0; vertices],
        }
    }

    /// Adds some frames, to which the bones of the rig are brought by its `solver`.
    ///
    /// # Panics
    /// When they have another number of vertices than the rig.
    pub fn add(&mut self, rig: &Rig, solver: &FrameSolver, frames: &Frames) {
        let (bones, middle) = (rig.bones.len(), centroid(&rig.rest));
        let middles: Vec<DVec3> = (0..frames.len()).map(|t| centroid(frames.frame(t))).collect();
        // What x, y, z and one of a rest position contribute.
        let motions: Vec<[DVec3; 4]> = solver
            .solve_frames(frames)
            .iter()
            .enumerate()
            .map(|(i, to)| {
                let [x, y, z] = [to.matrix3.x_axis, to.matrix3.y_axis, to.matrix3.z_axis];
                [x, y, z, to.transform_point3(middle) - middles[i / bones]]
            })
            .collect();
        self.blocks.par_iter_mut().zip(&self.pairs.list).for_each(|(block, &[b, c])| {
            for motions in motions.chunks_exact(bones) {
                let (b, c) = (&motions[b as usize], &motions[c as usize]);
                for (row, x) in block.iter_mut().zip(b) {
                    row.iter_mut().zip(c).for_each(|(sum, y)| *sum += x.dot(*y));
                }
            }
        });
        let k = rig.weights.per_vertex;
        let of_vertices = self.right.par_chunks_mut(k).zip(&mut self.squares).enumerate();
        of_vertices.for_each(|(vertex, (right, square))| {
            let (names, weights) = rig.weights.of(vertex);
            for (t, motions) in motions.chunks_exact(bones).enumerate() {
                let p = frames.frame(t)[vertex].as_dvec3() - middles[t];
                *square += p.length_squared();
                for ((right, &bone), _) in
                    right.iter_mut().zip(names).zip(weights).filter(|(_, w)| **w != 0.0)
                {
                    right.iter_mut().zip(&motions[bone as usize]).for_each(|(sum, x)| *sum += x.dot(p));
                }
            }
        });
        self.frames += frames.len() as f64;
    }

    /// All numbers in a row, for [`SkinSums::add_values`] of another.
    pub fn values(&mut self) -> Vec<f64> {
        self.parts().concat()
    }

    /// Adds the numbers of another of the same rig. Whether they can be that: nothing is added otherwise.
    pub fn add_values(&mut self, values: &[f64]) -> bool {
        let mut parts = self.parts();
        let fits = parts.iter().map(|part| part.len()).sum::<usize>() == values.len();
        if fits && values.iter().all(|value| value.is_finite()) {
            let sums = parts.iter_mut().flat_map(|part| part.iter_mut());
            sums.zip(values).for_each(|(sum, value)| *sum += value);
            return true;
        }
        false
    }

    fn parts(&mut self) -> [&mut [f64]; 4] {
        let Self { frames, blocks, right, squares, .. } = self;
        let blocks = blocks.as_flattened_mut().as_flattened_mut();
        [std::slice::from_mut(frames), blocks, right.as_flattened_mut(), squares]
    }

    /// Solves weights and rest pose of the rig that was added up for; its error over all those frames does not rise but for what
    /// smoothness costs. Its transforms are as they were.
    pub fn solve(&self, rig: &mut Rig, options: SumsOptions) {
        let SumsOptions { smoothness, keep_rest } = options;
        let (n, k) = (rig.rest.len(), rig.weights.per_vertex);
        let (rest, weights) = (rig.rest.clone(), rig.weights.clone());
        let middle = centroid(&rest);
        let at = |vertex: usize| rest[vertex].as_dvec3() - middle;
        let error = |vertex| {
            let mixture = self.mixture(&weights, vertex, at(vertex), |_, _| 0.0);
            energy(&mixture.gram, mixture.len, &mixture.weights)
        };
        let mean =
            (0..n).into_par_iter().map(error).collect::<Vec<f64>>().iter().sum::<f64>() / n.max(1) as f64;
        let strength = smoothness * TUNING.descent.smoothing.strength * mean;
        let neighbours = Neighbours::new(&rig.mesh.triangles(&rest), n);
        let slots = (rig.weights.bones.par_chunks_mut(k), rig.weights.weights.par_chunks_mut(k));
        (&mut rig.rest, slots.0, slots.1).into_par_iter().enumerate().for_each(
            |(vertex, (place, bones, out))| {
                let pull = Pull::around(vertex, &weights, &neighbours, strength);
                let mut mixture = self.mixture(&weights, vertex, at(vertex), |b, c| pull.product(b, c));
                if mixture.len == 0 {
                    return;
                }
                best_mixture(&mixture.gram, mixture.len, &mut mixture.weights);
                mixture.drop_negligible();
                if !keep_rest {
                    *place += self.step(&weights, vertex, &mixture, at(vertex));
                }
                mixture.store(bones, out);
            },
        );
        // What coincided and moves alike stays together, whatever is next to it.
        let alike = |a: usize, b: usize| {
            weights.of(a) == weights.of(b) && self.right[a * k..(a + 1) * k] == self.right[b * k..(b + 1) * k]
        };
        match_alike(&mut rig.rest, &mut rig.weights, &rest, alike);
    }

    /// The mixture that a vertex has, with the products of its bones' residuals and what `more` adds to them.
    fn mixture(
        &self,
        weights: &SkinWeights,
        vertex: usize,
        at: DVec3,
        more: impl Fn(usize, usize) -> f64,
    ) -> Products {
        let h = at.extend(1.0).to_array();
        let mut mixture = Products::empty();
        let mut along = [0.0; MOST_INFLUENCES];
        for (bone, weight, right) in self.members(weights, vertex) {
            along[mixture.len] = right.iter().zip(h).map(|(r, h)| r * h).sum();
            let here = mixture.len;
            mixture.push(bone, weight, |place, other| {
                form(&self.block(bone, other), h) - along[here] - along[place]
                    + self.squares[vertex]
                    + more(bone, other)
            });
        }
        mixture
    }

    /// Bones of a vertex that have weight, and their right-hand sides.
    fn members<'a>(
        &'a self,
        weights: &'a SkinWeights,
        vertex: usize,
    ) -> impl Iterator<Item = (usize, f64, &'a [f64; 4])> {
        let (bones, weights) = weights.of(vertex);
        let right = &self.right[vertex * bones.len()..];
        let all = bones.iter().zip(weights).zip(right);
        all.filter(|((_, w), _)| **w != 0.0).map(|((&b, &w), right)| (b as usize, f64::from(w), right))
    }

    /// Σ TᵀT of two bones, the first's rows.
    fn block(&self, b: usize, c: usize) -> Block {
        let slot = self.pairs.slot(b, c).expect("they share a vertex");
        let block = self.blocks[slot];
        if b <= c { block } else { std::array::from_fn(|i| std::array::from_fn(|j| block[j][i])) }
    }

    /// Where the mixture fits best, from where the vertex is.
    fn step(&self, weights: &SkinWeights, vertex: usize, mixture: &Products, at: DVec3) -> Vec3 {
        let h = at.extend(1.0).to_array();
        let of =
            |bone| mixture.bones[..mixture.len].iter().position(|&b| b == bone).map(|i| mixture.weights[i]);
        let members = || self.members(weights, vertex).filter_map(|(b, _, right)| Some((b, of(b)?, right)));
        let (mut normal, mut slope) = (DMat3::ZERO, DVec3::ZERO);
        for (b, wb, right) in members() {
            slope -= DVec3::new(right[0], right[1], right[2]) * wb;
            for (c, wc, _) in members() {
                let block = self.block(b, c);
                for i in 0..3 {
                    slope[i] += wb * wc * block[i].iter().zip(h).map(|(x, h)| x * h).sum::<f64>();
                    (0..3).for_each(|j| normal.col_mut(j)[i] += wb * wc * block[i][j]);
                }
            }
        }
        let trace = normal.x_axis.x + normal.y_axis.y + normal.z_axis.z;
        let held = TUNING.descent.rest_hold * self.frames + REST_DAMPING * trace.max(1e-12);
        let step = (normal + DMat3::from_diagonal(DVec3::splat(held))).inverse() * -slope;
        if step.is_finite() { step.as_vec3() } else { Vec3::ZERO }
    }
}

/// hᵀ M h.
fn form(block: &Block, h: [f64; 4]) -> f64 {
    block.iter().zip(h).map(|(row, x)| x * row.iter().zip(h).map(|(m, y)| m * y).sum::<f64>()).sum()
}

/// A pull of weights towards the mean of the neighbours', as products of residuals: see `vertex::Prior`.
struct Pull {
    strength: f64,
    mean: Vec<(usize, f64)>,
    square: f64,
}

impl Pull {
    fn around(vertex: usize, weights: &SkinWeights, neighbours: &Neighbours, strength: f64) -> Self {
        let mut mean: Vec<(usize, f64)> = Vec::new();
        let mut total = 0.0;
        for &neighbour in neighbours.of(vertex) {
            for (bone, weight) in weights.influences(neighbour as usize) {
                total += weight;
                match mean.iter_mut().find(|(b, _)| *b == bone) {
                    Some((_, sum)) => *sum += weight,
                    None => mean.push((bone, weight)),
                }
            }
        }
        mean.iter_mut().for_each(|(_, sum)| *sum /= total);
        let square = mean.iter().map(|(_, m)| m * m).sum();
        Self { strength: if total > 0.0 { strength } else { 0.0 }, mean, square }
    }

    fn product(&self, b: usize, c: usize) -> f64 {
        let mean = |bone| self.mean.iter().find(|(b, _)| *b == bone).map_or(0.0, |(_, m)| *m);
        let same = if b == c { 1.0 } else { 0.0 };
        self.strength * (same - mean(b) - mean(c) + self.square)
    }
}

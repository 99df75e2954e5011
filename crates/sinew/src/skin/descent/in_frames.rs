//! A skin in the frames themselves instead of in reduced coordinates, for goals in which vertices count otherwise from
//! frame to frame, or in which bones do.
//!
//! For given counts of every vertex in every frame, transforms of every frame and then weights and rest position of every
//! vertex have a minimum of Σ count · e² as in the rounds (`flexible`, `rigid`, `exchange`).

use std::sync::Arc;

use glam::{DAffine3, DMat3, DVec3, Vec3};
use rayon::prelude::*;

use super::blocks::Blocks;
use super::exchange::{Products, search};
use super::normal::{Block, Normal};
use super::{Bones, Neighbours, Pairs, Problem, Task, flexible, sweep};
use crate::progress::{Cancelled, Progress, in_parallel};
use crate::rig::SkinWeights;
use crate::skin::{BoneKind, MOST_INFLUENCES, Skin};
use crate::solve::dense::dot;
use crate::solve::nnls::{Mixture, best_mixture};

/// Bones that all vertices look at; of more, those of its neighbours.
const ALL_LOOKED_AT: usize = 40;

/// A skin in scaled units.
#[derive(Clone)]
pub struct InFrames<'a> {
    problem: &'a Problem<'a>,
    pub rest: Vec<DVec3>,
    pub weights: SkinWeights,
    /// Frame after frame.
    pub transforms: Vec<DAffine3>,
    pub bones: usize,
}

/// Which bones are not solved for.
#[derive(Clone, Copy)]
pub struct Held<'a> {
    /// Bones that keep their motion.
    pub locked: &'a [bool],
    /// Bones that stand still, frame after frame; empty where none has to.
    pub still: &'a [bool],
}

impl Held<'_> {
    /// In one frame.
    pub fn in_frame(&self, frame: usize) -> Vec<bool> {
        let bones = self.locked.len();
        let still = self.still.get(frame * bones..(frame + 1) * bones);
        let is_still = |b: usize| still.is_some_and(|still| still[b]);
        self.locked.iter().enumerate().map(|(b, locked)| *locked || is_still(b)).collect()
    }
}

/// How the vertex step goes.
#[derive(Clone, Copy)]
pub struct Step<'a> {
    /// Vertices look for other bones, so many each; none keep those they have.
    pub attempts: usize,
    /// Who is next to whom.
    pub neighbours: &'a Neighbours,
    /// What a weight that is off the neighbours' mean by one costs, in squared error.
    pub pull: f64,
}

/// What the bones of one frame are solved from.
pub struct Equations {
    pub normal: Normal,
    pub targets: Vec<[[f64; 4]; 3]>,
}

impl<'a> InFrames<'a> {
    pub fn new(problem: &'a Problem<'a>, skin: &Skin) -> Self {
        let units = &problem.reduced.units;
        let transform = |(i, t): (usize, &DAffine3)| units.transform(t, i / skin.bones);
        Self {
            problem,
            rest: skin.rest.iter().map(|p| units.rest(*p)).collect(),
            weights: skin.weights.clone(),
            transforms: skin.transforms.iter().enumerate().map(transform).collect(),
            bones: skin.bones,
        }
    }

    /// The skin again; what has not moved keeps its bits.
    pub fn back(self, mut skin: Skin) -> Skin {
        let units = &self.problem.reduced.units;
        for (rest, now) in skin.rest.iter_mut().zip(&self.rest) {
            if *now != units.rest(*rest) {
                *rest = units.rest_back(*now).as_vec3();
            }
        }
        for (i, (transform, now)) in skin.transforms.iter_mut().zip(&self.transforms).enumerate() {
            let frame = i / self.bones;
            if *now != units.transform(transform, frame) {
                *transform = units.transform_back(now, frame);
            }
        }
        Skin { weights: self.weights, ..skin }
    }

    /// What a bone that stands still does in a frame.
    pub fn still(&self, frame: usize) -> DAffine3 {
        self.problem.reduced.units.transform(&DAffine3::IDENTITY, frame)
    }

    pub fn of_frame(&self, frame: usize) -> &[DAffine3] {
        &self.transforms[frame * self.bones..(frame + 1) * self.bones]
    }

    fn blended(&self, vertex: usize, frame: usize) -> DAffine3 {
        let bones = self.of_frame(frame);
        let mut sum = DAffine3 { matrix3: DMat3::ZERO, translation: DVec3::ZERO };
        for (b, w) in self.weights.influences(vertex) {
            sum.matrix3 += bones[b].matrix3 * w;
            sum.translation += bones[b].translation * w;
        }
        sum
    }

    /// How far every vertex is off in every frame, frame after frame, times the root of what it counts.
    pub fn off(&self) -> Vec<f32> {
        let (n, problem) = (self.rest.len(), self.problem);
        let mut off = vec![0.0; n * problem.frames().len()];
        off.par_chunks_mut(n).enumerate().for_each(|(frame, off)| {
            for (i, (off, p)) in off.iter_mut().zip(problem.frames().frame(frame)).enumerate() {
                let there = self.blended(i, frame).transform_point3(self.rest[i]);
                let distance = there.distance(problem.reduced.units.pose(*p, frame));
                *off = (distance * problem.importance(i).sqrt()) as f32;
            }
        });
        off
    }

    /// The equations of one frame's bones, each vertex counting as often as said.
    pub fn equations(&self, frame: usize, counts: &[f32], pairs: &Arc<Pairs>) -> Equations {
        let (n, problem) = (self.rest.len(), self.problem);
        let mut blocks = vec![Block::default(); pairs.list.len()];
        let mut targets = vec![[[0.0; 4]; 3]; self.bones];
        let counted = problem.frames().frame(frame).iter().zip(&counts[frame * n..(frame + 1) * n]);
        for (i, (p, &count)) in counted.enumerate() {
            let to = problem.reduced.units.pose(*p, frame).to_array();
            let h = self.rest[i].extend(1.0).to_array();
            for (b, wb) in self.weights.influences(i) {
                let wb = wb * f64::from(count);
                for (c, wc) in self.weights.influences(i).filter(|(c, _)| *c >= b) {
                    let slot = pairs.slot(b, c).expect("they share this vertex");
                    for (row, x) in blocks[slot].iter_mut().zip(h) {
                        row.iter_mut().zip(h).for_each(|(sum, y)| *sum += wb * wc * x * y);
                    }
                }
                for (row, to) in targets[b].iter_mut().zip(to) {
                    row.iter_mut().zip(h).for_each(|(sum, x)| *sum += wb * to * x);
                }
            }
        }
        Equations { normal: Normal::of_blocks(self.bones, pairs.clone(), blocks), targets }
    }

    /// The bones of every frame, each vertex counting as often as said.
    pub fn solve_bones(
        &mut self,
        kind: BoneKind,
        counts: &[f32],
        held: Held,
        progress: &dyn Progress,
    ) -> Result<(), Cancelled> {
        let pairs = Arc::new(Pairs::sharing_vertices(&self.weights, self.bones));
        let solved = in_parallel(progress, self.problem.frames().len(), |frame| {
            let Equations { normal, targets } = self.equations(frame, counts, &pairs);
            let mut now = self.of_frame(frame).to_vec();
            let held = held.in_frame(frame);
            match kind {
                BoneKind::Rigid => sweep::sweeps(&mut now, &targets, &Blocks::new(&normal), &held),
                BoneKind::Flexible => {
                    let bones = Bones::still(0, held);
                    if let Some(factor) = flexible::Factor::new(&bones, &normal, progress)? {
                        factor.solve_frame(&mut now, &targets, progress)?;
                    }
                }
            }
            Ok(now)
        })?;
        self.transforms = solved.concat();
        Ok(())
    }

    /// Weights and then rest position of every vertex.
    pub fn solve_vertices(
        &mut self,
        task: &Task,
        counts: &[f32],
        step: Step,
        progress: &dyn Progress,
    ) -> Result<(), Cancelled> {
        let (k, freedom) = (self.weights.per_vertex, task.freedom);
        let solved = in_parallel(progress, self.rest.len(), |i| {
            let mut vertex = (self.rest[i], [0_u32; MOST_INFLUENCES], [0.0_f32; MOST_INFLUENCES]);
            vertex.1[..k].copy_from_slice(self.weights.of(i).0);
            vertex.2[..k].copy_from_slice(self.weights.of(i).1);
            if freedom.locked.is_some_and(|locked| locked[i]) {
                return Ok(vertex);
            }
            if freedom.weights && k > 0 {
                let mixture = self.mixed(i, counts, step);
                mixture.store(&mut vertex.1[..k], &mut vertex.2[..k]);
            }
            if freedom.rest {
                vertex.0 = self.moved_rest(i, counts, (&vertex.1[..k], &vertex.2[..k]));
            }
            Ok(vertex)
        })?;
        for (i, (rest, bones, weights)) in solved.into_iter().enumerate() {
            self.rest[i] = rest;
            self.weights.bones[i * k..(i + 1) * k].copy_from_slice(&bones[..k]);
            self.weights.weights[i * k..(i + 1) * k].copy_from_slice(&weights[..k]);
        }
        Ok(())
    }

    /// The best mixture of the bones of a vertex, or of those it looks at.
    fn mixed(&self, i: usize, counts: &[f32], step: Step) -> Mixture<{ MOST_INFLUENCES + 1 }> {
        let mut own: Vec<(usize, f64)> = self.weights.influences(i).filter(|(_, w)| *w > 0.0).collect();
        if own.is_empty() {
            own.push((0, 1.0));
        }
        let mut looked_at: Vec<usize> = own.iter().map(|(bone, _)| *bone).collect();
        if step.attempts > 0 {
            self.look_around(i, step.neighbours, &mut looked_at);
        }
        let mut products = self.products(i, counts, &looked_at);
        if step.pull > 0.0 {
            products.pull(step.pull, &self.mean_around(i, step.neighbours, &looked_at));
        }
        let mut mixture = Mixture::empty();
        for (place, (_, weight)) in own.iter().enumerate() {
            mixture.push(place, *weight, |_, other| products.of(place, other));
        }
        mixture.error = best_mixture(&mixture.gram, mixture.len, &mut mixture.weights);
        mixture.drop_negligible();
        let mut mixture = search(&products, mixture, self.weights.per_vertex, step.attempts);
        mixture.bones[..mixture.len].iter_mut().for_each(|place| *place = looked_at[*place]);
        mixture
    }

    /// Adds the other bones that a vertex looks at.
    fn look_around(&self, i: usize, neighbours: &Neighbours, looked_at: &mut Vec<usize>) {
        let mut add = |bone: usize| {
            if !looked_at.contains(&bone) {
                looked_at.push(bone);
            }
        };
        if self.bones <= ALL_LOOKED_AT {
            (0..self.bones).for_each(add);
        } else {
            let around = neighbours.of(i).iter().flat_map(|&n| self.weights.influences(n as usize));
            around.for_each(|(bone, _)| add(bone));
        }
    }

    /// Mean weights of the neighbours on some bones; none where there are no neighbours.
    fn mean_around(&self, i: usize, neighbours: &Neighbours, bones: &[usize]) -> Option<Vec<f64>> {
        let around = neighbours.of(i);
        let mut mean = vec![0.0; bones.len()];
        for (bone, weight) in around.iter().flat_map(|&n| self.weights.influences(n as usize)) {
            if let Some(place) = bones.iter().position(|b| *b == bone) {
                mean[place] += weight / around.len() as f64;
            }
        }
        (!around.is_empty()).then_some(mean)
    }

    /// Products of what each of some bones leaves over at a vertex.
    fn products(&self, i: usize, counts: &[f32], bones: &[usize]) -> Products {
        let (problem, n) = (self.problem, self.rest.len());
        let width = 3 * problem.frames().len();
        let mut rows = vec![0.0; bones.len() * width];
        for frame in 0..problem.frames().len() {
            let to = problem.reduced.units.pose(problem.frames().frame(frame)[i], frame);
            let (transforms, root) = (self.of_frame(frame), f64::from(counts[frame * n + i]).sqrt());
            for (row, &bone) in rows.chunks_exact_mut(width).zip(bones) {
                let missed = (transforms[bone].transform_point3(self.rest[i]) - to) * root;
                row[3 * frame..3 * frame + 3].copy_from_slice(&missed.to_array());
            }
        }
        let row = |bone: usize| &rows[bone * width..(bone + 1) * width];
        Products::new(bones.len(), |a, b| dot(row(a), row(b)))
    }

    /// Where the rest position of a vertex suits its bones best.
    fn moved_rest(&self, i: usize, counts: &[f32], (bones, weights): (&[u32], &[f32])) -> DVec3 {
        let (problem, frames) = (self.problem, self.problem.frames());
        let hold = problem.tuning.rest_hold * frames.len() as f64;
        let anchor: Vec3 = problem.scaled[i];
        let mut normal = DMat3::from_diagonal(DVec3::splat(hold));
        let mut right = (anchor.as_dvec3() - self.rest[i]) * hold;
        for frame in 0..frames.len() {
            let transforms = self.of_frame(frame);
            let mut blend = DAffine3 { matrix3: DMat3::ZERO, translation: DVec3::ZERO };
            for (&b, &w) in bones.iter().zip(weights).filter(|(_, w)| **w != 0.0) {
                blend.matrix3 += transforms[b as usize].matrix3 * f64::from(w);
                blend.translation += transforms[b as usize].translation * f64::from(w);
            }
            let often = f64::from(counts[frame * self.rest.len() + i]);
            let back = blend.matrix3.transpose() * often;
            let missed = problem.reduced.units.pose(frames.frame(frame)[i], frame)
                - blend.transform_point3(self.rest[i]);
            normal += back * blend.matrix3;
            right += back * missed;
        }
        let step = normal.inverse() * right;
        self.rest[i] + if step.is_finite() { step } else { DVec3::ZERO }
    }
}

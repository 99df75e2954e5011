//! The largest errors as the goal: Σ eᵖ over all vertices and frames instead of Σ e².
//!
//! Iteratively reweighted least squares: with e^(p−2) of the last round as the weight of a vertex in a frame, transforms of
//! every frame, then weights and rest position of every vertex have a minimum as before; vertices keep their bones. The
//! power rises from round to round (Burrus, Barreto and Selesnick 1994), weights go only part of the way to new ones,
//! without which powers above three swing to and fro, and have a floor, without which what is close goes its own way.
//! Weights differ from frame to frame, so that all of this is done in the frames, not in reduced coordinates.
//!
//! Of all rounds the one with the least norm counts; for the largest error, that with the least of those whose mean stays
//! within bounds.

use std::sync::Arc;

use glam::{DAffine3, DMat3, DVec3, Vec3};
use rayon::prelude::*;

use super::normal::{Block, Normal};
use super::{Bones, Norm, Pairs, Problem, Task, flexible, rigid};
use crate::progress::{Cancelled, Progress, in_parallel};
use crate::rig::SkinWeights;
use crate::skin::{BoneKind, MOST_INFLUENCES, NormTuning, Skin};
use crate::solve::nnls::{Mixture, best_mixture};

/// Lowers the norm of what a skin is off by. Bones that are locked stay.
pub fn lower(
    task: &Task,
    skin: Skin,
    norm: Norm,
    locked: &[bool],
    progress: &dyn Progress,
) -> Result<Skin, Cancelled> {
    let (problem, tuning) = (task.problem, &task.problem.tuning.norm);
    let pairs = Arc::new(Pairs::sharing_vertices(&skin.weights, skin.bones));
    let mut state = State::of(problem, &skin);
    let mut off = state.off(problem);
    let begun = Size::of(&off, norm);
    let (mut best, mut least) = (None, begun);
    let mut counts = vec![1.0_f32; off.len()];
    let mut power = 2.0;
    for round in 0..tuning.rounds {
        progress.check()?;
        progress.advance(round as f64 / tuning.rounds as f64);
        power = (power * tuning.growth).min(norm.power().min(tuning.highest));
        recount(&mut counts, &off, power, tuning);
        state.solve_bones(task, &counts, &pairs, locked, progress)?;
        state.solve_vertices(task, &counts, progress)?;
        off = state.off(problem);
        let now = Size::of(&off, norm);
        if now.norm < least.norm && now.mean <= tuning.mean * begun.mean {
            (best, least) = (Some(state.clone()), now);
        }
    }
    Ok(best.map_or(skin.clone(), |state| state.back(problem, skin)))
}

/// How far all is off.
#[derive(Clone, Copy)]
struct Size {
    /// By the norm that is to be small.
    norm: f64,
    /// By the root of the mean square.
    mean: f64,
}

impl Size {
    fn of(off: &[f32], norm: Norm) -> Self {
        let largest = f64::from(off.iter().fold(f32::MIN_POSITIVE, |m, e| m.max(*e)));
        let mean = |power: f64| {
            let sum: f64 = off.iter().map(|e| (f64::from(*e) / largest).powf(power)).sum();
            largest * (sum / off.len() as f64).powf(1.0 / power)
        };
        Self { norm: if norm.power().is_finite() { mean(norm.power()) } else { largest }, mean: mean(2.0) }
    }
}

/// Lets what is far off count for more.
fn recount(counts: &mut [f32], off: &[f32], power: f64, tuning: &NormTuning) {
    let largest = off.iter().fold(f32::MIN_POSITIVE, |m, e| m.max(*e));
    counts.par_iter_mut().zip(off).with_min_len(4096).for_each(|(count, e)| {
        let wanted = tuning.floor + (1.0 - tuning.floor) * f64::from(e / largest).powf(power - 2.0);
        *count = (f64::from(*count).powf(1.0 - tuning.share) * wanted.powf(tuning.share)) as f32;
    });
}

/// A skin in scaled units.
#[derive(Clone)]
struct State {
    rest: Vec<DVec3>,
    weights: SkinWeights,
    /// Frame after frame.
    transforms: Vec<DAffine3>,
    bones: usize,
}

impl State {
    fn of(problem: &Problem, skin: &Skin) -> Self {
        let units = &problem.reduced.units;
        let transform = |(i, t): (usize, &DAffine3)| units.transform(t, i / skin.bones);
        Self {
            rest: skin.rest.iter().map(|p| units.rest(*p)).collect(),
            weights: skin.weights.clone(),
            transforms: skin.transforms.iter().enumerate().map(transform).collect(),
            bones: skin.bones,
        }
    }

    /// The skin again; what has not moved keeps its bits.
    fn back(self, problem: &Problem, mut skin: Skin) -> Skin {
        let units = &problem.reduced.units;
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

    fn of_frame(&self, frame: usize) -> &[DAffine3] {
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

    /// How far every vertex is off in every frame, frame after frame.
    fn off(&self, problem: &Problem) -> Vec<f32> {
        let n = self.rest.len();
        let mut off = vec![0.0; n * problem.frames().len()];
        off.par_chunks_mut(n).enumerate().for_each(|(frame, off)| {
            for (i, (off, p)) in off.iter_mut().zip(problem.frames().frame(frame)).enumerate() {
                let there = self.blended(i, frame).transform_point3(self.rest[i]);
                *off = there.distance(problem.reduced.units.pose(*p, frame)) as f32;
            }
        });
        off
    }

    /// The bones of every frame, each vertex counting as often as said.
    fn solve_bones(
        &mut self,
        task: &Task,
        counts: &[f32],
        pairs: &Arc<Pairs>,
        locked: &[bool],
        progress: &dyn Progress,
    ) -> Result<(), Cancelled> {
        let (n, problem) = (self.rest.len(), task.problem);
        let solved = in_parallel(progress, problem.frames().len(), |frame| {
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
            let normal = Normal::of_blocks(self.bones, pairs.clone(), blocks);
            let mut now = self.of_frame(frame).to_vec();
            match task.size.kind {
                BoneKind::Rigid => rigid::sweeps(&mut now, &targets, &rigid::Blocks::new(&normal), locked),
                BoneKind::Flexible => {
                    let bones = Bones::still(0, locked.to_vec());
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

    /// Weights among the bones that vertices have, then rest positions.
    fn solve_vertices(
        &mut self,
        task: &Task,
        counts: &[f32],
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
            if freedom.weights {
                self.mix(i, task.problem, counts, (&mut vertex.1[..k], &mut vertex.2[..k]));
            }
            if freedom.rest {
                vertex.0 = self.moved_rest(i, task.problem, counts, (&vertex.1[..k], &vertex.2[..k]));
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

    /// The best mixture of the bones of a vertex.
    fn mix(&self, i: usize, problem: &Problem, counts: &[f32], (bones, weights): (&mut [u32], &mut [f32])) {
        let mut mixture = Mixture::<{ MOST_INFLUENCES + 1 }>::empty();
        for (bone, weight) in self.weights.influences(i).filter(|(_, w)| *w > 0.0) {
            mixture.push(bone, weight, |_, _| 0.0);
        }
        let count = mixture.len;
        if count < 2 {
            return;
        }
        let mut residuals = [DVec3::ZERO; MOST_INFLUENCES];
        for frame in 0..problem.frames().len() {
            let to = problem.reduced.units.pose(problem.frames().frame(frame)[i], frame);
            let (transforms, often) = (self.of_frame(frame), f64::from(counts[frame * self.rest.len() + i]));
            for (residual, &bone) in residuals.iter_mut().zip(&mixture.bones[..count]) {
                *residual = transforms[bone].transform_point3(self.rest[i]) - to;
            }
            for a in 0..count {
                for b in 0..count {
                    mixture.gram[a][b] += often * residuals[a].dot(residuals[b]);
                }
            }
        }
        mixture.error = best_mixture(&mixture.gram, count, &mut mixture.weights);
        mixture.drop_negligible();
        mixture.store(bones, weights);
    }

    /// Where the rest position of a vertex suits its bones best.
    fn moved_rest(
        &self,
        i: usize,
        problem: &Problem,
        counts: &[f32],
        (bones, weights): (&[u32], &[f32]),
    ) -> DVec3 {
        let frames = problem.frames();
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

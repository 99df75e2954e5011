//! A fit in the making, and the one walk along its frames that everything is measured by.

use glam::{DAffine3, DVec3};
use rayon::prelude::*;

use super::Scheme;
use crate::animation::Frames;
use crate::progress::{Cancelled, Progress};
use crate::rig::{blend, step_pose};
use crate::skin::{PoseScratch, Prior, Skin, TransformSolver};

/// Vertices that are measured together.
const BLOCK: usize = 512;

/// A skin in the one scheme or the other: from pose to pose its transforms lead from the pose before.
#[derive(Clone)]
pub struct Model {
    pub scheme: Scheme,
    pub skin: Skin,
}

/// One vertex in one frame.
pub struct Station {
    /// What the bones are applied to.
    pub source: DVec3,
    /// The blend of its bones in this frame.
    pub blend: DAffine3,
    /// What carries the vertex from the rest pose to here (equation 4).
    pub from_rest: DAffine3,
    /// Where it arrives.
    pub place: DVec3,
}

impl Model {
    /// Visits a vertex in every frame.
    pub fn walk(&self, vertex: usize, visit: impl FnMut(usize, &Station)) {
        self.walk_with(vertex, self.skin.weights.of(vertex), visit);
    }

    /// The same if the vertex had other bones and weights.
    pub fn walk_with(
        &self,
        vertex: usize,
        (bones, weights): (&[u32], &[f32]),
        mut visit: impl FnMut(usize, &Station),
    ) {
        let rest = self.skin.rest[vertex].as_dvec3();
        let none = DAffine3::IDENTITY;
        let mut here = Station { source: rest, blend: none, from_rest: none, place: rest };
        for t in 0..self.skin.transforms.len() / self.skin.bones {
            let blend = blend(bones, weights, self.skin.frame_transforms(t));
            let (source, from_rest) = match self.scheme {
                Scheme::RestPose => (rest, blend),
                Scheme::PoseToPose => (here.place, blend * here.from_rest),
            };
            here = Station { source, blend, from_rest, place: blend.transform_point3(source) };
            visit(t, &here);
        }
    }

    /// Squared distance of one vertex from its path, if it had these bones and weights.
    pub fn vertex_error(&self, frames: &Frames, vertex: usize, weights: (&[u32], &[f32])) -> f64 {
        let mut sum = 0.0;
        self.walk_with(vertex, weights, |t, here| {
            sum += here.place.distance_squared(frames.frame(t)[vertex].as_dvec3());
        });
        sum
    }

    /// Squared distance from the frames.
    pub fn squared_error(&self, frames: &Frames) -> f64 {
        let errors: Vec<f64> = (0..self.skin.rest.len())
            .into_par_iter()
            .with_min_len(64)
            .map(|v| self.vertex_error(frames, v, self.skin.weights.of(v)))
            .collect();
        errors.iter().sum()
    }

    /// Squared distance from each frame.
    pub fn error_per_frame(&self, frames: &Frames) -> Vec<f64> {
        let vertices = self.skin.rest.len();
        let of_block = |block: usize| {
            let mut errors = vec![0.0; frames.len()];
            for v in block * BLOCK..((block + 1) * BLOCK).min(vertices) {
                self.walk(v, |t, here| {
                    errors[t] += here.place.distance_squared(frames.frame(t)[v].as_dvec3());
                });
            }
            errors
        };
        let blocks: Vec<Vec<f64>> = (0..vertices.div_ceil(BLOCK)).into_par_iter().map(of_block).collect();
        (0..frames.len()).map(|t| blocks.iter().map(|errors| errors[t]).sum()).collect()
    }

    /// Solves the transforms of all frames anew; bones that a frame leaves open stay as they were.
    pub fn fit_transforms(&mut self, frames: &Frames, progress: &dyn Progress) -> Result<(), Cancelled> {
        let mut solver = TransformSolver::new(&self.skin.weights, self.skin.bones);
        let mut pose: Vec<DVec3> = self.skin.rest.iter().map(|p| p.as_dvec3()).collect();
        let known = (!self.skin.transforms.is_empty()).then_some(self.skin.transforms.as_slice());
        match self.scheme {
            Scheme::RestPose => {
                solver.try_set_source(&pose, progress)?;
                self.skin.transforms = solver.solve_frames(frames, known, progress)?;
            }
            Scheme::PoseToPose => {
                let mut fitted = vec![DAffine3::IDENTITY; frames.len() * self.skin.bones];
                let mut scratch = PoseScratch::default();
                for (t, steps) in fitted.chunks_exact_mut(self.skin.bones).enumerate() {
                    progress.check()?;
                    let prior = match known {
                        Some(_) => Prior::Given(self.skin.frame_transforms(t)),
                        None => Prior::Rigid,
                    };
                    solver.try_set_source(&pose, progress)?;
                    solver.solve(frames.frame(t), prior, &mut scratch, steps);
                    step_pose(&self.skin.weights, steps, &mut pose);
                }
                self.skin.transforms = fitted;
            }
        }
        Ok(())
    }
}

//! A fit in the making, and the one walk along its frames that everything is measured by.

use glam::{DAffine3, DVec3, Vec3};
use rayon::prelude::*;

use super::Scheme;
use crate::animation::Frames;
use crate::rig::{SkinWeights, blend, step_pose};
use crate::skin::transforms::{PoseScratch, Prior, TransformSolver};

/// Rest pose, weights and transforms, in the one scheme or the other.
#[derive(Clone)]
pub struct Model {
    pub scheme: Scheme,
    pub bones: usize,
    pub rest: Vec<Vec3>,
    pub weights: SkinWeights,
    /// Frame after frame; empty before the first fit.
    pub transforms: Vec<DAffine3>,
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
    /// Transforms of all bones in one frame.
    pub fn frame_transforms(&self, frame: usize) -> &[DAffine3] {
        &self.transforms[frame * self.bones..(frame + 1) * self.bones]
    }

    /// Visits a vertex in every frame.
    pub fn walk(&self, vertex: usize, visit: impl FnMut(usize, &Station)) {
        self.walk_with(vertex, self.weights.of(vertex), visit);
    }

    /// The same if the vertex had other bones and weights.
    pub fn walk_with(
        &self,
        vertex: usize,
        (bones, weights): (&[u32], &[f32]),
        mut visit: impl FnMut(usize, &Station),
    ) {
        let rest = self.rest[vertex].as_dvec3();
        let none = DAffine3::IDENTITY;
        let mut here = Station { source: rest, blend: none, from_rest: none, place: rest };
        for t in 0..self.transforms.len() / self.bones {
            let blend = blend(bones, weights, self.frame_transforms(t));
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
        let errors: Vec<f64> = (0..self.rest.len())
            .into_par_iter()
            .with_min_len(64)
            .map(|v| self.vertex_error(frames, v, self.weights.of(v)))
            .collect();
        errors.iter().sum()
    }

    /// Squared distance from each frame.
    pub fn error_per_frame(&self, frames: &Frames) -> Vec<f64> {
        let mut errors = vec![0.0; frames.len()];
        for v in 0..self.rest.len() {
            self.walk(v, |t, here| {
                errors[t] += here.place.distance_squared(frames.frame(t)[v].as_dvec3());
            });
        }
        errors
    }

    /// Solves the transforms of all frames anew; bones that a frame leaves open stay as they were.
    pub fn fit_transforms(&mut self, frames: &Frames) {
        let mut solver = TransformSolver::new(&self.weights, self.bones);
        let mut pose: Vec<DVec3> = self.rest.iter().map(|p| p.as_dvec3()).collect();
        let known = (!self.transforms.is_empty()).then_some(self.transforms.as_slice());
        match self.scheme {
            Scheme::RestPose => {
                solver.set_source(&pose);
                self.transforms = solver.solve_frames(frames, known);
            }
            Scheme::PoseToPose => {
                let mut fitted = vec![DAffine3::IDENTITY; frames.len() * self.bones];
                let mut scratch = PoseScratch::default();
                for (t, steps) in fitted.chunks_exact_mut(self.bones).enumerate() {
                    let prior = match known {
                        Some(_) => Prior::Given(self.frame_transforms(t)),
                        None => Prior::Rigid,
                    };
                    solver.set_source(&pose);
                    solver.solve(frames.frame(t), prior, &mut scratch, steps);
                    step_pose(&self.weights, steps, &mut pose);
                }
                self.transforms = fitted;
            }
        }
    }
}

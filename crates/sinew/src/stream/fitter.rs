//! One frame after the other, for given weights.

use glam::{DAffine3, DVec3, Vec3};

use super::Decoder;
use super::steps::StepSolver;
use crate::rig::SkinWeights;
use crate::skin::BoneKind;

/// Fits frames from the approximated pose before or, where that is closer, from the rest pose.
pub struct Fitter {
    weights: SkinWeights,
    /// From the pose before.
    onward: StepSolver,
    /// From the rest pose, where key frames are allowed.
    afresh: Option<StepSolver>,
    steps: Vec<DAffine3>,
    /// What whoever gets the steps sees.
    decoder: Decoder,
    /// Where steps from the rest pose would lead, and what those are.
    other: (Decoder, Vec<DAffine3>),
}

/// What a frame is reached by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step<'a> {
    /// Whether this is a key frame, reached from the rest pose and not from the pose before.
    pub key: bool,
    /// Transform of every bone.
    pub transforms: &'a [DAffine3],
}

impl Fitter {
    /// Starts at the rest pose.
    pub fn new(weights: &SkinWeights, bones: usize, rest: &[Vec3], kind: BoneKind, keys: bool) -> Self {
        let decoder = Decoder::new(rest);
        let afresh = keys.then(|| {
            let mut solver = StepSolver::new(weights, bones, kind);
            solver.set_source(decoder.pose());
            solver
        });
        Self {
            onward: StepSolver::new(weights, bones, kind),
            afresh,
            weights: weights.clone(),
            steps: vec![DAffine3::IDENTITY; bones],
            other: (decoder.clone(), vec![DAffine3::IDENTITY; bones]),
            decoder,
        }
    }

    /// Fits the next frame.
    pub fn next(&mut self, pose: &[Vec3]) -> Step<'_> {
        self.onward.set_source(self.decoder.pose());
        self.onward.solve(pose, &mut self.steps);
        let mut key = false;
        if let Some(afresh) = &mut self.afresh {
            let (decoder, transforms) = &mut self.other;
            afresh.solve(pose, transforms);
            decoder.decode(&self.weights, Step { key: true, transforms });
            self.decoder.decode(&self.weights, Step { key, transforms: &self.steps });
            key = squared_distance(decoder.pose(), pose) < squared_distance(self.decoder.pose(), pose);
            if key {
                std::mem::swap(&mut self.decoder, decoder);
                std::mem::swap(&mut self.steps, transforms);
            }
        } else {
            self.decoder.decode(&self.weights, Step { key, transforms: &self.steps });
        }
        Step { key, transforms: &self.steps }
    }

    /// The approximated pose of the frame fitted last.
    pub fn pose(&self) -> &[DVec3] {
        self.decoder.pose()
    }

    /// Which bones move which vertices.
    pub fn weights(&self) -> &SkinWeights {
        &self.weights
    }
}

/// Σ‖p − q‖².
pub fn squared_distance(a: &[DVec3], b: &[Vec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.distance_squared(b.as_dvec3())).sum()
}

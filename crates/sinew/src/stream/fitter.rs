//! One frame after the other, for given weights.

use glam::{DAffine3, DVec3, Vec3};

use super::StreamOptions;
use super::steps::StepSolver;
use crate::rig::{SkinWeights, step_pose};
use crate::skin::BoneKind;

/// Fits frames from the approximated pose before or, where that is closer, from the rest pose.
pub struct Fitter {
    /// Which bones move which vertices.
    pub weights: SkinWeights,
    kind: BoneKind,
    rest: Vec<DVec3>,
    /// From the pose before.
    onward: StepSolver,
    /// Transforms of all bones that led to the frame fitted last.
    pub steps: Vec<DAffine3>,
    /// The approximated pose of that frame, which whoever gets the steps sees.
    pub pose: Vec<DVec3>,
    /// From the rest pose, where key frames are allowed.
    afresh: Option<Afresh>,
}

/// Where steps from the rest pose would lead, and what those are.
struct Afresh {
    solver: StepSolver,
    steps: Vec<DAffine3>,
    pose: Vec<DVec3>,
}

impl Fitter {
    /// Starts at the rest pose.
    pub fn new(weights: &SkinWeights, rest: &[Vec3], options: &StreamOptions) -> Self {
        let StreamOptions { bones, kind, keys, .. } = *options;
        let rest: Vec<DVec3> = rest.iter().map(|p| p.as_dvec3()).collect();
        let steps = vec![DAffine3::IDENTITY; bones];
        Self {
            onward: StepSolver::new(weights, bones, kind),
            afresh: keys.then(|| Afresh {
                solver: from_rest(weights, &rest, bones, kind),
                steps: steps.clone(),
                pose: rest.clone(),
            }),
            weights: weights.clone(),
            kind,
            pose: rest.clone(),
            rest,
            steps,
        }
    }

    /// Goes on with other weights from the pose at hand.
    pub fn set_weights(&mut self, weights: SkinWeights) {
        let bones = self.steps.len();
        self.onward = StepSolver::new(&weights, bones, self.kind);
        if let Some(afresh) = &mut self.afresh {
            afresh.solver = from_rest(&weights, &self.rest, bones, self.kind);
        }
        self.weights = weights;
    }

    /// Fits the next frame. Whether it is a key frame, reached from the rest pose.
    pub fn next(&mut self, pose: &[Vec3]) -> bool {
        self.onward.set_source(&self.pose);
        self.onward.solve(pose, &mut self.steps);
        step_pose(&self.weights, &self.steps, &mut self.pose);
        let Some(afresh) = &mut self.afresh else { return false };
        afresh.solver.solve(pose, &mut afresh.steps);
        afresh.pose.copy_from_slice(&self.rest);
        step_pose(&self.weights, &afresh.steps, &mut afresh.pose);
        let key = squared_distance(&afresh.pose, pose) < squared_distance(&self.pose, pose);
        if key {
            std::mem::swap(&mut self.pose, &mut afresh.pose);
            std::mem::swap(&mut self.steps, &mut afresh.steps);
        }
        key
    }

    /// Fits frames one after the other; the sum of their squared errors.
    pub fn play<'a>(&mut self, frames: impl Iterator<Item = &'a [Vec3]>) -> f64 {
        let error = |frame| {
            self.next(frame);
            squared_distance(&self.pose, frame)
        };
        frames.map(error).sum()
    }
}

fn from_rest(weights: &SkinWeights, rest: &[DVec3], bones: usize, kind: BoneKind) -> StepSolver {
    let mut solver = StepSolver::new(weights, bones, kind);
    solver.set_source(rest);
    solver
}

/// Σ‖p − q‖².
pub fn squared_distance(a: &[DVec3], b: &[Vec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.distance_squared(b.as_dvec3())).sum()
}

//! A rig that was learnt from some frames, taken through all of them.
//!
//! An animation that is larger than memory is not fitted as a whole: bones, weights, rest pose and correction shapes
//! are found on some of its frames, as any other animation's are. What is left is each frame's own, the transforms
//! and coefficients that come closest, and how close that is. Frames go by a few at a time and are not kept.

use glam::Vec3;

use crate::animation::{Clip, ErrorMeasure, Frames, Measured, RunningClips};
use crate::geometry::Bounds;
use crate::rig::{Rig, Skinner};
use crate::skin::{FrameSolver, coefficients_for};

/// Fits the bones of a rig to frames that it was not made from, and measures it against them.
pub struct Follower {
    rig: Rig,
    solver: FrameSolver,
    skinner: Skinner,
    measure: RunningClips,
    pose: Vec<Vec3>,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Followed {
    /// The rig, with the motion of all frames.
    pub rig: Rig,
    /// Its distance from them.
    pub measured: Measured,
    /// The same clip by clip, frames counted from the first of each; empty where the rig states no clips.
    pub clips: Vec<ErrorMeasure>,
}

impl Follower {
    /// Takes the skin of `rig`, whose own frames are forgotten, for frames of these clips. `bounds` is the box
    /// that relative measures refer to.
    ///
    /// # Panics
    /// When weights of the rig name bones that are not there.
    pub fn new(mut rig: Rig, clips: Vec<Clip>, bounds: Bounds) -> Self {
        let solver = FrameSolver::of(&rig);
        rig.transforms.clear();
        if let Some(corrections) = &mut rig.corrections {
            corrections.coefficients.clear();
        }
        rig.clips.clone_from(&clips);
        let skinner = Skinner::new(&rig);
        let pose = vec![Vec3::ZERO; rig.rest.len()];
        Self { rig, solver, skinner, measure: RunningClips::new(clips, bounds), pose }
    }

    /// Fits the next frames. The same comes out however they are parted.
    ///
    /// # Panics
    /// When they have another number of vertices than the rig.
    pub fn follow(&mut self, frames: &Frames) {
        let rig = &mut self.rig;
        let bones = rig.bones.len();
        let transforms = self.solver.solve_frames(frames);
        let (mut coefficients, mut rank) = (Vec::new(), 0);
        if let Some(shapes) = &mut rig.corrections {
            rank = shapes.rank;
            coefficients = coefficients_for(frames, &rig.rest, &rig.weights, &transforms, shapes);
            shapes.coefficients.extend_from_slice(&coefficients);
        }
        for t in 0..frames.len() {
            let amounts = &coefficients[t * rank..(t + 1) * rank];
            self.skinner.pose_into(&transforms[t * bones..(t + 1) * bones], amounts, &mut self.pose);
            self.measure.add(frames.frame(t), &self.pose);
        }
        rig.transforms.extend(transforms);
    }

    /// How many frames have gone by.
    pub fn frames(&self) -> usize {
        self.measure.frames()
    }

    /// The rig and its measures.
    pub fn finish(self) -> Followed {
        let (measured, clips) = self.measure.finish();
        Followed { rig: self.rig, measured, clips }
    }
}

//! Fitting frames as they come.
//!
//! Bones are points spread evenly over the surface, with weights that fall smoothly with the distance to
//! them, as in SAD: nothing is assumed about the motion, which is learned later ([`super::learn`]). Where some frames can
//! be looked at before the first is fitted, weights are brought nearer to what moves together in them; see [`super::seen`].

use glam::{DVec3, Vec3};

use super::fitter::{Fitter, squared_distance};
use super::learn::Learner;
use super::seen::Seen;
use super::{Step, StreamError, StreamOptions};
use crate::geometry::Mesh;
use crate::progress::Silent;
use crate::rig::{Bone, SkinWeights};
use crate::segment::{SegmentError, smooth_weights, spread_points};
use crate::skin::{MOST_INFLUENCES, name_bones};

/// Fits the steps of one frame after the other.
pub struct Encoder {
    bones: Vec<Bone>,
    fitter: Fitter,
    learner: Option<Learner>,
    frames: usize,
}

impl Encoder {
    /// Chooses bones and the weights to begin with.
    ///
    /// `rest` is the pose that the first frame is reached from, usually the first frame itself. `ahead` are
    /// the first frames, where one is willing to hold and wait for some ([`super::DEFAULT_LOOK_AHEAD`]); what
    /// moves together in them is moved by the same bones. With none or one, bones are spread evenly and
    /// blended smoothly. These frames are given to [`Encoder::encode`] all the same.
    pub fn new(
        mesh: &Mesh,
        rest: &[Vec3],
        ahead: &[&[Vec3]],
        options: &StreamOptions,
    ) -> Result<Self, StreamError> {
        if !(1..=MOST_INFLUENCES).contains(&options.influences) {
            return Err(StreamError::Influences { asked: options.influences });
        }
        if rest.len() != mesh.vertex_count || !rest.iter().all(|p| p.is_finite()) {
            return Err(StreamError::Rest);
        }
        for (frame, pose) in ahead.iter().enumerate() {
            check(frame, pose, rest.len())?;
        }
        let triangles = mesh.triangles(rest);
        let points = spread_points(&triangles, rest, options.bones, &Silent).map_err(too_many)?;
        let mut weights = smooth_weights(&triangles, rest, &points, options.influences);
        // One frame does not move.
        if ahead.len() > 1 {
            weights = Seen::new(&points, &weights, rest, ahead, options).weights();
        }
        let bones = name_bones(rest, &weights, points.len(), options.kind);
        let fitter = Fitter::new(&weights, rest, options);
        let learner = options.learn.then(|| Learner::new(triangles, rest, options));
        Ok(Self { bones, fitter, learner, frames: 0 })
    }

    /// Which bones move which vertices: those of the frame encoded last, or of the first.
    pub fn weights(&self) -> &SkinWeights {
        &self.fitter.weights
    }

    /// The bones.
    pub fn bones(&self) -> &[Bone] {
        &self.bones
    }

    /// Fits the next frame: the steps of all bones from the approximated pose of the frame before, or from
    /// the rest pose, with new weights where earlier frames have taught some.
    pub fn encode(&mut self, pose: &[Vec3]) -> Result<Step<'_>, StreamError> {
        check(self.frames, pose, self.fitter.pose.len())?;
        let learned = self.learner.as_mut().and_then(|learner| learner.learned(&self.fitter.weights));
        let changed = learned.is_some();
        if let Some(weights) = learned {
            self.fitter.set_weights(weights);
        }
        let key = self.fitter.next(pose);
        if let Some(learner) = &mut self.learner {
            learner.see(pose, squared_distance(&self.fitter.pose, pose));
        }
        self.frames += 1;
        let new_weights = changed.then_some(&self.fitter.weights);
        Ok(Step { key, new_weights, transforms: &self.fitter.steps, moves: &[] })
    }

    /// The approximated pose of the frame encoded last; the rest pose before.
    pub fn pose(&self) -> &[DVec3] {
        &self.fitter.pose
    }
}

fn too_many(error: SegmentError) -> StreamError {
    match error {
        SegmentError::Count { asked, most } => StreamError::Bones { asked, places: most },
        SegmentError::Cancelled => unreachable!("nobody cancels"),
    }
}

fn check(frame: usize, pose: &[Vec3], expected: usize) -> Result<(), StreamError> {
    if pose.len() != expected {
        return Err(StreamError::VertexCount { frame, found: pose.len(), expected });
    }
    match pose.iter().position(|p| !p.is_finite()) {
        Some(vertex) => Err(StreamError::NotFinite { frame, vertex }),
        None => Ok(()),
    }
}

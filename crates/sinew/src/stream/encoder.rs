//! Fitting frames as they come.

use glam::{DVec3, Vec3};

use super::fitter::{Fitter, squared_distance};
use super::layout::Layout;
use super::learn::Learner;
use super::{Step, StreamError, StreamOptions, layout};
use crate::geometry::Mesh;
use crate::rig::{Bone, SkinWeights};
use crate::skin::MOST_INFLUENCES;

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
        let chosen = layout::choose(&triangles, rest, ahead, options);
        let Layout { weights, bones } =
            chosen.ok_or_else(|| too_many(options.bones, &triangles, rest.len()))?;
        let fitter = Fitter::new(&weights, bones.len(), rest, options.kind, options.keys);
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

fn too_many(asked: usize, triangles: &[[u32; 3]], vertices: usize) -> StreamError {
    let mut used = vec![false; vertices];
    triangles.as_flattened().iter().for_each(|&v| used[v as usize] = true);
    StreamError::Bones { asked, places: used.iter().filter(|used| **used).count() }
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

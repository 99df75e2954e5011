//! Rigs whose bones carry each pose to the next, after "PPS: Pose-to-Pose Skinning of Animated Meshes"
//! (Vasilakis, Fudos and Antonopoulos 2016).
//!
//! Equation 3 blends transforms that lead from the last approximated pose to the next one. Composed along
//! time (equation 4) they give each vertex a transform of its own from the rest pose, which no palette of
//! bones can express: such a rig is played in order.
//!
//! Some frames may be key frames, which start from the rest pose as in any other rig: what earlier steps
//! missed ends there, and playing can begin there. Weights may change from frame to frame too, which they do
//! where they are learned as frames come ([`crate::stream`]). After its steps a frame may move single vertices
//! on: that is how a pose is met which bones do not express, and later frames start from it.

use std::borrow::Borrow;
use std::sync::Mutex;

use glam::{DAffine3, DVec3, Vec3};
use rayon::prelude::*;

use super::{Bone, RigError, SkinWeights, check_length};
use crate::animation::{Frames, PoseSource};
use crate::geometry::Mesh;
use crate::nodes::{self, Node};

/// Vertices in ascending order, and how far each is moved.
pub type Moves = Vec<(u32, DVec3)>;

/// A mesh and bones that carry each of its poses to the next.
#[derive(Clone, Debug, PartialEq)]
pub struct PoseChain {
    /// Faces, UVs, materials.
    pub mesh: Mesh,
    /// The pose before the first frame.
    pub rest: Vec<Vec3>,
    /// Which bones move which vertices, at first.
    pub weights: SkinWeights,
    /// Weights that take the place of those before, each with the frame it starts at, in ascending order;
    /// mostly there are none.
    pub later_weights: Vec<(usize, SkinWeights)>,
    /// The bones.
    pub bones: Vec<Bone>,
    /// Transform of every bone in every frame, frame after frame: maps the pose of the frame before (the
    /// rest pose for the first) to the frame's pose.
    pub steps: Vec<DAffine3>,
    /// Frames whose steps start from the rest pose instead, in ascending order; there may be none.
    pub keys: Vec<usize>,
    /// Frames that move vertices on after their steps, in ascending order; mostly there are none.
    pub moves: Vec<(usize, Moves)>,
    /// Frames per second.
    pub fps: f64,
    /// What stands beside the mesh and moves no vertex. Nothing of it hangs on bones, which have no place of their own.
    pub nodes: Vec<Node>,
}

impl PoseChain {
    /// Number of frames.
    pub fn frame_count(&self) -> usize {
        self.steps.len() / self.bones.len().max(1)
    }

    /// Steps of all bones into one frame.
    pub fn frame_steps(&self, frame: usize) -> &[DAffine3] {
        let b = self.bones.len();
        &self.steps[frame * b..(frame + 1) * b]
    }

    /// Whether the steps into `frame` start from the rest pose.
    pub fn is_key(&self, frame: usize) -> bool {
        frame == 0 || self.keys.binary_search(&frame).is_ok()
    }

    /// Vertices that `frame` moves on after its steps.
    pub fn moves_at(&self, frame: usize) -> &[(u32, DVec3)] {
        self.moves.binary_search_by_key(&frame, |(at, _)| *at).map_or(&[], |at| &self.moves[at].1)
    }

    /// The rest pose as steps act on it.
    pub fn start(&self) -> Vec<DVec3> {
        self.rest.iter().map(|p| p.as_dvec3()).collect()
    }

    /// Carries the pose of the frame before on to that of `frame`, in place.
    pub fn advance(&self, frame: usize, pose: &mut [DVec3]) {
        self.step(frame, pose);
        move_on(self.moves_at(frame), pose);
    }

    /// The same by the bones alone.
    pub(crate) fn step(&self, frame: usize, pose: &mut [DVec3]) {
        if self.is_key(frame) {
            pose.iter_mut().zip(&self.rest).for_each(|(p, rest)| *p = rest.as_dvec3());
        }
        step_pose(self.weights_at(frame), self.frame_steps(frame), pose);
    }

    /// The weights that the steps into `frame` go by.
    pub fn weights_at(&self, frame: usize) -> &SkinWeights {
        let changed = self.later_weights.partition_point(|&(from, _)| from <= frame);
        self.later_weights[..changed].last().map_or(&self.weights, |(_, weights)| weights)
    }

    /// The frame from which steps lead to `frame`: the last key frame up to it, or the first frame.
    fn beginning(&self, frame: usize) -> usize {
        self.keys[..self.keys.partition_point(|&key| key <= frame)].last().copied().unwrap_or(0)
    }

    /// All poses, for those who look at them in any order.
    pub fn bake(&self) -> Frames {
        let mut pose = self.start();
        let mut flat = Vec::with_capacity(3 * self.frame_count() * pose.len());
        for frame in 0..self.frame_count() {
            self.advance(frame, &mut pose);
            flat.extend(pose.iter().flat_map(|p| p.as_vec3().to_array()));
        }
        Frames::new(flat, self.frame_count(), pose.len())
    }

    /// Checks that all lengths and indices agree.
    ///
    /// # Errors
    /// The first thing that does not.
    pub fn validate(&self) -> Result<(), RigError> {
        if self.bones.is_empty() {
            return Err(RigError::NoBones);
        }
        let n = self.mesh.vertex_count;
        check_length("rest pose", self.rest.len(), n)?;
        check_length("steps", self.steps.len(), self.frame_count() * self.bones.len())?;
        nodes::validate(&self.nodes, 0, self.frame_count())?;
        if !self.are_frames(self.keys.iter().copied()) {
            return Err(RigError::Keys);
        }
        if !self.are_frames(self.later_weights.iter().map(|(frame, _)| *frame)) {
            return Err(RigError::LaterWeights);
        }
        let ascend = |moves: &Moves| {
            moves.is_sorted_by(|a, b| a.0 < b.0) && moves.last().is_none_or(|(v, _)| (*v as usize) < n)
        };
        if !self.are_frames(self.moves.iter().map(|(frame, _)| *frame))
            || !self.moves.iter().all(|(_, moves)| ascend(moves))
        {
            return Err(RigError::Moves);
        }
        let mut all = self.later_weights.iter().map(|(_, weights)| weights).chain([&self.weights]);
        all.try_for_each(|weights| weights.validate(n, self.bones.len()))
    }

    /// Whether these are frames in ascending order.
    fn are_frames(&self, mut numbers: impl Iterator<Item = usize>) -> bool {
        numbers.try_fold(0, |least, t| (least..self.frame_count()).contains(&t).then_some(t + 1)).is_some()
    }
}

/// The weighted sum of one vertex' bone transforms.
pub(crate) fn blended(weights: &SkinWeights, transforms: &[DAffine3], vertex: usize) -> DAffine3 {
    let (bones, weights) = weights.of(vertex);
    blend(bones, weights, transforms)
}

/// The weighted sum of some transforms.
pub(crate) fn blend(bones: &[u32], weights: &[f32], transforms: &[DAffine3]) -> DAffine3 {
    let mut sum = DAffine3 { matrix3: glam::DMat3::ZERO, translation: DVec3::ZERO };
    for (&bone, &weight) in bones.iter().zip(weights).filter(|(_, w)| **w != 0.0) {
        let t = &transforms[bone as usize];
        sum.matrix3 += t.matrix3 * f64::from(weight);
        sum.translation += t.translation * f64::from(weight);
    }
    sum
}

/// Carries `pose` one step on, in place.
pub fn step_pose(weights: &SkinWeights, steps: &[DAffine3], pose: &mut [DVec3]) {
    pose.par_iter_mut().with_min_len(1024).enumerate().for_each(|(vertex, p)| {
        *p = blended(weights, steps, vertex).transform_point3(*p);
    });
}

/// Moves single vertices of `pose`.
///
/// # Panics
/// When there is no such vertex.
pub fn move_on(moves: &[(u32, DVec3)], pose: &mut [DVec3]) {
    moves.iter().for_each(|(vertex, by)| pose[*vertex as usize] += *by);
}

/// Plays a [`PoseChain`]. Frames are quickest in order; going back starts again from a key frame. Where
/// several threads ask for frames, [`PoseChain::bake`] is quicker. It borrows the chain, or shares it as an `Arc`.
pub struct ChainPlayer<C> {
    chain: C,
    /// Frames played so far and the pose they led to; nothing while someone is at it, who may be asked for
    /// another frame in between by the same thread.
    state: Mutex<Option<(usize, Vec<DVec3>)>>,
}

impl<C: Borrow<PoseChain>> ChainPlayer<C> {
    /// Prepares to play `chain`: a `&PoseChain`, an `Arc<PoseChain>` or a `PoseChain`.
    pub fn new(chain: C) -> Self {
        Self { chain, state: Mutex::new(None) }
    }
}

impl<C: Borrow<PoseChain> + Sync> PoseSource for ChainPlayer<C> {
    fn frame_count(&self) -> usize {
        self.chain.borrow().frame_count()
    }

    fn vertex_count(&self) -> usize {
        self.chain.borrow().rest.len()
    }

    fn pose_into(&self, frame: usize, out: &mut [Vec3]) {
        // A panic in another thread cannot leave a pose half done: it was taken out.
        let state = || self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let chain: &PoseChain = self.chain.borrow();
        let beginning = chain.beginning(frame);
        let taken = state().take().filter(|(played, _)| (beginning + 1..=frame + 1).contains(played));
        let (mut played, mut pose) = taken.unwrap_or_else(|| (beginning, chain.start()));
        while played <= frame {
            chain.advance(played, &mut pose);
            played += 1;
        }
        out.iter_mut().zip(pose.iter()).for_each(|(out, p)| *out = p.as_vec3());
        *state() = Some((played, pose));
    }
}

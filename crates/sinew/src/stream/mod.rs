//! Frames that arrive one at a time, each fitted before the next is seen.
//!
//! Follows equation 3 of "PPS: Pose-to-Pose Skinning of Animated Meshes" (Vasilakis, Fudos and Antonopoulos
//! 2016): bones carry the last approximated pose to the next one, so that whatever was missed is seen again
//! and does not add up unnoticed. It may still drift, for what blends of bones cannot undo stays. Where the
//! rest pose leads closer than the pose before, a frame is therefore fitted from there and becomes a key frame,
//! at which others can begin to play. Weights are learned: now and then they change to what would have followed
//! the frames that have gone by better, of which some are remembered. The [`Encoder`] holds those, the last pose,
//! the weights and two sets of equations; nothing grows with the number of frames. A [`Decoder`] given the same steps reaches the same pose, bit
//! for bit.
//!
//! ```
//! use sinew::stream::{Decoder, Encoder, StreamOptions};
//! use sinew_sample::{CreatureOptions, creature};
//!
//! let animation = creature(&CreatureOptions { frames: 8, ..Default::default() });
//! let frames = &animation.frames;
//! let options = StreamOptions { bones: 20, ..Default::default() };
//! let mut encoder = Encoder::new(&animation.mesh, frames.frame(0), &[], &options)?;
//! let mut decoder = Decoder::new(frames.frame(0), encoder.weights());
//! for t in 0..frames.len() {
//!     let step = encoder.encode(frames.frame(t))?;
//!     decoder.decode(step);
//!     assert_eq!(decoder.pose(), encoder.pose());
//! }
//! # Ok::<(), sinew::stream::StreamError>(())
//! ```
//!
//! Where all frames can be gone through twice, a [`Follower`] takes a rig that was learnt from some of them, by any
//! method of [`crate::skin`], through all.

mod encoder;
mod fitter;
mod follow;
mod learn;
mod past;
mod seen;
mod steps;

use glam::{DAffine3, DVec3, Vec3};

pub use encoder::Encoder;
pub use follow::{Followed, Follower};

use crate::rig::{SkinWeights, move_on, step_pose};
use crate::skin::{BoneKind, DEFAULT_BONES, DEFAULT_INFLUENCES, MOST_INFLUENCES};

/// Frames to look at before the first is fitted, where nobody says otherwise: the first alone, for what more
/// would tell is soon learned.
pub const DEFAULT_LOOK_AHEAD: usize = 1;

/// Options of an [`Encoder`].
#[derive(Clone, Debug, PartialEq)]
pub struct StreamOptions {
    /// Number of bones.
    pub bones: usize,
    /// The most influences on a vertex, 1 to 16.
    pub influences: usize,
    /// What bones may do in a step.
    pub kind: BoneKind,
    /// Whether frames may be fitted from the rest pose where that is closer.
    pub keys: bool,
    /// Whether weights change to what frames that have gone by teach.
    pub learn: bool,
}

impl Default for StreamOptions {
    fn default() -> Self {
        Self {
            bones: DEFAULT_BONES,
            influences: DEFAULT_INFLUENCES,
            kind: BoneKind::Flexible,
            keys: true,
            learn: true,
        }
    }
}

/// Why a stream could not be begun or continued.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StreamError {
    /// No bones, or more than there are places for.
    #[error("{asked} bones cannot be placed on a mesh of which {places} vertices belong to a triangle")]
    Bones {
        /// How many were asked for.
        asked: usize,
        /// How many there could be.
        places: usize,
    },
    /// No influences, or too many.
    #[error("a vertex can have 1 to {MOST_INFLUENCES} influences, not {asked}")]
    Influences {
        /// How many were asked for.
        asked: usize,
    },
    /// A pose of another mesh.
    #[error("frame {frame} has {found} vertices, but the mesh has {expected}")]
    VertexCount {
        /// Frame, from 0.
        frame: usize,
        /// How many it has.
        found: usize,
        /// How many the mesh has.
        expected: usize,
    },
    /// NaN or infinity.
    #[error("frame {frame}, vertex {vertex}: the position is not a finite number")]
    NotFinite {
        /// Frame, from 0.
        frame: usize,
        /// Vertex, from 0.
        vertex: usize,
    },
    /// NaN or infinity in the rest pose, or another number of vertices.
    #[error("the rest pose does not fit the mesh or is not finite")]
    Rest,
}

/// What a frame is reached by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step<'a> {
    /// Whether this is a key frame, reached from the rest pose and not from the pose before.
    pub key: bool,
    /// The weights from this frame on, where they are others than before.
    pub new_weights: Option<&'a SkinWeights>,
    /// Transform of every bone.
    pub transforms: &'a [DAffine3],
    /// Vertices that are moved on after that, as in [`PoseChain::moves`](crate::rig::PoseChain::moves). The
    /// encoder moves none.
    pub moves: &'a [(u32, DVec3)],
}

/// Replays the steps of an [`Encoder`].
pub struct Decoder {
    rest: Vec<Vec3>,
    weights: SkinWeights,
    pose: Vec<DVec3>,
}

impl Decoder {
    /// Starts from the rest pose, with the weights of the first frame.
    pub fn new(rest: &[Vec3], weights: &SkinWeights) -> Self {
        let pose = rest.iter().map(|p| p.as_dvec3()).collect();
        Self { rest: rest.to_vec(), weights: weights.clone(), pose }
    }

    /// Takes the step to the next frame.
    ///
    /// # Panics
    /// When weights name vertices or bones that are not there.
    pub fn decode(&mut self, step: Step) {
        if let Some(weights) = step.new_weights {
            self.weights.clone_from(weights);
        }
        if step.key {
            self.pose.iter_mut().zip(&self.rest).for_each(|(pose, rest)| *pose = rest.as_dvec3());
        }
        step_pose(&self.weights, step.transforms, &mut self.pose);
        move_on(step.moves, &mut self.pose);
    }

    /// The pose of the frame decoded last; the rest pose before.
    pub fn pose(&self) -> &[DVec3] {
        &self.pose
    }
}

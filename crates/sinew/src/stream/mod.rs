//! Frames that arrive one at a time, each fitted before the next is seen.
//!
//! Follows equation 3 of "PPS: Pose-to-Pose Skinning of Animated Meshes" (Vasilakis, Fudos and Antonopoulos
//! 2016): bones carry the last approximated pose to the next one, so that whatever was missed is seen again
//! and does not add up unnoticed. It may still drift, for what blends of bones cannot undo stays. Where the
//! rest pose leads closer than the pose before, a frame is therefore fitted from there and becomes a key frame,
//! at which others can begin to play. The [`Encoder`] holds that pose, the weights and one set of equations;
//! nothing grows with the number of frames. A [`Decoder`] given the same steps reaches the same pose, bit
//! for bit.
//!
//! ```
//! use sinew::stream::{Decoder, Encoder, StreamOptions};
//! use sinew::sample;
//!
//! let animation = sample::creature(&sample::CreatureOptions { frames: 8, ..Default::default() });
//! let frames = &animation.frames;
//! let first: Vec<_> = (0..4).map(|t| frames.frame(t)).collect();
//! let options = StreamOptions { bones: 20, ..Default::default() };
//! let mut encoder = Encoder::new(&animation.mesh, frames.frame(0), &first, &options)?;
//! let weights = encoder.weights().clone();
//! let mut decoder = Decoder::new(frames.frame(0));
//! for t in 0..frames.len() {
//!     let step = encoder.encode(frames.frame(t))?;
//!     decoder.decode(&weights, step);
//!     assert_eq!(decoder.pose(), encoder.pose());
//! }
//! # Ok::<(), sinew::stream::StreamError>(())
//! ```

mod encoder;
mod fitter;
mod layout;
mod seen;
mod steps;

use glam::{DVec3, Vec3};

pub use encoder::Encoder;
pub use fitter::Step;

use crate::rig::{SkinWeights, step_pose};
use crate::skin::{BoneKind, MOST_INFLUENCES};

/// Frames to look at before the first is fitted, where nobody says otherwise: more hardly help.
pub const DEFAULT_LOOK_AHEAD: usize = 16;

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
}

impl Default for StreamOptions {
    fn default() -> Self {
        Self { bones: 30, influences: 4, kind: BoneKind::Flexible, keys: true }
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

/// Replays the steps of an [`Encoder`].
#[derive(Clone)]
pub struct Decoder {
    rest: Vec<Vec3>,
    pose: Vec<DVec3>,
}

impl Decoder {
    /// Starts from the rest pose.
    pub fn new(rest: &[Vec3]) -> Self {
        Self { rest: rest.to_vec(), pose: rest.iter().map(|p| p.as_dvec3()).collect() }
    }

    /// Takes the step to the next frame.
    ///
    /// # Panics
    /// When weights name vertices or bones that are not there.
    pub fn decode(&mut self, weights: &SkinWeights, step: Step) {
        if step.key {
            self.pose.iter_mut().zip(&self.rest).for_each(|(pose, rest)| *pose = rest.as_dvec3());
        }
        step_pose(weights, step.transforms, &mut self.pose);
    }

    /// The pose of the frame decoded last; the rest pose before.
    pub fn pose(&self) -> &[DVec3] {
        &self.pose
    }
}

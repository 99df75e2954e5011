//! Poses of a file, one after the other.

use std::io::Read;

use glam::Vec3;
use sinew::rig::{Rig, Skinner};
use sinew::stream::{Decoder, Step};

use super::{Frame, Motion, Reader};
use crate::Result;

/// Plays a file frame by frame. What it holds does not grow with the number of frames.
pub struct Poses<R> {
    reader: Reader<R>,
    frame: Frame,
    state: State,
}

enum State {
    FromRest(Box<Skinner>),
    FromLast(Decoder),
}

impl<R: Read> Poses<R> {
    /// Starts before the first frame.
    pub fn new(reader: Reader<R>) -> Self {
        let head = &reader.head;
        let state = match head.clip.motion {
            Motion::FromLast => State::FromLast(Decoder::new(&head.rest, &head.weights)),
            Motion::FromRest => State::FromRest(Box::new(Skinner::new(&Rig {
                // Which vertices are played together depends on it, in the last bits.
                mesh: head.mesh.clone(),
                rest: head.rest.clone(),
                weights: head.weights.clone(),
                bones: head.bones.clone(),
                transforms: Vec::new(),
                skeleton: None,
                corrections: head.corrections.clone(),
                fps: head.clip.fps,
                clips: Vec::new(),
                nodes: Vec::new(),
                armature: String::new(),
            }))),
        };
        Self { reader, frame: Frame::default(), state }
    }

    /// The reader, with the head and the warnings.
    pub fn reader(&self) -> &Reader<R> {
        &self.reader
    }

    /// Writes the pose of the next frame into `out`, one place a vertex; `false` when there is none.
    ///
    /// # Panics
    /// When `out` has another length.
    pub fn next_into(&mut self, out: &mut [Vec3]) -> Result<bool> {
        if !self.reader.next_frame(&mut self.frame)? {
            return Ok(false);
        }
        assert_eq!(out.len(), self.reader.head.rest.len(), "one place a vertex");
        match &mut self.state {
            State::FromRest(skinner) => {
                skinner.pose_into(&self.frame.transforms, &self.frame.coefficients, out);
            }
            State::FromLast(decoder) => {
                let Frame { key, new_weights, transforms, moves, .. } = &self.frame;
                decoder.decode(Step { key: *key, new_weights: new_weights.as_ref(), transforms, moves });
                out.iter_mut().zip(decoder.pose()).for_each(|(out, p)| *out = p.as_vec3());
            }
        }
        Ok(true)
    }
}

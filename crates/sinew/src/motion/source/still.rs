//! Whether anything moves.

use std::ops::Range;

use glam::DAffine3;

use super::Motion;
use crate::animation::{Clip, STILL};

impl Motion {
    /// Whether any joint moves within these frames.
    ///
    /// # Panics
    /// When there are no such frames.
    pub fn moves(&self, mut frames: Range<usize>) -> bool {
        let Some(first) = frames.next() else { return false };
        let size = self.size().length().max(f64::MIN_POSITIVE);
        let apart = |a: &DAffine3, b: &DAffine3| {
            let turned = (a.matrix3 - b.matrix3).to_cols_array().iter().map(|x| x.abs()).fold(0.0, f64::max);
            turned.max(a.translation.distance(b.translation) / size)
        };
        frames.any(|frame| self.frame(frame).iter().zip(self.frame(first)).any(|(a, b)| apart(a, b) > STILL))
    }

    /// The first clip in which any joint moves; the first of all where none does.
    pub fn first_moving_clip(&self) -> Clip {
        let clips = self.clips();
        let moving = clips.iter().find(|clip| self.moves(clip.frames.clone()));
        moving.unwrap_or(&clips[0]).clone()
    }
}

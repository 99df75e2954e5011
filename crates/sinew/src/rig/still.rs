//! Whether anything moves.

use std::ops::Range;

use glam::DAffine3;

use super::Rig;
use crate::animation::STILL;
use crate::geometry::Bounds;

impl Rig {
    /// Whether any vertex moves within these frames: a bone that it follows, or a correction.
    ///
    /// # Panics
    /// When there are no such frames.
    pub fn moves(&self, mut frames: Range<usize>) -> bool {
        let Some(first) = frames.next() else { return false };
        let mut followed = vec![false; self.bones.len()];
        let slots = self.weights.bones.iter().zip(&self.weights.weights);
        slots.filter(|(_, weight)| **weight != 0.0).for_each(|(bone, _)| followed[*bone as usize] = true);
        let bounds = Bounds::of(&self.rest);
        let (middle, size) = (bounds.center(), bounds.diagonal());
        let apart = |a: &DAffine3, b: &DAffine3| {
            let turned = (a.matrix3 - b.matrix3).to_cols_array().iter().map(|x| x.abs()).fold(0.0, f64::max);
            a.transform_point3(middle).distance(b.transform_point3(middle)) + turned * size
        };
        let bones_move = |frame: usize| {
            let pairs = self.frame_transforms(frame).iter().zip(self.frame_transforms(first));
            pairs.zip(&followed).any(|((a, b), followed)| *followed && apart(a, b) > STILL * size)
        };
        let shapes_move = |frame: usize| {
            let pairs = self.frame_coefficients(frame).iter().zip(self.frame_coefficients(first));
            pairs.into_iter().any(|(a, b)| f64::from((a - b).abs()) > STILL)
        };
        frames.any(|frame| bones_move(frame) || shapes_move(frame))
    }
}

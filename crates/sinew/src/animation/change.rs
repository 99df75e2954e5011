//! Animations in another unit, or with another axis up, and whether anything moves in them.

use std::ops::Range;

use glam::Vec3;

use super::{Frames, MeshAnimation};
use crate::geometry::{Bounds, Similarity};
use crate::nodes;

/// What moves by less than this share of the diagonal does not move: numbers of files are rounded.
pub(crate) const STILL: f64 = 1e-6;

impl MeshAnimation {
    /// Makes everything larger and turns it. Frames that were mapped from a file are in memory after that.
    pub fn change(&mut self, by: &Similarity) {
        if by.is_identity() {
            return;
        }
        let mut flat = self.frames.flat().to_vec();
        by.apply(bytemuck::cast_slice_mut::<f32, Vec3>(&mut flat));
        self.frames = Frames::new(flat, self.frames.len(), self.frames.vertex_count());
        self.rest.iter_mut().for_each(|rest| by.apply(rest));
        by.apply_to_mesh(&mut self.mesh);
        self.nodes = nodes::placed(&self.nodes, by.scale(), by.turn());
    }
}

impl Frames {
    /// Whether any vertex moves within these frames.
    ///
    /// # Panics
    /// When there are no such frames.
    pub fn moves(&self, mut frames: Range<usize>) -> bool {
        let Some(first) = frames.next().map(|first| self.frame(first)) else { return false };
        let far = (STILL * Bounds::of(first).diagonal()) as f32;
        frames.any(|frame| self.frame(frame).iter().zip(first).any(|(p, q)| p.distance(*q) > far))
    }
}

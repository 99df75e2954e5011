//! Measuring frames that come one at a time.

use glam::Vec3;

use super::ErrorMeasure;
use super::measure::{MotionEnergy, Totals, frame_sums};
use crate::geometry::Bounds;

/// Measures how far an approximation is from its original, frame after frame, without keeping any. Comes to
/// the same as [`super::compare`].
pub struct RunningMeasure {
    rest: Bounds,
    vertices: usize,
    totals: Totals,
    motion: MotionEnergy,
}

impl RunningMeasure {
    /// Starts without frames. `rest` is the box that relative measures refer to.
    pub fn new(rest: Bounds) -> Self {
        Self { rest, vertices: 0, totals: Totals::default(), motion: MotionEnergy::default() }
    }

    /// Adds the next frame.
    ///
    /// # Panics
    /// When the numbers of vertices differ.
    pub fn add(&mut self, original: &[Vec3], approximation: &[Vec3]) {
        assert_eq!(original.len(), approximation.len(), "vertices");
        self.vertices = original.len();
        self.totals.add(&frame_sums(original, approximation));
        self.motion.add(original);
    }

    /// How many frames were added.
    pub fn frames(&self) -> usize {
        self.totals.frames
    }

    /// The measures of all frames so far.
    pub fn error(&self) -> ErrorMeasure {
        self.totals.measure(self.motion.total(), self.vertices, self.rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::animation::{Frames, compare};
    use crate::sample::{CreatureOptions, creature};

    #[test]
    fn frame_by_frame_is_the_same_as_all_at_once() {
        let a = creature(&CreatureOptions { frames: 9, detail: 0.6, ..Default::default() });
        let poses: Vec<Vec<Vec3>> = (1..10).map(|t| a.frames.frame(t % 9).to_vec()).collect();
        let b = Frames::from_poses(&poses);
        let mut running = RunningMeasure::new(a.rest_bounds());
        for t in 0..9 {
            running.add(a.frames.frame(t), b.frame(t));
        }
        assert_eq!(running.frames(), 9);
        assert_eq!(running.error(), compare(&a, &b, a.rest_bounds()).error);
        assert!(running.error().percent > 0.0);
    }
}

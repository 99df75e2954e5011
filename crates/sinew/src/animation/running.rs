//! Measuring frames that come one at a time.

use glam::Vec3;

use super::measure::{MotionEnergy, Totals, frame_sums};
use super::spread::Spread;
use super::{Clip, ErrorMeasure, Measured};
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
        Self { rest, vertices: 0, totals: Totals::new(Spread::new(rest)), motion: MotionEnergy::default() }
    }

    /// Adds the next frame. Returns its root mean square vertex distance, in percent of the diagonal.
    ///
    /// # Panics
    /// When the numbers of vertices differ.
    pub fn add(&mut self, original: &[Vec3], approximation: &[Vec3]) -> f64 {
        assert_eq!(original.len(), approximation.len(), "vertices");
        self.vertices = original.len();
        let sums = frame_sums(original, approximation, &mut self.totals.spread);
        self.totals.add(&sums);
        self.motion.add(original);
        sums.percent(self.vertices, self.rest)
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

/// The same for an animation of several clips: as a whole, frame by frame and clip by clip.
pub struct RunningClips {
    clips: Vec<Clip>,
    rest: Bounds,
    whole: RunningMeasure,
    per_frame: Vec<f64>,
    /// Clips that have gone by, and the one at hand.
    past: Vec<ErrorMeasure>,
    at_hand: RunningMeasure,
}

impl RunningClips {
    /// Starts without frames; `clips` say which of those to come are of which, and may be none.
    pub fn new(clips: Vec<Clip>, rest: Bounds) -> Self {
        let (whole, at_hand) = (RunningMeasure::new(rest), RunningMeasure::new(rest));
        Self { clips, rest, whole, per_frame: Vec::new(), past: Vec::new(), at_hand }
    }

    /// Adds the next frame.
    ///
    /// # Panics
    /// When the numbers of vertices differ.
    pub fn add(&mut self, original: &[Vec3], approximation: &[Vec3]) {
        let percent = self.whole.add(original, approximation);
        self.per_frame.push(percent);
        let Some(clip) = self.clips.get(self.past.len()) else { return };
        self.at_hand.add(original, approximation);
        if self.whole.frames() == clip.frames.end {
            self.past.push(self.at_hand.error());
            self.at_hand = RunningMeasure::new(self.rest);
        }
    }

    /// How many frames were added.
    pub fn frames(&self) -> usize {
        self.whole.frames()
    }

    /// The measures of all frames, and of each clip, whose frames count from its first.
    pub fn finish(self) -> (Measured, Vec<ErrorMeasure>) {
        (Measured { error: self.whole.error(), per_frame: self.per_frame }, self.past)
    }
}

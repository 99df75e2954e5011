//! Measuring frames that come one at a time.

use glam::Vec3;

use super::measure::{MotionEnergy, Totals, frame_sums};
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
        Self { rest, vertices: 0, totals: Totals::default(), motion: MotionEnergy::default() }
    }

    /// Adds the next frame. Returns its root mean square vertex distance, in percent of the diagonal.
    ///
    /// # Panics
    /// When the numbers of vertices differ.
    pub fn add(&mut self, original: &[Vec3], approximation: &[Vec3]) -> f64 {
        assert_eq!(original.len(), approximation.len(), "vertices");
        self.vertices = original.len();
        let sums = frame_sums(original, approximation);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::animation::{Frames, Section, compare};
    use crate::sample::{CreatureOptions, creature};

    #[test]
    fn frame_by_frame_is_the_same_as_all_at_once() {
        let a = creature(&CreatureOptions { frames: 9, detail: 0.6, ..Default::default() });
        let poses: Vec<Vec<Vec3>> = (1..10).map(|t| a.frames.frame(t % 9).to_vec()).collect();
        let b = Frames::from_poses(&poses);
        let mut running = RunningMeasure::new(a.rest_bounds());
        let per_frame: Vec<f64> = (0..9).map(|t| running.add(a.frames.frame(t), b.frame(t))).collect();
        assert_eq!(running.frames(), 9);
        let at_once = compare(&a, &b, a.rest_bounds());
        assert_eq!((running.error(), per_frame), (at_once.error, at_once.per_frame));
        assert!(running.error().percent > 0.0);
    }

    #[test]
    fn clips_are_measured_as_if_each_were_alone() {
        let a = creature(&CreatureOptions { frames: 7, detail: 0.6, ..Default::default() });
        let b = Frames::from_poses(&(1..8).map(|t| a.frames.frame(t % 7).to_vec()).collect::<Vec<_>>());
        let clip = |name: &str, frames| Clip { name: name.into(), frames, fps: 24.0 };
        let clips = vec![clip("first", 0..3), clip("second", 3..7)];
        let mut running = RunningClips::new(clips.clone(), a.rest_bounds());
        (0..7).for_each(|t| running.add(a.frames.frame(t), b.frame(t)));
        let (whole, of_clips) = running.finish();
        assert_eq!(whole, compare(&a, &b, a.rest_bounds()));
        let alone = |clip: &Clip| {
            let [p, q] =
                [&a as &dyn crate::animation::PoseSource, &b].map(|s| Section::new(s, clip.frames.clone()));
            compare(&p, &q, a.rest_bounds()).error
        };
        assert_eq!(of_clips, clips.iter().map(alone).collect::<Vec<_>>());
        assert!(of_clips[0] != of_clips[1]);
    }
}

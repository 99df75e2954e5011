//! Clips: several motions of one mesh, their frames one after another.
//!
//! An animation or a rig that states no clips is one. Frames on the two sides of a boundary are no
//! neighbours in time.

use std::borrow::Cow;
use std::ops::Range;

use glam::Vec3;

use super::PoseSource;

/// Frames that are played one after another: a walk, a jump.
#[derive(Clone, Debug, PartialEq)]
pub struct Clip {
    /// Name, unique among the clips.
    pub name: String,
    /// Its frames among all.
    pub frames: Range<usize>,
    /// Frames per second, which may differ from clip to clip.
    pub fps: f64,
}

/// Ways in which clips can contradict their frames.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ClipError {
    /// The clips do not follow each other over all frames.
    #[error("clip {name} holds frames {start} to {end}, but the clip before it ends at frame {expected}")]
    Gap {
        /// The clip.
        name: String,
        /// Its first frame.
        start: usize,
        /// The frame after its last.
        end: usize,
        /// Where it should start.
        expected: usize,
    },
    /// A clip of no frames.
    #[error("clip {0} has no frames")]
    Empty(String),
    /// Frames after the last clip.
    #[error("the clips hold {held} of {frames} frames")]
    Rest {
        /// Frames in clips.
        held: usize,
        /// All frames.
        frames: usize,
    },
    /// Not a positive number.
    #[error("clip {name}: the frame rate must be a positive number, not {fps}")]
    FrameRate {
        /// The clip.
        name: String,
        /// What was given.
        fps: f64,
    },
}

/// The stated clips, or one nameless clip of all frames where none are.
pub fn clips_or_one(stated: &[Clip], frames: usize, fps: f64) -> Cow<'_, [Clip]> {
    if stated.is_empty() {
        Cow::Owned(vec![Clip { name: String::new(), frames: 0..frames, fps }])
    } else {
        Cow::Borrowed(stated)
    }
}

/// Checks that stated clips follow each other over all frames.
///
/// # Errors
/// The first gap, empty clip or frame rate that is none.
pub fn check_clips(stated: &[Clip], frames: usize) -> Result<(), ClipError> {
    let mut expected = 0;
    for Clip { name, frames: Range { start, end }, fps } in stated {
        let (name, start, end, fps) = (name.clone(), *start, *end, *fps);
        if start != expected {
            return Err(ClipError::Gap { name, start, end, expected });
        }
        if end <= start {
            return Err(ClipError::Empty(name));
        }
        if !(fps > 0.0 && fps.is_finite()) {
            return Err(ClipError::FrameRate { name, fps });
        }
        expected = end;
    }
    if expected == frames || stated.is_empty() {
        Ok(())
    } else {
        Err(ClipError::Rest { held: expected, frames })
    }
}

/// Some of a source's frames, counted from 0.
pub struct Section<'a> {
    source: &'a dyn PoseSource,
    frames: Range<usize>,
}

impl<'a> Section<'a> {
    /// Shows `frames` of `source`.
    pub fn new(source: &'a dyn PoseSource, frames: Range<usize>) -> Self {
        Self { source, frames }
    }
}

impl PoseSource for Section<'_> {
    fn frame_count(&self) -> usize {
        self.frames.len()
    }

    fn vertex_count(&self) -> usize {
        self.source.vertex_count()
    }

    fn pose_into(&self, frame: usize, out: &mut [Vec3]) {
        self.source.pose_into(self.frames.start + frame, out);
    }
}

#[cfg(test)]
#[path = "../../tests/unit/animation_clips.rs"]
mod tests;

//! What all segmentations have in common: what they are given, what they answer, and what is known of each before it runs.

use std::fmt;

use super::{NO_BONE, SurfaceMotion, SurfaceSamples, members};
use crate::progress::{Cancelled, Progress, cancels};

/// What is asked of a segmenter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SegmentOptions {
    /// How many segments: see [`Facts::count`] for what `None` means.
    pub count: Option<usize>,
    /// Judge segments by rigid motions instead of affine ones, where that makes a difference.
    pub rigid: bool,
}

/// What a number of segments means to a segmenter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountRule {
    /// It must be given, and there are as many.
    Needed,
    /// It must be given; there are fewer where the motion has no more to tell apart.
    AtMost,
    /// Without one there are as many as the motion shows; with one there are as many.
    Optional,
}

/// What segments are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// What the bones of a skin are made of at first.
    Start,
    /// What the parts of a skeleton come from.
    Skeleton,
}

/// The segment of each vertex.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labels {
    /// A number below `count`, or [`NO_BONE`].
    pub of_vertex: Vec<u32>,
    /// How many segments there are.
    pub count: usize,
}

impl Labels {
    /// The same, numbered without those that have no vertex.
    pub(super) fn without_empty(mut self) -> Self {
        self.count = without_empty(&mut self.of_vertex, self.count);
        self
    }

    /// The vertices of each segment.
    pub fn sets(&self) -> Vec<Vec<u32>> {
        members(&self.of_vertex, self.count)
    }
}

/// Numbers segments in the order in which they come, without those that nobody belongs to; returns how many are left.
pub(crate) fn without_empty(segment_of: &mut [u32], count: usize) -> usize {
    let mut number = vec![None; count];
    let mut used = 0..;
    for segment in segment_of.iter_mut().filter(|s| **s != NO_BONE) {
        *segment = *number[*segment as usize].get_or_insert_with(|| used.next().unwrap_or(NO_BONE));
    }
    used.start as usize
}

/// Why there are no segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SegmentError {
    /// A number that the surface has no room for, or none where one is needed.
    #[error("{asked} segments were asked for; there can be 1 to {most} on this surface")]
    Count {
        /// How many were asked for.
        asked: usize,
        /// How many are possible.
        most: usize,
    },
    /// The listener cancelled.
    #[error("cancelled")]
    Cancelled,
}

cancels!(SegmentError);

/// What a segmenter answers: labels, or what it prepared for fits.
pub type Segmented<T = Labels> = Result<T, SegmentError>;

/// What is known of a segmenter before it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// What it is called in lists: one word, or several with hyphens.
    pub name: &'static str,
    /// What it does, in one line without a full stop.
    pub about: &'static str,
    /// What [`SegmentOptions::count`] means to it.
    pub count: CountRule,
    /// The word by which people choose it to start a skin with; `None` where it does not suit.
    pub start: Option<&'static str>,
    /// The word by which people choose it to find the parts of a skeleton; `None` where it does not suit.
    pub skeleton: Option<&'static str>,
    /// Whether moving and turning each frame by a rigid motion of its own leaves its answer as it is, but for rounding.
    pub rigid_invariant: bool,
    /// Whether its segments are the parts of a body as they are; others find more than there are, of which those go
    /// that are not needed.
    pub whole_parts: bool,
}

impl Facts {
    /// One that serves no role, told by its name, what it does and what a count means to it. Rigid motions leave its answer
    /// as it is, and its segments are not yet the parts of a body.
    pub const fn new(name: &'static str, about: &'static str, count: CountRule) -> Self {
        Self { name, about, count, start: None, skeleton: None, rigid_invariant: true, whole_parts: false }
    }

    /// The word by which people choose it for a role.
    pub fn word(&self, role: Role) -> Option<&'static str> {
        match role {
            Role::Start => self.start,
            Role::Skeleton => self.skeleton,
        }
    }
}

/// A way to tell which vertices of a moving surface go together.
///
/// All give the same answer for any number of threads, ask every few hundredths of a second whether they are cancelled,
/// and tell how far they are.
pub trait Segmenter: Sync {
    /// What is known of it before it runs.
    fn facts(&self) -> Facts;

    /// Finds the segments of a surface.
    ///
    /// # Errors
    /// [`SegmentError::Count`] where `options` ask for what cannot be (a fit then begins with [`Turns`](super::Turns), which
    /// can any number); [`SegmentError::Cancelled`].
    fn segment(&self, motion: SurfaceMotion, options: &SegmentOptions, progress: &dyn Progress) -> Segmented;

    /// The same of points spread over a surface, labels for each of them.
    ///
    /// # Errors
    /// As [`Segmenter::segment`].
    fn segment_samples(
        &self,
        samples: &SurfaceSamples,
        options: &SegmentOptions,
        progress: &dyn Progress,
    ) -> Segmented {
        self.segment(samples.motion(), options, progress)
    }

    /// Prepares what fits begin with.
    ///
    /// # Errors
    /// As [`Segmenter::segment`].
    fn starts(
        &self,
        motion: SurfaceMotion,
        options: &SegmentOptions,
        progress: &dyn Progress,
    ) -> Segmented<Box<dyn Starts>> {
        Ok(Box::new(OneStart(self.segment(motion, options, progress)?)))
    }
}

/// Sets of vertices to begin a fit with, one a segment. A vertex may be in several sets, or in one several times, and
/// counts as often.
pub trait Starts: Send + Sync {
    /// Whether what was prepared serves for another number of segments as well.
    fn serve(&self, count: usize) -> bool;

    /// How many there are, at most so many.
    fn at_most(&self, most: usize) -> usize;

    /// One of them. `which`, from 0 to 1, is the share of all that come before it.
    ///
    /// # Errors
    /// [`Cancelled`].
    fn sets(&self, count: usize, which: f64, progress: &dyn Progress) -> Result<Vec<Vec<u32>>, Cancelled>;
}

/// The one answer of a segmenter that has no other.
struct OneStart(Labels);

impl Starts for OneStart {
    fn serve(&self, count: usize) -> bool {
        self.0.count == count
    }

    fn at_most(&self, most: usize) -> usize {
        most.min(1)
    }

    fn sets(&self, _: usize, _: f64, _: &dyn Progress) -> Result<Vec<Vec<u32>>, Cancelled> {
        Ok(self.0.sets())
    }
}

impl fmt::Debug for dyn Segmenter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.facts().name)
    }
}

impl PartialEq for dyn Segmenter {
    fn eq(&self, other: &Self) -> bool {
        self.facts().name == other.facts().name
    }
}

impl Eq for dyn Segmenter {}

/// The number that was asked for, where one is needed.
pub(super) fn needed(options: &SegmentOptions, most: usize) -> Result<usize, SegmentError> {
    match options.count {
        Some(count) if (1..=most).contains(&count) => Ok(count),
        asked => Err(SegmentError::Count { asked: asked.unwrap_or(0), most }),
    }
}

//! The frames that an edit by hand reaches, and how it begins and ends there.
//!
//! An edit fades into frames that stay as they are. Where a clip begins or ends there are none, so it stays whole there. In
//! a clip that loops, the first and the last frame are one pose, and go on being one: what is edited in the one is edited in
//! the other, and an edit that reaches one of them from within ends beside it.

use std::ops::{Range, RangeInclusive};

use glam::DAffine3;

use super::edit_bone::check_frames;
use super::error::EditError;
use super::tuning::TUNING;
use crate::animation::{Clip, STILL};
use crate::geometry::Bounds;
use crate::rig::Rig;

/// Frames that an edit by hand reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HandSpan {
    /// The frame that the hand is in, which gets all of it.
    pub frame: usize,
    /// The first frame that changes.
    pub from: usize,
    /// The last frame that changes.
    pub through: usize,
    /// Frames from the first over which the edit grows.
    pub ease_in: usize,
    /// Frames up to the last over which it fades.
    pub ease_out: usize,
    /// The other end of a clip that loops, where the hand is in one: it changes as the hand's frame does.
    pub twin: Option<usize>,
}

impl HandSpan {
    /// Of an edit in `frame` over a range of frames, easing over `ease` of them.
    ///
    /// # Errors
    /// When there are no such frames.
    pub fn new(
        clips: &[Clip],
        loops: impl Fn(Range<usize>) -> bool,
        range: RangeInclusive<usize>,
        frame: usize,
        ease: usize,
    ) -> Result<Self, EditError> {
        let (mut from, mut through) = ((*range.start()).min(frame), (*range.end()).max(frame));
        check_frames(from, through, clips.last().map_or(0, |clip| clip.frames.end))?;
        let begins = clips.iter().any(|clip| clip.frames.start == from);
        let ends = clips.iter().any(|clip| clip.frames.end == through + 1);
        let (mut ease_in, mut ease_out) = (if begins { 0 } else { ease }, if ends { 0 } else { ease });
        let mut twin = None;
        let mut own = clips.iter().map(|clip| clip.frames.clone());
        if let Some(clip) = own.find(|clip| clip.contains(&frame)).filter(|clip| loops(clip.clone())) {
            let (first, last) = (clip.start, clip.end - 1);
            if frame == first && through <= last {
                (twin, through) = (Some(last), through.min(last - 1));
            } else if frame == last && from >= first {
                (twin, from) = (Some(first), from.max(first + 1));
            } else if through == last && from > first {
                (through, ease_out) = (last - 1, ease);
            } else if from == first && through < last {
                (from, ease_in) = (first + 1, ease);
            }
        }
        let (ease_in, ease_out) = (ease_in.min(frame - from), ease_out.min(through - frame));
        Ok(Self { frame, from, through, ease_in, ease_out, twin })
    }
}

/// Whether a rig moves over some frames and ends as it began.
///
/// # Panics
/// When the rig has no such frames.
pub fn loops(rig: &Rig, frames: Range<usize>) -> bool {
    if frames.len() < 3 {
        return false;
    }
    let size = Bounds::of(&rig.rest).diagonal().max(f64::MIN_POSITIVE);
    let apart = |a: &DAffine3, b: &DAffine3, center| {
        let turned = (a.matrix3 - b.matrix3).to_cols_array().iter().map(|x| x.abs()).fold(0.0, f64::max);
        turned.max(a.transform_point3(center).distance(b.transform_point3(center)) / size)
    };
    let (first, last) = (frames.start, frames.end - 1);
    let bones_differ = |frame: usize, least: f64| {
        let mut pairs = rig.frame_transforms(frame).iter().zip(rig.frame_transforms(first)).zip(&rig.bones);
        pairs.any(|((a, b), bone)| apart(a, b, bone.center) > least)
    };
    let shapes_differ = |frame: usize| rig.frame_coefficients(frame) != rig.frame_coefficients(first);
    // Other shapes may make the same pose.
    let poses_differ = || {
        let [began, ends] = [first, last].map(|frame| rig.pose(frame));
        let most = TUNING.edits.loop_closes * size;
        began.iter().zip(&ends).any(|(p, q)| f64::from(p.distance(*q)) > most)
    };
    let ends_differ = bones_differ(last, TUNING.edits.loop_closes) || shapes_differ(last) && poses_differ();
    !ends_differ && frames.clone().any(|frame| bones_differ(frame, STILL) || shapes_differ(frame))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clips() -> Vec<Clip> {
        let clip = |name: &str, frames| Clip { name: name.into(), fps: 24.0, frames };
        vec![clip("walk", 0..10), clip("run", 10..30)]
    }

    fn span(loops: bool, range: RangeInclusive<usize>, frame: usize) -> HandSpan {
        HandSpan::new(&clips(), |_| loops, range, frame, 4).unwrap()
    }

    fn fade(range: RangeInclusive<usize>, frame: usize) -> [usize; 2] {
        let span = span(false, range, frame);
        [span.ease_in, span.ease_out]
    }

    #[test]
    fn an_edit_fades_into_what_stays_and_nowhere_else() {
        assert_eq!(fade(12..=25, 18), [4, 4]);
        assert_eq!(fade(10..=29, 18), [0, 0], "a whole clip");
        assert_eq!(fade(0..=5, 2), [0, 3], "from its beginning");
        assert_eq!(fade(15..=29, 17), [2, 0], "to its end");
        assert_eq!(fade(12..=25, 12), [0, 4], "the hand's own frame gets all of it");
        assert!(HandSpan::new(&clips(), |_| false, 12..=30, 13, 4).is_err());
    }

    #[test]
    fn the_ends_of_a_loop_are_one_frame() {
        let of = |range, frame| {
            let HandSpan { from, through, ease_in, ease_out, twin, .. } = span(true, range, frame);
            (from, through, ease_in, ease_out, twin)
        };
        assert_eq!(of(10..=29, 18), (10, 29, 0, 0, None), "all of it, in both");
        assert_eq!(of(15..=29, 15), (15, 28, 0, 4, None), "to the end: it stays, as the beginning does");
        assert_eq!(of(10..=20, 20), (11, 20, 4, 0, None));
        assert_eq!(of(10..=10, 10), (10, 10, 0, 0, Some(29)), "the first frame is the last");
        assert_eq!(of(10..=29, 10), (10, 28, 0, 0, Some(29)));
        assert_eq!(of(20..=29, 29), (20, 29, 4, 0, Some(10)));
        assert_eq!(of(12..=20, 15), (12, 20, 3, 4, None), "the ends are not reached");
    }
}

//! How an edit by hand begins and ends over the frames that it reaches.

use std::ops::RangeInclusive;

use sinew::animation::Clip;

use super::Refusal;

/// Frames over which an edit grows and fades.
#[derive(Debug, PartialEq)]
pub(super) struct Fade {
    pub ease_in: usize,
    pub ease_out: usize,
}

impl Fade {
    /// Of an edit that is whole in the frame that the hand is in. It fades into frames that stay as they are; where a clip
    /// begins or ends there are none, so it stays whole, and a clip whose end meets its beginning goes on doing so.
    pub fn new(
        clips: &[Clip],
        range: RangeInclusive<usize>,
        frame: usize,
        ease: usize,
    ) -> Result<Self, Refusal> {
        let (&from, &to) = (range.start(), range.end());
        let frames = clips.last().map_or(0, |clip| clip.frames.end);
        if to >= frames {
            return Refusal::say(format!("frame {to} is not there: there are {frames}, counted from 0"));
        }
        let begins = clips.iter().any(|clip| clip.frames.start == from);
        let ends = clips.iter().any(|clip| clip.frames.end == to + 1);
        Ok(Self {
            ease_in: if begins { 0 } else { ease.min(frame - from) },
            ease_out: if ends { 0 } else { ease.min(to - frame) },
        })
    }
}

/// The last frame of the clip that a frame is in.
pub(super) fn last_of_clip(clips: &[Clip], frame: usize) -> usize {
    let clip = clips.iter().find(|clip| clip.frames.contains(&frame)).or(clips.last());
    clip.map_or(0, |clip| clip.frames.end.saturating_sub(1)).max(frame)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clips() -> Vec<Clip> {
        let clip = |name: &str, frames| Clip { name: name.into(), fps: 24.0, frames };
        vec![clip("walk", 0..10), clip("run", 10..30)]
    }

    fn fade(range: RangeInclusive<usize>, frame: usize) -> [usize; 2] {
        let fade = Fade::new(&clips(), range, frame, 4).unwrap_or_else(|_| panic!("frames that are there"));
        [fade.ease_in, fade.ease_out]
    }

    #[test]
    fn an_edit_fades_into_what_stays_and_nowhere_else() {
        assert_eq!(fade(12..=25, 18), [4, 4]);
        assert_eq!(fade(10..=29, 18), [0, 0], "a whole clip");
        assert_eq!(fade(0..=5, 2), [0, 3], "from its beginning");
        assert_eq!(fade(15..=29, 17), [2, 0], "to its end");
        assert_eq!(fade(12..=25, 12), [0, 4], "the hand's own frame gets all of it");
        assert!(Fade::new(&clips(), 12..=30, 13, 4).is_err());
    }

    #[test]
    fn later_frames_are_those_of_the_clip() {
        assert_eq!([0, 9, 10, 29].map(|frame| last_of_clip(&clips(), frame)), [9, 9, 29, 29]);
    }
}

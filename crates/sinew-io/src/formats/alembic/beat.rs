//! Which times become frames.
//!
//! An archive can sample each object at times of its own. Frames are at the times of the property that has
//! the most of them in a second, from the first time of any to the last; what is sampled at other times is
//! interpolated. Where several samples belong to one frame, as those of an opening shutter do, the frame is
//! where whole numbers of cycles are, if that is among them, otherwise at the first.

use super::time::Sampling;
use crate::containers::ogawa::Ogawa;
use crate::{Error, Result};

/// Frames Sinew plays of an archive.
const MOST_FRAMES: f64 = 1e7;
/// How far from a stroke a listed time may be, in frames.
const OFF_BEAT: f64 = 0.02;
/// Of a list of times, no more frames than this for each time.
const MOST_BETWEEN: f64 = 16.0;

/// Evenly spaced frames.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Beat {
    /// Time of the first, in seconds.
    pub start: f64,
    /// Seconds from each to the next.
    pub step: f64,
    pub frames: usize,
    /// Samples that belong to one frame.
    pub shutter: usize,
    /// Whether listed times follow no beat.
    pub uneven: bool,
}

impl Beat {
    pub fn time(&self, frame: usize) -> f64 {
        self.start + self.step * frame as f64
    }

    pub fn fps(&self) -> f64 {
        snap(1.0 / self.step)
    }

    fn end(&self) -> f64 {
        self.time(self.frames.saturating_sub(1))
    }

    /// That of one property's samples.
    fn of(sampling: &Sampling, samples: usize) -> Self {
        let count = sampling.times.len();
        if sampling.is_acyclic() {
            return Self::of_list(&sampling.times[..samples.clamp(1, count)]);
        }
        let step = sampling.cycle;
        let (first, last) = (sampling.times[0], sampling.times[count - 1]);
        let on_frame = ((first + last) / 2.0 / step).round() * step;
        let slack = 1e-6 * step;
        let within = first - slack <= on_frame && on_frame <= last + slack;
        let start = if count > 1 && within { on_frame } else { first };
        // Samples of a last cycle that is not whole hold to its end.
        Self { start, step, frames: samples.div_ceil(count).max(1), shutter: count, uneven: false }
    }

    fn of_list(times: &[f64]) -> Self {
        let start = times[0];
        let span = times[times.len() - 1] - start;
        let gaps = times.windows(2).map(|w| w[1] - w[0]).filter(|gap| *gap > 0.0);
        let Some(shortest) = gaps.min_by(f64::total_cmp) else {
            return Self {
                start,
                step: 1.0 / crate::open::DEFAULT_FPS,
                frames: 1,
                shutter: 1,
                uneven: false,
            };
        };
        let strokes = (span / shortest).round();
        let on_beat = |t: &f64| {
            let stroke = (t - start) / span * strokes;
            (stroke - stroke.round()).abs() < OFF_BEAT
        };
        let even = strokes <= MOST_BETWEEN * times.len() as f64 && times.iter().all(on_beat);
        let strokes = if even { strokes } else { (times.len() - 1) as f64 };
        Self { start, step: span / strokes, frames: strokes as usize + 1, shutter: 1, uneven: !even }
    }
}

/// The frames of properties with these samplings and numbers of samples; of a given number a second where
/// `fps` says so.
pub(super) fn beat(
    file: &Ogawa,
    tracks: impl Iterator<Item = (usize, usize)>,
    samplings: &[Sampling],
    fps: Option<f64>,
) -> Result<Beat> {
    let mut distinct: Vec<(usize, usize)> = tracks.filter(|(_, samples)| *samples > 0).collect();
    distinct.sort_unstable();
    distinct.dedup();
    let beats: Vec<Beat> = distinct.iter().map(|(s, n)| Beat::of(&samplings[*s], *n)).collect();
    // What is sampled once has no beat.
    let moving = || beats.iter().filter(|b| b.frames > 1);
    let densest = moving().min_by(|a, b| a.step.total_cmp(&b.step)).or(beats.first());
    let Some(mut out) = densest.copied() else {
        return Err(Error::unsupported(file.path(), "the archive's meshes have no samples"));
    };
    let (first, last) = moving().fold((out.start, out.end()), |(a, b), m| (a.min(m.start), b.max(m.end())));
    if out.frames == 1 {
        out.step = 1.0 / crate::open::DEFAULT_FPS;
    }
    match fps {
        Some(fps) if fps > 0.0 && fps.is_finite() => (out.step, out.start) = (1.0 / fps, first),
        Some(fps) => {
            let message = format!("the frame rate must be a positive number, not {fps}");
            return Err(Error::unsupported(file.path(), message));
        }
        // On strokes of the densest, backwards from its first to the first of all.
        None => out.start -= ((out.start - first) / out.step - 1e-6).ceil().max(0.0) * out.step,
    }
    let frames = ((last - out.start) / out.step + 1e-6).floor() + 1.0;
    if !(1.0..=MOST_FRAMES).contains(&frames) {
        let message = format!("the archive lasts {} s, which is {frames:.0} frames", last - first);
        return Err(Error::unsupported(file.path(), message));
    }
    out.frames = frames as usize;
    Ok(out)
}

/// Frame rates are whole numbers, or such numbers times 1000/1001; some writers round times to f32.
fn snap(fps: f64) -> f64 {
    let ntsc = (fps * 1.001).round() / 1.001;
    let near = |f: &f64| (fps - f).abs() < 2e-6 * fps && *f > 0.0;
    [fps.round(), ntsc].into_iter().find(near).unwrap_or(fps)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::alembic::time::ACYCLIC;

    fn sampling(cycle: f64, times: &[f64]) -> Sampling {
        Sampling { cycle, times: times.into() }
    }

    #[test]
    fn shutters_belong_to_frames() {
        let step = 1.0 / 24.0;
        let around = Beat::of(&sampling(step, &[0.75 * step, 1.0 * step, 1.25 * step]), 30);
        assert!((around.start - step).abs() < 1e-12 && around.frames == 10 && around.shutter == 3);
        let after = Beat::of(&sampling(step, &[0.1 * step, 0.4 * step]), 20);
        assert!((after.start - 0.1 * step).abs() < 1e-12 && after.frames == 10);
    }

    #[test]
    fn lists_of_times_follow_a_beat_or_not() {
        let gappy = Beat::of(&sampling(ACYCLIC, &[1.0, 1.04, 1.16, 1.2]), 4);
        assert!((gappy.fps() - 25.0).abs() < 1e-9 && gappy.frames == 6 && !gappy.uneven);
        let uneven = Beat::of(&sampling(ACYCLIC, &[0.0, 1.0, 1.3, 4.0]), 4);
        assert!(uneven.uneven && uneven.frames == 4 && uneven.step == 4.0 / 3.0);
        let once = Beat::of(&sampling(ACYCLIC, &[3.0, 3.0]), 2);
        assert_eq!((once.frames, once.start), (1, 3.0));
    }

    #[test]
    fn rates_are_round_numbers_where_they_are_meant_to_be() {
        assert_eq!(snap(f64::from(24f32.recip()).recip()), 24.0);
        assert_eq!(snap(30.0 / 1.001), 30.0 / 1.001);
        assert_eq!(snap(12.3456), 12.3456);
    }
}

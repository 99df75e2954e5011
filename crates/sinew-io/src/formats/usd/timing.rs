//! When frames are: clips of a stage.
//!
//! A stage has one time line. What it plays is the first clip; animations of joints that nothing is bound to
//! are further ones, each with its own times. That is how Sinew writes several clips, and how some programs
//! keep those that are not in use.

use super::file::UsdFile;
use super::skeleton::SkelAnimation;
use crate::scene::choice::choose;
use crate::scene::names::Names;
use crate::warning::Counted;
use crate::{Error, Result, Warning};

/// Time codes in a second where a file does not say.
const TIME_CODES_PER_SECOND: f64 = 24.0;
/// Frames a clip may have.
const MOST_FRAMES: f64 = 4_194_304.0;
/// How far from a frame a sample is still on it, in frames.
const NEAR_FRAME: f64 = 1e-3;
/// Frames per second, of animations written by Sinew with another rate than the stage's.
pub(super) const FPS: &str = "sinew:fps";

/// A clip of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Clip {
    /// The animation's name, unique among the clips.
    pub name: String,
    /// Time code of its first frame.
    pub start: f64,
    /// Time code of its last.
    pub end: f64,
    /// Frames per second, as the file states them.
    pub fps: f64,
    /// The animation, where it is not the one the stage plays.
    pub(super) animation: Option<usize>,
}

/// Frames of a clip.
#[derive(Clone, Debug)]
pub(super) struct Frames {
    pub name: String,
    pub times: Vec<f64>,
    pub fps: f64,
    pub animation: Option<usize>,
}

impl UsdFile {
    /// Time codes in a second.
    pub(super) fn time_codes_per_second(&self) -> f64 {
        let facts = &self.stage.layers[0].facts;
        let stated = facts.time_codes_per_second.or(facts.frames_per_second);
        stated.filter(|x| *x > 0.0).unwrap_or(TIME_CODES_PER_SECOND)
    }

    fn frames_per_second(&self) -> f64 {
        let stated = self.stage.layers[0].facts.frames_per_second.filter(|x| *x > 0.0);
        stated.unwrap_or_else(|| self.time_codes_per_second())
    }

    /// The clips: what the stage plays, then animations that nothing plays.
    pub fn clips(&self) -> Result<Vec<Clip>> {
        let (mut names, mut clips) = (Names::default(), Vec::new());
        let fps = |prim: Option<usize>| -> Result<f64> {
            let stated = prim.map(|p| self.stage.at(p, FPS, 0.0, super::query::Between::Held)).transpose()?;
            let stated = stated.flatten().and_then(|v| v.first().copied());
            Ok(stated.filter(|x| *x > 0.0 && x.is_finite()).unwrap_or_else(|| self.frames_per_second()))
        };
        let (bound, free) = self.animations()?;
        let facts = &self.stage.layers[0].facts;
        let moving = self.moving_times(&bound)?;
        let range = |times: &[f64]| {
            let first = times.iter().copied().fold(f64::INFINITY, f64::min);
            (first, times.iter().copied().fold(first, f64::max))
        };
        if !moving.is_empty() {
            let (first, last) = range(&moving);
            let (start, end) = (facts.start.unwrap_or(first), facts.end.unwrap_or(last));
            let one = (bound.len() == 1).then(|| bound[0]);
            let name = one.map_or_else(|| self.name(), |prim| self.stage.name(prim));
            let name = names.unique(name);
            clips.push(Clip { name, start, end: end.max(start), fps: fps(one)?, animation: None });
        }
        for prim in free {
            let times = SkelAnimation::read(&self.stage, prim)?.times(&self.stage);
            if !times.is_empty() {
                let name = names.unique(self.stage.name(prim));
                let (start, end) = range(&times);
                clips.push(Clip { name, start, end, fps: fps(Some(prim))?, animation: Some(prim) });
            }
        }
        Ok(clips)
    }

    /// Frames of the clips that are asked for, or of the first; of a file without motion, a single one.
    pub(super) fn frames(&self, wanted: &[String], fps: Option<f64>) -> Result<(Vec<Frames>, bool)> {
        if fps.is_some_and(|fps| !(fps > 0.0 && fps.is_finite())) {
            return Err(Error::unsupported(self.path(), "the frame rate must be a positive number"));
        }
        let clips = self.clips()?;
        let names: Vec<&str> = clips.iter().map(|c| c.name.as_str()).collect();
        let chosen = choose(&names, wanted).map_err(|sentence| Error::unsupported(self.path(), sentence))?;
        if clips.is_empty() {
            let fps = fps.unwrap_or_else(|| self.frames_per_second());
            let start = self.stage.layers[0].facts.start.unwrap_or(0.0);
            return Ok((vec![Frames { name: self.name(), times: vec![start], fps, animation: None }], false));
        }
        let mut out = Vec::new();
        for clip in chosen.into_iter().map(|c| &clips[c]) {
            let fps = fps.unwrap_or(clip.fps);
            let step = self.time_codes_per_second() / fps;
            // A last frame that rounding puts beyond the end is there.
            let count = ((clip.end - clip.start) / step + 1e-6).floor() + 1.0;
            if count.is_nan() || count > MOST_FRAMES {
                let message = format!(
                    "clip {} has {count:.0} frames at {fps} a second, more than Sinew reads; choose a lower \
                     frame rate",
                    clip.name
                );
                return Err(Error::unsupported(self.path(), message));
            }
            let times = (0..count as usize).map(|f| clip.start + f as f64 * step).collect();
            out.push(Frames { name: clip.name.clone(), times, fps, animation: clip.animation });
        }
        Ok((out, true))
    }

    /// Says what frames do not tell of the times of what is played: which number the first has, and what lies between.
    pub(super) fn lost_times(&self, clips: &[Frames]) -> Result<Vec<Warning>> {
        let Some(played) = clips.iter().find(|clip| clip.animation.is_none() && clip.times.len() > 1) else {
            return Ok(Vec::new());
        };
        let (start, step) = (played.times[0], played.times[1] - played.times[0]);
        let mut times = self.moving_times(&self.animations()?.0)?;
        times.sort_by(f64::total_cmp);
        times.dedup();
        let is_between = |time: &&f64| {
            let frame = (**time - start) / step;
            let inside = frame > 0.0 && frame < (played.times.len() - 1) as f64;
            inside && (frame - frame.round()).abs() > NEAR_FRAME
        };
        let count = times.iter().filter(is_between).count();
        let mut said: Vec<Warning> = Warning::counts([(count, Counted::SamplesBetween)]).collect();
        // Programs begin at either.
        if start != 0.0 && start != 1.0 {
            said.push(Warning::FirstFrame { number: start });
        }
        Ok(said)
    }

    /// Animations that skeletons of meshes are bound to, and all others.
    fn animations(&self) -> Result<(Vec<usize>, Vec<usize>)> {
        let stage = &self.stage;
        let mut bound: Vec<usize> = Vec::new();
        let all = stage.below(0);
        for &prim in all.iter().filter(|&&p| stage.prims[p].type_name == "Skeleton") {
            if let Some(animation) = stage.animation_of(prim).filter(|a| !bound.contains(a)) {
                bound.push(animation);
            }
        }
        let free = all.into_iter();
        let free =
            free.filter(|p| stage.prims[*p].type_name == "SkelAnimation" && !bound.contains(p)).collect();
        Ok((bound, free))
    }

    /// When anything that is played has a sample; nothing where all stands still.
    fn moving_times(&self, bound: &[usize]) -> Result<Vec<f64>> {
        let stage = &self.stage;
        let mut times = Vec::new();
        for &prim in bound {
            times.extend(SkelAnimation::read(stage, prim)?.times(stage));
        }
        let mut places = Vec::new();
        for prim in stage.below(0) {
            if matches!(stage.prims[prim].type_name.as_str(), "Mesh" | "Skeleton")
                && stage.mover(prim)?.is_some()
            {
                stage.place_times(prim, &mut places)?;
                places.sort_by(f64::total_cmp);
                places.dedup();
            }
            if stage.varies(prim, "points") {
                times.extend(stage.times(prim, "points"));
            }
        }
        times.extend(places);
        Ok(times)
    }
}

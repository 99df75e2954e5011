//! Which of a file's clips are sampled, and several of them as one run of frames.

use sinew::animation::Clip;

use super::read::Gltf;
use super::sample::Motion;
use super::schema::Animation;
use crate::scene::choice::choose;
use crate::scene::names::Names;
use crate::warning::Unkept;
use crate::{Result, Warning};

/// Frame rate of files that do not show one.
const DEFAULT_FPS: f64 = 30.0;
/// Frames a clip may have.
const MOST_FRAMES: f64 = 1e6;

/// Clips sampled one after another.
pub(super) struct Sampled {
    pub motion: Motion,
    /// At least one; nameless where the file has no animation.
    pub clips: Vec<Clip>,
    /// Whether the file has any animation.
    pub animated: bool,
}

impl Gltf {
    /// Samples the clips that are asked for at `fps`, or each at its own rate.
    pub(super) fn sampled(&self, wanted: &[String], fps: Option<f64>) -> Result<Sampled> {
        if let Some(fps) = fps.filter(|f| !(*f > 0.0 && f.is_finite())) {
            return Err(self.unsupported(format!("the frame rate must be a positive number, not {fps}")));
        }
        let chosen = self.chosen(wanted)?;
        if chosen.is_empty() {
            let fps = fps.unwrap_or(DEFAULT_FPS);
            let clips = vec![Clip { name: String::new(), frames: 0..1, fps }];
            return Ok(Sampled { motion: self.motion(None, 1, fps)?, clips, animated: false });
        }
        let (mut clips, mut motions, mut names) = (Vec::new(), Vec::new(), Names::default());
        let mut first = 0;
        let several = chosen.len() > 1;
        for (index, animation) in chosen.into_iter().enumerate() {
            let (frames, fps) = self.frame_grid(animation, fps)?;
            let nameless = || if several { format!("clip_{index}") } else { String::new() };
            let name = names.unique(animation.name.clone().unwrap_or_else(nameless));
            clips.push(Clip { name, frames: first..first + frames, fps });
            motions.push(self.motion(Some(animation), frames, fps)?);
            first += frames;
        }
        let mut motion = self.join(motions)?;
        let mut said = Vec::new();
        motion.warnings.retain(|w| {
            !said.contains(w) && {
                said.push(w.clone());
                true
            }
        });
        motion.warnings.extend(self.unkept_keys(&motion, &clips, fps.is_some()));
        Ok(Sampled { motion, clips, animated: true })
    }

    /// What is not kept of keys. In files of our own those between frames are for players, and a rate that was asked for is
    /// no surprise.
    fn unkept_keys(&self, motion: &Motion, clips: &[Clip], asked: bool) -> Vec<Warning> {
        let steps = (motion.steps > 0).then_some(Unkept::Steps(motion.steps));
        let between = motion.between > 0 && !asked && !self.is_ours();
        let between =
            between.then(|| Unkept::KeysBetweenFrames { tracks: motion.between, fps: clips[0].fps });
        steps.into_iter().chain(between).map(Warning::NotKept).collect()
    }

    /// The clips that are asked for: the first when none is, none when the file has none.
    fn chosen(&self, wanted: &[String]) -> Result<Vec<&Animation>> {
        let animations = &self.root.animations;
        let names: Vec<&str> = animations.iter().map(|a| a.name.as_deref().unwrap_or_default()).collect();
        let chosen = choose(&names, wanted).map_err(|sentence| self.unsupported(sentence))?;
        Ok(chosen.into_iter().map(|number| &animations[number]).collect())
    }

    /// Number of frames and their rate.
    fn frame_grid(&self, animation: &Animation, wanted: Option<f64>) -> Result<(usize, f64)> {
        let clip = self.clip(animation)?;
        let fps = wanted.or(clip.fps).unwrap_or(DEFAULT_FPS);
        let last = (clip.duration * fps).round();
        if last >= MOST_FRAMES {
            return Err(self.unsupported(format!(
                "{} seconds at {fps} frames a second are more than {MOST_FRAMES} frames",
                clip.duration
            )));
        }
        Ok((last as usize + 1, fps))
    }
}

//! The motion of joints as it comes out of files.

use sinew::animation::Clip;
use sinew::motion::Motion;

use super::facts::Facts;
use super::sampled::{SampleOptions, SampledRig};
use crate::Warning;
use crate::source::Source;
use crate::up::Up;

/// What becomes of a BVH file's first frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FirstFrame {
    /// It is left out where it is a reference pose: most joints that are turned in the next frame are not
    /// turned at all, and the motion jumps away from it.
    #[default]
    Auto,
    /// It is a frame like all others.
    Keep,
    /// It is the bind pose, and no frame.
    Bind,
}

/// How a file becomes a motion.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MotionOptions {
    /// The ASF file that goes with an AMC file. Without: the one beside it.
    pub skeleton: Option<Source>,
    /// Clips of glTF and `.sinew` files, by name or number. All of them without.
    pub clips: Vec<String>,
    /// Frames per second; glTF clips are sampled at it. Without: what the file says, or 120 for AMC files,
    /// which say nothing.
    pub fps: Option<f64>,
    /// Which axis of the file is up. What the file says without, or y; the motion is turned so that it is.
    pub up: Option<Up>,
    /// Everything is made this many times as large.
    pub scale: Option<f64>,
    /// How many metres a unit is. What the file says without.
    pub metres_per_unit: Option<f64>,
    /// What becomes of a BVH file's first frame.
    pub first_frame: FirstFrame,
}

impl MotionOptions {
    /// The same for files that are read as rigs.
    pub(crate) fn sampling(&self) -> SampleOptions {
        let clips = if self.clips.is_empty() { vec!["all".into()] } else { self.clips.clone() };
        SampleOptions { clips, fps: self.fps, weld: None }
    }
}

/// An opened motion and where it came from.
#[derive(Debug)]
pub struct OpenedMotion {
    /// The motion, which holds together ([`Motion::validate`]).
    pub motion: Motion,
    /// What kind of file it was, by the name of its format.
    pub format: &'static str,
    /// What was found amiss.
    pub warnings: Vec<Warning>,
    /// The source in a few words, such as "02_01.amc on 02.asf".
    pub source: String,
    /// Size of all files that were read.
    pub input_bytes: u64,
    /// The axis of the file along which the figure seems to stand; none where that is not clear.
    pub stands_along: Option<Up>,
    /// What the file says about its numbers; its unit is that of the motion as it is handed out.
    pub facts: Facts,
}

impl OpenedMotion {
    /// The motion of a file that says nothing else.
    pub fn new(source: &Source, motion: Motion) -> Self {
        let facts = Facts { metres_per_unit: motion.metres_per_unit, ..Facts::default() };
        let (name, warnings) = (source.name(), Vec::new());
        Self { motion, format: "", warnings, source: name, input_bytes: 0, stands_along: None, facts }
    }

    /// A file of one clip, which is called like the file.
    pub(crate) fn one_clip(source: &Source, mut motion: Motion) -> Self {
        motion.clips = vec![Clip { name: source.stem(), frames: 0..motion.frame_count(), fps: motion.fps }];
        Self::new(source, motion)
    }

    /// The bones of a rig.
    pub(crate) fn of_rig(source: &Source, sampled: SampledRig) -> Self {
        let SampledRig { rig, warnings, clip, facts, .. } = sampled;
        let mut motion = Motion::of_rig(&rig);
        motion.metres_per_unit = facts.metres_per_unit;
        if motion.clips.is_empty() {
            let name = clip.unwrap_or_default();
            motion.clips = vec![Clip { name, frames: 0..motion.frame_count(), fps: motion.fps }];
        }
        Self { warnings, facts, ..Self::new(source, motion) }
    }
}

//! From whatever file a user names to a [`Motion`]: joints that move.
//!
//! | given                                       | joints                        | bind pose              |
//! | ------------------------------------------- | ----------------------------- | ---------------------- |
//! | a BVH file                                  | its joints                    | no joint turned        |
//! | an AMC file, its ASF beside it              | the root, and a joint a bone  | no bone turned         |
//! | an ASF file alone                           | the same, in one frame        | the same               |
//! | a glTF file                                 | of its skins, or moving nodes | of its skins, or nodes |
//! | a glTF or `.sinew` file written by Sinew    | its bones, by their skeleton  | the rest pose          |
//! | an FBX or USD file with a mesh              | its bones, by their skeleton  | the rest pose          |
//! | an FBX or USD file without one              | its joints                    | as the file states it  |
//!
//! y is up in all of them, unless [`MotionOptions::up`] says that it is not.
//!
//! ```no_run
//! use sinew_io::motion::{MotionOptions, open_motion};
//!
//! let walk = open_motion("walk.bvh".as_ref(), &MotionOptions::default())?.motion;
//! let slow = walk.resampled(24.0)?;
//! println!("{} joints, {} frames, {} high", slow.joints.len(), slow.frame_count(), slow.height());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub(crate) mod beside;
pub(crate) mod first_frame;
mod up;

use std::path::{Path, PathBuf};

use sinew::animation::Clip;
use sinew::motion::Motion;

pub use first_frame::FirstFrame;
pub use up::Up;

use crate::formats::{self, Format};
use crate::scene::{SampleOptions, SampledRig};
use crate::{Error, Result, open};

/// How a file becomes a motion.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MotionOptions {
    /// The ASF file that goes with an AMC file. Without: the one beside it.
    pub skeleton: Option<PathBuf>,
    /// Clips of glTF and `.sinew` files, by name or number. All of them without.
    pub clips: Vec<String>,
    /// Frames per second; glTF clips are sampled at it. Without: what the file says, or 120 for AMC files,
    /// which say nothing.
    pub fps: Option<f64>,
    /// Which axis of the file is up. y without; the motion is turned so that it is.
    pub up: Option<Up>,
    /// Everything is made this many times as large.
    pub scale: Option<f64>,
    /// What becomes of a BVH file's first frame.
    pub first_frame: FirstFrame,
}

/// An opened motion and where it came from.
#[derive(Debug)]
pub struct OpenedMotion {
    /// The motion, which holds together ([`Motion::validate`]).
    pub motion: Motion,
    /// What kind of file it was.
    pub format: &'static Format,
    /// What was found amiss, as sentences for people.
    pub warnings: Vec<String>,
    /// The source in a few words, such as "02_01.amc on 02.asf".
    pub source: String,
    /// Size of all files that were read.
    pub input_bytes: u64,
    /// The axis of the file along which the figure seems to stand; none where that is not clear.
    pub stands_along: Option<Up>,
}

/// Opens the motion of a file, whose format is told by what is in it.
pub fn open_motion(path: &Path, options: &MotionOptions) -> Result<OpenedMotion> {
    check(path, options)?;
    let format = formats::tell(path)?;
    if !format.reads.joints {
        let holders = formats::list("and", |f| f.reads.joints);
        let message = format!("{} holds no joints; {holders} files do", format.one());
        return Err(Error::unsupported(path, message));
    }
    let mut opened = format.reader.joints(path, options)?;
    opened.stands_along = up::guess(&opened.motion);
    let motion = &mut opened.motion;
    if let Some(fps) = options.fps {
        motion.fps = fps;
        motion.clips.iter_mut().for_each(|clip| clip.fps = fps);
    }
    if let Some(scale) = options.scale {
        motion.scale(scale);
    }
    let up = options.up.unwrap_or(Up::Y);
    if let Some(turn) = up.to_y() {
        motion.turn(turn);
    }
    if let Some(seems) = opened.stands_along.filter(|seems| *seems != up) {
        opened.warnings.push(format!(
            "the figure seems to stand along {seems}, but {up} is taken to be up; --up {seems} turns it"
        ));
    }
    motion.validate().map_err(|e| Error::malformed(path, e.to_string()))?;
    Ok(opened)
}

fn check(path: &Path, options: &MotionOptions) -> Result<()> {
    let named = [("the frame rate must be", options.fps), ("the scale must be", options.scale)];
    for (what, value) in named {
        if let Some(value) = value.filter(|v| !(*v > 0.0 && v.is_finite())) {
            return Err(Error::unsupported(path, format!("{what} a positive number, not {value}")));
        }
    }
    Ok(())
}

impl OpenedMotion {
    pub(crate) fn new(path: &Path, format: &'static Format, motion: Motion) -> Result<Self> {
        let source = open::name(path);
        let input_bytes = open::file_bytes(path)?;
        Ok(Self { motion, format, warnings: Vec::new(), source, input_bytes, stands_along: None })
    }

    /// A file of one clip, which is called like the file.
    pub(crate) fn one_clip(path: &Path, format: &'static Format, mut motion: Motion) -> Result<Self> {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        motion.clips = vec![Clip { name, frames: 0..motion.frame_count(), fps: motion.fps }];
        Self::new(path, format, motion)
    }

    /// The bones of a file that holds a rig.
    pub(crate) fn of_rig_file(path: &Path, options: &MotionOptions) -> Result<Self> {
        let clips = if options.clips.is_empty() { vec!["all".into()] } else { options.clips.clone() };
        let sampling = SampleOptions { clips, fps: options.fps, weld: None };
        let SampledRig { rig, warnings, clip, .. } = open::rig(path, &sampling)?;
        let mut motion = Motion::of_rig(&rig);
        if motion.clips.is_empty() {
            let name = clip.unwrap_or_default();
            motion.clips = vec![Clip { name, frames: 0..motion.frame_count(), fps: motion.fps }];
        }
        Ok(Self { warnings, ..Self::new(path, formats::tell(path)?, motion)? })
    }
}

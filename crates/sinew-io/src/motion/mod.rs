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

use glam::{DMat3, DQuat};
use sinew::animation::Clip;
use sinew::motion::Motion;

pub use crate::scene::Up;
pub use first_frame::FirstFrame;

use crate::formats::{self, Format};
use crate::scene::{Facts, Said, SampleOptions, SampledRig};
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
    /// Which axis of the file is up. What the file says without, or y; the motion is turned so that it is.
    pub up: Option<Up>,
    /// Everything is made this many times as large.
    pub scale: Option<f64>,
    /// How many metres a unit is. What the file says without.
    pub metres_per_unit: Option<f64>,
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
    /// What the file says about its numbers; its unit is that of the motion as it is handed out.
    pub facts: Facts,
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
    let said = Said { metres_per_unit: options.metres_per_unit, up: options.up, scale: options.scale };
    let stated = opened.facts.up.unwrap_or_default();
    // What stands along y as it was read stands along the axis that the file says is up.
    opened.stands_along = opened.stands_along.map(|axis| match axis {
        Up::Y => stated,
        axis if axis == stated => Up::Y,
        axis => axis,
    });
    let change = said.settle(&mut opened.facts);
    motion.scale(change.scale());
    motion.metres_per_unit = opened.facts.metres_per_unit;
    if change.turn() != DMat3::IDENTITY {
        motion.turn(DQuat::from_mat3(&change.turn()));
    }
    let up = options.up.unwrap_or(stated);
    if let Some(seems) = opened.stands_along.filter(|seems| *seems != up) {
        opened.warnings.push(format!(
            "the figure seems to stand along {seems}, but {up} is taken to be up; --up {seems} turns it"
        ));
    }
    motion.validate().map_err(|e| Error::malformed(path, e.to_string()))?;
    Ok(opened)
}

fn check(path: &Path, options: &MotionOptions) -> Result<()> {
    let named = [
        ("the frame rate must be", options.fps),
        ("the scale must be", options.scale),
        ("the metres of a unit must be", options.metres_per_unit),
    ];
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
        let facts = Facts { metres_per_unit: motion.metres_per_unit, ..Facts::default() };
        Ok(Self { motion, format, warnings: Vec::new(), source, input_bytes, stands_along: None, facts })
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
        let SampledRig { rig, warnings, clip, facts, .. } = open::rig(path, &sampling)?;
        let mut motion = Motion::of_rig(&rig);
        motion.metres_per_unit = facts.metres_per_unit;
        if motion.clips.is_empty() {
            let name = clip.unwrap_or_default();
            motion.clips = vec![Clip { name, frames: 0..motion.frame_count(), fps: motion.fps }];
        }
        Ok(Self { warnings, facts, ..Self::new(path, formats::tell(path)?, motion)? })
    }
}

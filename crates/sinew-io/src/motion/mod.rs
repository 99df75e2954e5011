//! From whatever file a user names to a [`Motion`](sinew::motion::Motion): joints that move.
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
//! use std::path::Path;
//! use sinew_io::motion::{MotionOptions, open_motion};
//!
//! let walk = open_motion(Path::new("walk.bvh"), &MotionOptions::default())?.motion;
//! let slow = walk.resampled(24.0)?;
//! println!("{} joints, {} frames, {} high", slow.joints.len(), slow.frame_count(), slow.height());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod standing;

use std::path::Path;

use crate::formats::{self, tell};
use crate::scene::Said;
pub use crate::scene::{FirstFrame, MotionOptions, OpenedMotion, Up};
use crate::source::Source;
use crate::{Error, Result, Warning};

/// Opens the motion of a file, whose format is told by what is in it.
pub fn open_motion(source: impl Into<Source>, options: &MotionOptions) -> Result<OpenedMotion> {
    let source = source.into();
    let path = source.path();
    check(path, options)?;
    let format = tell(&source)?;
    if !format.reads.joints {
        let holders = formats::list("and", |f| f.reads.joints);
        let message = format!("{} holds no joints; {holders} files do", format.one());
        return Err(Error::unsupported(path, message));
    }
    let mut opened = format.open(&source)?.joints(options)?;
    (opened.format, opened.input_bytes) = (format.name, opened.input_bytes + source.length()?);
    opened.stands_along = standing::guess(&opened.motion);
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
    motion.turn(change.turn());
    let up = options.up.unwrap_or(stated);
    if let Some(seems) = opened.stands_along.filter(|seems| *seems != up) {
        opened.warnings.push(Warning::StandsAlong { seems, taken: up });
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

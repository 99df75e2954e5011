//! Crowds.

use std::path::PathBuf;

use crate::words::count;

/// Times in GIF files are in hundredths of a second, and programs slow down what is shown for less than two.
pub(crate) const FASTEST_GIF: f64 = 50.0;

/// Why there is no such crowd.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CrowdRefusal {
    /// No frame rate.
    #[error("the frame rate must be a positive number, not {0}")]
    Rate(f64),
    /// A GIF that is too fast.
    #[error("a GIF plays at most {FASTEST_GIF} frames a second, not {0}; *.mp4 or a folder may be faster")]
    FastGif(f64),
    /// Several frames in a picture.
    #[error("a PNG holds one picture; name the output *.gif, *.mp4 or a folder for more frames")]
    MovingPng,
    /// Shares that are none of these rigs.
    #[error("shares takes a number for each of {}, none below zero and not all of them zero",
            count(*rigs, "rig", "rigs"))]
    Shares {
        /// How many rigs there are.
        rigs: usize,
    },
    /// Samples that no GPU has.
    #[error("samples is 1 or 4, not {0}")]
    Samples(u32),
    /// A tolerance that is none.
    #[error("tolerance is a positive number, not {0}")]
    Tolerance(f32),
    /// A camera where none can be.
    #[error("camera takes degrees around, 0 to 90 degrees above and a distance above 0")]
    Camera,
    /// More rigs than can be.
    #[error("triangles {triangles} takes {count} rigs, more than 4 million")]
    TooMany {
        /// What was asked for.
        triangles: u64,
        /// How many rigs that takes.
        count: f64,
    },
    /// Crowds are not written to files of this name.
    #[error("{}: crowds are written as *.png, *.gif, *.mp4 or a folder of PNG files", .0.display())]
    Ending(PathBuf),
    /// A GIF with more pixels than there can be.
    #[error("{}: a GIF has at most 65535 pixels a side", .0.display())]
    WideGif(PathBuf),
    /// There is no ffmpeg.
    #[error(
        ".mp4 files are written by ffmpeg, which is not on the PATH; *.gif or a folder need nothing else"
    )]
    NoFfmpeg,
    /// Odd sides of an .mp4.
    #[error("an .mp4 has an even number of pixels on each side")]
    OddMp4,
    /// The program that writes .mp4 files did not.
    #[error("{}: ffmpeg failed: {said}", path.display())]
    Ffmpeg {
        /// The file.
        path: PathBuf,
        /// What it said.
        said: String,
    },
    /// There is nothing to draw.
    #[error("{0}: there are no triangles or no frames to draw")]
    Nobody(String),
    /// This build has no windows.
    #[error("this build shows no windows")]
    NoWindows,
    /// No window can be opened here.
    #[error("{0}")]
    NoScreen(String),
}

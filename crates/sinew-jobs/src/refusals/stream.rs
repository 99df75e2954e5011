//! Streams.

use std::path::PathBuf;

use sinew::animation::AnimationError;
use sinew::stream::StreamError;

use crate::words::count;

/// Why there is no stream, or how it ended.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StreamRefusal {
    /// Several clips.
    #[error(
        "{source_name}: these are {clips} clips, and a stream is one: name one input, or choose one in clips"
    )]
    Clips {
        /// What was read.
        source_name: String,
        /// How many there are.
        clips: usize,
    },
    /// No frames.
    #[error("{0}: the animation has no frames")]
    NoFrames(String),
    /// The pose of a mesh that there is not.
    #[error("rest_pose file takes the pose of the rest mesh, but there is none; give it in rest")]
    NoRest,
    /// An animation that cannot be fitted.
    #[error("{source_name}: {error}")]
    Animation {
        /// What was read.
        source_name: String,
        /// Why.
        error: AnimationError,
    },
    /// A frame, or options, that cannot be fitted.
    #[error("{source_name}: {error}")]
    Fit {
        /// What was read.
        source_name: String,
        /// Why.
        error: StreamError,
    },
    /// A frame could not be used; those before it are kept.
    #[error("{why}; {} holds the first {}", output.display(), count(*frames, "frame", "frames"))]
    Broken {
        /// What is wrong with the frame.
        why: String,
        /// The file that was written.
        output: PathBuf,
        /// Frames that are kept.
        frames: usize,
    },
    /// The listener ended the stream; what came before is kept.
    #[error("cancelled; {} holds the first {}", output.display(), count(*frames, "frame", "frames"))]
    Stopped {
        /// The file that was written.
        output: PathBuf,
        /// Frames that are kept.
        frames: usize,
    },
}

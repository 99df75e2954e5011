//! Everything that ends a command early.

use sinew::skeleton::SkeletonError;
use sinew::skin::SkinError;
use sinew_picture::PictureError;

/// Short for results of commands.
pub type Outcome<T> = Result<T, CliError>;

/// Why a command did not do what it was asked to.
#[derive(Debug, thiserror::Error)]
pub enum CliError {
    /// A file could not be read or written.
    #[error(transparent)]
    File(#[from] sinew_io::Error),
    /// An animation could not be skinned.
    #[error("{source_name}: {error}")]
    Skin { source_name: String, error: SkinError },
    /// An animation could not be given a skeleton.
    #[error("{source_name}: {error}")]
    Skeleton { source_name: String, error: SkeletonError },
    /// A picture could not be drawn.
    #[error(transparent)]
    Picture(#[from] PictureError),
    /// The GPU could not do it.
    #[error(transparent)]
    Gpu(#[from] sinew_gpu::GpuError),
    /// Options or inputs that do not go together, as a sentence without its full stop.
    #[error("{0}")]
    Refused(String),
    /// Ctrl-C.
    #[error("interrupted; nothing was written")]
    Interrupted,
    /// Ctrl-C in work that is kept as far as it went, as a sentence without its full stop.
    #[error("{0}")]
    Stopped(String),
    /// The program that reads our output has gone, which is no error of ours.
    #[error("the output was closed")]
    OutputClosed,
}

impl From<sinew::progress::Cancelled> for CliError {
    fn from(_: sinew::progress::Cancelled) -> Self {
        Self::Interrupted
    }
}

impl CliError {
    /// What the process ends with: 130 after Ctrl-C, as shells have it, otherwise 2.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Interrupted | Self::Stopped(_) => 130,
            Self::OutputClosed => 0,
            _ => 2,
        }
    }

    /// A [`CliError::Refused`].
    pub fn refused<T>(message: impl Into<String>) -> Outcome<T> {
        Err(Self::Refused(message.into()))
    }
}

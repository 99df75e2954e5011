//! Everything that ends a job early.

use sinew::progress::Cancelled;
use sinew::skeleton::SkeletonError;
use sinew::skin::SkinError;
use sinew_picture::PictureError;

/// Short for results of jobs.
pub type Outcome<T> = Result<T, JobError>;

/// Why a job did not do what it was asked to.
///
/// What a door can mend in its own words (an option that is missing, two that do not go together) is told by variants with
/// the names of the job's fields; the command line says `--rest-scale` where the file of a job says `rest_scale`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JobError {
    /// A file could not be read or written.
    #[error(transparent)]
    File(#[from] sinew_io::Error),
    /// An animation could not be skinned.
    #[error("{source_name}: {error}")]
    Skin {
        /// What was read.
        source_name: String,
        /// Why.
        error: SkinError,
    },
    /// An animation could not be given a skeleton.
    #[error("{source_name}: {error}")]
    Skeleton {
        /// What was read.
        source_name: String,
        /// Why.
        error: SkeletonError,
    },
    /// A picture could not be drawn.
    #[error(transparent)]
    Picture(#[from] PictureError),
    /// The GPU could not do it.
    #[error(transparent)]
    Gpu(#[from] sinew_gpu::GpuError),
    /// Options or inputs that do not go together, as a sentence without its full stop.
    #[error("{0}")]
    Refused(String),
    /// The listener ended it.
    #[error("cancelled; nothing was written")]
    Cancelled,
    /// The listener ended work that is kept as far as it went, as a sentence without its full stop.
    #[error("{0}")]
    Stopped(String),
    /// The program that reads our output has gone, which is no error of ours.
    #[error("the output was closed")]
    OutputClosed,
}

impl From<Cancelled> for JobError {
    fn from(_: Cancelled) -> Self {
        Self::Cancelled
    }
}

impl JobError {
    /// A [`JobError::Refused`].
    pub fn refused<T>(message: impl Into<String>) -> Outcome<T> {
        Err(Self::Refused(message.into()))
    }
}

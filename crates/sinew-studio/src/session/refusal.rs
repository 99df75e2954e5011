//! Why an action was not done.

use super::words;

/// Why an action was not done, as a sentence without its full stop.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Refusal(pub String);

impl Refusal {
    /// Refuses.
    pub fn say<T>(sentence: impl Into<String>) -> Result<T, Self> {
        Err(Self(sentence.into()))
    }
}

impl From<sinew_io::Error> for Refusal {
    fn from(error: sinew_io::Error) -> Self {
        Self(words::of_file(&error))
    }
}

impl From<sinew_jobs::JobError> for Refusal {
    fn from(error: sinew_jobs::JobError) -> Self {
        Self(words::of_job(&error))
    }
}

/// Errors of the library are sentences already.
macro_rules! refuse_with {
    ($($error:ty),* $(,)?) => {
        $(impl From<$error> for Refusal {
            fn from(error: $error) -> Self {
                Self(error.to_string())
            }
        })*
    };
}

refuse_with!(
    sinew::animation::AnimationError,
    sinew::deform::DeformError,
    sinew::motion::EditError,
    sinew::motion::MappingError,
    sinew::motion::TranslationError,
    sinew::motion::TransplantError,
    sinew::progress::Cancelled,
    sinew::rig::RigError,
    sinew::skeleton::SkeletonError,
    sinew::skin::SkinError,
    sinew_jobs::refusals::FitError,
    sinew_picture::PictureError,
);

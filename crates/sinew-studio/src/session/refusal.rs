//! Why an action was not done.

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
    sinew_io::Error,
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
    sinew_jobs::JobError,
    sinew_jobs::refusals::FitError,
    sinew_picture::PictureError,
);

//! What comes back from an action.

use serde::Serialize;
use serde_json::{Value, json};
use sinew::progress::Progress;

use super::Session;

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
    sinew::skin::SearchError,
    sinew::skin::SkinError,
    sinew_picture::PictureError,
);

/// What a tab is told when its action is done.
#[derive(Debug, Default)]
pub struct Answer {
    /// Fields of the answer.
    pub fields: Value,
    /// A binary message that comes before it.
    pub frame: Option<Vec<u8>>,
}

/// What becomes of an action.
pub enum Outcome {
    /// It is done.
    Done(Answer),
    /// It takes long.
    Later(Work),
}

/// What long work leaves for the session.
pub type Finish = Box<dyn FnOnce(&mut Session) -> Result<Answer, Refusal> + Send>;

/// The long part of it, which may be cancelled.
pub type Run = Box<dyn FnOnce(&dyn Progress) -> Result<Finish, Refusal> + Send>;

/// Work that takes long. It is done away from the session, which takes the result at the end.
pub struct Work {
    /// What tabs call it.
    pub kind: &'static str,
    /// Whether the tab that asked waits for the result; otherwise it is told the number of the job at once.
    pub wait: bool,
    /// Does it.
    pub run: Run,
}

impl Outcome {
    /// Done, and nothing to be told.
    pub fn done() -> Self {
        Self::told(json!({}))
    }

    /// Done, and some fields to be told.
    pub fn told(fields: impl Serialize) -> Self {
        Self::Done(Answer::of(fields))
    }

    /// Done, with a binary message and fields.
    pub fn shown(frame: Vec<u8>, fields: impl Serialize) -> Self {
        Self::Done(Answer { frame: Some(frame), ..Answer::of(fields) })
    }

    /// Work in the background.
    pub fn job(
        kind: &'static str,
        run: impl FnOnce(&dyn Progress) -> Result<Finish, Refusal> + Send + 'static,
    ) -> Self {
        Self::Later(Work { kind, wait: false, run: Box::new(run) })
    }

    /// Work that the tab waits for.
    pub fn wait(
        kind: &'static str,
        run: impl FnOnce(&dyn Progress) -> Result<Finish, Refusal> + Send + 'static,
    ) -> Self {
        Self::Later(Work { kind, wait: true, run: Box::new(run) })
    }
}

impl Answer {
    /// An answer of some fields.
    pub fn of(fields: impl Serialize) -> Self {
        // Numbers, names and lists of them: nothing that JSON cannot hold.
        Self { fields: serde_json::to_value(fields).unwrap_or_default(), frame: None }
    }
}

/// The same without a box and type at every place it is made.
pub(super) fn finish(
    take: impl FnOnce(&mut Session) -> Result<Answer, Refusal> + Send + 'static,
) -> Result<Finish, Refusal> {
    Ok(Box::new(take))
}

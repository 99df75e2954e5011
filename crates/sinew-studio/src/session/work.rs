//! What becomes of an action: it is done at once, or it takes long.

use serde::Serialize;
use serde_json::Value;
use sinew::progress::Progress;

use super::{Answer, Done, Refusal, Session};

/// What becomes of an action.
pub enum Outcome<T = Value> {
    /// It is done.
    Done(Answer<T>),
    /// It takes long.
    Later(Work<T>),
}

/// What long work leaves for the session.
pub type Finish<T = Value> = Box<dyn FnOnce(&mut Session) -> Result<Answer<T>, Refusal> + Send>;

/// The long part of it, which may be cancelled.
pub type Run<T = Value> = Box<dyn FnOnce(&dyn Progress) -> Result<Finish<T>, Refusal> + Send>;

/// Work that takes long. It is done away from the session, which takes the result at the end.
pub struct Work<T = Value> {
    /// What tabs call it.
    pub kind: &'static str,
    /// Whether the tab that asked waits for the result; otherwise it is told the number of the job at once.
    pub wait: bool,
    /// Does it.
    pub run: Run<T>,
}

impl<T> Outcome<T> {
    /// Done, and some fields to be told.
    pub fn told(fields: T) -> Self {
        Self::Done(Answer::of(fields))
    }

    /// Done, with a binary message and fields.
    pub fn shown(frame: Vec<u8>, fields: T) -> Self {
        Self::Done(Answer::shown(frame, fields))
    }

    /// Work that the tab waits for.
    pub fn wait(
        kind: &'static str,
        run: impl FnOnce(&dyn Progress) -> Result<Finish<T>, Refusal> + Send + 'static,
    ) -> Self {
        Self::Later(Work { kind, wait: true, run: Box::new(run) })
    }
}

impl Outcome<Done> {
    /// Done, and nothing to be told.
    pub fn done() -> Self {
        Self::told(Done {})
    }
}

impl<T: Serialize + 'static> Outcome<T> {
    /// The same with its answer as it goes to the page.
    pub fn in_json(self) -> Outcome {
        match self {
            Self::Done(answer) => Outcome::Done(answer.in_json()),
            Self::Later(work) => Outcome::Later(work.in_json()),
        }
    }
}

impl<T> Work<T> {
    /// Work in the background.
    pub fn background(
        kind: &'static str,
        run: impl FnOnce(&dyn Progress) -> Result<Finish<T>, Refusal> + Send + 'static,
    ) -> Self {
        Self { kind, wait: false, run: Box::new(run) }
    }
}

impl<T: Serialize + 'static> Work<T> {
    /// The same with its result as it goes to the page.
    pub fn in_json(self) -> Work {
        let Self { kind, wait, run } = self;
        let run = move |progress: &dyn Progress| {
            let take = run(progress)?;
            finish(move |session| Ok(take(session)?.in_json()))
        };
        Work { kind, wait, run: Box::new(run) }
    }
}

/// The same without a box and type at every place it is made.
pub(super) fn finish<T>(
    take: impl FnOnce(&mut Session) -> Result<Answer<T>, Refusal> + Send + 'static,
) -> Result<Finish<T>, Refusal> {
    Ok(Box::new(take))
}

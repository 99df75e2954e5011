//! Jobs that are under way, and what tabs know of them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;

use crate::session::Refusal;

/// Jobs that are under way.
#[derive(Default)]
pub(crate) struct Jobs {
    last: u32,
    running: Vec<Running>,
}

struct Running {
    state: JobState,
    cancel: Arc<AtomicBool>,
}

/// What all tabs know of a job.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct JobState {
    pub id: u32,
    /// What it does, in a word.
    pub kind: &'static str,
    /// What it is at.
    pub stage: &'static str,
    /// Share of the stage that is done, 0 to 1.
    pub done: f64,
    /// Whether the tab that asked waits for it and is told of its failure.
    pub waited: bool,
}

/// News of a job.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct News<'a> {
    #[serde(flatten)]
    pub state: &'a JobState,
    /// Since it began.
    pub seconds: f64,
    /// How it ended; not there as long as it goes on.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub ended: Option<Ended>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub error: Option<String>,
    /// What it gave.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional, as = "Option<AnyResult>"))]
    pub result: Option<&'a serde_json::Value>,
}

/// What a job gave, by its kind.
#[cfg(test)]
#[derive(ts_rs::TS)]
#[ts(type = "Results[keyof Results] | Answers[keyof Answers]")]
struct AnyResult;

/// How a job ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub(crate) enum Ended {
    Done,
    Cancelled,
    Failed,
}

impl Jobs {
    /// One more. What it sees set, it ends by.
    pub fn begin(&mut self, kind: &'static str, waited: bool) -> (JobState, Arc<AtomicBool>) {
        self.last += 1;
        let state = JobState { id: self.last, kind, stage: "", done: 0.0, waited };
        let cancel = Arc::new(AtomicBool::new(false));
        self.running.push(Running { state: state.clone(), cancel: cancel.clone() });
        (state, cancel)
    }

    /// What all tabs know of them.
    pub fn states(&self) -> Vec<JobState> {
        self.running.iter().map(|job| job.state.clone()).collect()
    }

    /// Asks a job to end, or says that there is none.
    pub fn cancel(&self, id: u32) -> Result<(), Refusal> {
        let job = self.running.iter().find(|job| job.state.id == id);
        let job = job.ok_or_else(|| Refusal(format!("there is no job {id}")))?;
        job.cancel.store(true, Ordering::SeqCst);
        Ok(())
    }

    /// Asks all to end.
    pub fn cancel_all(&self) {
        self.running.iter().for_each(|job| job.cancel.store(true, Ordering::SeqCst));
    }

    /// How far a job is.
    pub fn update(&mut self, state: &JobState) {
        if let Some(job) = self.running.iter_mut().find(|job| job.state.id == state.id) {
            job.state = state.clone();
        }
    }

    /// One less.
    pub fn end(&mut self, id: u32) {
        self.running.retain(|job| job.state.id != id);
    }
}

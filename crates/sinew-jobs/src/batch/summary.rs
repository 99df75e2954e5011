//! What became of a list.

use std::path::PathBuf;

use serde::Serialize;

use super::rows::{Row, State};

/// How many jobs there are of each state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// All of them.
    pub jobs: usize,
    /// Those that were run and are done.
    pub done: usize,
    /// Those that were done before.
    pub kept: usize,
    /// Those that failed.
    pub failed: usize,
    /// Those that were not run.
    pub waiting: usize,
}

/// What became of a list.
#[derive(Clone, Debug, Serialize)]
pub struct BatchReport {
    /// Of Sinew.
    pub version: &'static str,
    /// The part of the list, such as "3/16".
    pub shard: Option<String>,
    /// How many of each.
    #[serde(flatten)]
    pub tally: Tally,
    /// All of the time.
    pub seconds: f64,
    /// The share of all cores' time in which they had a job.
    pub busy: f64,
    /// How many cores.
    pub cores: usize,
    /// Bytes that all jobs might take together; null where the system does not tell.
    pub memory: Option<u64>,
    /// Whether it was given up before its end.
    pub interrupted: bool,
    /// The page for people.
    pub page: PathBuf,
    /// One row a job, in the order of the list.
    pub rows: Vec<Row>,
}

impl BatchReport {
    /// The same without what became of each job.
    pub fn without_rows(&self) -> Self {
        let Self { version, tally, seconds, busy, cores, memory, interrupted, .. } = *self;
        let (shard, page, rows) = (self.shard.clone(), self.page.clone(), Vec::new());
        Self { version, shard, tally, seconds, busy, cores, memory, interrupted, page, rows }
    }
}

impl Tally {
    /// Counts one that was waiting.
    pub(super) fn put(&mut self, state: State) {
        self.waiting -= 1;
        match state {
            State::Waiting => self.waiting += 1,
            State::Done => self.done += 1,
            State::Kept => self.kept += 1,
            State::Failed => self.failed += 1,
        }
    }
}

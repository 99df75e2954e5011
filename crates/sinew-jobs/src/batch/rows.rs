//! What comes of the jobs of a list: one row each.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

sinew::choices! {
    /// What became of a job.
    #[derive(Default)]
    pub enum State: "state" {
        /// There is no result yet.
        #[default]
        Waiting = "waiting", "it was not run",
        /// It was run now.
        Done = "done", "it was run and is done",
        /// It was done before.
        Kept = "kept", "it was done before, and nothing has changed",
        /// There is no result.
        Failed = "failed", "it was run, or cannot be, and there is no result",
    }
}

/// What a run of a job told.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Facts {
    /// Why there is no result; none where there is one.
    pub sentence: Option<String>,
    /// Percent of the motion, of jobs that measure it.
    pub error: Option<f64>,
    /// Bytes of all that was written.
    pub bytes: u64,
    /// How long it took.
    pub seconds: f64,
    /// On so many threads.
    pub threads: usize,
    /// What was written.
    pub files: Vec<PathBuf>,
    /// A picture of it, as named in the batch's folder.
    pub picture: Option<String>,
    /// What somebody should know.
    pub warnings: Vec<String>,
}

/// A job of a list and what became of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Its line in the list, or its place among the files, from 1.
    pub line: usize,
    /// What to call it: the first file that it writes.
    pub name: String,
    /// Which job: "skin", "convert" and so on; empty where the line is none.
    pub job: &'static str,
    /// What became of it.
    pub state: State,
    /// What the run told.
    #[serde(flatten)]
    pub facts: Facts,
}

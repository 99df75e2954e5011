//! What a process of a batch is given to do: a job of the list, or a step towards the skin that all of them share.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sinew::progress::Progress;

use super::shared::{SolveSkin, SumUp};
use crate::any::AnyJob;
use crate::error::Outcome;
use crate::streams::Files;

/// One piece of work.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Work<'a> {
    /// A job.
    Job(Cow<'a, AnyJob>),
    /// Sums of some shots.
    Sums(Cow<'a, SumUp>),
    /// A skin of all sums.
    Solve(Cow<'a, SolveSkin>),
}

impl Work<'_> {
    /// One line, which is the same for all ways of writing the same work.
    pub fn canonical(&self) -> String {
        match self {
            Self::Job(job) => canonical(job),
            other => serde_json::to_string(other).unwrap_or_default(),
        }
    }

    /// The files that it names.
    pub fn files(&mut self) -> Files<'_> {
        match self {
            Self::Job(job) => job.to_mut().files(),
            Self::Sums(sums) => {
                let SumUp { source, shots, skin, output } = sums.to_mut();
                let read =
                    Files::default().read(shots.iter_mut().flatten()).read(&mut source.rest).read([skin]);
                read.written([output])
            }
            Self::Solve(solve) => {
                let SolveSkin { sums, skin, output, .. } = solve.to_mut();
                Files::default().read(sums).read([skin]).written([output])
            }
        }
    }

    /// Does it. Gives what there is to report.
    pub fn run(&self, progress: &dyn Progress) -> Outcome<Value> {
        match self {
            Self::Job(job) => job.run(progress),
            Self::Sums(sums) => sums.run(progress).map(|()| json!({})),
            Self::Solve(solve) => solve.run(progress).map(|()| json!({})),
        }
    }
}

/// The job as one line, which is the same for all ways of writing it.
pub fn canonical(job: &AnyJob) -> String {
    // Strings, numbers and lists of them: nothing that JSON cannot hold.
    serde_json::to_string(job).unwrap_or_default()
}

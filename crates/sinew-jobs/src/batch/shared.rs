//! One skin for all shots of a character.
//!
//! Bones and weights are learnt from shots that are spread evenly over the whole list, as clips of one rig and in bounded memory;
//! then every shot has only its transforms solved. The first is one job, the same for every part of a list: whichever part comes
//! first does it, and two that do it at once write the same bytes. The second is a job a shot, like any other list.

use std::path::{Path, PathBuf};

use sinew::skin::Solve;

use super::list::List;
use super::memory;
use crate::any::AnyJob;
use crate::refusals::BatchRefusal;
use crate::skin::{DEFAULT_MEMORY, Fit, SkinJob};

/// Shots that the skin is learnt from: all of them are open at once.
const MOST: usize = 128;
/// The file in the batch's folder that keeps every number as it was solved.
const FILE: &str = "shared.sinew";

/// A skin that all jobs of a list have in common.
pub(super) struct Shared {
    /// Makes it.
    pub job: AnyJob,
    rig: PathBuf,
}

impl Shared {
    /// The skin of all jobs of a list, with the fit that they ask for. `memory` is what all jobs may take together.
    pub fn of(list: &List, folder: &Path, memory: u64) -> Result<Self, BatchRefusal> {
        let mut jobs: Vec<&SkinJob> = Vec::new();
        for entry in &list.entries {
            match &entry.job {
                Ok(AnyJob::Skin(job)) if jobs.first().is_none_or(|first| is_alike(first, job)) => {
                    jobs.push(job)
                }
                Ok(_) => return Err(BatchRefusal::NotAlike { line: entry.line }),
                Err(_) => {}
            }
        }
        let Some(first) = jobs.first() else { return Err(BatchRefusal::NothingToShare) };
        if first.fit.is_from_rig() || first.fit.rank.unwrap_or(0) > 0 {
            return Err(BatchRefusal::NotShared);
        }
        let count = jobs.len().min(MOST);
        let chosen = (0..count).map(|i| i * (jobs.len() - 1) / (count - 1).max(1));
        let inputs = chosen.flat_map(|i| jobs[i].source.inputs.iter().cloned()).collect();
        let rig = folder.join(FILE);
        let job = SkinJob {
            source: crate::source::Source { inputs, ..first.source.clone() },
            fit: first.fit.clone(),
            output: Some(rig.clone()),
            memory: Some(first.memory.unwrap_or(DEFAULT_MEMORY).min(memory::working_set(memory))),
            ..SkinJob::default()
        };
        Ok(Self { job: job.into(), rig })
    }

    /// Has a job take this skin.
    pub fn put_into(&self, job: &mut AnyJob) {
        if let AnyJob::Skin(job) = job {
            let (start_rig, solve) = (Some(self.rig.clone()), Some(Solve::Transforms));
            job.fit = Fit { start_rig, solve, ..Fit::default() };
        }
    }
}

/// Whether two jobs can have one skin, as far as they tell.
fn is_alike(a: &SkinJob, b: &SkinJob) -> bool {
    let of_source = |job: &SkinJob| crate::source::Source { inputs: Vec::new(), ..job.source.clone() };
    a.fit == b.fit && of_source(a) == of_source(b)
}

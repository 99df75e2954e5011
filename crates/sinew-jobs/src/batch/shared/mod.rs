//! One skin for all shots of a character.
//!
//! ```text
//! some shots ──> learnt ──┬──> sums of one group of shots ──┬──> one skin ──> a job a shot
//!                         ├──> sums of another              │
//!                         └──> …                            ┘
//! ```
//!
//! Bones and weights are learnt from shots that are spread evenly over the whole list, as clips of one rig and in bounded memory.
//! Then every shot has its say: its frames get transforms, and what the frames of a group come to ([`SkinSums`](sinew::skin::SkinSums)) is
//! kept; from all sums, weights and rest pose are solved anew. Groups are the same for any number of parts of a list, so that bits are
//! too. A part does its own groups first and then those that nobody has done yet, so that nobody waits for a part that does
//! not come; two that do one at once write the same bytes. With the skin known, every shot has only its transforms solved: a job
//! a shot, like any other list.

mod steps;

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use sinew::skin::{Effort, MethodName, Solve};
use sinew_io::open;

pub(super) use self::steps::{SolveSkin, SumUp};
use super::list::List;
use super::work::Work;
use super::{Batch, child, lanes, memory, record, worker};
use crate::any::AnyJob;
use crate::error::{JobError, Outcome};
use crate::refusals::BatchRefusal;
use crate::shard::Shard;
use crate::skin::{DEFAULT_MEMORY, Fit, SkinJob};
use crate::source::Source;

/// Shots that the skin is learnt from: all of them are open at once.
const MOST: usize = 128;
/// Groups of shots at most: so many machines can take part at once, and so many files of sums are kept.
const GROUPS: usize = 64;
/// The file in the batch's folder that keeps every number as it was solved, and the folder with what it is made of.
const FILE: &str = "shared.sinew";
const FOLDER: &str = "shared";

/// How a skin that all jobs of a list have in common is made.
pub(super) struct Shared {
    learn: AnyJob,
    sums: Vec<SumUp>,
    solve: SolveSkin,
}

impl Batch {
    /// Makes the skin that all jobs share, unless it is there, and has them take it.
    pub(super) fn share(
        &self,
        list: &mut List,
        common: &lanes::Common,
        listener: &dyn super::Listener,
    ) -> Outcome<()> {
        let shared = Shared::of(list, common.folder, common.memory)?;
        listener.stage("shared skin");
        let sums = in_turn(&shared.sums, self.shard).into_iter().map(|sum| Work::Sums(Cow::Borrowed(sum)));
        let steps = [
            vec![Work::Job(Cow::Borrowed(&shared.learn))],
            sums.collect(),
            vec![Work::Solve(Cow::Borrowed(&shared.solve))],
        ];
        for step in steps.iter().filter(|_| !self.summary_only) {
            let is_left = |work: &Work| {
                common.again
                    || worker::kept(&record::place(common.folder, work), Some(common.program)).is_none()
            };
            let left: Vec<(usize, Work)> =
                step.iter().filter(|work| is_left(work)).cloned().enumerate().collect();
            let failed = std::sync::Mutex::new(None);
            lanes::work(common, &left, listener, &|_, _, facts| {
                if let Some(why) = facts.sentence {
                    *child::lock(&failed) = Some(why);
                }
            });
            if listener.cancelled() {
                return Err(JobError::Cancelled);
            }
            if let Some(why) = child::lock(&failed).take() {
                return Err(BatchRefusal::NoSharedSkin { why }.into());
            }
        }
        let jobs = list.entries.iter_mut().filter_map(|entry| entry.job.as_mut().ok());
        jobs.for_each(|job| shared.put_into(job));
        Ok(())
    }
}

/// Those of a part first, and then those that come after it.
fn in_turn(sums: &[SumUp], shard: Option<Shard>) -> Vec<&SumUp> {
    let holds = |place: usize| shard.is_none_or(|shard| shard.holds(place));
    let own = (0..sums.len()).filter(|&place| holds(place));
    let first = own.clone().next().unwrap_or(0);
    let others = (0..sums.len()).map(|i| (first + i) % sums.len()).filter(|&place| !holds(place));
    own.chain(others).map(|place| &sums[place]).collect()
}

impl Shared {
    /// The skin of all jobs of a list, with the fit that they ask for. `memory` is what all jobs may take together.
    fn of(list: &List, folder: &Path, memory: u64) -> Result<Self, BatchRefusal> {
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
        let chosen = (0..count).map(|i| jobs[i * (jobs.len() - 1) / (count - 1).max(1)]);
        let own = folder.join(FOLDER);
        let learnt = own.join("learnt.sinew");
        let learn = SkinJob {
            source: Source { inputs: of_one_mesh(chosen), ..first.source.clone() },
            fit: thorough(&first.fit),
            output: Some(learnt.clone()),
            memory: Some(first.memory.unwrap_or(DEFAULT_MEMORY).min(memory::working_set(memory))),
            ..SkinJob::default()
        };
        let groups = jobs.len().min(GROUPS);
        let group = |group: usize| SumUp {
            source: Source { inputs: Vec::new(), ..first.source.clone() },
            shots: jobs.iter().skip(group).step_by(groups).map(|job| job.source.inputs.clone()).collect(),
            skin: learnt.clone(),
            output: own.join(format!("sums-{:02}-of-{groups}", group + 1)),
        };
        let sums: Vec<SumUp> = (0..groups).map(group).collect();
        let solve = SolveSkin {
            sums: sums.iter().map(|sum| sum.output.clone()).collect(),
            skin: learnt,
            smooth: first.fit.smooth,
            keep_rest: first.fit.keep_rest,
            output: folder.join(FILE),
        };
        Ok(Self { learn: learn.into(), sums, solve })
    }

    /// Has a job take this skin.
    fn put_into(&self, job: &mut AnyJob) {
        if let AnyJob::Skin(job) = job {
            let (start_rig, solve) = (Some(self.solve.output.clone()), Some(Solve::Transforms));
            job.fit = Fit { start_rig, solve, ..Fit::default() };
        }
    }
}

/// The same fit with more time to be spent, unless said otherwise: what is found once serves all shots, and a skin that misses a
/// joint misses it in all of them.
fn thorough(fit: &Fit) -> Fit {
    let takes_effort = fit.method() == MethodName::Best && fit.goal.is_none();
    let effort = fit.effort.or(takes_effort.then_some(Effort::Best));
    Fit { effort, ..fit.clone() }
}

/// Whether two jobs can have one skin, as far as they tell.
fn is_alike(a: &SkinJob, b: &SkinJob) -> bool {
    let of_source = |job: &SkinJob| Source { inputs: Vec::new(), ..job.source.clone() };
    a.fit == b.fit && of_source(a) == of_source(b)
}

/// Inputs of shots that can be opened and have as many vertices as the first: the others fail alone. All of them where that
/// leaves none.
fn of_one_mesh<'a>(shots: impl Iterator<Item = &'a SkinJob> + Clone) -> Vec<PathBuf> {
    let vertices = |job: &SkinJob| {
        let stream = open::stream(&job.source.inputs, &job.source.options());
        stream.ok().map(|stream| stream.vertex_count())
    };
    let first = shots.clone().find_map(vertices);
    let fit = shots.clone().filter(|job| first.is_some() && vertices(job) == first);
    let inputs: Vec<PathBuf> = fit.flat_map(|job| job.source.inputs.clone()).collect();
    if inputs.is_empty() { shots.flat_map(|job| job.source.inputs.clone()).collect() } else { inputs }
}

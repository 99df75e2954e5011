//! Which job is done when, and on how many threads.
//!
//! There is one thing to share out, cores, and each brings its part of the memory. A job that takes no more than that has
//! one core; one that takes three parts has three. So as many jobs as can be are done side by side, each on one thread, where
//! a core does most; what is large is done with more threads, the largest alone. When fewer jobs are left than cores, those have
//! the rest. What a job takes is found by its process, which begins small ones at once and hands back the others: they come
//! last, the largest first. The number of threads changes no result.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::Path;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use sinew::progress::Progress;

use super::child::{NoAnswer, Worker, lock};
use super::memory;
use super::rows::{Facts, State};
use super::work::Work;
use super::worker::{Answer, Task};
use crate::refusals::{BatchRefusal, Gone};

/// How often is looked after cancelling and memory.
const LOOK: Duration = Duration::from_millis(100);
/// A process that holds more after a job begins anew, in bytes.
const KEPT: u64 = 1_000_000_000;

/// What all jobs have in common.
pub(super) struct Common<'a> {
    pub folder: &'a Path,
    pub worker: &'a [OsString],
    /// What records name as having done a job.
    pub program: &'a str,
    /// How many jobs are done side by side at most.
    pub cores: usize,
    /// Bytes that all of them may take together.
    pub memory: u64,
    pub again: bool,
    pub pictures: bool,
    pub stop_on_error: bool,
}

/// Jobs that are waiting, and cores that are free.
struct Queue {
    /// Places of jobs that take one core as far as is known.
    small: VecDeque<usize>,
    /// How many cores jobs take, and their places, in ascending order.
    sized: Vec<(usize, usize)>,
    /// Jobs whose process was killed once.
    tried: Vec<usize>,
    free: usize,
    stopped: bool,
}

struct Lanes<'a, 'j> {
    common: &'a Common<'a>,
    jobs: &'a [(usize, Work<'j>)],
    queue: Mutex<Queue>,
    changed: Condvar,
}

/// Does these jobs, each with its row. `told` hears of every one that comes to an end, from several threads.
pub(super) fn work(
    common: &Common,
    jobs: &[(usize, Work)],
    progress: &dyn Progress,
    told: &(dyn Fn(usize, State, Facts) + Sync),
) {
    let queue = Queue {
        small: (0..jobs.len()).collect(),
        sized: Vec::new(),
        tried: Vec::new(),
        free: common.cores,
        stopped: false,
    };
    let lanes = Lanes { common, jobs, queue: Mutex::new(queue), changed: Condvar::new() };
    let workers: Vec<Worker> = (0..common.cores.min(jobs.len())).map(|_| Worker::default()).collect();
    let watched: Vec<_> = workers.iter().map(Worker::running).collect();
    std::thread::scope(|scope| {
        let lanes = &lanes;
        let running: Vec<_> =
            workers.into_iter().map(|worker| scope.spawn(move || lanes.lane(worker, told))).collect();
        while !running.iter().all(|lane| lane.is_finished()) {
            if progress.cancelled() {
                lock(&lanes.queue).stopped = true;
                lanes.changed.notify_all();
                watched.iter().for_each(|running| lock(running).give_up());
            }
            watched.iter().for_each(|running| lock(running).watch(common.memory));
            lanes.wait_for_a_change();
        }
    });
}

impl Lanes<'_, '_> {
    fn wait_for_a_change(&self) {
        let queue = lock(&self.queue);
        drop(self.changed.wait_timeout(queue, LOOK).unwrap_or_else(PoisonError::into_inner));
    }

    fn lane(&self, mut worker: Worker, told: &(dyn Fn(usize, State, Facts) + Sync)) {
        let common = self.common;
        while let Some((place, cores)) = self.take() {
            let (row, work) = &self.jobs[place];
            let task = Task {
                work: work.clone(),
                folder: common.folder.into(),
                threads: cores,
                most: self.part(cores),
                memory: common.memory,
                again: common.again,
                pictures: common.pictures,
                program: common.program.into(),
            };
            let begun = Instant::now();
            let end = match worker.ask(common.worker, &task) {
                Ok(Answer::Done(facts)) if facts.sentence.is_some() => Some((State::Failed, facts)),
                Ok(Answer::Done(facts)) => Some((State::Done, facts)),
                Ok(Answer::Kept(facts)) => Some((State::Kept, facts)),
                Ok(Answer::Cancelled) => None,
                Ok(Answer::Takes(bytes)) => {
                    self.hand_back(place, self.cores_for(bytes));
                    None
                }
                Err(NoAnswer::Killed) if self.is_first_time(place) => {
                    // Perhaps for want of memory: once more, alone.
                    self.hand_back(place, common.cores);
                    None
                }
                Err(NoAnswer::Killed) => Some((State::Failed, gone(Gone::Killed, begun))),
                Err(NoAnswer::Gone(how)) => Some((State::Failed, gone(how, begun))),
            };
            if let Some((state, facts)) = end {
                self.stop_on(state);
                told(*row, state, facts);
            }
            if worker.holds() > KEPT {
                worker.end();
            }
            lock(&self.queue).free += cores;
            self.changed.notify_all();
        }
    }

    /// The next job and its cores; none where nothing is left.
    fn take(&self) -> Option<(usize, usize)> {
        let mut queue = lock(&self.queue);
        loop {
            if queue.stopped {
                return None;
            }
            if let Some(taken) = queue.next() {
                return Some(taken);
            }
            // Those that are being done may be handed back.
            if queue.is_empty() && queue.free == self.common.cores {
                return None;
            }
            queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Bytes that come with so many cores.
    fn part(&self, cores: usize) -> u64 {
        (self.common.memory as u128 * cores as u128 / self.common.cores as u128) as u64
    }

    fn cores_for(&self, bytes: u64) -> usize {
        (1..self.common.cores).find(|&cores| bytes <= self.part(cores)).unwrap_or(self.common.cores)
    }

    fn hand_back(&self, place: usize, cores: usize) {
        let mut queue = lock(&self.queue);
        queue.sized.push((cores, place));
        // The last is the next: of equal ones, that which comes first in the list.
        queue.sized.sort_by_key(|&(cores, place)| (cores, std::cmp::Reverse(place)));
    }

    fn is_first_time(&self, place: usize) -> bool {
        let mut queue = lock(&self.queue);
        let first = !queue.tried.contains(&place);
        queue.tried.push(place);
        first
    }

    fn stop_on(&self, state: State) {
        if state == State::Failed && self.common.stop_on_error {
            lock(&self.queue).stopped = true;
        }
    }
}

impl Queue {
    fn is_empty(&self) -> bool {
        self.small.is_empty() && self.sized.is_empty()
    }

    fn next(&mut self) -> Option<(usize, usize)> {
        let left = self.small.len() + self.sized.len();
        // What is left over when all are being done.
        let spare = |least: usize, free: usize| least.max(free / left.max(1));
        let (place, cores) = match (self.small.front(), self.sized.last()) {
            (Some(&place), _) if self.free > 0 => (place, spare(1, self.free)),
            (None, Some(&(least, place))) if self.free >= least => (place, spare(least, self.free)),
            _ => return None,
        };
        if self.small.pop_front().is_none() {
            self.sized.pop();
        }
        self.free -= cores;
        Some((place, cores))
    }
}

fn gone(how: Gone, begun: Instant) -> Facts {
    let sentence = BatchRefusal::Gone(how).to_string();
    Facts { sentence: Some(sentence), seconds: begun.elapsed().as_secs_f64(), ..Facts::default() }
}

/// Cores and memory of this machine.
pub(super) fn machine() -> (usize, u64) {
    let cores = rayon::current_num_threads().max(1);
    (cores, memory::free().unwrap_or(u64::MAX))
}

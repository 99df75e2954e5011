//! A process that does jobs for a batch, one after the other: what goes wrong with one takes down this process at most.
//!
//! Tasks come as JSON lines on standard input, answers go as JSON lines to standard output. When the input ends, the work is
//! given up: nobody is left to hear of it.

use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::Instant;

use rayon::{ThreadPool, ThreadPoolBuilder};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sinew::progress::Progress;
use sinew_io::account;

use super::record::{self, Digests, Record};
use super::rows::Facts;
use super::work::Work;
use super::{memory, pictures};
use crate::error::{JobError, Outcome};
use crate::refusals::BatchRefusal;
use crate::streams::named;

/// A job that is to be done.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Task<'a> {
    pub work: Work<'a>,
    /// The batch's folder.
    pub folder: PathBuf,
    /// It may use so many threads.
    pub threads: usize,
    /// Bytes that it may take; a job that takes more is not begun.
    pub most: u64,
    /// Bytes that any job may take.
    pub memory: u64,
    /// Does it even if it is done.
    pub again: bool,
    /// Draws what it wrote.
    pub pictures: bool,
    /// What to write down as having done it.
    pub program: String,
}

/// What became of it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Answer {
    /// It is done, or failed.
    Done(Facts),
    /// It was done already.
    Kept(Facts),
    /// It takes so many bytes, which is more than it may.
    Takes(u64),
    /// It was given up.
    Cancelled,
}

/// Does the tasks that come on standard input until that ends.
///
/// # Errors
/// Where nobody reads the answers.
pub fn serve(door: &dyn Progress) -> Outcome<()> {
    memory::offer_first();
    let gone = AtomicBool::new(false);
    let (send, tasks) = mpsc::channel();
    std::thread::scope(|scope| {
        let gone = &gone;
        std::thread::Builder::new()
            .spawn_scoped(scope, move || {
                for line in std::io::stdin().lock().lines().map_while(Result::ok) {
                    if send.send(line).is_err() {
                        return;
                    }
                }
                gone.store(true, Ordering::SeqCst);
            })
            .map_err(sinew_io::Error::io(Path::new("standard input")))?;
        let progress = Watched { gone, door };
        let mut desk = Desk::default();
        for line in tasks {
            let task: Task =
                serde_json::from_str(&line).map_err(|e| BatchRefusal::NoJob { why: e.to_string() })?;
            let answer = desk.answer(task, &progress)?;
            let text = serde_json::to_string(&answer).unwrap_or_default() + "\n";
            crate::streams::write_out(|out| out.write_all(text.as_bytes()))?;
        }
        Ok(())
    })
}

/// Work that is given up when its input ends, or when the door says so.
struct Watched<'a> {
    gone: &'a AtomicBool,
    door: &'a dyn Progress,
}

impl Progress for Watched<'_> {
    fn stage(&self, _: &'static str) {}

    fn advance(&self, _: f64) {}

    fn cancelled(&self) -> bool {
        self.gone.load(Ordering::SeqCst) || self.door.cancelled()
    }
}

/// What stays between tasks.
#[derive(Default)]
struct Desk {
    pool: Option<ThreadPool>,
    digests: Digests,
}

impl Desk {
    fn answer(&mut self, task: Task, progress: &dyn Progress) -> Outcome<Answer> {
        let Task { mut work, folder, threads, most, memory, again, pictures, program } = task;
        let place = record::place(&folder, &work);
        if !again && let Some(facts) = kept(&place, Some(&program)) {
            return Ok(Answer::Kept(facts));
        }
        let taken = memory::taken(&mut work);
        if taken > memory {
            let refusal = BatchRefusal::TooLarge { bytes: taken, memory };
            return Ok(Answer::Done(failed(&place, &work, refusal.into(), &program)));
        }
        if taken > most {
            return Ok(Answer::Takes(taken));
        }
        let begun = Instant::now();
        let pool = self.pool(threads)?;
        let (done, account) =
            account::of(|| make_folders(&mut work).and_then(|()| pool.install(|| work.run(progress))));
        let report = match done {
            Ok(report) => report,
            Err(JobError::Cancelled) => return Ok(Answer::Cancelled),
            Err(error) => return Ok(Answer::Done(failed(&place, &work, error, &program))),
        };
        let mut facts = Facts { threads, ..facts_of(&report) };
        if pictures {
            facts.picture = pool.install(|| pictures::draw(&mut work, &report, &folder, &place));
        }
        let recorded = Record::done(&mut work, &account, facts.clone(), &program, &mut self.digests);
        let recorded = recorded.map_err(|e| e.to_string()).and_then(|mut record| {
            record.facts.bytes = record.bytes_written();
            record.facts.files = record.files_written().map(Path::to_owned).collect();
            record.facts.seconds = begun.elapsed().as_secs_f64();
            facts = record.facts.clone();
            record.save(&place).map_err(|e| e.to_string())
        });
        if let Err(why) = recorded {
            facts.warnings.push(format!("it is done, and will be done again, as that cannot be kept: {why}"));
        }
        Ok(Answer::Done(facts))
    }

    fn pool(&mut self, threads: usize) -> Outcome<&ThreadPool> {
        if self.pool.as_ref().is_none_or(|pool| pool.current_num_threads() != threads) {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build();
            let pool =
                pool.map_err(|e| sinew_io::Error::io(Path::new("threads"))(std::io::Error::other(e)))?;
            self.pool = Some(pool);
        }
        match &self.pool {
            Some(pool) => Ok(pool),
            None => Err(JobError::Cancelled),
        }
    }
}

/// What is known of a job that is done, by its record. Where a program is named, that has done it.
pub(super) fn kept(place: &Path, program: Option<&str>) -> Option<Facts> {
    let mut record =
        Record::at(place).filter(|record| program.is_none_or(|program| record.is_by(program)))?;
    if record.still_holds()? {
        // Otherwise bytes are compared the next time as well.
        let _ = record.save(place);
    }
    Some(record.facts)
}

/// Keeps why a job failed, as far as that can be kept.
fn failed(place: &Path, work: &Work, error: JobError, program: &str) -> Facts {
    let facts = Facts { sentence: Some(named(&error.to_string())), ..Facts::default() };
    let _ = Record::failed(work, facts.clone(), program).save(place);
    facts
}

/// Makes the folders that files go to.
fn make_folders(work: &mut Work) -> Outcome<()> {
    let files = work.files();
    for path in files.that_are_written().chain(files.report_path()) {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder).map_err(sinew_io::Error::io(folder))?;
        }
    }
    Ok(())
}

/// What summaries tell of a report.
fn facts_of(report: &Value) -> Facts {
    let warnings = report["warnings"].as_array().into_iter().flatten();
    Facts {
        error: report.pointer("/error/percent").and_then(Value::as_f64),
        warnings: warnings.filter_map(|warning| Some(warning.as_str()?.to_owned())).collect(),
        ..Facts::default()
    }
}

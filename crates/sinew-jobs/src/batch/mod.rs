//! Many jobs: a list of them, run on this machine or in parts on many.
//!
//! ```text
//! list, table, pattern + template ──> entries ──> shard ──> those without a record that holds ──> lanes ──> rows ──> summary
//!                                                                                                   │ tasks, answers
//!                                                                                                   v
//!                                                                             processes that do jobs, one for each core
//! ```
//!
//! Jobs of a list know nothing of each other, so there is nothing to agree on: any number of machines may have the list and
//! the files it names. What is done is known by content, files appear whole or not at all, and two that do the same
//! job write the same bytes. A job that fails, breaks down or takes too much memory ends the process that does it at most.

mod child;
mod lanes;
mod list;
mod memory;
mod page;
mod pattern;
mod pictures;
mod record;
mod rows;
mod shared;
mod summary;
mod table;
mod template;
mod work;
mod worker;

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Instant;

use rayon::prelude::*;
use sinew::progress::Progress;
use sinew_io::{Error, save};

pub use self::list::{Entry, List, Origin};
pub use self::pattern::{Found, find};
pub use self::rows::{Facts, Row, State};
pub use self::summary::{BatchReport, Tally};
pub use self::table::Table;
pub use self::template::Template;
use self::work::Work;
pub use self::worker::serve;
use crate::error::Outcome;
pub use crate::shard::Shard;

/// What is done with a list.
#[derive(Clone, Debug)]
pub struct Batch {
    /// Where it comes from.
    pub origin: Origin,
    /// Where records, pictures and the summary go; without, beside the list.
    pub folder: Option<PathBuf>,
    /// Only this part of it.
    pub shard: Option<Shard>,
    /// Does those again that are done.
    pub again: bool,
    /// Begins no other job after one has failed.
    pub stop_on_error: bool,
    /// Fits one skin over shots of the whole list, and only transforms for each.
    pub shared_skin: bool,
    /// Runs nothing, and gathers what records tell.
    pub summary_only: bool,
    /// Bytes that all jobs may take together; without, most of what is free.
    pub memory: Option<u64>,
    /// Draws the rigs that jobs write.
    pub pictures: bool,
    /// A program and its arguments that calls [`serve`].
    pub worker: Vec<OsString>,
    /// The file with that program's code: what another did is done again.
    pub code: PathBuf,
}

/// Who hears how far it is.
pub trait Listener: Progress {
    /// A job came to an end, or is found to be done.
    fn row(&self, row: &Row, tally: &Tally);
}

impl Batch {
    /// Does what of the list is not done, and writes the summary.
    ///
    /// # Errors
    /// A list that cannot be read or is none; a folder that cannot be written to. What is wrong with single jobs is in their
    /// rows.
    pub fn run(&self, listener: &dyn Listener) -> Outcome<BatchReport> {
        let begun = Instant::now();
        let folder = match &self.folder {
            Some(folder) => folder.clone(),
            None => self.origin.folder()?,
        };
        let mut list = self.origin.read()?;
        std::fs::create_dir_all(&folder).map_err(Error::io(&folder))?;
        let summary = folder.join(self.named("batch")).with_extension("json");
        sinew_io::check_target(&summary)?;
        let (cores, free) = lanes::machine();
        let memory = self.memory.unwrap_or(free);
        let program = record::program(&self.code).map_err(Error::io(&self.code))?;
        let common = lanes::Common {
            folder: &folder,
            worker: &self.worker,
            program: &program,
            cores,
            memory,
            again: self.again,
            pictures: self.pictures,
            stop_on_error: self.stop_on_error,
        };
        if self.shared_skin {
            self.share(&mut list, &common, listener)?;
        }
        listener.stage("jobs");
        let entries: Vec<Entry> = {
            let all = list.entries.into_iter().enumerate();
            let part = all.filter(|(place, _)| self.shard.is_none_or(|shard| shard.holds(*place)));
            part.map(|(_, entry)| entry).collect()
        };
        let rows: Vec<Row> = entries.par_iter().map(|entry| self.before(entry, &folder, &program)).collect();
        let book = Book::new(rows, listener);
        let left: Vec<(usize, Work)> = book
            .waiting()
            .filter_map(|i| Some((i, Work::Job(Cow::Borrowed(entries[i].job.as_ref().ok()?)))))
            .collect();
        if !self.summary_only {
            lanes::work(&common, &left, listener, &|row, state, facts| book.put(row, state, facts));
        }
        let (rows, tally) = book.close();
        let seconds = begun.elapsed().as_secs_f64();
        let worked: f64 =
            left.iter().map(|(i, _)| rows[*i].facts.seconds * rows[*i].facts.threads as f64).sum();
        let report = BatchReport {
            version: env!("CARGO_PKG_VERSION"),
            shard: self.shard.map(|shard| shard.to_string()),
            tally,
            seconds,
            busy: (worked / (seconds * cores as f64)).max(0.0),
            cores,
            memory: (memory < u64::MAX).then_some(memory),
            interrupted: listener.cancelled() && tally.waiting > 0,
            page: folder.join(self.named("index")).with_extension("html"),
            rows,
        };
        save(&report.page, |out| page::write(&report, out))?;
        save(&summary, |out| Ok(serde_json::to_writer(out, &report)?))?;
        Ok(report)
    }

    /// The name of a summary: that of a part says so, as all parts have one folder.
    fn named(&self, name: &str) -> String {
        match self.shard {
            Some(shard) => format!("{name}-{}", shard.to_string().replace('/', "-of-")),
            None => name.into(),
        }
    }

    /// What is known of a job before anything is run.
    fn before(&self, entry: &Entry, folder: &Path, program: &str) -> Row {
        let (job, state, facts) = match &entry.job {
            Err(refusal) => {
                let facts = Facts { sentence: Some(refusal.to_string()), ..Facts::default() };
                ("", State::Failed, facts)
            }
            Ok(job) => {
                let place = record::place(folder, &Work::Job(Cow::Borrowed(job)));
                // A summary is of what all machines did, whatever program they have.
                let program = (!self.summary_only).then_some(program);
                let kept = if self.again { None } else { worker::kept(&place, program) };
                let failed = || record::Record::at(&place).filter(|record| record.facts.sentence.is_some());
                match kept {
                    Some(facts) => (job.name(), State::Kept, facts),
                    None => match self.summary_only.then(failed).flatten() {
                        Some(record) => (job.name(), State::Failed, record.facts),
                        None => (job.name(), State::Waiting, Facts::default()),
                    },
                }
            }
        };
        Row { line: entry.line, name: entry.label.clone(), job, state, facts }
    }
}

/// Rows as they are filled in, from several threads.
struct Book<'a> {
    pages: Mutex<(Vec<Row>, Tally)>,
    listener: &'a dyn Listener,
}

impl<'a> Book<'a> {
    fn new(rows: Vec<Row>, listener: &'a dyn Listener) -> Self {
        let mut tally = Tally { jobs: rows.len(), waiting: rows.len(), ..Tally::default() };
        for row in rows.iter().filter(|row| row.state != State::Waiting) {
            tally.put(row.state);
            listener.row(row, &tally);
        }
        Self { pages: Mutex::new((rows, tally)), listener }
    }

    /// Places of rows that nothing became of yet.
    fn waiting(&self) -> impl Iterator<Item = usize> {
        let pages = child::lock(&self.pages);
        let waiting: Vec<usize> =
            (0..pages.0.len()).filter(|i| pages.0[*i].state == State::Waiting).collect();
        waiting.into_iter()
    }

    fn put(&self, row: usize, state: State, facts: Facts) {
        let mut pages = child::lock(&self.pages);
        let (rows, tally) = &mut *pages;
        rows[row].state = state;
        rows[row].facts = facts;
        tally.put(state);
        self.listener.row(&rows[row], tally);
        self.listener.advance(1.0 - tally.waiting as f64 / tally.jobs as f64);
    }

    fn close(self) -> (Vec<Row>, Tally) {
        self.pages.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

//! `sinew batch`: lists of jobs.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use clap::Args;
use sinew::progress::Progress;
use sinew_io::Saving;
use sinew_jobs::any::as_json;
use sinew_jobs::batch::{Batch, BatchReport, Listener, Origin, Row, Shard, State, Tally, serve};
use sinew_jobs::streams::is_output;

use crate::Program;
use crate::choice::bytes;
use crate::console::{Table, count, number, print, size};
use crate::error::{CliError, Outcome};
use crate::progress::Session;

/// Run a list of jobs, all cores busy, and go on where it stopped
///
/// A list is one job a line, as --print-job of the other commands prints them and sinew run reads them; or a template with
/// gaps, filled in for each row of a table or each file that fits a pattern. Jobs are done by processes of their own: one that
/// fails stops no other. What is done is known by its content and skipped, however often the list is run and on however many
/// machines.
#[derive(Args)]
#[command(
    after_help = "Gaps of a template, with --each: {path}, its folder {dir}, that folder below the fixed part of the \
pattern {below}, {name}, {stem} without the ending, {ext}; with a table, names of columns. \"{bones:number}\" becomes a \
number, {{ and }} are braces, and a field of one gap without a value is left out.

Examples:
  sinew batch jobs.jsonl
  sinew batch --each 'shots/**/*.abc' --template job.json
  sinew batch shots.csv --template job.json --shard 3/16
  sinew batch jobs.jsonl --summary"
)]
pub struct BatchArgs {
    /// One JSON job a line, - for standard input; with --template a table, *.csv or *.tsv
    #[arg(value_name = "LIST", required_unless_present_any = ["each", "worker"])]
    list: Option<PathBuf>,

    /// One job for each file that fits this pattern: * and ? within a name, ** for any folders, a slash at the end for folders;
    /// repeatable
    #[arg(long, value_name = "PATTERN", requires = "template", conflicts_with = "list")]
    each: Vec<String>,

    /// The job with gaps, as JSON
    #[arg(long, value_name = "JOB.json")]
    template: Option<PathBuf>,

    /// Where records of what is done, pictures and the summary go [default: beside the list, jobs.batch]
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,

    /// Only the I-th of N parts of the list; the parts may run at once on machines that share the folder
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,

    /// Skip what is done and has not changed, which is the default
    #[arg(long, conflicts_with = "again")]
    resume: bool,

    /// Do all of it again
    #[arg(long)]
    again: bool,

    /// Go on after a job has failed, which is the default
    #[arg(long, conflicts_with = "stop_on_error")]
    keep_going: bool,

    /// Begin no other job after one has failed
    #[arg(long)]
    stop_on_error: bool,

    /// Give all shots one skin: bones and weights are learnt from shots evenly over the whole list, in bounded memory, and each
    /// shot has its transforms solved. For jobs that skin one mesh with one fit
    #[arg(long)]
    shared_skin: bool,

    /// Run nothing, and write the summary of what is known, of all parts
    #[arg(long, conflicts_with_all = ["again", "stop_on_error"])]
    summary: bool,

    /// Bytes that all jobs may take together, such as 8GB [default: most of what is free]
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    memory: Option<u64>,

    /// Draw no pictures for the page
    #[arg(long)]
    no_pictures: bool,

    /// One JSON line for every job as it comes to an end, and one for all of them; - for standard output
    #[arg(long, value_name = "FILE.jsonl")]
    report: Option<PathBuf>,

    /// Do jobs that come on standard input, for a batch
    #[arg(long, hide = true, exclusive = true)]
    worker: bool,
}

impl BatchArgs {
    fn origin(&self) -> Origin {
        match (&self.list, &self.template) {
            (None, Some(template)) => {
                Origin::Each { patterns: self.each.clone(), template: template.clone() }
            }
            (list, template) => {
                let list = list.clone().unwrap_or_else(|| "-".into());
                Origin::File { list, template: template.clone() }
            }
        }
    }
}

/// Runs the command. `program` is the one that runs.
pub fn run(args: &BatchArgs, program: &Program, session: &Session) -> Outcome<()> {
    if args.worker {
        return Ok(serve(session)?);
    }
    if session.print_job {
        return print_jobs(&args.origin());
    }
    let shown = Shown { session, lines: args.report.as_deref().map(Lines::new).transpose()? };
    let batch = Batch {
        origin: args.origin(),
        folder: args.folder.clone(),
        shard: args.shard,
        again: args.again,
        stop_on_error: args.stop_on_error,
        shared_skin: args.shared_skin,
        summary_only: args.summary,
        memory: args.memory,
        pictures: !args.no_pictures,
        worker: vec![program.name.clone(), "batch".into(), "--worker".into()],
        code: program.code.clone(),
    };
    let report = batch.run(&shown)?;
    session.finish();
    let is_answered = match shown.lines {
        Some(lines) => lines.close(&report)?,
        None => false,
    };
    if !session.quiet && !is_answered {
        print(&table(&report).text())?;
    }
    verdict(&report)
}

/// Prints the list, one job a line, for engines that hand out jobs themselves.
fn print_jobs(origin: &Origin) -> Outcome<()> {
    let mut text = String::new();
    for entry in origin.read()?.entries {
        match entry.job {
            Ok(job) => text += &(as_json(&job).to_string() + "\n"),
            Err(refusal) => return CliError::refused(format!("line {}: {refusal}", entry.line)),
        }
    }
    print(&text)
}

/// What the process ends with.
fn verdict(report: &BatchReport) -> Outcome<()> {
    let Tally { jobs, failed, waiting, .. } = report.tally;
    match (report.interrupted, failed, waiting) {
        (true, ..) => Err(CliError::Stopped { waiting, jobs }),
        (false, 0, 0) => Ok(()),
        (false, failed, waiting) => {
            Err(CliError::SomeFailed { failed, waiting, jobs, page: report.page.clone() })
        }
    }
}

fn table(report: &BatchReport) -> Table {
    let mut table = Table::default();
    let Tally { jobs, done, kept, failed, waiting } = report.tally;
    let some = |n: usize, what: &str| (n > 0).then(|| format!("{n} {what}"));
    let parts =
        [some(done, "done"), some(kept, "done before"), some(failed, "failed"), some(waiting, "not run")];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    table.row("jobs", format!("{jobs}: {}", parts.join(", ")));
    if done > 0 {
        let rate = number(done as f64 / report.seconds);
        let busy = (100.0 * report.busy).round();
        let cores = count(report.cores, "core", "cores");
        table.row(
            "time",
            format!("{:.2} s, {rate} jobs a second, {cores} busy for {busy} % of it", report.seconds),
        );
        let bytes = report.rows.iter().map(|row| row.facts.bytes).sum();
        table.row("written", size(bytes));
    }
    table.row("page", report.page.display().to_string());
    table
}

/// JSON lines for programs.
struct Lines {
    to: Mutex<To>,
}

enum To {
    Output,
    File(Saving),
}

impl Lines {
    fn new(path: &Path) -> Outcome<Self> {
        let to = if is_output(path) { To::Output } else { To::File(Saving::new(path)?) };
        Ok(Self { to: Mutex::new(to) })
    }

    fn put(&self, value: &serde_json::Value) {
        let line = value.to_string() + "\n";
        let mut to = self.to.lock().unwrap_or_else(PoisonError::into_inner);
        // A reader that has gone or a disk that is full ends no job; the file is refused at its end.
        let _ = match &mut *to {
            To::Output => print(&line).map_err(|_| ()),
            To::File(file) => file.write_all(line.as_bytes()).map_err(|_| ()),
        };
    }

    /// Adds the line for all, without the rows. Says whether it went to standard output.
    fn close(self, report: &BatchReport) -> Outcome<bool> {
        let mut all = as_json(&report.without_rows());
        if let Some(fields) = all.as_object_mut() {
            fields.remove("rows");
        }
        self.put(&all);
        match self.to.into_inner().unwrap_or_else(PoisonError::into_inner) {
            To::Output => Ok(true),
            To::File(file) => Ok(file.commit().map(|_| false)?),
        }
    }
}

/// What is seen of it.
struct Shown<'a> {
    session: &'a Session,
    lines: Option<Lines>,
}

impl Progress for Shown<'_> {
    fn stage(&self, name: &'static str) {
        self.session.stage(name);
    }

    fn advance(&self, share: f64) {
        self.session.advance(share);
    }

    fn cancelled(&self) -> bool {
        self.session.cancelled()
    }
}

impl Listener for Shown<'_> {
    fn row(&self, row: &Row, tally: &Tally) {
        if let Some(lines) = &self.lines {
            lines.put(&as_json(row));
        }
        if let (State::Failed, Some(sentence)) = (row.state, &row.facts.sentence) {
            // Most sentences begin with the file that they are about.
            let name =
                if sentence.starts_with(&row.name) { String::new() } else { format!(", {}", row.name) };
            self.session.warn(&format!("line {}{name}: {sentence}", row.line));
        }
        self.session.count(tally.jobs - tally.waiting, tally.jobs);
    }
}

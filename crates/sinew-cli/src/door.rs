//! From arguments to a job, and from its report to words.

use std::io::IsTerminal;

use sinew_jobs::streams::{is_output, named};
use sinew_jobs::{AnyJob, Job, JobError};

use crate::console::{Table, print, say};
use crate::error::{CliError, Outcome};
use crate::progress::Session;

/// A job whose report is put into words here.
pub trait InWords: Job + Into<AnyJob> {
    /// Whether the words are what was asked for, so that they are shown with `--quiet` too.
    const IS_ANSWER: bool = false;

    /// The report for people.
    fn table(&self, report: &Self::Report) -> Table;

    /// The same as lines, where it is no table.
    fn text(&self, report: &Self::Report) -> String {
        self.table(report).text()
    }

    /// What is said beside it, on standard error.
    fn asides(&self, report: &Self::Report) -> Vec<String> {
        let _ = report;
        Vec::new()
    }
}

/// Arguments that ask for one job.
pub trait Command {
    /// The job.
    type Job: InWords;

    /// The job that is asked for.
    ///
    /// # Errors
    /// Arguments that do not go together, in the words of the command line.
    fn job(&self) -> Outcome<Self::Job>;

    /// The report in words, with what only these arguments ask for.
    fn text(&self, job: &Self::Job, report: &<Self::Job as Job>::Report) -> String {
        job.text(report)
    }
}

/// Runs a command, or prints its job where that is asked for.
pub fn run<C: Command>(args: &C, session: &Session) -> Outcome<()> {
    let job = args.job()?;
    if session.print_job {
        job.check()?;
        return print(&job.into().to_json());
    }
    finish(&job, session, |report| args.text(&job, report))
}

/// Runs a job that came from a file.
pub fn run_job<J: InWords>(job: &J, session: &Session) -> Outcome<()> {
    finish(job, session, |report| job.text(report)).map_err(by_fields)
}

/// What is wrong by the names of the job's fields, which whoever wrote the file knows, and not by options.
fn by_fields(error: CliError) -> CliError {
    match error {
        CliError::Job(error @ (JobError::Cancelled | JobError::OutputClosed | JobError::Stream(_))) => {
            error.into()
        }
        CliError::Job(error) => CliError::Refused(named(&error.to_string())),
        refused => refused,
    }
}

fn finish<J: InWords>(job: &J, session: &Session, text: impl Fn(&J::Report) -> String) -> Outcome<()> {
    let taken = job.takes_output();
    if taken && !job.report_to().is_some_and(is_output) && std::io::stdout().is_terminal() {
        return CliError::refused(
            "standard output is a terminal, and what is written to it is no text; name a file",
        );
    }
    let report = job.run(session)?;
    job.asides(&report).iter().for_each(|said| session.warn(said));
    session.finish();
    let text = named(&text(&report));
    match taken {
        true if session.quiet => {}
        // Beside a result that others read.
        true => say(&text),
        false if J::IS_ANSWER || !session.quiet => print(&text)?,
        false => {}
    }
    Ok(job.verdict(&report)?)
}

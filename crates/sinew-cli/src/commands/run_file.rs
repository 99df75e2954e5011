//! `sinew run`: a job from a file.

use std::io::Read;
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::PossibleValuesParser;
use sinew_jobs::AnyJob;

use crate::console::print;
use crate::door::run_job;
use crate::error::{CliError, Outcome};
use crate::progress::Session;

/// Run a job from a file
///
/// A job is JSON: every command prints its own with --print-job. Paths in it begin at the folder that the program runs
/// in. --schema prints what a job may hold.
#[derive(Args)]
#[command(after_help = "Examples:
  sinew compare anim.pc2 rig.glb --rest rest.obj --print-job > job.json
  sinew run job.json
  sinew run --schema compare")]
pub struct RunArgs {
    /// The file, or - for standard input
    #[arg(value_name = "JOB.json", required_unless_present = "schema")]
    job: Option<PathBuf>,

    /// Print the JSON schema of a job, or of all
    #[arg(long, value_name = "JOB", num_args = 0..=1, default_missing_value = "all", conflicts_with = "job",
          value_parser = PossibleValuesParser::new(["all"].iter().chain(AnyJob::NAMES)))]
    schema: Option<String>,
}

/// Runs the command.
pub fn run(args: &RunArgs, session: &Session) -> Outcome<()> {
    if let Some(name) = &args.schema {
        let schema = AnyJob::schema(name).unwrap_or_else(AnyJob::schema_of_all);
        let text = serde_json::to_string_pretty(&schema).unwrap_or_default();
        return print(&(text + "\n"));
    }
    let job = read(args.job.as_deref().unwrap_or(Path::new("-")))?;
    if session.print_job {
        return print(&job.to_json());
    }
    match &job {
        AnyJob::Bake(job) => run_job(job.as_ref(), session),
        AnyJob::Collide(job) => run_job(job.as_ref(), session),
        AnyJob::Compare(job) => run_job(job.as_ref(), session),
        AnyJob::Convert(job) => run_job(job.as_ref(), session),
        AnyJob::Crowd(job) => run_job(job.as_ref(), session),
        AnyJob::Deform(job) => run_job(job.as_ref(), session),
        AnyJob::Edit(job) => run_job(job.as_ref(), session),
        AnyJob::Info(job) => run_job(job.as_ref(), session),
        AnyJob::Learn(job) => run_job(job.as_ref(), session),
        AnyJob::Light(job) => run_job(job.as_ref(), session),
        AnyJob::Lod(job) => run_job(job.as_ref(), session),
        AnyJob::Picture(job) => run_job(job.as_ref(), session),
        AnyJob::Skeleton(job) => run_job(job.as_ref(), session),
        AnyJob::Stream(job) => run_job(job.as_ref(), session),
        AnyJob::Skin(job) => run_job(job.as_ref(), session),
        AnyJob::Transplant(job) => run_job(job.as_ref(), session),
    }
}

fn read(path: &Path) -> Outcome<AnyJob> {
    let mut text = String::new();
    let read = match path.as_os_str() == "-" {
        true => std::io::stdin().read_to_string(&mut text).map(|_| ()),
        false => std::fs::read_to_string(path).map(|read| text = read),
    };
    read.map_err(sinew_io::Error::io(path))?;
    AnyJob::from_json(&text).map_err(|e| {
        let path = path.display();
        CliError::Refused(match is_report(&text) {
            true => format!("{path}: is a report; the job that it is about is its field \"job\""),
            false => format!("{path}: is no job: {e}"),
        })
    })
}

/// Whether JSON is what a job said of itself.
fn is_report(text: &str) -> bool {
    serde_json::from_str(text).is_ok_and(|read: serde_json::Value| read["job"].is_object())
}

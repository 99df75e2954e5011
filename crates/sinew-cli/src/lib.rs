//! The command `sinew`: a thin shell over the library, for the program of that name and for the one in the Python package.
//!
//! One file a command in `commands`; what they share is beside them: opening pairs of inputs, progress,
//! reports, targets that are checked before the work and filled after it.

mod choice;
mod commands;
mod console;
mod door;
mod error;
mod joints;
mod numbers;
mod progress;
mod report;
mod signals;
mod source;
mod standard;
mod usage;
mod words;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{CommandFactory, Parser, Subcommand};

#[cfg(feature = "studio")]
use commands::studio;
use commands::{
    bake, batch, collide, compare, convert, crowd, deform, demo, edit, info, learn, light, lod, manual,
    picture, run_file, sample, skeleton, skin, stream, study, transplant,
};
use error::{CliError, Outcome};
use progress::Session;

/// Turns mesh animations into skinned rigs: bones, weights and corrections that play in any engine.
#[derive(Parser)]
#[command(name = "sinew", version, propagate_version = true, max_term_width = 100)]
#[command(after_help = "Start with:\n  sinew demo\n  sinew skin anim.pc2 --rest rest.obj -o rig.glb")]
struct Cli {
    #[command(subcommand)]
    command: Command,

    /// Show no progress and no summary, only errors and what was asked for
    #[arg(long, global = true)]
    quiet: bool,

    /// Print the job that would be run, for sinew run, and run nothing
    #[arg(long, global = true)]
    print_job: bool,

    /// Use at most so many threads [default: one per core]; the result is the same for any number
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
}

#[derive(Subcommand)]
enum Command {
    Skin(Box<skin::SkinArgs>),
    Skeleton(skeleton::SkeletonArgs),
    Info(info::InfoArgs),
    Lod(lod::LodArgs),
    Collide(collide::CollideArgs),
    Compare(compare::CompareArgs),
    Convert(convert::ConvertArgs),
    Crowd(crowd::CrowdArgs),
    Deform(deform::DeformArgs),
    Bake(bake::BakeArgs),
    Batch(batch::BatchArgs),
    Run(run_file::RunArgs),
    Edit(edit::EditArgs),
    Learn(learn::LearnArgs),
    Light(light::LightArgs),
    Picture(picture::PictureArgs),
    Sample(sample::SampleArgs),
    Demo(demo::DemoArgs),
    #[cfg(feature = "studio")]
    Studio(studio::StudioArgs),
    Study(study::StudyArgs),
    Stream(stream::StreamArgs),
    Transplant(transplant::TransplantArgs),
    Manual(manual::ManualArgs),
}

/// Runs the command with these arguments, of which the first is its own name. Returns what the process should end with.
///
/// `code` is the file that holds this very code. It listens for signals, starts threads, and ends the process itself where it
/// prints help: for programs that do nothing else.
pub fn main(arguments: Vec<OsString>, code: PathBuf) -> u8 {
    let name = arguments.first().cloned().unwrap_or_else(|| "sinew".into());
    let program = Program { name, code };
    match usage::parse(&arguments).map_err(CliError::Refused).and_then(|cli| run(&cli, &program)) {
        Ok(()) => 0,
        Err(e) => {
            if let Some(said) = words::sentence(&e) {
                console::say(&format!("error: {said}\n"));
            }
            e.exit_code()
        }
    }
}

/// The program that runs.
struct Program {
    /// What starts it.
    name: OsString,
    /// The file with its code.
    code: PathBuf,
}

fn run(cli: &Cli, program: &Program) -> Outcome<()> {
    signals::listen().map_err(CliError::Refused)?;
    if let Some(threads) = cli.threads {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.into());
        pool.build_global().map_err(|e| CliError::Refused(format!("threads cannot be started: {e}")))?;
    }
    let session = Session::new(cli.quiet, cli.print_job);
    let outcome = match &cli.command {
        Command::Skin(args) => door::run(args.as_ref(), &session),
        Command::Skeleton(args) => door::run(args, &session),
        Command::Info(args) => info::run(args, &session),
        Command::Lod(args) => door::run(args, &session),
        Command::Collide(args) => door::run(args, &session),
        Command::Compare(args) => door::run(args, &session),
        Command::Run(args) => run_file::run(args, &session),
        Command::Convert(args) => door::run(args, &session),
        Command::Crowd(args) => door::run(args, &session),
        Command::Deform(args) => door::run(args, &session),
        Command::Bake(args) => door::run(args, &session),
        Command::Batch(args) => batch::run(args, program, &session),
        Command::Edit(args) => door::run(args, &session),
        Command::Learn(args) => door::run(args, &session),
        Command::Light(args) => door::run(args, &session),
        Command::Picture(args) => door::run(args, &session),
        Command::Sample(args) => no_job("sample", &session).and_then(|()| sample::run(args, &session)),
        Command::Demo(args) => no_job("demo", &session).and_then(|()| demo::run(args, &session)),
        #[cfg(feature = "studio")]
        Command::Studio(args) => no_job("studio", &session).and_then(|()| studio::run(args, &session)),
        Command::Study(args) => no_job("study", &session).and_then(|()| study::run(args, &session)),
        Command::Stream(args) => stream::run(args, &session),
        Command::Transplant(args) => door::run(args, &session),
        Command::Manual(args) => {
            no_job("manual", &session).and_then(|()| manual::run(args, usage::taken(Cli::command())))
        }
    };
    session.finish();
    outcome
}

/// Refuses to print the job of a command that is none.
fn no_job(command: &str, session: &Session) -> Outcome<()> {
    if session.print_job {
        return CliError::refused(format!("sinew {command} is no job, so there is none to print"));
    }
    Ok(())
}

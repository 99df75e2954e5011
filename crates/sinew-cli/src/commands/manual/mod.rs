//! `sinew manual`: what packages put beside the program, made from its own options.

mod markdown;
mod page;

use std::ffi::OsString;
use std::io::BufRead;
use std::path::{Path, PathBuf};

use clap::{Args, Command, Subcommand};
use clap_complete::{Shell, generate};
use sinew_jobs::target::Staged;

use self::page::{Page, shown};
use crate::console::print;
use crate::error::{CliError, Outcome};
use crate::usage;

/// Make completions for a shell, man pages, and the command reference
///
/// All of it is made from the options of this very program, for packages to put where their system looks for it.
#[derive(Args)]
pub struct ManualArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    Completions(CompletionsArgs),
    /// Write a man page for each command
    Man(FolderArgs),
    /// Write the command reference: a page of Markdown for each command
    Markdown(FolderArgs),
    /// Say what is wrong with command lines
    #[command(hide = true)]
    Lines,
}

/// Print the completions of a shell
#[derive(Args)]
#[command(after_help = "Examples:
  sinew manual completions bash > ~/.local/share/bash-completion/completions/sinew
  sinew manual completions zsh > ~/.zfunc/_sinew
  sinew manual completions fish > ~/.config/fish/completions/sinew.fish")]
struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

/// Where pages go.
#[derive(Args)]
struct FolderArgs {
    /// The folder to write
    #[arg(short, long, value_name = "FOLDER")]
    output: PathBuf,
}

/// Runs the command; `sinew` is the command line.
pub fn run(args: &ManualArgs, mut sinew: Command) -> Outcome<()> {
    match &args.what {
        What::Completions(args) => {
            let mut script = Vec::new();
            generate(args.shell, &mut sinew, "sinew", &mut script);
            print(&String::from_utf8_lossy(&script))
        }
        What::Man(args) => {
            sinew.build();
            into_folder(&args.output, man_pages(&sinew)?)
        }
        What::Markdown(args) => {
            sinew.build();
            into_folder(&args.output, markdown::pages(&sinew))
        }
        What::Lines => lines(&sinew),
    }
}

/// The man page of a command and those of all below it, of a command line that was built, which gives them their names.
fn man_pages(command: &Command) -> Outcome<Vec<Page>> {
    let name = command.get_display_name().unwrap_or(command.get_name()).to_owned();
    let mut page = Vec::new();
    let written = clap_mangen::Man::new(command.clone()).render(&mut page);
    written.map_err(|e| CliError::Refused(format!("the page of {name}: {e}")))?;
    let mut pages = vec![(format!("{name}.1"), page)];
    for below in shown(command) {
        pages.extend(man_pages(below)?);
    }
    Ok(pages)
}

fn into_folder(folder: &Path, pages: Vec<Page>) -> Outcome<()> {
    let staged = Staged::new(folder)?;
    for (name, bytes) in pages {
        let path = staged.path().join(name);
        std::fs::write(&path, bytes).map_err(|e| staged.told(sinew_io::Error::io(&path)(e).into()))?;
    }
    Ok(staged.commit()?)
}

/// Says of each line of standard input, a JSON list of arguments, whether this program would take it: an empty line, or what is
/// wrong. For the check of the pages in docs/.
fn lines(sinew: &Command) -> Outcome<()> {
    let mut said = String::new();
    for line in std::io::stdin().lock().lines() {
        let line = line.map_err(|e| CliError::Refused(format!("standard input: {e}")))?;
        let arguments: Vec<String> = serde_json::from_str(&line)
            .map_err(|e| CliError::Refused(format!("a line is no list of arguments: {e}")))?;
        let arguments: Vec<OsString> = arguments.into_iter().map(OsString::from).collect();
        said += &usage::wrong(sinew, &arguments).unwrap_or_default();
        said.push('\n');
    }
    print(&said)
}

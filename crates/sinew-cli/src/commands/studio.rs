//! `sinew studio`: everything under the hand, in a browser.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use clap::Args;
use sinew::progress::Progress;
use sinew_io::Access;
use sinew_jobs::JobError;
use sinew_studio::autosave::Autosave;
use sinew_studio::session::{Folders, Opening};
use sinew_studio::{Page, Refusal, Server, ServerOptions, Session as StudioSession, Studio};

use crate::console::print;
use crate::error::{CliError, Outcome};
use crate::progress::Session;

/// Open a page in the browser to see, fit, edit and save rigs
///
/// Prints the address of the page and serves it until Ctrl-C, to this machine alone. Without files it
/// opens the built-in sample.
#[derive(Args)]
#[command(after_help = "Examples:
  sinew studio
  sinew studio anim.pc2 --rest rest.obj
  sinew studio horse.glb anim.pc2 --rest rest.obj --folder ~/rigs
  sinew studio --no-open --port 8000")]
pub struct StudioArgs {
    /// What to open: an animation, rigs of it, or both [default: the built-in sample]
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// The mesh that goes with a point cache
    #[arg(long, value_name = "FILE", requires = "files")]
    rest: Option<PathBuf>,

    /// Frames per second; needed for caches and sequences that do not say [default: 24]
    #[arg(long, value_name = "F", requires = "files")]
    fps: Option<f64>,

    /// A folder that the page may open files from and save to; several times for several. Those of the files
    /// that are opened are allowed too
    #[arg(long = "folder", value_name = "FOLDER")]
    folders: Vec<PathBuf>,

    /// The port to listen at [default: one that is free]
    #[arg(long, value_name = "N", default_value_t = 0)]
    port: u16,

    /// The address to listen at. Others than 127.0.0.1 let other machines in, if they know the token
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    host: String,

    /// The largest file that the page may send, in bytes
    #[arg(long, value_name = "BYTES", default_value_t = sinew_studio::server::UPLOAD_LIMIT)]
    upload_limit: u64,

    /// Do not open a browser
    #[arg(long)]
    no_open: bool,

    /// Serve the page from this folder instead of the one built in
    #[arg(long, value_name = "FOLDER")]
    page: Option<PathBuf>,

    /// Keep nothing for the case that the studio is ended unawares
    #[arg(long)]
    no_autosave: bool,
}

/// Keeps what threads give back in one place. Answers to ten tabs are made by many threads, each of which would hold on to
/// some megabytes for itself: half a gigabyte after a thousand edits, where 40 MB do.
fn keep_memory_together() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: it sets a number of the allocator, and may be called at any time.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, 2);
    }
}

/// Runs the command.
pub fn run(args: &StudioArgs, session: &Session) -> Outcome<()> {
    keep_memory_together();
    let page = page(args)?;
    let mut folders = Folders::default();
    for folder in &args.folders {
        folders.add(folder).map_err(refused)?;
    }
    for file in args.files.iter().chain(&args.rest) {
        folders.add_of(file).map_err(refused)?;
    }
    let opening = match args.files.is_empty() {
        true => Opening::sample(),
        false => Opening::read(
            &whole(&args.files)?,
            rest(args)?.as_deref(),
            args.fps,
            &Access::everything(),
            session,
        )
        .map_err(|why| if session.cancelled() { JobError::Cancelled.into() } else { refused(why) })?,
    };
    let mut studio = StudioSession::new(folders);
    studio.take(opening);
    let autosave = if args.no_autosave { None } else { autosave(&mut studio, session) };
    let options = ServerOptions { host: args.host.clone(), port: args.port, upload_limit: args.upload_limit };
    let server = Server::bind(Studio::new(studio, autosave), Some(page), &options).map_err(refused)?;
    session.finish();
    let url = server.url();
    print(&format!("{url}\n"))?;
    if !args.no_open && !open_browser(&url) {
        session.warn("no browser could be started; open the address above in one");
    }
    server.run(|| session.cancelled()).map_err(refused)
}

fn refused(why: Refusal) -> CliError {
    CliError::Refused(why.0)
}

fn page(args: &StudioArgs) -> Outcome<Page> {
    match &args.page {
        Some(folder) if folder.join("index.html").is_file() => Ok(Page::Folder(folder.clone())),
        Some(folder) => CliError::refused(format!("{}: there is no index.html", folder.display())),
        None => Page::built_in().ok_or_else(|| CliError::Refused(Page::HOW_TO_GET.into())),
    }
}

/// Paths that mean the same from everywhere, as pages name them. Patterns stay as they are.
fn whole(files: &[PathBuf]) -> Outcome<Vec<PathBuf>> {
    let absolute = |file: &PathBuf| {
        let found = file.canonicalize().or_else(|_| std::path::absolute(file));
        found.map_err(|e| sinew_io::Error::io(file)(e).into())
    };
    files.iter().map(absolute).collect()
}

fn rest(args: &StudioArgs) -> Outcome<Option<PathBuf>> {
    let rest: Vec<PathBuf> = args.rest.iter().cloned().collect();
    Ok(whole(&rest)?.pop())
}

/// A place for the session, and one that was left behind. Without a place the studio goes on without.
fn autosave(studio: &mut StudioSession, session: &Session) -> Option<Autosave> {
    let place = Autosave::usual_place()?;
    match Autosave::new(&place) {
        Ok((autosave, offer)) => {
            studio.offer = offer;
            Some(autosave)
        }
        Err(e) => {
            session.warn(&format!("{}: the session cannot be kept here: {e}", place.display()));
            None
        }
    }
}

/// Opens an address in the browser of the desktop.
fn open_browser(url: &str) -> bool {
    let (program, first): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(windows) {
        ("rundll32", &["url.dll,FileProtocolHandler"])
    } else {
        ("xdg-open", &[])
    };
    let mut command = Command::new(program);
    command.args(first).arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().is_ok()
}

//! How long work shows itself on a terminal, and how Ctrl-C ends it.

use std::io::IsTerminal;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use sinew::progress::Progress;
use sinew_jobs::JobError;

use crate::error::{CliError, Outcome};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Ctrl-C again within this time is impatience, not a wish to lose what is being written.
const PATIENCE: Duration = Duration::from_secs(3);

/// Lets Ctrl-C cancel work in an orderly way. Another one, after a while, ends the process at once.
pub fn listen_for_interrupts() -> Outcome<()> {
    let first = Mutex::new(None::<Instant>);
    ctrlc::set_handler(move || {
        INTERRUPTED.store(true, Ordering::SeqCst);
        let mut first = first.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if first.get_or_insert_with(Instant::now).elapsed() > PATIENCE {
            std::process::exit(130);
        }
    })
    .map_err(|e| CliError::Refused(format!("Ctrl-C cannot be listened for: {e}")))
}

/// Steps of the bar; shares are cut into these.
const STEPS: u64 = 1000;
/// The bar is drawn only by stages that take longer than this.
const REDRAW: Duration = Duration::from_millis(120);

/// One run of a command: what is shown of it, and whether it was cancelled.
pub struct Session {
    /// Whether only errors are shown.
    pub quiet: bool,
    /// Whether jobs are printed instead of run.
    pub print_job: bool,
    start: Instant,
    show: Show,
}

enum Show {
    Nothing,
    /// One line a stage, for logs. Holds the last stage shown.
    Lines(Mutex<&'static str>),
    Bar(ProgressBar),
}

impl Session {
    /// Shows a bar on a terminal, lines elsewhere, nothing when `quiet`.
    pub fn new(quiet: bool, print_job: bool) -> Self {
        let show = if quiet || print_job {
            Show::Nothing
        } else if std::io::stderr().is_terminal() {
            let bar = ProgressBar::new(STEPS);
            let style = ProgressStyle::with_template("{msg:>12} {bar:40} {percent:>3} %  {eta} left");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.enable_steady_tick(REDRAW);
            Show::Bar(bar)
        } else {
            Show::Lines(Mutex::new(""))
        };
        Self { quiet, print_job, start: Instant::now(), show }
    }

    /// Seconds since the command began.
    pub fn seconds(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    /// Ends the command when Ctrl-C was pressed. Asked before anything is written.
    pub fn check(&self) -> Outcome<()> {
        if self.cancelled() { Err(JobError::Cancelled.into()) } else { Ok(()) }
    }

    /// Says what somebody should know who reads no report.
    pub fn warn(&self, sentence: &str) {
        match &self.show {
            Show::Nothing => {}
            Show::Bar(bar) => bar.suspend(|| eprintln!("warning: {sentence}")),
            Show::Lines(_) => eprintln!("warning: {sentence}"),
        }
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        if let Show::Bar(bar) = &self.show {
            bar.finish_and_clear();
        }
    }
}

impl Progress for Session {
    fn stage(&self, name: &'static str) {
        match &self.show {
            Show::Nothing => {}
            Show::Bar(bar) => {
                bar.set_message(name);
                bar.set_position(0);
                bar.reset_eta();
            }
            Show::Lines(last) => {
                let mut last = last.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                if *last != name {
                    eprintln!("{:7.2} s  {name}", self.seconds());
                    *last = name;
                }
            }
        }
    }

    fn advance(&self, share: f64) {
        if let Show::Bar(bar) = &self.show {
            bar.set_position((share.clamp(0.0, 1.0) * STEPS as f64) as u64);
        }
    }

    fn cancelled(&self) -> bool {
        INTERRUPTED.load(Ordering::SeqCst)
    }
}

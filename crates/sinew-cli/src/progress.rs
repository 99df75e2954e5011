//! How long work shows itself on a terminal.

use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use sinew::progress::Progress;
use sinew_jobs::JobError;

use crate::console::say;
use crate::error::Outcome;
use crate::signals;

/// Steps of the bar; shares are cut into these.
const STEPS: u64 = 1000;
/// The bar is drawn only by stages that take longer than this.
const REDRAW: Duration = Duration::from_millis(120);

/// Lines about how many of some are done.
const LINES: usize = 20;

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
            Show::Bar(bar) => bar.suspend(|| say(&format!("warning: {sentence}\n"))),
            Show::Lines(_) => say(&format!("warning: {sentence}\n")),
        }
    }

    /// Says how many of some are done: always on a bar, now and then in lines.
    pub fn count(&self, done: usize, all: usize) {
        match &self.show {
            Show::Nothing => {}
            Show::Bar(bar) => bar.set_message(format!("{done} of {all}")),
            Show::Lines(_) if done.is_multiple_of(all.div_ceil(LINES).max(1)) || done == all => {
                say(&format!("{:7.2} s  {done} of {all}\n", self.seconds()));
            }
            Show::Lines(_) => {}
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
                    say(&format!("{:7.2} s  {name}\n", self.seconds()));
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
        signals::have_come()
    }
}

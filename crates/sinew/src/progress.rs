//! How long work shows itself and how it is stopped.
//!
//! Every call that can take longer than a moment takes a [`Progress`] and returns a `Result` whose error has a
//! `Cancelled` variant. Inside, work asks with [`Progress::check`] at least every few hundredths of a second, so that
//! cancelling ends any call within half a second.
//!
//! ```text
//! Ctrl-C, Cancel ──> a flag of the program ──> its Progress::cancelled
//! loops: progress.check()? ──> Cancelled ──?──> SkinError::Cancelled, ... ──> exit code, or the page as it was
//! ```
//!
//! A new long loop takes `&dyn Progress`, begins each piece of its work with `progress.check()?` and tells its share with
//! [`Progress::advance`]; over threads it goes by `in_parallel` and `map_in_parallel`. What is a share of something
//! larger is given a [`Part`], several at once a `Together`, trials whose stages nobody should see [`Muted`]. The
//! error of a public call gets its `Cancelled` by `cancels!`.

use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

/// Receives the course of a long call and may end it.
///
/// Stages and shares come from one thread at a time; [`Progress::cancelled`] may be asked from several at once. All methods have
/// defaults, so that `impl Progress for X {}` is a valid silent listener.
pub trait Progress: Sync {
    /// A new stage begins. `name` is one or two words for people, such as "weights".
    fn stage(&self, name: &'static str) {
        let _ = name;
    }

    /// `share` of the current stage, 0 to 1, is done.
    fn advance(&self, share: f64) {
        let _ = share;
    }

    /// Asked now and then; answering `true` makes the call return its `Cancelled` error.
    fn cancelled(&self) -> bool {
        false
    }

    /// Ends the work that asks with `?` when it was cancelled.
    ///
    /// # Errors
    /// [`Cancelled`] when the listener answers so.
    fn check(&self) -> Result<(), Cancelled> {
        if self.cancelled() { Err(Cancelled) } else { Ok(()) }
    }
}

/// The listener ended a call. Errors of public calls have a variant that it turns into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cancelled")]
pub struct Cancelled;

/// Lets errors with a variant `Cancelled` come of [`Cancelled`]; and of errors of a part of the work, which are a variant
/// of their own unless they are that one.
macro_rules! cancels {
    ($Error:ident, of $($Part:ident as $Variant:ident),+ $(,)?) => {
        $crate::progress::cancels!($Error);
        $(impl From<$Part> for $Error {
            fn from(error: $Part) -> Self {
                match error {
                    $Part::Cancelled => Self::Cancelled,
                    error => Self::$Variant(error),
                }
            }
        })+
    };
    ($($Error:ty),+ $(,)?) => {
        $(impl From<$crate::progress::Cancelled> for $Error {
            fn from(_: $crate::progress::Cancelled) -> Self {
                Self::Cancelled
            }
        })+
    };
}

pub(crate) use cancels;

/// Listens to nothing and never cancels.
pub struct Silent;

impl Progress for Silent {}

/// Passes on only whether work is cancelled: for trials inside a stage whose own stages nobody should see.
pub struct Muted<'a>(pub &'a dyn Progress);

impl Progress for Muted<'_> {
    fn cancelled(&self) -> bool {
        self.0.cancelled()
    }
}

/// A part of a stage: shares of it are shares of `from` to `to` of the stage around it, whose name stays.
pub struct Part<'a> {
    /// Who listens to the whole.
    pub whole: &'a dyn Progress,
    /// Share of the whole that was done before.
    pub from: f64,
    /// Share of the whole that is done after.
    pub to: f64,
}

impl dyn Progress + '_ {
    /// From one share of the stage to another.
    pub fn part(&self, from: f64, to: f64) -> Part<'_> {
        Part { whole: self, from, to }
    }
}

impl Progress for Part<'_> {
    fn advance(&self, share: f64) {
        self.whole.advance(self.from + share * (self.to - self.from));
    }

    fn cancelled(&self) -> bool {
        self.whole.cancelled()
    }
}

/// Several parts of a stage that are done at the same time, each on a thread of its own.
pub(crate) struct Together<'a> {
    whole: &'a dyn Progress,
    /// The share of each part that is done.
    shares: Mutex<Vec<f64>>,
}

impl<'a> Together<'a> {
    /// So many parts.
    pub fn new(whole: &'a dyn Progress, parts: usize) -> Self {
        Self { whole, shares: Mutex::new(vec![0.0; parts]) }
    }

    /// One of them.
    pub fn part(&self, number: usize) -> impl Progress + '_ {
        OneOf { all: self, number }
    }
}

struct OneOf<'a, 'b> {
    all: &'a Together<'b>,
    number: usize,
}

impl Progress for OneOf<'_, '_> {
    fn advance(&self, share: f64) {
        // Whoever panicked while telling leaves nothing half done.
        let mut shares = self.all.shares.lock().unwrap_or_else(PoisonError::into_inner);
        shares[self.number] = share;
        let done = shares.iter().sum::<f64>() / shares.len() as f64;
        self.all.whole.advance(done);
    }

    fn cancelled(&self) -> bool {
        self.all.whole.cancelled()
    }
}

/// Goes over to a thread of the pool for all of some work. From outside, every parallel loop of it would wake a thread of the
/// pool and sleep until that is done, which takes longer than many of the loops of a small fit.
pub(crate) fn among_threads<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    rayon::scope(|_| work())
}

/// Runs `each` for the numbers below `count` on all threads, in order, asking before each whether to go on and telling
/// now and then how far it is.
///
/// # Errors
/// [`Cancelled`] when the listener says so.
pub(crate) fn map_in_parallel<T: Send>(
    progress: &dyn Progress,
    count: usize,
    each: impl Fn(usize) -> T + Sync,
) -> Result<Vec<T>, Cancelled> {
    let together = count.div_ceil(TOLD).max(rayon::current_num_threads());
    let mut out = Vec::with_capacity(count);
    for start in (0..count).step_by(together) {
        progress.advance(start as f64 / count as f64);
        let part = (start..count.min(start + together)).into_par_iter();
        let part: Result<Vec<T>, Cancelled> = part.map(|i| progress.check().map(|()| each(i))).collect();
        out.extend(part?);
    }
    progress.check().map(|()| out)
}

/// The same all at once, telling nothing, for work that may end by itself.
///
/// # Errors
/// [`Cancelled`] when the listener says so, or `each` does.
pub(crate) fn in_parallel<T: Send>(
    progress: &dyn Progress,
    count: usize,
    each: impl Fn(usize) -> Result<T, Cancelled> + Sync,
) -> Result<Vec<T>, Cancelled> {
    (0..count).into_par_iter().map(|i| progress.check().and_then(|()| each(i))).collect()
}

/// How often parallel work tells how far it is, at most.
const TOLD: usize = 50;

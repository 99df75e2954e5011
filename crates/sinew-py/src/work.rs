//! Long work beside the interpreter.
//!
//! The work goes on in a thread of its own. The thread that called holds no lock while it waits; every now and then it takes
//! the lock, tells the listener how far the work is, and looks for signals, which Python hands to its main thread only. An
//! exception of either cancels the work, and comes out of the call once the work has ended.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use pyo3::exceptions::{PyOSError, PyRuntimeError};
use pyo3::prelude::*;
use sinew::progress::Progress;
use sinew_jobs::JobError;

use crate::error::raised;

/// How often the thread that waits looks up.
const EVERY: Duration = Duration::from_millis(50);

/// What is known of the work.
#[derive(Default)]
struct Course {
    cancelled: AtomicBool,
    stage: Mutex<&'static str>,
    /// The bits of the share of the stage that is done.
    share: AtomicU64,
    ended: Mutex<bool>,
    end: Condvar,
}

/// Whoever panicked while telling leaves nothing half done.
fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Progress for Course {
    fn stage(&self, name: &'static str) {
        *locked(&self.stage) = name;
        self.share.store(0.0_f64.to_bits(), Ordering::Relaxed);
    }

    fn advance(&self, share: f64) {
        self.share.store(share.to_bits(), Ordering::Relaxed);
    }

    fn cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
}

impl Course {
    /// Waits a while for the work to end. Returns whether it has.
    fn wait(&self) -> bool {
        let ended = locked(&self.ended);
        let wait = self.end.wait_timeout_while(ended, EVERY, |ended| !*ended);
        *wait.unwrap_or_else(PoisonError::into_inner).0
    }

    fn finish(&self) {
        *locked(&self.ended) = true;
        self.end.notify_all();
    }

    /// Tells the listener.
    fn tell(&self, listener: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let Some(listener) = listener else { return Ok(()) };
        let stage = *locked(&self.stage);
        let share = f64::from_bits(self.share.load(Ordering::Relaxed)).clamp(0.0, 1.0);
        if !stage.is_empty() {
            listener.call1((stage, share))?;
        }
        Ok(())
    }
}

/// Does work without the interpreter's lock. `listener` is called now and then with the stage and the share of it that is
/// done.
pub fn work<T: Send>(
    py: Python<'_>,
    listener: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&dyn Progress) -> Result<T, JobError> + Send,
) -> PyResult<T> {
    let course = Course::default();
    let mut interrupted = None;
    let outcome = thread::scope(|scope| -> PyResult<thread::Result<Result<T, JobError>>> {
        let worker = thread::Builder::new().name("sinew".into()).spawn_scoped(scope, || {
            let outcome = catch_unwind(AssertUnwindSafe(|| work(&course)));
            course.finish();
            outcome
        });
        let worker = worker.map_err(|e| PyOSError::new_err(e.to_string()))?;
        while !py.detach(|| course.wait()) {
            if interrupted.is_none()
                && let Err(error) = py.check_signals().and_then(|()| course.tell(listener))
            {
                course.cancelled.store(true, Ordering::Relaxed);
                interrupted = Some(error);
            }
        }
        Ok(py.detach(|| worker.join()).and_then(|outcome| outcome))
    })?;
    match (outcome, interrupted) {
        (Err(panic), _) => Err(PyRuntimeError::new_err(sentence(&*panic))),
        // What was done in spite of it counts for nothing: the caller wanted to stop.
        (_, Some(error)) => Err(error),
        (Ok(Err(error)), None) => Err(raised(py, &error)),
        (Ok(Ok(done)), None) => {
            course.advance(1.0);
            course.tell(listener).map(|()| done)
        }
    }
}

/// What somebody can report who meets a fault of ours.
fn sentence(panic: &(dyn Any + Send)) -> String {
    let said = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
    format!("a fault in Sinew, please report it: {}", said.unwrap_or("no message"))
}

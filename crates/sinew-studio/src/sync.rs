//! What threads share: locks that outlive a panic, and word of changes.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::session::Refusal;

/// The lock, whatever became of those who held it.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Does something that might panic; a panic is a refusal.
pub(crate) fn catching<T>(body: impl FnOnce() -> Result<T, Refusal>) -> Result<T, Refusal> {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|panic| {
        let said = panic.downcast_ref::<String>().map(String::as_str);
        let said = said.or(panic.downcast_ref::<&str>().copied()).unwrap_or("no reason was given");
        Refusal::say(format!("something went wrong inside: {said}"))
    })
}

/// Tells threads in the background that something changed.
#[derive(Default)]
pub(crate) struct Changes {
    count: Mutex<(u64, bool)>,
    changed: Condvar,
}

impl Changes {
    /// Something changed.
    pub fn note(&self) {
        locked(&self.count).0 += 1;
        self.changed.notify_all();
    }

    /// Everything is over.
    pub fn close(&self) {
        locked(&self.count).1 = true;
        self.changed.notify_all();
    }

    /// Waits for a change after `seen`, no longer than until `end`. None when everything is over.
    pub fn wait(&self, seen: u64, end: Option<Instant>) -> Option<u64> {
        let mut count = locked(&self.count);
        loop {
            if count.1 {
                return None;
            }
            let left = end.map(|end| end.saturating_duration_since(Instant::now()));
            if count.0 != seen || left == Some(Duration::ZERO) {
                return Some(count.0);
            }
            let wait = left.unwrap_or(Duration::from_secs(3600));
            count = self.changed.wait_timeout(count, wait).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

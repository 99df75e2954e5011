//! Long work, each on a thread of its own.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

use sinew::progress::Progress;

use crate::jobs::{Ended, JobState, News};
use crate::session::{Answer, Refusal, Work};
use crate::studio::Studio;
use crate::sync::{catching, locked};

/// Tabs hear of a job's progress no more often than this.
const NEWS: Duration = Duration::from_millis(100);

/// How a job shows itself.
struct Shown {
    studio: Weak<Studio>,
    cancel: Arc<AtomicBool>,
    begun: Instant,
    now: Mutex<(JobState, Instant)>,
}

impl Shown {
    /// Tells all tabs, unless they were told just now.
    fn tell(&self, change: impl FnOnce(&mut JobState), at_once: bool) {
        let mut now = locked(&self.now);
        change(&mut now.0);
        if !at_once && now.1.elapsed() < NEWS {
            return;
        }
        now.1 = Instant::now();
        let Some(studio) = self.studio.upgrade() else { return };
        locked(&studio.jobs).update(&now.0);
        studio.tell_job(&News {
            state: &now.0,
            seconds: self.begun.elapsed().as_secs_f64(),
            ended: None,
            error: None,
            result: None,
        });
    }
}

impl Progress for Shown {
    fn stage(&self, name: &'static str) {
        self.tell(|state| (state.stage, state.done) = (name, 0.0), true);
    }

    fn advance(&self, share: f64) {
        self.tell(|state| state.done = share.clamp(0.0, 1.0), false);
    }

    fn cancelled(&self) -> bool {
        self.cancel.load(Ordering::SeqCst) || self.studio.strong_count() == 0
    }
}

/// Does work on a thread of its own. A panic in it is its failure and nobody else's. `done` is called at
/// the end.
pub(crate) fn start(
    studio: &Arc<Studio>,
    work: Work,
    done: impl FnOnce(Result<Answer, Refusal>) + Send + 'static,
) -> u32 {
    let (begun, wait) = (Instant::now(), work.wait);
    let (state, cancel) = locked(&studio.jobs).begin(work.kind, wait);
    let id = state.id;
    let shown = Shown { studio: Arc::downgrade(studio), cancel, begun, now: Mutex::new((state, begun)) };
    studio.publish();
    let body = move || {
        let finish = catching(|| (work.run)(&shown));
        let Some(studio) = shown.studio.upgrade() else { return };
        let result = finish.and_then(|finish| catching(|| finish(&mut locked(&studio.session))));
        let result = result.map_err(|why| locked(&studio.session).refusal_in_words(&why));
        let state = locked(&shown.now).0.clone();
        locked(&studio.jobs).end(id);
        let (ended, error) = match &result {
            Ok(_) => (Ended::Done, None),
            Err(_) if shown.cancelled() => (Ended::Cancelled, None),
            Err(why) => (Ended::Failed, Some(why.0.clone())),
        };
        if let Some(why) = error.as_ref().filter(|_| !wait) {
            eprintln!("{} failed: {why}", state.kind);
        }
        studio.publish();
        studio.tell_job(&News {
            state: &state,
            seconds: begun.elapsed().as_secs_f64(),
            ended: Some(ended),
            error,
            result: result.as_ref().ok().map(|answer| &answer.fields),
        });
        done(result);
    };
    let thread = std::thread::Builder::new().name(format!("job {id}"));
    if thread.spawn(body).is_err() {
        locked(&studio.jobs).end(id);
        studio.publish();
    }
    id
}

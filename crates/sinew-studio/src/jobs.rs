//! Long work, each on a thread of its own.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

use serde::Serialize;
use sinew::progress::Progress;

use crate::session::{Answer, Refusal, Work};
use crate::studio::{Studio, guarded, locked};

/// Tabs hear of a job's progress no more often than this.
const NEWS: Duration = Duration::from_millis(100);

/// Jobs that are under way.
#[derive(Default)]
pub(crate) struct Jobs {
    last: u32,
    running: Vec<Running>,
}

struct Running {
    state: JobState,
    cancel: Arc<AtomicBool>,
}

/// What all tabs know of a job.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct JobState {
    id: u32,
    kind: &'static str,
    stage: &'static str,
    done: f64,
}

/// News of a job.
#[derive(Serialize)]
pub(crate) struct News<'a> {
    #[serde(flatten)]
    state: &'a JobState,
    seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    ended: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<&'a serde_json::Value>,
}

impl Jobs {
    fn begin(&mut self, kind: &'static str) -> (u32, Arc<AtomicBool>) {
        self.last += 1;
        let state = JobState { id: self.last, kind, stage: "", done: 0.0 };
        let cancel = Arc::new(AtomicBool::new(false));
        self.running.push(Running { state, cancel: cancel.clone() });
        (self.last, cancel)
    }

    /// What all tabs know of them.
    pub fn states(&self) -> Vec<JobState> {
        self.running.iter().map(|job| job.state.clone()).collect()
    }

    /// Asks a job to end, or says that there is none.
    pub fn cancel(&self, id: u32) -> Result<(), Refusal> {
        let job = self.running.iter().find(|job| job.state.id == id);
        let job = job.ok_or_else(|| Refusal(format!("there is no job {id}")))?;
        job.cancel.store(true, Ordering::SeqCst);
        Ok(())
    }

    /// Asks all to end.
    pub fn cancel_all(&self) {
        self.running.iter().for_each(|job| job.cancel.store(true, Ordering::SeqCst));
    }

    fn update(&mut self, state: &JobState) {
        if let Some(job) = self.running.iter_mut().find(|job| job.state.id == state.id) {
            job.state = state.clone();
        }
    }

    fn end(&mut self, id: u32) {
        self.running.retain(|job| job.state.id != id);
    }
}

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
    let (id, cancel) = locked(&studio.jobs).begin(work.kind);
    let state = JobState { id, kind: work.kind, stage: "", done: 0.0 };
    let (begun, wait) = (Instant::now(), work.wait);
    let shown = Shown { studio: Arc::downgrade(studio), cancel, begun, now: Mutex::new((state, begun)) };
    studio.publish();
    let body = move || {
        let finish = guarded(|| (work.run)(&shown));
        let Some(studio) = shown.studio.upgrade() else { return };
        let result = finish.and_then(|finish| guarded(|| finish(&mut locked(&studio.session))));
        let result = result.map_err(|why| locked(&studio.session).refusal_in_words(&why));
        let state = locked(&shown.now).0.clone();
        locked(&studio.jobs).end(id);
        let (ended, error) = match &result {
            Ok(_) => ("done", None),
            Err(_) if shown.cancelled() => ("cancelled", None),
            Err(why) => ("failed", Some(why.0.clone())),
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

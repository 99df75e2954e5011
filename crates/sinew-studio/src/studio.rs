//! One session for all tabs.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::Serialize;
use tokio::sync::{broadcast, oneshot, watch};

use crate::autosave::Autosave;
use crate::jobs::{JobState, Jobs, News, start};
use crate::session::{Action, Answer, Outcome, Refusal, Session, Work, remove_left_uploads};

/// News of jobs that a slow tab may be behind.
const MOST_NEWS: usize = 256;

/// A session, its jobs, and those who are to hear of changes.
pub struct Studio {
    pub(crate) session: Mutex<Session>,
    pub(crate) jobs: Mutex<Jobs>,
    /// The latest state as a message; slow tabs skip those between.
    state: watch::Sender<Arc<str>>,
    news: broadcast::Sender<Arc<str>>,
    tabs: AtomicU64,
    changes: Arc<Changes>,
    autosave: Option<Arc<Autosave>>,
}

/// What comes of an action.
pub enum Reply {
    /// At once.
    Now(Result<Answer, Refusal>),
    /// When its work is done.
    Later(oneshot::Receiver<Result<Answer, Refusal>>),
}

/// Tells threads in the background that something changed.
#[derive(Default)]
pub(crate) struct Changes {
    count: Mutex<(u64, bool)>,
    changed: Condvar,
}

impl Changes {
    fn note(&self) {
        locked(&self.count).0 += 1;
        self.changed.notify_all();
    }

    fn close(&self) {
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

#[derive(Serialize)]
struct StateMessage<'a> {
    state: StateWithJobs<'a>,
}

#[derive(Serialize)]
struct StateWithJobs<'a> {
    #[serde(flatten)]
    state: crate::session::State<'a>,
    jobs: Vec<JobState>,
}

#[derive(Serialize)]
struct NewsMessage<'a> {
    job: &'a News<'a>,
}

impl Studio {
    /// Starts with a session; versions are measured, and the session kept, in the background.
    pub fn new(mut session: Session, autosave: Option<Autosave>) -> Arc<Self> {
        let autosave = autosave.map(Arc::new);
        match &autosave {
            Some(autosave) => session.folders.keep_uploads_in(autosave.folder()),
            None => remove_left_uploads(&std::env::temp_dir()),
        }
        let studio = Arc::new(Self {
            session: Mutex::new(session),
            jobs: Mutex::default(),
            state: watch::Sender::new("".into()),
            news: broadcast::Sender::new(MOST_NEWS),
            tabs: AtomicU64::new(0),
            changes: Arc::default(),
            autosave: autosave.clone(),
        });
        studio.publish();
        studio.measure_in_background();
        if let Some(autosave) = autosave {
            autosave.keep(&studio, studio.changes.clone());
        }
        studio
    }

    /// A number for a tab.
    pub fn join(&self) -> u64 {
        self.tabs.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Forgets a tab.
    pub fn leave(&self, tab: u64) {
        locked(&self.session).leave(tab);
    }

    /// The session, for those who read.
    pub fn session(&self) -> MutexGuard<'_, Session> {
        locked(&self.session)
    }

    /// States as they come, each as a message.
    pub fn states(&self) -> watch::Receiver<Arc<str>> {
        self.state.subscribe()
    }

    /// News of jobs as they come, each as a message.
    pub fn news(&self) -> broadcast::Receiver<Arc<str>> {
        self.news.subscribe()
    }

    /// Does what a tab asks for.
    pub fn act(self: &Arc<Self>, tab: u64, action: Action) -> Reply {
        if let Action::Cancel { job } = action {
            return Reply::Now(locked(&self.jobs).cancel(job).map(|()| Answer::of(serde_json::json!({}))));
        }
        let mut session = locked(&self.session);
        let before = session.revision();
        let mut outcome =
            guarded(|| session.apply(tab, action)).map_err(|why| session.refusal_in_words(&why));
        let changed = session.revision() != before;
        if let (true, Ok(Outcome::Done(answer))) = (changed, &mut outcome) {
            // Which of several tabs came first can be told by it.
            answer.fields["revision"] = session.revision().into();
        }
        drop(session);
        if changed {
            self.publish();
        }
        match outcome {
            Err(why) => Reply::Now(Err(why)),
            Ok(Outcome::Done(answer)) => Reply::Now(Ok(answer)),
            Ok(Outcome::Later(work)) => self.work(work),
        }
    }

    /// Begins work in the background.
    pub fn work(self: &Arc<Self>, work: Work) -> Reply {
        if !work.wait {
            let job = start(self, work, |_| {});
            return Reply::Now(Ok(Answer::of(serde_json::json!({ "job": job }))));
        }
        let (tell, answer) = oneshot::channel();
        // Nobody listens any more when the tab has gone.
        start(self, work, |result| _ = tell.send(result));
        Reply::Later(answer)
    }

    /// Tells all tabs what is.
    pub(crate) fn publish(&self) {
        // Held until the message is out: states are told in the order they come about.
        let session = locked(&self.session);
        let jobs = locked(&self.jobs).states();
        let message = StateMessage { state: StateWithJobs { state: session.state(), jobs } };
        // Numbers, names and lists of them: nothing that JSON cannot hold.
        let text = serde_json::to_string(&message).unwrap_or_default();
        self.state.send_replace(text.into());
        drop(session);
        self.changes.note();
    }

    pub(crate) fn tell_job(&self, news: &News) {
        let text = serde_json::to_string(&NewsMessage { job: news }).unwrap_or_default();
        // An error only says that no tab is open.
        _ = self.news.send(text.into());
    }

    /// Finds out errors and sizes of versions as they come about.
    fn measure_in_background(self: &Arc<Self>) {
        let (studio, changes) = (Arc::downgrade(self), self.changes.clone());
        std::thread::spawn(move || {
            let mut seen = 0;
            while let Some(now) = changes.wait(seen, None) {
                seen = now;
                if let Some(studio) = studio.upgrade() {
                    studio.measure();
                }
            }
        });
    }

    /// Measures one version after the other until all are. One that cannot be is left alone until the next
    /// change.
    fn measure(&self) {
        loop {
            let Some(unmeasured) = locked(&self.session).unmeasured() else { return };
            let Ok(found) = guarded(|| Ok(unmeasured.measure())) else { return };
            locked(&self.session).set_measured(found);
            self.publish();
        }
    }
}

/// The lock, whatever became of those who held it.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Does something that might panic; a panic is a refusal.
pub(crate) fn guarded<T>(body: impl FnOnce() -> Result<T, Refusal>) -> Result<T, Refusal> {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|panic| {
        let said = panic.downcast_ref::<String>().map(String::as_str);
        let said = said.or(panic.downcast_ref::<&str>().copied()).unwrap_or("no reason was given");
        Refusal::say(format!("something went wrong inside: {said}"))
    })
}

impl Drop for Studio {
    fn drop(&mut self) {
        locked(&self.jobs).cancel_all();
        self.changes.close();
        if let Some(autosave) = &self.autosave {
            autosave.end(self.session.get_mut().unwrap_or_else(PoisonError::into_inner));
        }
    }
}

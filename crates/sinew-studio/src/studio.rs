//! One session for all tabs.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use serde::Serialize;
use tokio::sync::{broadcast, watch};

use crate::autosave::Autosave;
use crate::jobs::{JobState, Jobs, News};
use crate::session::{Session, State, remove_left_uploads};
use crate::sync::{Changes, catching, locked};

/// News of jobs that a slow tab may be behind.
const MOST_NEWS: usize = 256;

/// A session, its jobs, and those who are to hear of changes.
pub struct Studio {
    pub(crate) session: Arc<Mutex<Session>>,
    pub(crate) jobs: Mutex<Jobs>,
    /// The latest state as a message; slow tabs skip those between.
    state: watch::Sender<Arc<str>>,
    news: broadcast::Sender<Arc<str>>,
    tabs: AtomicU64,
    changes: Arc<Changes>,
    autosave: Option<Arc<Autosave>>,
}

#[derive(Serialize)]
struct StateMessage<'a> {
    state: StateWithJobs<'a>,
}

/// What all tabs know.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "State"))]
pub(crate) struct StateWithJobs<'a> {
    #[serde(flatten)]
    state: State<'a>,
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
            session: Arc::new(Mutex::new(session)),
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
            autosave.keep(&studio.session, studio.changes.clone());
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
            let Ok(found) = catching(|| Ok(unmeasured.measure())) else { return };
            locked(&self.session).set_measured(found);
            self.publish();
        }
    }
}

impl Drop for Studio {
    fn drop(&mut self) {
        locked(&self.jobs).cancel_all();
        self.changes.close();
        if let Some(autosave) = &self.autosave {
            autosave.end(&locked(&self.session));
        }
    }
}

//! Doing what tabs ask for.

use std::sync::Arc;

use tokio::sync::oneshot;

use crate::background::start;
use crate::session::{Action, Answer, Began, Done, Outcome, Refusal, Work};
use crate::studio::Studio;
use crate::sync::{catching, locked};

/// What comes of an action.
pub enum Reply {
    /// At once.
    Now(Result<Answer, Refusal>),
    /// When its work is done.
    Later(oneshot::Receiver<Result<Answer, Refusal>>),
}

impl Studio {
    /// Does what a tab asks for.
    pub fn act(self: &Arc<Self>, tab: u64, action: Action) -> Reply {
        if let Action::Cancel { job } = action {
            return Reply::Now(locked(&self.jobs).cancel(job).map(|()| Answer::of(Done {}).in_json()));
        }
        let mut session = locked(&self.session);
        let before = session.revision();
        let mut outcome =
            catching(|| session.apply(tab, action)).map_err(|why| session.refusal_in_words(&why));
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
            return Reply::Now(Ok(Answer::of(Began { job }).in_json()));
        }
        let (tell, answer) = oneshot::channel();
        // Nobody listens any more when the tab has gone.
        start(self, work, |result| _ = tell.send(result));
        Reply::Later(answer)
    }
}

//! Sentences for the page, without the folder that its files were sent to.

use super::{Refusal, Session};

impl Session {
    /// A sentence for the page, in which files that it sent have no folder: that is the server's.
    pub fn in_words(&self, sentence: &str) -> String {
        let mut said = sentence.to_owned();
        for folder in self.folders.sent_to() {
            said = said.replace(&format!("{}{}", folder.display(), std::path::MAIN_SEPARATOR), "");
        }
        said
    }

    /// A refusal for the page.
    pub fn refusal_in_words(&self, why: &Refusal) -> Refusal {
        Refusal(self.in_words(&why.0))
    }
}

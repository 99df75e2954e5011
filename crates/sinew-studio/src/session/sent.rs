//! What the page sent: its pictures, and sentences without the folder that its files are in.

use std::path::Path;

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

/// A picture that the page sent.
pub(super) fn picture(path: &Path) -> Result<Vec<u8>, Refusal> {
    let bytes = std::fs::read(path).map_err(sinew_io::Error::io(path))?;
    match bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        true => Ok(bytes),
        false => Refusal::say("the picture that the page sent is no PNG"),
    }
}

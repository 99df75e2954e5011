//! Sentences about files as people at a page can use them: without flags of the command line, which those of `sinew_io`
//! still name, and without the folder that their files were sent to.

use super::{Refusal, Session};

/// What `sinew_io` says, and what a page has for it.
const WORDS: [(&str, &str); 8] = [
    (" (--asf FILE names another)", "; choose both together"),
    ("is needed too (--rest FILE: ", "is needed too: choose or drop both together (mesh: "),
    ("; --clip NAME takes another, --clip all takes them all", ""),
    (
        "name the frames of a clip by their folder or a pattern, and the mesh that goes with point caches with --rest",
        "choose the mesh that goes with a point cache as its rest pose",
    ),
    ("fit them with `--weights nnls`, or write", "write"),
    (": name them as ", ": choose "),
    (" --rest ", " and "),
    ("; --up ", "; in the Motion panel, Up set to "),
];

impl Session {
    /// A sentence for the page.
    pub fn in_words(&self, sentence: &str) -> String {
        let mut said = sentence.to_owned();
        for (flags, words) in WORDS {
            said = said.replace(flags, words);
        }
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

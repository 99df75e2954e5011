//! What comes back from an action: one type for each.

use std::path::PathBuf;

use serde::Serialize;
use serde_json::Value;

/// What a tab is told when its action is done.
#[derive(Debug, Default)]
pub struct Answer<T = Value> {
    /// Fields of the answer.
    pub fields: T,
    /// A binary message that comes before it.
    pub frame: Option<Vec<u8>>,
}

impl<T> Answer<T> {
    /// An answer of some fields.
    pub fn of(fields: T) -> Self {
        Self { fields, frame: None }
    }

    /// The same after a binary message.
    pub fn shown(frame: Vec<u8>, fields: T) -> Self {
        Self { fields, frame: Some(frame) }
    }
}

impl<T: Serialize> Answer<T> {
    /// The answer as it goes to the page.
    pub fn in_json(self) -> Answer {
        // Numbers, names and lists of them: nothing that JSON cannot hold.
        Answer { fields: serde_json::to_value(self.fields).unwrap_or_default(), frame: self.frame }
    }
}

/// It is done.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Done {}

/// It goes on in the background.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Began {
    /// The number of the job.
    pub job: u32,
}

/// A version came of it.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Made {
    /// Its number.
    pub version: u32,
}

/// A hand is in the middle of it, or an edit came of it.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct Edited {
    /// The version that was edited; none while the hand moves, and when it gave up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<u32>,
}

/// The bones of a vertex.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Picked {
    /// The strongest.
    pub bone: Option<u32>,
    /// All, with their weights.
    pub weights: Vec<(u32, f32)>,
}

/// What was undone or redone.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Undone {
    /// In words.
    pub what: String,
}

/// A motion was laid over a rig.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Laid {
    /// The version it goes onto.
    pub onto: u32,
}

/// A character was set up anew.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SetUp {
    /// Memory that its examples take.
    pub bytes: usize,
    /// The version that shows it.
    pub version: u32,
}

/// A file was written.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Written {
    /// Where.
    pub path: PathBuf,
    /// What it does not hold as it was.
    pub warnings: Vec<String>,
}

/// What each action is answered with when it is done, by the action's name.
#[cfg_attr(test, derive(ts_rs::TS))]
#[allow(missing_docs)]
pub struct Answers {
    pub open: Done,
    pub open_sample: Done,
    pub close: Done,
    pub cancel: Done,
    pub select: Done,
    pub rename: Done,
    pub rename_bone: Edited,
    pub delete: Done,
    pub pick: Picked,
    pub turn: Edited,
    pub brush: Edited,
    pub undo: Undone,
    pub redo: Undone,
    pub motion: Laid,
    pub map: Done,
    pub align: Done,
    pub adjust: Done,
    pub accept: Made,
    pub drop_motion: Done,
    pub handles: Made,
    pub paint: Done,
    pub pose: Edited,
    pub example: SetUp,
    pub drop_example: SetUp,
    pub drop_handles: Done,
    pub anchors: SetUp,
    pub picture: Written,
    pub report: Written,
    pub restore: Done,
    pub discard: Done,
}

/// What the jobs of all other actions end with: those are answered at once with `Began`.
#[cfg_attr(test, derive(ts_rs::TS))]
#[allow(missing_docs)]
pub struct Results {
    pub fit: Made,
    pub curve: Done,
    pub preview: Made,
    pub skeleton: Made,
    pub save: Written,
}

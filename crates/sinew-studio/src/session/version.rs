//! Versions: rigs side by side, to flip between.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sinew::rig::Rig;

use super::editors::Editors;
use super::{Errors, Refusal, Shape};

/// Where a version came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "VersionKind"))]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum Kind {
    Fit,
    File,
    Edit,
    Skeleton,
    Transplant,
    Deform,
}

/// One of the rigs of a session.
#[derive(Clone)]
pub struct Version {
    /// Its number, never used for another.
    pub id: u32,
    /// Its name for people.
    pub name: String,
    /// Where it came from.
    pub kind: Kind,
    /// How it was made, in a word.
    pub method: String,
    /// The version it was made from.
    pub parent: Option<u32>,
    /// What it plays.
    pub shape: Shape,
    /// Changes whenever that does; what is fetched by it never does.
    pub content: u64,
    /// Size as a file, once it is known.
    pub bytes: Option<u64>,
    /// Distance from the original, once it is known.
    pub errors: Option<Arc<Errors>>,
    /// What edits need, made when first needed.
    pub(super) editors: Editors,
}

/// What is known of a version's contents.
#[derive(Clone)]
pub(super) struct Known {
    pub content: u64,
    pub errors: Option<Arc<Errors>>,
    pub bytes: Option<u64>,
}

impl Version {
    /// The rig, or why there is none.
    pub fn rig(&self) -> Result<&Arc<Rig>, Refusal> {
        match &self.shape {
            Shape::Rig(rig) => Ok(rig),
            Shape::Chain(..) => {
                Refusal::say(format!("the bones of {} lead from pose to pose and make no rig", self.name))
            }
            Shape::Poses(..) => Refusal::say(format!("{} is a posed character and no rig", self.name)),
        }
    }

    /// What its data is fetched by.
    pub fn key(&self) -> String {
        format!("{}.{}", self.id, self.content)
    }

    /// What is known of it.
    pub(super) fn known(&self) -> Known {
        Known { content: self.content, errors: self.errors.clone(), bytes: self.bytes }
    }

    /// Takes what is known of other contents, and gives what was known of its own.
    pub(super) fn exchange(&mut self, known: &mut Known) {
        let old = std::mem::replace(known, self.known());
        (self.content, self.errors, self.bytes) = (old.content, old.errors, old.bytes);
    }
}

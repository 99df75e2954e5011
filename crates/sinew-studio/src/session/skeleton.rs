//! Skeletons.

use std::sync::Arc;

use sinew::skeleton::{SkeletonOptions, find_skeleton};

use super::answer::finish;
use super::{Answer, Kind, Outcome, Refusal, Session, Shape, Version};

impl Session {
    /// Finds a skeleton in the background.
    pub(super) fn find_skeleton(&self, joints: Option<usize>) -> Result<Outcome, Refusal> {
        let original = self.original()?.clone();
        let options = SkeletonOptions { joints, ..SkeletonOptions::default() };
        Ok(Outcome::job("skeleton", move |progress| {
            let found = find_skeleton(&original, &options, progress)?;
            finish(move |session| {
                session.check_still_open(&original)?;
                let name = format!("skeleton, {} joints", found.rig.bones.len());
                let shape = Shape::Rig(Arc::new(found.rig));
                let version = Version::new(session, name.clone(), Kind::Skeleton, "skeleton", shape);
                session.warnings = found.warnings.iter().map(ToString::to_string).collect();
                let id = session.add(format!("find {name}"), version);
                Ok(Answer::of(serde_json::json!({ "version": id })))
            })
        }))
    }
}

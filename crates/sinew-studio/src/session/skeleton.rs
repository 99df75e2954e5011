//! Skeletons.

use std::sync::Arc;

use sinew::segment::SkeletonSegmenter;
use sinew::skeleton::{SkeletonOptions, find_skeleton};

use super::work::finish;
use super::{Answer, Kind, Made, Refusal, Session, Shape, Work};

impl Session {
    /// Finds a skeleton in the background.
    pub(super) fn find_skeleton(
        &self,
        joints: Option<usize>,
        segmenter: SkeletonSegmenter,
    ) -> Result<Work<Made>, Refusal> {
        let original = self.original()?.clone();
        let options = SkeletonOptions { joints, segmenter, ..SkeletonOptions::default() };
        Ok(Work::background("skeleton", move |progress| {
            let found = find_skeleton(&original, &options, progress)?;
            finish(move |session| {
                session.check_still_open(&original)?;
                let name = format!("skeleton, {} joints", found.rig.bones.len());
                let shape = Shape::Rig(Arc::new(found.rig));
                let version = session.new_version(name.clone(), Kind::Skeleton, "skeleton", shape);
                session.warnings = found.warnings.iter().map(ToString::to_string).collect();
                let id = session.add(format!("find {name}"), version);
                Ok(Answer::of(Made { version: id }))
            })
        }))
    }
}

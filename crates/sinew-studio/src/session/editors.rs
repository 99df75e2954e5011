//! What edits of a rig need to know about it, made once.

use std::sync::{Arc, OnceLock};

use sinew::motion::{BoneEditor, PoseEditor};
use sinew::progress::Progress;
use sinew::rig::Rig;

use super::Refusal;

/// Editors of a rig. An edit keeps those of the rig it was made of: what they know about it does not change
/// with its poses, and joints that were learned from its motion should not wander off with every edit.
#[derive(Clone, Default)]
pub(super) struct Editors {
    bones: Arc<OnceLock<BoneEditor>>,
    poses: Arc<OnceLock<PoseEditor>>,
}

impl Editors {
    /// Turns bones.
    pub fn bones(&self, rig: &Rig, progress: &dyn Progress) -> Result<&BoneEditor, Refusal> {
        if let Some(editor) = self.bones.get() {
            return Ok(editor);
        }
        let made = BoneEditor::new(rig, progress)?;
        Ok(self.bones.get_or_init(|| made))
    }

    /// Sculpts poses.
    pub fn poses(&self, rig: &Rig, progress: &dyn Progress) -> Result<&PoseEditor, Refusal> {
        if let Some(editor) = self.poses.get() {
            return Ok(editor);
        }
        let made = PoseEditor::new(rig, progress)?;
        Ok(self.poses.get_or_init(|| made))
    }
}

//! Other motion for a rig: moved over from elsewhere, or edited.
//!
//! Follows "Transplanting and Editing Animations on Skinned Meshes" (Jia, Feng and Yu 2007). A rig without a
//! skeleton needs a translation for every bone in every frame, and those belong to its mesh: rotations come
//! from elsewhere ([`Motion`]), translations are solved ([`TranslationSolver`], section 2.4). The same
//! answers what happens when a single bone is turned ([`BoneEditor`], section 3).
//!
//! To move a whole motion over: [`Plan::new`] finds two poses that are the same and which joint each bone
//! follows, [`Transplanter::new`] keeps what does not change from frame to frame, and
//! [`Transplanter::pose`] gives the bones of one frame, [`Transplanter::transplant`] a rig of all.
//!
//! A mesh can be sculpted as well: in any pose, which later ones follow ([`PoseEditor`], after "PPS:
//! Pose-to-Pose Skinning of Animated Meshes", Vasilakis, Fudos and Antonopoulos 2016), or in the rest pose
//! for all frames at once ([`edit_rest`], after "Skinning Mesh Animations", James and Twigg 2005).

mod align;
mod bends;
mod carry;
mod contacts;
mod displaced;
mod edges;
mod edit_bone;
mod edit_pose;
mod edit_rest;
mod figure;
mod followable;
mod joints;
mod learned;
mod limbs;
mod mapping;
mod matching;
mod names;
mod own;
mod placement;
mod plan;
mod same;
mod sculpted;
mod search;
mod source;
mod stick;
mod straighten;
mod suggest;
mod translations;
mod transplant;
mod undo;

pub use align::{Alignment, RigPose, SourcePose, align};
pub use edit_bone::{BoneEditor, BoneTurn, EditError, Reach};
pub use edit_pose::{PoseEdit, PoseEdited, PoseEditor};
pub use edit_rest::{Carry, RestEdited, edit_rest};
pub use mapping::{Mapping, MappingError};
pub use placement::Placement;
pub use plan::{Plan, PlanOptions};
pub use source::{Motion, MotionError, SourceJoint};
pub use suggest::{Because, Suggestion, suggest};
pub use translations::{TranslationError, TranslationOptions, TranslationSolver, TranslationWay};
pub use transplant::{Places, TransplantError, Transplanter};
pub use undo::Undo;

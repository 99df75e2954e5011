//! Other motion for a rig: moved over from elsewhere, or edited.
//!
//! Follows "Transplanting and Editing Animations on Skinned Meshes" (Jia, Feng and Yu 2007). A rig without a
//! skeleton needs a translation for every bone in every frame, and those belong to its mesh: rotations come
//! from elsewhere ([`Motion`]), translations are solved ([`TranslationSolver`], section 2.4). The same answers what
//! happens when a single bone is turned ([`BoneEditor`], section 3).

mod contacts;
mod edges;
mod edit_bone;
mod joints;
mod learned;
mod own;
mod source;
mod translations;

pub use edit_bone::{BoneEditor, BoneTurn, EditError, Reach, Undo};
pub use source::{Motion, MotionError, SourceJoint};
pub use translations::{TranslationError, TranslationOptions, TranslationSolver, TranslationWay};

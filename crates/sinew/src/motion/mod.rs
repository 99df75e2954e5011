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
//! ```text
//! source, rig ─> two poses that are the same ─────────────> which joint a bone follows ─> turns ───────────> translations
//!                align: names, exact_poses, pose_search      suggest: names, paths,        limb_directions,   translations:
//!                (tree_match, bend_direction) or icp         tree_match, icp               transplant         shared_points,
//!                                                                                                             residuals,
//!                                                                                                             half_rotations
//! ```
//!
//! Which way the two face is told by feet and knees (`figure`, `facing`), and what a map leaves in doubt by
//! `limb_doubts`. A rig whose names tell nothing is called by the parts of its body (`called`). Feet that stand in the
//! source stand in the result ([`plant()`]: `footsteps`, `footing`, `planter`, `leg_bend`), the way over the ground can be
//! taken out ([`in_place`]) and left and right exchanged ([`Motion::mirrored`]); [`Transplanter::finished`] does what
//! is wanted of that, and holds limbs of the result against the source's (`agreement`).
//!
//! A mesh can be sculpted as well: in any pose, which later ones follow ([`PoseEditor`], after "PPS:
//! Pose-to-Pose Skinning of Animated Meshes", Vasilakis, Fudos and Antonopoulos 2016; [`edit_chain`] where
//! bones carry each pose to the next), or in the rest pose
//! for all frames at once ([`edit_rest`], after "Skinning Mesh Animations", James and Twigg 2005). Bones are fitted to
//! what was sculpted (`sculpt_fit`), what they leave goes with the surface (`surface_displacement`), and later frames
//! get it by equation 9 of PPS (`propagate`). Which frames an edit reaches, and that a clip which loops goes on looping, is
//! told by [`HandSpan`].

mod agreement;
mod align;
mod bend_direction;
mod body_joints;
mod bone_tree;
mod called;
mod contacts;
mod edit_bone;
mod edit_chain;
mod edit_pose;
mod edit_rest;
mod error;
mod exact_poses;
mod facing;
mod figure;
mod finish;
mod footing;
mod footsteps;
mod half_rotations;
mod hand_span;
mod hierarchy;
mod icp;
mod in_place;
mod leg_bend;
mod limb_directions;
mod limb_doubts;
mod mapping;
mod mirror;
mod names;
mod paths;
mod placement;
mod plan;
mod plan_warning;
mod plant;
mod planter;
mod pose_search;
mod poses;
mod propagate;
mod residuals;
mod rig_motion;
mod sculpt_fit;
mod shared_points;
mod source;
mod source_tree;
mod split;
mod suggest;
mod surface_displacement;
mod translations;
mod transplant;
mod tree_match;
mod tuning;
mod undo;

pub use agreement::Agreement;
pub use align::align;
pub use edit_bone::{BoneEditor, BoneTurn, Reach};
pub use edit_chain::{ChainEdited, ChainUndo, edit_chain, edit_chain_rest};
pub use edit_pose::{PoseEdit, PoseEdited, PoseEditor};
pub use edit_rest::{Carry, RestEdited, edit_rest};
pub use error::{EditError, EditWarning, TranslationError, TransplantError};
pub use facing::Facing;
pub use finish::{Finish, Moved};
pub use hand_span::{HandSpan, loops};
pub use in_place::in_place;
pub use mapping::{Mapping, MappingError};
pub use placement::Placement;
pub use plan::{Plan, PlanOptions};
pub use plan_warning::PlanWarning;
pub use plant::{Plant, Planted, plant};
pub use poses::{Alignment, RigPose, SourcePose};
pub use source::{Motion, MotionError, SourceJoint};
pub use split::split_bones_for;
pub use suggest::{Confidence, MatchReason, Suggestion, suggest};
pub use translations::{TranslationSolver, Translations};
pub use transplant::{TransplantLoss, Transplanter};
pub use tuning::{
    AlignmentTuning, DoubtTuning, EditTuning, FigureTuning, MatchingTuning, PlantingTuning,
    TranslationTuning, Tuning,
};
pub use undo::Undo;

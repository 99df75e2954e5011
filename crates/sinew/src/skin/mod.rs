//! From an animation to a rig: bones, weights and corrections.
//!
//! [`skin_best`] is the way to a good rig: [`descend`] over bones, weights and rest pose in turn.
//!
//! [`skin`] runs the whole of "Skinning Mesh Animations" (James and Twigg 2005), sections 4 to 6. Its steps
//! are public too, for those who bring some of the parts: [`fit_bones`] from a segmentation,
//! [`solve_weights`] for any bones, [`fit_corrections`] for any skin.
//!
//! [`skin_with`] runs other pipelines, SAD and FESAM, from the rest pose or from pose to pose.

mod best;
mod bones;
mod choosing;
mod corrections;
mod descent;
mod frame_solver;
mod methods;
mod pipeline;
mod rest_pose;
mod transforms;
mod weights;

use glam::{DAffine3, Vec3};

pub use best::{BestOptions, CHOSEN_PERCENT, MOST_CHOSEN, skin_best};
pub use bones::fit_bones;
pub use choosing::{
    Choice, ChooseError, ChooseOptions, ChosenRig, Goal, MOST_BONES, MOST_RANK, Weighed, choose, useful,
};
pub(crate) use corrections::coefficients_for;
pub use corrections::fit_corrections;
pub use descent::{
    Beginning, Descended, DescentOptions, GivenRig, Round, RoundPart, Solve, bones_for, descend,
};
pub use frame_solver::FrameSolver;
pub use methods::{DEFAULT_ROUNDS, Fitted, MethodOptions, MethodSkin, Scheme, Start, skin_with};
pub(crate) use pipeline::name_bones;
pub use pipeline::skin;
pub use transforms::{PoseScratch, Prior, TransformSolver};
pub use weights::{WeightMethod, WeightOptions, solve_weights};

use crate::animation::{AnimationError, ErrorMeasure};
use crate::rig::{Bone, Rig};
pub use crate::solve::bounded::MOST_INFLUENCES;

/// What a bone may do to the rest pose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BoneKind {
    /// Turn and shift.
    Rigid,
    /// Turn, shift, stretch and shear.
    #[default]
    Flexible,
}

/// Which triangles a bone is fitted to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CoreSets {
    /// Those that end at the bone's mode, as in the paper. Triangles that move by themselves have no say.
    Modes,
    /// All triangles, each with the bone that predicts it best ([`crate::segment::split_and_merge`]).
    #[default]
    Refined,
}

/// Which pose the bones deform.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RestPose {
    /// The pose that came with the mesh and some frames are tried on a sample; the best is taken.
    #[default]
    Auto,
    /// The pose that came with the mesh.
    Given,
    /// A frame, counted from 0.
    Frame(usize),
}

/// Bones whose motion is known: only weights and corrections are solved.
#[derive(Clone, Debug, PartialEq)]
pub struct GivenBones {
    /// The bones.
    pub bones: Vec<Bone>,
    /// Their transforms, frame after frame, mapping `rest` to each frame.
    pub transforms: Vec<DAffine3>,
    /// The pose they deform.
    pub rest: Vec<Vec3>,
}

/// Options of [`skin`].
#[derive(Clone, Debug, PartialEq)]
pub struct SkinOptions {
    /// Rotation tolerance ε of the segmentation.
    pub epsilon: f64,
    /// Exactly so many bones; `None` leaves the number to ε.
    pub bones: Option<usize>,
    /// Bones with known motion, instead of finding them.
    pub bones_from: Option<GivenBones>,
    /// Rigid or flexible bones.
    pub kind: BoneKind,
    /// Which triangles bones are fitted to.
    pub core: CoreSets,
    /// Influences and weights.
    pub weights: WeightOptions,
    /// Number of correction shapes.
    pub rank: usize,
    /// Which pose the bones deform.
    pub rest_pose: RestPose,
}

impl Default for SkinOptions {
    fn default() -> Self {
        Self {
            epsilon: 0.05,
            bones: None,
            bones_from: None,
            kind: BoneKind::Flexible,
            core: CoreSets::Refined,
            weights: WeightOptions::default(),
            rank: 0,
            rest_pose: RestPose::Auto,
        }
    }
}

/// What [`skin`] made, and how good it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Skinned {
    /// The rig.
    pub rig: Rig,
    /// The rest pose that was taken.
    pub rest_pose: RestPose,
    /// How many triangles the mesh has.
    pub triangle_count: usize,
    /// Bone each triangle was counted to, [`crate::segment::NO_BONE`] for outliers; empty with given
    /// bones. The triangles are those of [`crate::geometry::Mesh::triangles`] in the rest pose.
    pub bone_of_triangle: Vec<u32>,
    /// The paper's η at the tolerance that was asked for: how well the animation suits skinning.
    pub near_rigid_fraction: Option<f64>,
    /// Distance from the animation.
    pub error: ErrorMeasure,
    /// Root mean square error of each frame in percent of the rest pose's diagonal.
    pub error_per_frame: Vec<f64>,
    /// Time spent.
    pub seconds: StageSeconds,
    /// What the user should know.
    pub warnings: Vec<String>,
    /// Errors round by round, of methods that go round; otherwise empty.
    pub rounds: Vec<Round>,
}

/// Seconds per stage.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StageSeconds {
    /// Choosing the rest pose and segmenting.
    pub segment: f64,
    /// Fitting bones.
    pub bones: f64,
    /// Solving weights.
    pub weights: f64,
    /// Fitting corrections.
    pub corrections: f64,
}

/// Why an animation could not be skinned.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SkinError {
    /// The animation itself is unusable.
    #[error(transparent)]
    Animation(#[from] AnimationError),
    /// No triangle has an area.
    #[error("all {count} triangles of the rest pose are degenerate (they have no area)")]
    AllDegenerate {
        /// How many there are.
        count: usize,
    },
    /// More bones than triangles, or none.
    #[error("{asked} bones were asked for; there can be 1 to {most}, one per triangle that has an area")]
    BoneCount {
        /// How many were asked for.
        asked: usize,
        /// How many are possible.
        most: usize,
    },
    /// More bones than vertices they can stand on, or none.
    #[error("{asked} bones were asked for; there can be 1 to {most}, one per vertex that belongs to a face")]
    PointCount {
        /// How many were asked for.
        asked: usize,
        /// How many are possible.
        most: usize,
    },
    /// A number of influences that no vertex can have.
    #[error("{asked} influences were asked for; there can be 1 to {MOST_INFLUENCES}")]
    InfluenceCount {
        /// How many were asked for.
        asked: usize,
    },
    /// ε is not a positive number.
    #[error("epsilon must be a positive number, not {0}")]
    Epsilon(f64),
    /// δ is negative or not a number.
    #[error("the bound on negative weights must be zero or a positive number, not {0}")]
    NegativeBound(f64),
    /// The smoothness is negative or not a number.
    #[error("the smoothness must be zero or a positive number, not {0}")]
    Smoothness(f64),
    /// A frame that does not exist was asked to be the rest pose.
    #[error("frame {frame} cannot be the rest pose: the animation has frames 0 to {last}")]
    NoSuchFrame {
        /// The frame asked for.
        frame: usize,
        /// The last one there is.
        last: usize,
    },
    /// The rest pose was to be the mesh's own, but none was given.
    #[error("the rest pose was to be the one given with the mesh, but none was given")]
    NoGivenRest,
    /// Given bones and animation disagree.
    #[error("the given bones have {found} {what}, but the animation has {expected}")]
    GivenBones {
        /// "frames" or "vertices".
        what: &'static str,
        /// How many they have.
        found: usize,
        /// How many the animation has.
        expected: usize,
    },
    /// The listener cancelled.
    #[error("cancelled")]
    Cancelled,
}

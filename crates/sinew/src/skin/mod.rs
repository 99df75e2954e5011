//! From an animation to a rig: bones, weights and corrections.
//!
//! [`skin`] is the one way in, whatever the [`Method`]; [`Prepared`] is the same for many fits of one animation, and
//! [`pose_to_pose`] makes a chain of poses instead of a rig. Their steps are public too, for those who bring some of the
//! parts: [`fit_bones`] from a segmentation, [`solve_weights`] for any bones, [`fit_corrections`] for any skin,
//! [`TransformSolver`] for any weights, and [`Descent`], which improves all of them and is prepared once for many fits.
//!
//! ```text
//!         ┌ best:  problem → (curve → bone_count) → initialise → rounds → smoothing → transforms ┐  best, descent/
//! skin() ─┼ sma:   rest_pose → segments → bones → weights                                ┤  sma/, bones, weights
//!         ├ sad:   points → transforms                                                   ┤  fesam/
//!         └ fesam: points → regions → rounds                                             ┤  fesam/
//!                                       Skinned ← errors ← names ← corrections ← Found ←─┘  pipeline
//! pose_to_pose() ── points → regions → rounds, looking ahead → Skinned                      fesam/
//! ```
//!
//! # Where the papers' equations are
//!
//! SMA is "Skinning Mesh Animations" (James and Twigg 2005), PPS "Pose-to-Pose Skinning of Animated Meshes" (Vasilakis,
//! Fudos and Antonopoulos 2016).
//!
//! | equation                                   | what                                | file                          |
//! | ------------------------------------------ | ----------------------------------- | ----------------------------- |
//! | SMA eq. 1, 2                               | a skin: blended transforms          | [`crate::rig`]                |
//! | SMA eq. 3, 4                               | rotation sequences, mean shift      | [`crate::segment::mean_shift()`] |
//! | SMA sections 4.3, 4.4, appendix            | bones from core triangles           | `bones` ([`fit_bones`])       |
//! | SMA eq. 5                                  | which bones influence a vertex      | `weights` ([`solve_weights`]) |
//! | SMA eq. 6 to 9                             | the system of its weights           | `weights`                     |
//! | SMA eq. 10, 11, TSVD                       | weights by NNLS, bounded, truncated | `weights`, [`crate::solve`]   |
//! | SMA eq. 12                                 | progressive corrections             | `corrections` ([`fit_corrections`]) |
//! | SMA eq. 13                                 | their normals                       | `corrections`                 |
//! | PPS eq. 2                                  | transforms of all bones together    | `transforms` ([`TransformSolver`]) |
//! | PPS eq. 3                                  | the same from pose to pose          | `fesam/model`, `fesam/ahead`, [`crate::stream`] |
//! | PPS eq. 4                                  | products along time                 | `fesam/model`                 |
//! | PPS eq. 5                                  | the rest pose                       | `fesam/rest_step`             |
//! | PPS eq. 6 to 8                             | weights                             | `fesam/weight_step`           |

mod best;
mod bones;
mod corrections;
mod descent;
mod error;
mod fesam;
mod found;
mod frame_solver;
mod kinds;
mod options;
mod pipeline;
mod rest_pose;
mod sma;
mod state;
mod transforms;
mod tuning;
mod weights;

pub use best::Prepared;
pub use bones::fit_bones;
pub(crate) use corrections::coefficients_for;
pub use corrections::fit_corrections;
pub use descent::{
    Curve, Descent, DescentOptions, Effort, Initialisation, Level, Norm, NotANorm, SkinSize, SkinSums, Solve,
    SumsOptions,
};
pub use error::{GivenPart, SkinError, SkinWarning};
pub use fesam::{PoseToPoseOptions, Start, pose_to_pose};
use found::Found;
pub(crate) use found::name_bones;
pub use frame_solver::FrameSolver;
pub use kinds::{BoneKind, CoreSets, DEFAULT_INFLUENCES, MethodName};
pub use options::{DEFAULT_BONES, DEFAULT_ROUNDS, Method, SkinOptions, SmaOptions};
pub use pipeline::skin;
pub use rest_pose::RestPose;
pub use state::{Round, RoundPart, Skin, Skinned, StageSeconds};
pub use transforms::{PoseScratch, Prior, TransformSolver};
use tuning::TUNING;
pub use tuning::{
    BoneCountTuning, CorrectionTuning, CurveTuning, DescentTuning, NearBonesTuning, NormTuning, QuickTuning,
    RelocationTuning, RestPoseTuning, Schedule, SmoothingTuning, SparseTuning, Tuning,
};
pub(crate) use weights::insert;
pub use weights::{WeightMethod, WeightOptions, solve_weights};

pub use crate::solve::bounded::MOST_INFLUENCES;

//! From an animation to a rig: bones, weights and corrections.
//!
//! [`skin`] is the one way in, whatever the [`Method`]; [`search`](search()) looks for the rig that meets a goal, and
//! [`pose_to_pose`] makes a chain of poses instead of a rig. Their steps are public too, for those who bring some of the
//! parts: [`fit_bones`] from a segmentation, [`solve_weights`] for any bones, [`fit_corrections`] for any skin,
//! [`TransformSolver`] for any weights, and [`Descent`], which improves all of them and is prepared once for many fits.

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
mod search;
mod sma;
mod state;
mod transforms;
mod weights;

pub use best::{CHOSEN_PERCENT, MOST_CHOSEN};
pub use bones::fit_bones;
pub(crate) use corrections::coefficients_for;
pub use corrections::fit_corrections;
pub use descent::{Descent, DescentOptions, Initialisation, SkinSize, Solve};
pub use error::{GivenPart, SkinError, SkinWarning};
pub use fesam::{PoseToPoseOptions, Start, pose_to_pose};
pub(crate) use found::name_bones;
pub use frame_solver::FrameSolver;
pub use kinds::{BoneKind, CoreSets, MethodName};
pub use options::{DEFAULT_BONES, DEFAULT_INFLUENCES, DEFAULT_ROUNDS, Method, SkinOptions, SmaOptions};
pub use pipeline::skin;
pub use rest_pose::RestPose;
pub use search::{
    Candidate, Cost, Goal, MOST_BONES, MOST_RANK, SearchError, SearchOptions, Searched, pareto_front, search,
};
pub use state::{Round, RoundPart, Skin, Skinned, StageSeconds};
pub use transforms::{PoseScratch, Prior, TransformSolver};
pub use weights::{WeightMethod, WeightOptions, solve_weights};

pub use crate::solve::bounded::MOST_INFLUENCES;

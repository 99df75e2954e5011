//! Weights smoothed against strain in poses that the animation does not show.
//!
//! The motion alone decides weights badly. Where joints move alike, any mixture of them replays it, so that
//! neighbours end up with different ones; and a little of a joint from across the body takes off a little
//! error. None of it is seen until someone turns a joint. Here weights lower, besides the error of the
//! replay, how much the surface would strain if any one joint was turned in a way that the animation does not
//! show:
//!
//! ```text
//! Σ_v m_v |error of v|² + ℓ² Σ_k Σ_e a_e (|s_k(i) − s_k(j)| r_k(e) / |e|)²
//! ```
//!
//! With s_k(v) the sum of the weights of vertex v on joint k and all below it, a turn R of joint k moves the
//! vertex by s_k (R − 1)(x − c_k). The edge e between i and j, at a distance r_k(e) from the joint, is
//! strained by what stands in the brackets, but for a factor that is the same for all. a_e is the area of the
//! edge and m_v that of the vertex, so that a finer mesh does not change what is asked for; ℓ is the error
//! that a strain of one is worth. Far from a joint its weights have to be smoother than near it, and weights
//! far from their joint cost most of all. Which joint is the root does not matter: with the root on the other side, s_k becomes 1
//! − s_k.
//!
//! This is quadratic in the weights of all vertices and convex. It is solved vertex by vertex, over-relaxed,
//! each over the joints that move the surface around it (`nearby_joints`). Then vertices leave out the joints they
//! miss least until they have no more than they may have, and all settle again.

mod nearby_joints;
mod solver;
mod surface;

use self::solver::Solver;
pub(super) use self::solver::StrainProblem;
use self::surface::Surface;
use super::{StrainTuning, TUNING};
use crate::progress::{Cancelled, Progress};
use crate::rig::SkinWeights;

const TUNED: StrainTuning = TUNING.strain;

/// Weights that replay the motion nearly as well as those given, and strain the surface little in other poses.
pub(super) fn smooth_by_strain(
    problem: &StrainProblem,
    fitted: &SkinWeights,
    progress: &dyn Progress,
) -> Result<SkinWeights, Cancelled> {
    let surface = Surface::new(problem.triangles, problem.rest, problem.frames);
    let mut solver = Solver::new(problem, &surface, fitted, TUNED.worth * problem.smoothness, progress)?;
    let [before, after] = TUNED.sweeps;
    for sweep in 0..before + after {
        progress.advance(sweep as f64 / (before + after) as f64);
        if sweep == before {
            solver.choose(fitted.per_vertex, progress)?;
        }
        solver.sweep(progress)?;
    }
    Ok(solver.weights(fitted.per_vertex))
}

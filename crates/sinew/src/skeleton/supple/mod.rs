//! Weights that can be posed.
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
//! that a strain of one is worth. Far from a joint its weights have to be smoother than near it, and strays
//! cost most of all. Which joint is the root does not matter: with the root on the other side, s_k becomes 1
//! − s_k.
//!
//! This is quadratic in the weights of all vertices and convex. It is solved vertex by vertex, over-relaxed,
//! each over the joints that move the surface around it (`near`). Then vertices leave out the joints they
//! miss least until they have no more than they may have, and all settle again.

mod near;
mod solver;
mod surface;

use glam::{DAffine3, DVec3, Vec3};

use self::solver::Solver;
use self::surface::Surface;
use crate::animation::Frames;
use crate::progress::Progress;
use crate::rig::{Skeleton, SkinWeights};

/// The error that a strain of one is worth at smoothness one, in shares of the longest side. Twice as much,
/// and the ends of short limbs no longer follow their joints all the way.
const WORTH: f64 = 0.008;
/// Sweeps over all vertices, before and after they choose their joints. With as many again nothing changes
/// that could be measured.
const SWEEPS: usize = 20;
const LAST_SWEEPS: usize = 10;

/// What weights are for.
pub(super) struct Posing<'a> {
    pub frames: &'a Frames,
    /// From the rest pose to each frame, all joints of the first, then of the second, and so on.
    pub transforms: &'a [DAffine3],
    pub triangles: &'a [[u32; 3]],
    pub rest: &'a [Vec3],
    pub skeleton: &'a Skeleton,
    /// Places of the joints in the rest pose.
    pub joints: &'a [DVec3],
    /// How much smooth weights are worth; see [`super::SkeletonOptions`].
    pub smoothness: f64,
}

/// Weights that replay the motion nearly as well as those given, and can be posed. `None` when cancelled.
pub(super) fn posable(posing: &Posing, fitted: &SkinWeights, progress: &dyn Progress) -> Option<SkinWeights> {
    let surface = Surface::new(posing.triangles, posing.rest, posing.frames);
    let mut solver = Solver::new(posing, &surface, fitted, WORTH * posing.smoothness);
    for sweep in 0..SWEEPS + LAST_SWEEPS {
        if progress.cancelled() {
            return None;
        }
        if sweep == SWEEPS {
            solver.choose(fitted.per_vertex);
        }
        solver.sweep();
    }
    Some(solver.weights(fitted.per_vertex))
}

//! What the rounds of FESAM and PPS are asked for.

use crate::skin::{DEFAULT_BONES, DEFAULT_INFLUENCES, DEFAULT_ROUNDS, RestPose};

/// Where bones are before the first round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// At points spread evenly over the surface, blended smoothly: SAD.
    Points,
    /// Where regions that move alike were grown, unblended: FESAM.
    #[default]
    Regions,
}

/// What the transforms of a frame start from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scheme {
    /// The rest pose.
    RestPose,
    /// The approximation of the frame before; of the first frame, the rest pose.
    PoseToPose,
}

/// Options of [`pose_to_pose`](super::pose_to_pose).
#[derive(Clone, Debug, PartialEq)]
pub struct PoseToPoseOptions {
    /// Where bones are at first.
    pub start: Start,
    /// Exactly so many bones.
    pub bones: usize,
    /// The most influences on a vertex, 1 to 16.
    pub influences: usize,
    /// The most rounds; fewer when none lowers the error any more.
    pub rounds: usize,
    /// Whether rounds solve weights (equations 6 to 8).
    pub solve_weights: bool,
    /// Whether rounds move the rest pose (equation 5).
    pub move_rest: bool,
    /// Whether rounds solve steps with regard for the poses after them, which needs all frames. Otherwise each step is
    /// fitted to its own frame (equation 3). Left out with more than 120 bones.
    pub look_ahead: bool,
    /// Looking ahead: whether no pose may get worse than when each step is fitted to its own frame, so that
    /// early poses are not given up for later ones.
    pub hold_poses: bool,
    /// Which pose the bones deform at first. [`RestPose::Auto`] is the first frame, as in the paper.
    pub rest_pose: RestPose,
}

impl Default for PoseToPoseOptions {
    /// FESAM from pose to pose, looking ahead.
    fn default() -> Self {
        Self {
            start: Start::Regions,
            bones: DEFAULT_BONES,
            influences: DEFAULT_INFLUENCES,
            rounds: DEFAULT_ROUNDS,
            solve_weights: true,
            move_rest: true,
            look_ahead: true,
            hold_poses: false,
            rest_pose: RestPose::Auto,
        }
    }
}

impl PoseToPoseOptions {
    /// SAD from pose to pose: spread points, smooth weights, no rounds.
    pub fn sad() -> Self {
        Self {
            start: Start::Points,
            rounds: 0,
            solve_weights: false,
            move_rest: false,
            look_ahead: false,
            ..Self::default()
        }
    }
}

//! The pipelines that "PPS: Pose-to-Pose Skinning of Animated Meshes" (Vasilakis, Fudos and Antonopoulos
//! 2016) compares, from rest pose and from pose to pose.
//!
//! *SAD* (Kavan et al. 2007) spreads bones evenly over the surface, blends them smoothly and solves their
//! transforms: it needs to know nothing about the animation. *FESAM* (Kavan et al. 2010) grows bones where
//! the motion needs them and then goes round: weights, transforms and rest pose in turn. Either can lead
//! every frame from the rest pose, or from the last approximated pose ([`Scheme::PoseToPose`], PPS), which
//! is what [`skin_with`]'s options select; the steps are the same ones.
//!
//! Departures: transforms are affine in both pipelines, as PPS has them (SAD's own are dual quaternions).
//! FESAM solves only a subset of the frames' coordinates; here all frames are. Every round is kept only if
//! it lowers the error, which PPS needs: its weights are solved as if the poses they lead to stayed as they
//! are.

mod ahead;
mod candidates;
mod course;
mod model;
mod rest_step;
mod rounds;
mod weight_step;

pub use course::{Fitted, MethodSkin, skin_with};

use super::RestPose;

/// Where bones are before the first round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// At points spread evenly over the surface, blended smoothly: SAD.
    Points,
    /// Where regions that move alike were grown, unblended: FESAM.
    Regions,
}

/// What the transforms of a frame start from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scheme {
    /// The rest pose.
    #[default]
    RestPose,
    /// The approximation of the frame before; of the first frame, the rest pose.
    PoseToPose,
}

/// Options of [`skin_with`].
#[derive(Clone, Debug, PartialEq)]
pub struct MethodOptions {
    /// Where bones are at first.
    pub start: Start,
    /// What transforms start from.
    pub scheme: Scheme,
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
    /// From pose to pose: whether rounds solve steps with regard for the poses after them, which needs all
    /// frames. Otherwise each step is fitted to its own frame (equation 3). Left out with more than 120
    /// bones.
    pub look_ahead: bool,
    /// Looking ahead: whether no pose may get worse than when each step is fitted to its own frame, so that
    /// early poses are not given up for later ones.
    pub hold_poses: bool,
    /// Number of correction shapes fitted at the end; only from the rest pose.
    pub rank: usize,
    /// Which pose the bones deform at first. [`RestPose::Auto`] is the first frame, as in the papers.
    pub rest_pose: RestPose,
}

impl MethodOptions {
    /// SAD: spread points, smooth weights, no rounds.
    pub fn sad(bones: usize) -> Self {
        Self {
            start: Start::Points,
            scheme: Scheme::RestPose,
            bones,
            influences: 4,
            rounds: 0,
            solve_weights: false,
            move_rest: false,
            look_ahead: false,
            hold_poses: false,
            rank: 0,
            rest_pose: RestPose::Auto,
        }
    }

    /// FESAM: grown regions, then rounds of weights, transforms and rest pose.
    pub fn fesam(bones: usize) -> Self {
        Self {
            start: Start::Regions,
            rounds: DEFAULT_ROUNDS,
            solve_weights: true,
            move_rest: true,
            ..Self::sad(bones)
        }
    }

    /// The same from pose to pose.
    pub fn pose_to_pose(self) -> Self {
        Self { scheme: Scheme::PoseToPose, ..self }
    }
}

/// Rounds of FESAM.
pub const DEFAULT_ROUNDS: usize = 15;

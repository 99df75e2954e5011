//! What a skeleton is asked for and what comes back.

use glam::DVec3;

use super::{HeatError, KnownError};
use crate::animation::{AnimationError, AnimationWarning, ErrorMeasure};
use crate::progress::cancels;
use crate::rig::Rig;
use crate::segment::{SegmentError, SkeletonSegmenter};
use crate::skin::MOST_INFLUENCES;

crate::choices! {
    /// How joint angles are found.
    #[derive(Default)]
    pub enum Angles: "way of finding angles" {
        /// All joints of a frame together, against all vertices.
        #[default]
        Fit = "fit", "All joints of a frame together, against the whole surface",
        /// One joint after the other, against the places of the joints: the paper's cyclic coordinate descent.
        Ccd = "ccd",
            "One joint after the other, against the places of the joints: cyclic coordinate descent (de Aguiar et al. 2008)",
    }
}

crate::choices! {
    /// How skin weights are found.
    #[derive(Default)]
    pub enum JointWeights: "way of finding weights" {
        /// Those that replay the animation best under the skeleton's motion, smoothed.
        #[default]
        Fit = "fit", "Those that replay the animation best, smoothed",
        /// Heat diffusion ([`super::heat_weights`]), the paper's way.
        Heat = "heat", "From the shape alone, as if each bone gave off heat (de Aguiar et al. 2008)",
    }
}

crate::choices! {
    /// What joints are called.
    #[derive(Default)]
    pub enum JointNames: "names" {
        /// Root and limbs with numbers.
        #[default]
        Plain = "plain", "root, limb1_1, limb1_2 and so on, whatever the body is",
        /// Parts of the body where it is clear, limbs with numbers where it is not.
        Auto = "auto", "Hips, LeftUpLeg and so on where the body is clear, else as plain",
        /// Those of Mixamo.
        Mixamo = "mixamo", "as Mixamo has them: mixamorig:Hips, mixamorig:LeftUpLeg",
        /// Those of VRM.
        Vrm = "vrm", "as VRM has them: hips, leftUpperLeg",
        /// Those of Unreal's mannequin.
        Ue = "ue", "as Unreal's mannequin has them: pelvis, thigh_l",
    }
}

/// Options of [`super::find_skeleton`].
#[derive(Clone, Debug, PartialEq)]
pub struct SkeletonOptions {
    /// Number of joints. `None` takes as many as the motion shows.
    pub joints: Option<usize>,
    /// Where parts come from.
    pub segmenter: SkeletonSegmenter,
    /// How angles are found.
    pub angles: Angles,
    /// How weights are found.
    pub weights: JointWeights,
    /// The most influences on a vertex, 1 to 16.
    pub influences: usize,
    /// How smooth fitted weights are over the surface; 0 leaves them as the error wants them.
    pub smoothness: f64,
    /// What joints are called.
    pub names: JointNames,
}

impl Default for SkeletonOptions {
    fn default() -> Self {
        Self {
            joints: None,
            segmenter: SkeletonSegmenter::default(),
            angles: Angles::Fit,
            weights: JointWeights::Fit,
            influences: 4,
            smoothness: 1.0,
            names: JointNames::Plain,
        }
    }
}

/// How far a joint turns against its parent, from the rest pose, in degrees and in its own axes
/// ([`Rig::joint_axes`]): x is how far it bends, z how far it goes aside, and y how far it twists about its
/// bone.
///
/// A turn is a twist and then a swing of the bone by one angle about one axis across it, of which x and z
/// are the two parts. So a hinge has its angle in x and nothing elsewhere, and all are from −180 to 180.
/// Beyond that go only joints that turn round and round about x or y alone, as a wheel does, never 90° away
/// from that axis: their angle about it goes on from frame to frame of a clip, beginning within 180 of the
/// rest pose.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointLimits {
    /// Smallest angle about each axis.
    pub least: DVec3,
    /// Largest angle about each axis.
    pub most: DVec3,
    /// Largest turn between any two frames.
    pub swing: f64,
}

/// What [`super::find_skeleton`] made, and how good it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Skeletal {
    /// The rig; its skeleton is there.
    pub rig: Rig,
    /// How far each joint turns.
    pub limits: Vec<JointLimits>,
    /// Distance from the animation.
    pub error: ErrorMeasure,
    /// Root mean square error of each frame in percent of the rest pose's diagonal.
    pub error_per_frame: Vec<f64>,
    /// Share of the surface that keeps its shape within each part: low for cloth and other animations that no
    /// skeleton drives.
    pub near_rigid_fraction: f64,
    /// Time spent.
    pub seconds: SkeletonSeconds,
    /// What the user should know.
    pub warnings: Vec<SkeletonWarning>,
}

/// Seconds per stage.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SkeletonSeconds {
    /// Finding parts.
    pub parts: f64,
    /// Finding the tree and its joints.
    pub joints: f64,
    /// Weights and angles on all vertices and frames.
    pub weights: f64,
}

/// What the user should know about a skeleton.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SkeletonWarning {
    /// Something about the animation itself.
    #[error("{0}")]
    Animation(AnimationWarning),
    /// Nothing bends.
    #[error("the mesh moves as one rigid body, if at all: one joint is all there is")]
    OneRigidBody,
    /// The motion does not show as many joints as were asked for.
    #[error("{asked} joints were asked for, but the motion shows only {found}")]
    FewerJoints {
        /// How many were asked for.
        asked: usize,
        /// How many there are.
        found: usize,
    },
    /// Pieces of the mesh hang in the air.
    #[error("{pieces} {} nothing else of the mesh; attached to what moves along most", if *pieces == 1 { "piece touches" } else { "pieces touch" })]
    LoosePieces {
        /// How many; those that touch one another count as one.
        pieces: usize,
    },
    /// It is not clear what kind of body it is, or which way it faces.
    #[error("names of joints are {}: sure to {:.0} %, look at left and right", if *given { "a guess" } else { "numbers, as they would be a guess" }, 100.0 * sure)]
    NamesGuessed {
        /// How sure names are, 0 to 1.
        sure: f64,
        /// Whether they were given all the same.
        given: bool,
    },
    /// No limbs come in pairs, so that nothing tells what joints are.
    #[error("no arms and legs were found to name joints after: they have numbers")]
    NoNames,
    /// Bodies that do not touch got one skeleton.
    #[error(
        "these seem to be {bodies} bodies that do not touch, and they got one skeleton together; for one each, find \
         skeletons one by one with the pieces of the others ignored"
    )]
    SeveralBodies {
        /// How many.
        bodies: usize,
    },
    /// No skeleton drives what moves.
    #[error(
        "not a good candidate for a skeleton: {:.0} % of the surface keeps its shape within its part, and vertices are \
         {accu:.2} % of the longest side off on average",
        100.0 * near_rigid_fraction
    )]
    PoorCandidate {
        /// Share of the surface that keeps its shape within its part.
        near_rigid_fraction: f64,
        /// Mean distance of vertices from where they should be, in percent of the longest side.
        accu: f64,
    },
}

/// Why there is no skeleton.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SkeletonError {
    /// The animation itself is unusable.
    #[error(transparent)]
    Animation(#[from] AnimationError),
    /// No triangle has an area.
    #[error("all {count} triangles of the rest pose are degenerate (they have no area)")]
    AllDegenerate {
        /// How many there are.
        count: usize,
    },
    /// More joints than the surface has room for, or none.
    #[error("{asked} joints were asked for; there can be 1 to {most} on this mesh")]
    JointCount {
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
    /// The smoothness is negative or not a number.
    #[error("the smoothness must be zero or a positive number, not {0}")]
    Smoothness(f64),
    /// A rig to begin with is of another mesh or of other frames, or has no tree of joints with one root.
    #[error(
        "the rig is none to go on with: it needs a tree of joints with one root, {} vertices and {} frames, and has {} and \
         {}",
        expected[0], expected[1], found[0], found[1]
    )]
    OtherRig {
        /// Its vertices and frames.
        found: [usize; 2],
        /// Those of the animation.
        expected: [usize; 2],
    },
    /// What is known about the skeleton cannot be.
    #[error(transparent)]
    Known(KnownError),
    /// The segmenter that was asked for cannot cut this mesh up.
    #[error(transparent)]
    Segments(SegmentError),
    /// Heat could not be solved for.
    #[error(transparent)]
    Heat(HeatError),
    /// The listener cancelled.
    #[error("cancelled")]
    Cancelled,
}

cancels!(SkeletonError, of HeatError as Heat, SegmentError as Segments);

impl SkeletonOptions {
    /// Checks what no mesh could have.
    ///
    /// # Errors
    /// [`SkeletonError::InfluenceCount`] and [`SkeletonError::Smoothness`].
    pub fn validate(&self) -> Result<(), SkeletonError> {
        if !(1..=MOST_INFLUENCES).contains(&self.influences) {
            return Err(SkeletonError::InfluenceCount { asked: self.influences });
        }
        if !(self.smoothness >= 0.0 && self.smoothness.is_finite()) {
            return Err(SkeletonError::Smoothness(self.smoothness));
        }
        Ok(())
    }
}

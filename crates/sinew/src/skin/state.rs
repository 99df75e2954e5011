//! A skin in the making and the finished one.

use glam::{DAffine3, Vec3};

use super::{RestPose, SkinWarning};
use crate::animation::ErrorMeasure;
use crate::choices;
use crate::rig::{Rig, SkinWeights};

/// A skin in the making, or one to begin with: what every method looks for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Skin {
    /// Number of bones.
    pub bones: usize,
    /// The pose the bones deform.
    pub rest: Vec<Vec3>,
    /// Which bones move which vertices; without slots where that is not known.
    pub weights: SkinWeights,
    /// Transforms of all bones in the first frame, then in the second, and so on, from the rest pose to each frame;
    /// empty where they are not known.
    pub transforms: Vec<DAffine3>,
}

impl Skin {
    /// Transforms of all bones in one frame.
    pub fn frame_transforms(&self, frame: usize) -> &[DAffine3] {
        &self.transforms[frame * self.bones..(frame + 1) * self.bones]
    }
}

impl From<Rig> for Skin {
    fn from(rig: Rig) -> Self {
        Self { bones: rig.bones.len(), rest: rig.rest, weights: rig.weights, transforms: rig.transforms }
    }
}

/// A finished skin and how good it is: a rig, or what else replays the animation.
#[derive(Clone, Debug, PartialEq)]
pub struct Skinned<R = Rig> {
    /// The rig; from [`pose_to_pose`](super::pose_to_pose) a chain of poses.
    pub rig: R,
    /// The rest pose that was taken.
    pub rest_pose: RestPose,
    /// How many triangles the mesh has.
    pub triangle_count: usize,
    /// Bone each triangle was counted to, [`crate::segment::NO_BONE`] for outliers; empty where bones were taken over
    /// and from pose to pose. The triangles are those of [`crate::geometry::Mesh::triangles`] in the rest pose.
    pub bone_of_triangle: Vec<u32>,
    /// The paper's η at the tolerance that was asked for, of [`Method::Sma`](super::Method::Sma): how well the animation
    /// suits skinning.
    pub near_rigid_fraction: Option<f64>,
    /// Distance from the animation.
    pub error: ErrorMeasure,
    /// Root mean square error of each frame in percent of the rest pose's diagonal.
    pub error_per_frame: Vec<f64>,
    /// Time spent.
    pub seconds: StageSeconds,
    /// What the user should know.
    pub warnings: Vec<SkinWarning>,
    /// Errors round by round, of methods that go round; otherwise empty. Corrections come later.
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

/// One round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Round {
    /// Which part of the work: within one the error never rises, except for smoothing.
    pub part: RoundPart,
    /// Error in percent. On a sample it is that of the sample.
    pub percent: f64,
}

choices! {
    /// Parts of the work.
    pub enum RoundPart: "part of the work" {
        /// On a sample of the vertices.
        Sample = "sample", "on a sample of the vertices",
        /// On all vertices in some of the frames.
        SomeFrames = "some frames", "on all vertices in some of the frames",
        /// On all vertices.
        All = "all", "on all vertices",
        /// Weights are smoothed, which costs error.
        Smoothing = "smoothing", "weights are smoothed, which costs error",
    }
}

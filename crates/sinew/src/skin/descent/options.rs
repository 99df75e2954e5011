//! What a descent is asked for and what it answers.

use glam::{DAffine3, Vec3};

use crate::rig::SkinWeights;
use crate::skin::BoneKind;

/// What the bones are made of at first.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Beginning {
    /// Triangles that turn alike; several groupings are tried.
    #[default]
    Turns,
    /// Triangles that move together, by mean shift ([`crate::segment::mean_shift`]).
    MeanShift,
    /// Regions grown over the surface ([`crate::segment::grow_regions`]).
    Regions,
    /// Points spread over the surface ([`crate::segment::spread_points`]).
    Points,
    /// Given sets of vertices, one a bone: the bone of each vertex, [`crate::segment::NO_BONE`] for none.
    Groups(Vec<u32>),
    /// A rig whose bones, weights and rest pose are improved.
    Rig(GivenRig),
}

/// A rig to start from.
#[derive(Clone, Debug, PartialEq)]
pub struct GivenRig {
    /// Number of bones.
    pub bones: usize,
    /// The pose the bones deform.
    pub rest: Vec<Vec3>,
    /// Bone transforms, frame after frame, from the rest pose to each frame. `None` finds them from the weights.
    pub transforms: Option<Vec<DAffine3>>,
    /// Weights on the vertices. `None` lets every vertex find its own; then there must be transforms.
    pub weights: Option<SkinWeights>,
}

/// What may change of a given rig.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Solve {
    /// Weights only.
    Weights,
    /// Bone transforms only.
    Transforms,
    /// Both.
    #[default]
    Both,
}

/// Options of [`super::descend`].
#[derive(Clone, Debug, PartialEq)]
pub struct DescentOptions {
    /// Number of bones. With [`Beginning::Rig`] it is the rig's.
    pub bones: usize,
    /// The most influences on a vertex, 1 to 16.
    pub influences: usize,
    /// Rigid or flexible bones.
    pub kind: BoneKind,
    /// Leave the rest pose as it is, instead of moving each vertex to where the bones serve it best.
    pub keep_rest: bool,
    /// How smooth weights are over the surface: 0 leaves them as the error wants them, strays included.
    pub smoothness: f64,
    /// Fewer rounds: much sooner done, for a little more error.
    pub brief: bool,
    /// Where to begin.
    pub beginning: Beginning,
    /// What may change; for [`Beginning::Rig`].
    pub solve: Solve,
    /// Bones that keep their motion, by number; for [`Beginning::Rig`].
    pub locked_bones: Vec<usize>,
    /// Vertices that keep their weights and rest position, one entry a vertex; empty for none. For
    /// [`Beginning::Rig`].
    pub locked_vertices: Vec<bool>,
}

impl Default for DescentOptions {
    fn default() -> Self {
        Self {
            bones: 24,
            influences: 4,
            kind: BoneKind::Flexible,
            keep_rest: false,
            smoothness: 1.0,
            brief: false,
            beginning: Beginning::Turns,
            solve: Solve::Both,
            locked_bones: Vec::new(),
            locked_vertices: Vec::new(),
        }
    }
}

/// What [`super::descend`] found.
#[derive(Clone, Debug, PartialEq)]
pub struct Descended {
    /// The rest pose.
    pub rest: Vec<Vec3>,
    /// The weights.
    pub weights: SkinWeights,
    /// Transforms of all bones in the first frame, then in the second, and so on.
    pub transforms: Vec<DAffine3>,
    /// Percent after each round.
    pub rounds: Vec<Round>,
}

/// One round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Round {
    /// Which part of the work: within one the error never rises, except for smoothing.
    pub part: RoundPart,
    /// Error in percent. On a sample it is that of the sample.
    pub percent: f64,
}

/// Parts of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoundPart {
    /// On a sample of the vertices.
    Sample,
    /// On all vertices in some of the frames.
    SomeFrames,
    /// On all vertices.
    All,
    /// Weights are smoothed, which costs error.
    Smoothing,
}

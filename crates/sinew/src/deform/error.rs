//! Why a character cannot be set up.

use super::anchors::AnchorError;
use crate::progress::cancels;
use crate::skeleton::HeatError;
use crate::solve::sparse::SolveError;

/// Ways in which handles, examples and skeleton do not fit.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DeformError {
    /// [`DeformOptions::keep`](super::DeformOptions::keep) out of its range.
    #[error("the share of influences to keep is above 0 and at most 1, not {found}")]
    Keep {
        /// What was given.
        found: f64,
    },
    /// [`DeformOptions::follow`](super::DeformOptions::follow) out of its range.
    #[error("how far limbs follow their bones is a share from 0 to 1, not {found}")]
    Follow {
        /// What was given.
        found: f64,
    },
    /// A skeleton without joints.
    #[error("the skeleton has no joints")]
    NoJoints,
    /// More joints than a file could hold.
    #[error("the skeleton has {found} joints, more than 65,536")]
    TooManyJoints {
        /// How many it has.
        found: usize,
    },
    /// A mesh without triangles.
    #[error("the mesh has no triangles")]
    NoTriangles,
    /// No vertex belongs to a handle.
    #[error("no joint has a handle: no vertex would follow the skeleton")]
    NoHandles,
    /// An array has the wrong length.
    #[error("{what}: {found} where the mesh and its skeleton have {expected}")]
    Length {
        /// Which array.
        what: &'static str,
        /// Entries found.
        found: usize,
        /// Entries expected.
        expected: usize,
    },
    /// A list of a joint's vertices is empty.
    #[error("joint {joint} has no handle: name some of its vertices, or say that it is to have none")]
    JointWithoutHandle {
        /// The joint, counted from 0.
        joint: usize,
    },
    /// A vertex of a handle that does not exist.
    #[error("the handle of joint {joint} names vertex {vertex}, but there are only {count} vertices")]
    NoSuchVertex {
        /// The joint, counted from 0.
        joint: usize,
        /// The vertex it names.
        vertex: u32,
        /// How many there are.
        count: usize,
    },
    /// A vertex in two handles.
    #[error("vertex {vertex} is in the handles of joints {} and {}; handles must not overlap", joints[0], joints[1])]
    OverlappingHandles {
        /// The vertex.
        vertex: u32,
        /// The joints, counted from 0.
        joints: [usize; 2],
    },
    /// An example with another number of vertices.
    #[error(
        "example {example} has {found} vertices and the mesh {expected}: examples must have the mesh's connectivity"
    )]
    ExampleVertices {
        /// The example, counted from 0.
        example: usize,
        /// Its vertices.
        found: usize,
        /// The mesh's.
        expected: usize,
    },
    /// An example whose pose has another number of joints.
    #[error("the pose of example {example} has {found} joints and the skeleton {expected}")]
    ExamplePose {
        /// The example, counted from 0.
        example: usize,
        /// Joints of its pose.
        found: usize,
        /// The skeleton's.
        expected: usize,
    },
    /// An example with another shape in the rest pose.
    #[error(
        "example {example} has the rest pose but another shape than the mesh: only one of them can be its shape"
    )]
    ExampleAtRest {
        /// The example, counted from 0.
        example: usize,
    },
    /// Stored examples of another character.
    #[error("kept examples: {what} of example {example} are {found} where the character has {expected}")]
    StoredLength {
        /// The example, counted from 0.
        example: usize,
        /// Which numbers.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many there should be.
        expected: usize,
    },
    /// Stored examples with what is not a number.
    #[error("kept examples: example {example} has a value that is not a finite number")]
    StoredNotFinite {
        /// The example, counted from 0.
        example: usize,
    },
    /// Stored examples in which vertices are one that are not at one place.
    #[error("kept examples: they join vertices that are not at one place in the rest pose")]
    StoredPoints,
    /// A coordinate that is not a number.
    #[error("{what}: vertex or joint {index} has a coordinate that is not a finite number")]
    NotFinite {
        /// Which array.
        what: &'static str,
        /// The vertex or joint.
        index: usize,
    },
    /// A parent that comes after its child.
    #[error("joint {joint} comes before its parent")]
    JointOrder {
        /// The joint.
        joint: usize,
    },
    /// Handles cannot be found from the skeleton.
    #[error(transparent)]
    Heat(HeatError),
    /// Anchors cannot be had.
    #[error(transparent)]
    Anchors(AnchorError),
    /// Equations without a solution.
    #[error(transparent)]
    Solve(#[from] SolveError),
    /// The listener ended the work.
    #[error("cancelled")]
    Cancelled,
}

cancels!(DeformError, of AnchorError as Anchors, HeatError as Heat);

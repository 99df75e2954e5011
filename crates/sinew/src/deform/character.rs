//! What is deformed: a mesh with its skeleton, how it is set up, and shapes that it is to have in some poses.

use glam::{DVec3, Vec3};

use super::anchors::AnchorOptions;
use super::{DeformError, Handles, Pose};
use crate::geometry::Mesh;
use crate::rig::Skeleton;

/// A mesh in its rest pose with the skeleton inside it.
#[derive(Clone, Copy, Debug)]
pub struct Character<'a> {
    /// Faces.
    pub mesh: &'a Mesh,
    /// The rest pose.
    pub rest: &'a [Vec3],
    /// The joint tree.
    pub skeleton: &'a Skeleton,
    /// Where the joints are in the rest pose.
    pub joints: &'a [DVec3],
}

/// Options of [`Deformer::new`](super::Deformer::new).
#[derive(Clone, Debug, PartialEq)]
pub struct DeformOptions {
    /// Cut-off of the joints' influences on a triangle, above 0 and at most 1: only the largest are kept that
    /// make this share.
    pub keep: f64,
    /// How far limbs follow their bones, 0 to 1. At 0 they bend in arcs and only gradients count, as in the paper, so
    /// that hands and feet come to lie beside their joints; at 1 they go around corners as bones do, and the middle of
    /// every handle is where its joint takes it.
    pub follow: f64,
    /// Keeps what examples add at a few triangles instead of all. Smaller, and faster with several examples;
    /// examples are then nearly met, not exactly. With all triangles as anchors they are kept whole.
    pub anchors: Option<AnchorOptions>,
}

impl Default for DeformOptions {
    fn default() -> Self {
        Self { keep: 0.95, follow: 0.0, anchors: None }
    }
}

impl DeformOptions {
    /// As characters are mostly set up: hands and feet are where their joints take them. [`Self::default`] is as in the
    /// paper, which goes for what no bones run through, as a sheet that is rolled up.
    pub fn following() -> Self {
        Self { follow: 1.0, ..Self::default() }
    }

    /// Checks that all are within their range.
    ///
    /// # Errors
    /// The first that is not.
    pub fn validate(&self) -> Result<(), DeformError> {
        if !(self.keep > 0.0 && self.keep <= 1.0) {
            return Err(DeformError::Keep { found: self.keep });
        }
        match (0.0..=1.0).contains(&self.follow) {
            true => Ok(()),
            false => Err(DeformError::Follow { found: self.follow }),
        }
    }
}

/// A shape of the mesh in a pose of its skeleton.
#[derive(Clone, Debug, PartialEq)]
pub struct Example {
    /// Positions of all vertices.
    pub positions: Vec<Vec3>,
    /// The pose it belongs to.
    pub pose: Pose,
}

/// Checks all lengths and numbers.
pub(super) fn check(
    character: &Character,
    handles: &Handles,
    examples: &[Example],
) -> Result<(), DeformError> {
    let (vertices, joints) = (character.mesh.vertex_count, character.skeleton.len());
    if joints == 0 {
        return Err(DeformError::NoJoints);
    }
    // Spaces number them with 16 bits.
    if joints > usize::from(u16::MAX) + 1 {
        return Err(DeformError::TooManyJoints { found: joints });
    }
    let lengths = [
        ("positions of the rest pose", character.rest.len(), vertices),
        ("places of joints", character.joints.len(), joints),
        ("vertices of the handles", handles.vertex_count(), vertices),
    ];
    if let Some(&(what, found, expected)) = lengths.iter().find(|(_, found, expected)| found != expected) {
        return Err(DeformError::Length { what, found, expected });
    }
    let late = |&joint: &usize| character.skeleton.parents[joint].is_some_and(|parent| parent >= joint);
    if let Some(joint) = (0..joints).find(late) {
        return Err(DeformError::JointOrder { joint });
    }
    let most = handles.joint_of.iter().filter(|&&j| j != super::dirichlet::NONE).max();
    if let Some(&joint) = most.filter(|&&joint| joint as usize >= joints) {
        let (what, found) = ("joints of the handles", joint as usize + 1);
        return Err(DeformError::Length { what, found, expected: joints });
    }
    finite("the rest pose", character.rest.iter().map(|p| p.is_finite()))?;
    finite("the skeleton", character.joints.iter().map(|p| p.is_finite()))?;
    for (number, example) in examples.iter().enumerate() {
        let found = example.positions.len();
        if found != vertices {
            return Err(DeformError::ExampleVertices { example: number, found, expected: vertices });
        }
        let found = example.pose.turns.len();
        if found != joints || example.pose.places.len() != joints {
            return Err(DeformError::ExamplePose { example: number, found, expected: joints });
        }
        finite("an example", example.positions.iter().map(|p| p.is_finite()))?;
        let joints = example.pose.turns.iter().zip(&example.pose.places);
        finite("the pose of an example", joints.map(|(t, p)| t.is_finite() && p.is_finite()))?;
    }
    Ok(())
}

fn finite(what: &'static str, mut all: impl Iterator<Item = bool>) -> Result<(), DeformError> {
    match all.position(|finite| !finite) {
        None => Ok(()),
        Some(index) => Err(DeformError::NotFinite { what, index }),
    }
}

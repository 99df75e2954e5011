//! Whether mesh, skeleton, handles and examples fit.

use super::{Character, DeformError, Example, Handles};

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
        return Err(DeformError::Length {
            what: "joints of the handles",
            found: joint as usize + 1,
            expected: joints,
        });
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
        let (turns, places) = (&example.pose.turns, &example.pose.places);
        finite(
            "the pose of an example",
            turns.iter().zip(places).map(|(t, p)| t.is_finite() && p.is_finite()),
        )?;
    }
    Ok(())
}

fn finite(what: &'static str, mut all: impl Iterator<Item = bool>) -> Result<(), DeformError> {
    match all.position(|finite| !finite) {
        None => Ok(()),
        Some(index) => Err(DeformError::NotFinite { what, index }),
    }
}

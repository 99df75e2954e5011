//! Poses of a source and of a rig, and two that are taken to be the same.

use glam::DAffine3;

use super::Motion;
use super::placement::Placement;
use crate::rig::Rig;

/// A pose of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourcePose {
    /// The pose in which no joint is turned.
    Bind,
    /// A frame, counted from 0 over all clips.
    Frame(usize),
}

/// A pose of a rig.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RigPose {
    /// The rest pose.
    Rest,
    /// A frame, counted from 0 over all clips.
    Frame(usize),
}

/// Two poses that are taken to be the same.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Alignment {
    /// The pose of the source.
    pub source: SourcePose,
    /// The pose of the rig.
    pub rig: RigPose,
    /// How the source lies over the rig in these poses.
    pub placement: Placement,
    /// How far the two are apart, in percent of the rig's height: the mean way from bones to the joints of
    /// the same names; where names do not tell, from bones to the limbs they follow, with the lengths of the
    /// rig; where the source has no limbs, from the surface to the nearest joint and back.
    pub apart: f64,
    /// Whether names told how the source lies.
    pub by_names: bool,
    /// Whether feet and knees, or sides that names tell, say how far the source is turned.
    pub by_body: bool,
    /// By how many percent the source agrees worse if it faces the other way, where that was looked at. A
    /// body that looks the same from both sides has little.
    pub margin: Option<f64>,
}

/// Transforms of a rig's bones in a pose.
pub(super) fn transforms(rig: &Rig, pose: RigPose) -> Vec<DAffine3> {
    match pose {
        RigPose::Rest => vec![DAffine3::IDENTITY; rig.bones.len()],
        RigPose::Frame(frame) => rig.frame_transforms(frame).to_vec(),
    }
}

/// Transforms of a source's joints in a pose.
pub(super) fn worlds(motion: &Motion, pose: SourcePose) -> &[DAffine3] {
    match pose {
        SourcePose::Bind => &motion.bind,
        SourcePose::Frame(frame) => motion.frame(frame),
    }
}

/// Whether joints of a source hang on each other, so that it has limbs.
pub(super) fn has_limbs(motion: &Motion) -> bool {
    motion.joints.iter().any(|joint| joint.parent.is_some())
}

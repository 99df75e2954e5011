//! How far a source must be turned to face as a rig does, where feet, knees or names tell it of both.

use std::f64::consts::TAU;

use glam::DVec3;

use super::Motion;
use super::bone_tree::BoneTree;
use super::figure::{Figure, heading, rig_turn, source_turn};
use super::poses::{RigPose, SourcePose};
use crate::rig::Rig;

crate::choices! {
    /// Which way a rig faces in its rest pose.
    #[derive(Default)]
    pub enum Facing: "facing" {
        /// Told by its feet, knees and names.
        #[default]
        Auto = "auto", "told by feet, knees and names",
        /// Along z.
        PlusZ = "+z", "along z, as most files have it",
        /// Against z.
        MinusZ = "-z", "against z",
        /// Along x.
        PlusX = "+x", "along x",
        /// Against x.
        MinusX = "-x", "against x",
    }
}

impl Facing {
    /// The direction, if one is said.
    pub fn direction(self) -> Option<DVec3> {
        match self {
            Self::Auto => None,
            Self::PlusZ => Some(DVec3::Z),
            Self::MinusZ => Some(DVec3::NEG_Z),
            Self::PlusX => Some(DVec3::X),
            Self::MinusX => Some(DVec3::NEG_X),
        }
    }
}

/// Which ways a rig and a source face.
pub(super) struct Faced {
    root: usize,
    rig: DVec3,
    source: DVec3,
}

impl Faced {
    /// None where one of the two does not tell.
    pub fn new(rig: &Rig, limbs: &BoneTree, motion: &Motion, said: Facing) -> Option<Self> {
        let root = limbs.order.first().copied()?;
        let ours = said.direction().or_else(|| Figure::of_rig(rig, limbs).facing())?;
        Some(Self { root, rig: ours, source: Figure::of_source(motion).facing()? })
    }

    /// The turn about the vertical that brings a source in a pose to face as the rig does in one, in radians from 0 to a
    /// circle; none where one of them lies.
    pub fn turn(&self, rig: &Rig, motion: &Motion, source: SourcePose, pose: RigPose) -> Option<f64> {
        let ours = heading(rig_turn(rig, self.root, pose) * self.rig)?;
        let theirs = heading(source_turn(motion, source) * self.source)?;
        Some((ours - theirs).rem_euclid(TAU))
    }
}

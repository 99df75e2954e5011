//! What a body is seen to stand on, told by its joints in many poses: its legs, and which way it faces.
//!
//! A body that stands looks much the same from the front and from behind. What tells the two apart is the same in nearly
//! all that walks: feet point forward from the shin, and in what stands on two legs knees bend forward. Both are looked
//! at in the axes of the root, over many poses, so that steps and turns of the body do not matter. Names that tell sides
//! tell more: what is on the left and what is up say what is in front.

use glam::{DQuat, DVec3};

use super::Motion;
use super::bend_direction::aside;
use super::body_joints::body_joints;
use super::bone_tree::BoneTree;
use super::names::{Side, meaning};
use super::poses::{RigPose, SourcePose, transforms, worlds};
use super::tuning::TUNING;
use crate::animation::evenly;
use crate::rig::{Rig, Skeleton};
use crate::solve::procrustes::polar;

/// Joints in some poses.
pub(super) struct Figure {
    pub parents: Vec<Option<usize>>,
    /// Whether a joint is part of the body.
    body: Vec<bool>,
    poses: Vec<Posed>,
    /// The way the body faces by the sides that names tell, in the bind or rest pose.
    by_names: Option<DVec3>,
    height: f64,
    ground: f64,
}

/// Joints in one pose.
struct Posed {
    /// Turn of the root from the bind or rest pose.
    turn: DQuat,
    joints: Vec<DVec3>,
    /// Where each ends: the middle of what it moves, or its tip.
    ends: Vec<DVec3>,
}

/// A leg of a figure.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Leg {
    /// From the first that carries no other limb to the last.
    pub joints: Vec<usize>,
    /// Which of them is the ankle, by place in `joints`: what is below lies on the ground when the leg stands.
    pub ankle: usize,
}

impl Figure {
    /// Of a rig, in the rest pose and poses spread over its frames.
    pub fn of_rig(rig: &Rig, limbs: &BoneTree) -> Self {
        let root = limbs.order.first().copied().unwrap_or(0);
        let frames = evenly(rig.frame_count(), TUNING.figure.poses).map(RigPose::Frame);
        let pose = |pose: RigPose| {
            let posed = limbs.posed(rig, pose);
            let turn = rig_turn(rig, root, pose);
            Posed { turn, joints: posed.pivots, ends: posed.middles }
        };
        let poses = std::iter::once(RigPose::Rest).chain(frames).map(pose).collect();
        let names: Vec<&str> = rig.bones.iter().map(|bone| bone.name.as_str()).collect();
        let by_names = facing_by_names(&names, &rig.joint_places());
        Self::new(limbs.parents.clone(), vec![true; rig.bones.len()], poses, by_names)
    }

    /// Of a source, in its bind pose and poses spread over its frames.
    pub fn of_source(motion: &Motion) -> Self {
        let frames = evenly(motion.frame_count(), TUNING.figure.poses).map(SourcePose::Frame);
        let pose = |pose: SourcePose| {
            let worlds = worlds(motion, pose);
            let end = |(joint, world): (&super::SourceJoint, &glam::DAffine3)| {
                joint.tip.map_or(world.translation, |tip| world.transform_point3(tip))
            };
            Posed {
                turn: source_turn(motion, pose),
                joints: worlds.iter().map(|t| t.translation).collect(),
                ends: motion.joints.iter().zip(worlds).map(end).collect(),
            }
        };
        let poses = std::iter::once(SourcePose::Bind).chain(frames).map(pose).collect();
        let names: Vec<&str> = motion.joints.iter().map(|joint| joint.name.as_str()).collect();
        let by_names = facing_by_names(&names, &motion.bind_places());
        let mut body = vec![false; motion.joints.len()];
        body_joints(motion).into_iter().for_each(|joint| body[joint] = true);
        Self::new(motion.joints.iter().map(|joint| joint.parent).collect(), body, poses, by_names)
    }

    fn new(parents: Vec<Option<usize>>, body: Vec<bool>, poses: Vec<Posed>, by_names: Option<DVec3>) -> Self {
        let (mut lows, mut heights) = (Vec::new(), Vec::new());
        for pose in &poses {
            let own = pose.joints.iter().chain(&pose.ends).zip(body.iter().cycle());
            let all = own.filter(|(_, is_body)| **is_body).map(|(p, _)| p.y);
            let start = (f64::INFINITY, f64::NEG_INFINITY);
            let (low, high) = all.fold(start, |(low, high), y| (low.min(y), high.max(y)));
            lows.push(low);
            heights.push(high - low);
        }
        let (ground, height) = (share_of(&mut lows, 0.1), share_of(&mut heights, 0.5));
        Self { parents, body, poses, by_names, height, ground }
    }

    /// The limbs that end on the ground, mostly.
    pub fn legs(&self) -> Vec<Leg> {
        let children = Skeleton::new(self.parents.clone()).children();
        let own = |joint: usize| children[joint].iter().filter(|&&child| self.body[child]).count();
        let leaves = (0..self.parents.len()).filter(|&joint| self.body[joint] && own(joint) == 0);
        // What hangs on a leg by one joint, as a flap, a spur or half of a foot does, is no limb of its own.
        let is_flap =
            |other: usize, beside: usize| own(other) == 0 && (own(beside) > 0 || !self.ends_low(other));
        let above = |joint: &usize| {
            let others = |parent: &usize| {
                let all = children[*parent].iter().filter(|&&child| child != *joint && self.body[child]);
                all.copied().collect::<Vec<usize>>()
            };
            self.parents[*joint]
                .filter(|parent| others(parent).into_iter().all(|other| is_flap(other, *joint)))
        };
        leaves.filter_map(|leaf| self.leg(leaf, above)).collect()
    }

    fn leg(&self, leaf: usize, above: impl Fn(&usize) -> Option<usize>) -> Option<Leg> {
        let mut joints: Vec<usize> = std::iter::successors(Some(leaf), above).collect();
        joints.reverse();
        if !self.ends_low(leaf) {
            return None;
        }
        let low = |joint: usize, share: f64| share_of(&mut self.heights(|pose| pose.joints[joint]), share);
        // Legs are short in some bodies, so that knees are low too.
        let hip = low(joints[0], 0.5);
        let is_low = |&joint: &usize| low(joint, 0.25) < TUNING.figure.ankle * hip;
        let ankle = joints.iter().position(is_low).unwrap_or(joints.len() - 1);
        Some(Leg { joints, ankle })
    }

    /// How high something is in the poses, as a share of the body's height.
    fn heights(&self, place: impl Fn(&Posed) -> DVec3) -> Vec<f64> {
        self.poses.iter().map(|pose| (place(pose).y - self.ground) / self.height).collect()
    }

    /// Whether a joint ends on the ground, mostly.
    fn ends_low(&self, joint: usize) -> bool {
        share_of(&mut self.heights(|pose| pose.ends[joint]), 0.5) <= TUNING.figure.leg_ends
    }

    /// The way the body faces, in the axes of its bind or rest pose; none where nothing tells.
    pub fn facing(&self) -> Option<DVec3> {
        self.by_names.or_else(|| self.facing_by_feet())
    }

    fn facing_by_feet(&self) -> Option<DVec3> {
        let legs = self.legs();
        let ways: Vec<DVec3> = legs.iter().map(|leg| self.way_of(leg, legs.len() == 2)).collect();
        let sum: DVec3 = ways.iter().sum();
        let all: f64 = ways.iter().map(|way| way.length()).sum();
        let count = ways.len().max(1) as f64;
        let is_clear = sum.length() > TUNING.figure.agree * all
            && sum.length() / count > TUNING.figure.least_foot * self.height;
        is_clear.then(|| sum.try_normalize()).flatten()
    }

    /// Which way a leg points, on average, as the root sees it.
    fn way_of(&self, leg: &Leg, knees_tell: bool) -> DVec3 {
        let (ankle, leaf) = (leg.ankle, leg.joints[leg.joints.len() - 1]);
        let mut sum = DVec3::ZERO;
        for pose in &self.poses {
            let place = |i: usize| pose.joints[leg.joints[i]];
            let mut way = pose.ends[leaf] - place(ankle);
            if ankle > 0 {
                way = aside(place(ankle) - place(ankle - 1), way);
            }
            if knees_tell && ankle > 1 {
                let knees = (1..ankle).map(|i| aside(place(ankle) - place(0), place(i) - place(0)));
                way += TUNING.figure.knees * knees.sum::<DVec3>() / (ankle - 1) as f64;
            }
            way.y = 0.0;
            sum += pose.turn.inverse() * way;
        }
        sum / self.poses.len() as f64
    }
}

/// Turn of a rig's root in a pose.
pub(super) fn rig_turn(rig: &Rig, root: usize, pose: RigPose) -> DQuat {
    polar(transforms(rig, pose)[root].matrix3).map_or(DQuat::IDENTITY, |m| DQuat::from_mat3(&m))
}

/// Turn of a source's root in a pose.
pub(super) fn source_turn(motion: &Motion, pose: SourcePose) -> DQuat {
    motion.rotations_in(worlds(motion, pose)).first().copied().unwrap_or(DQuat::IDENTITY)
}

/// The direction in which a way goes over the ground, in radians from z towards x; none where it goes up or down.
pub(super) fn heading(way: DVec3) -> Option<f64> {
    let flat = DVec3::new(way.x, 0.0, way.z);
    (flat.length() > 0.5 * way.length() && flat != DVec3::ZERO).then(|| flat.x.atan2(flat.z))
}

/// What is in front, where names tell what is left and right.
fn facing_by_names(names: &[&str], places: &[DVec3]) -> Option<DVec3> {
    let meant: Vec<_> = names.iter().map(|name| meaning(name).filter(|m| m.known)).collect();
    let mut to_left = DVec3::ZERO;
    let mut all = 0.0;
    for (left, place) in meant.iter().zip(places) {
        let Some(left) = left.as_ref().filter(|m| m.side == Some(Side::Left)) else { continue };
        let is_other = |other: &Option<super::names::Meaning>| {
            other.as_ref().is_some_and(|m| m.side == Some(Side::Right) && m.part == left.part)
        };
        let Some(right) = meant.iter().position(is_other) else { continue };
        let way = *place - places[right];
        let way = DVec3::new(way.x, 0.0, way.z);
        to_left += way;
        all += way.length();
    }
    (to_left.length() > TUNING.figure.agree * all).then(|| to_left.cross(DVec3::Y).try_normalize()).flatten()
}

/// The value that this share of some is below.
pub(super) fn share_of(values: &mut [f64], share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get((share * values.len().saturating_sub(1) as f64) as usize).copied().unwrap_or(0.0)
}

#[cfg(test)]
#[path = "../../tests/unit/motion_figure.rs"]
mod tests;

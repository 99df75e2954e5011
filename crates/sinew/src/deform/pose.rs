//! The pose that is asked for: how far every joint turns, also by more than half a turn.

use std::f64::consts::TAU;

use glam::{DAffine3, DQuat, DVec3};

use crate::geometry::rotation_vector;
use crate::rig::{JointPose, Skeleton};

/// A skeleton's pose in turns that may be longer than half a circle.
///
/// A rotation alone does not tell a turn by 190° from one by −170°, and a limb between would jump from the
/// one side to the other. Only the turn of a joint against its own parent can be in doubt: what several
/// joints turn together is added up joint by joint. Made from rotations, every turn is the shortest; in a
/// sequence, [`Pose::after`] takes the one nearest to that of the pose before.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pose {
    /// Turn of each joint against its parent, of a root against the world, from the rest pose: the axis times
    /// the angle in radians.
    pub turns: Vec<DVec3>,
    /// Place of each root; of other joints how far each has left where its parent carries it, in the axes of the parent:
    /// zero where bones keep their lengths, as they do in most motion.
    pub places: Vec<DVec3>,
}

impl Pose {
    /// The rest pose of a skeleton with joints at these places.
    pub fn rest(skeleton: &Skeleton, joints: &[DVec3]) -> Self {
        let mut places = vec![DVec3::ZERO; skeleton.len()];
        skeleton.roots().for_each(|root| places[root] = joints[root]);
        Self { turns: vec![DVec3::ZERO; skeleton.len()], places }
    }

    /// The same pose with every turn by whole circles nearer to that of the pose before it.
    pub fn after(mut self, before: &Self) -> Self {
        self.turns.iter_mut().zip(&before.turns).for_each(|(turn, old)| *turn = nearest_turn(*turn, *old));
        self
    }

    /// The pose as rotations. A skeleton by itself keeps its lengths, so that only the places of roots count there.
    pub fn joint_pose(&self) -> JointPose {
        let turns = self.turns.iter().map(|turn| DQuat::from_scaled_axis(*turn)).collect();
        JointPose { turns, places: self.places.clone() }
    }

    /// The transforms, rest pose to posed, of a skeleton with joints at these places.
    pub fn transforms(&self, skeleton: &Skeleton, joints: &[DVec3]) -> Vec<DAffine3> {
        let mut world: Vec<DQuat> = Vec::with_capacity(joints.len());
        let mut out: Vec<DAffine3> = Vec::with_capacity(joints.len());
        for (joint, parent) in skeleton.parents.iter().enumerate() {
            let (turn, place) = (DQuat::from_scaled_axis(self.turns[joint]), self.places[joint]);
            let (turn, place) = match *parent {
                None => (turn, place),
                Some(parent) => {
                    let carried = out[parent].transform_point3(joints[joint]);
                    ((world[parent] * turn).normalize(), carried + world[parent] * place)
                }
            };
            world.push(turn);
            out.push(DAffine3::from_rotation_translation(turn, place - turn * joints[joint]));
        }
        out
    }
}

impl From<&JointPose> for Pose {
    fn from(pose: &JointPose) -> Self {
        Self { turns: pose.turns.iter().map(|t| rotation_vector(*t)).collect(), places: pose.places.clone() }
    }
}

/// The turn with the same outcome as `turn` that is nearest to `to`. At whole circles the axis is `to`'s.
pub(super) fn nearest_turn(turn: DVec3, to: DVec3) -> DVec3 {
    let angle = turn.length();
    let (axis, angle) = if angle > 1e-9 { (turn / angle, angle) } else { (to.normalize_or_zero(), 0.0) };
    let circles = ((to.dot(axis) - angle) / TAU).round();
    if circles == 0.0 { turn } else { axis * (angle + circles * TAU) }
}

#[cfg(test)]
#[path = "../../tests/unit/deform_pose.rs"]
mod tests;

//! What files of joint trees hold: where each joint stands against its parent, and how it turns.

use glam::{DAffine3, DQuat, DVec3};
use sinew::rig::{JointPose, Rig, Skeleton};

use super::turns::is_rotation;

/// How far a joint's matrices may be from rotations, entry by entry.
const RIGID: f64 = 1e-4;

/// A rig's skeleton at rest.
pub(crate) struct JointTree<'a> {
    pub skeleton: &'a Skeleton,
    /// The tree as files have it: with joints on those that they slide on.
    pub hung: Skeleton,
    /// Place of each joint in the rest pose.
    pub places: Vec<DVec3>,
    /// From the parent's place to the joint's, the same in every frame; of a joint that slides, in the rest pose; of a
    /// root, its place.
    pub offsets: Vec<DVec3>,
    /// How far a joint strays from its offset in any frame: 0 but for rounding, or else the rig breaks the
    /// promise of constant lengths.
    pub strays: f64,
}

impl<'a> JointTree<'a> {
    /// The tree of a rig that has one, or a sentence when its joints do more than turn and shift.
    pub fn new(rig: &'a Rig) -> Result<Option<Self>, String> {
        let Some(skeleton) = &rig.skeleton else { return Ok(None) };
        let bones = rig.bones.len();
        if let Some(i) = rig.transforms.iter().position(|t| !is_rotation(t.matrix3, RIGID)) {
            let name = &rig.bones[i % bones].name;
            return Err(format!("joint {name} stretches in frame {}, and joints only turn", i / bones));
        }
        let places = rig.joint_places();
        let (mut offsets, mut strays) = (places.clone(), 0.0_f64);
        for joint in 0..bones {
            let Some(parent) = skeleton.parents[joint] else {
                offsets[joint] -= skeleton.above(joint).map_or(DVec3::ZERO, |above| places[above]);
                continue;
            };
            let held = Held::new(&rig.transforms, bones, joint, parent, places[joint]);
            offsets[joint] = held.place - places[parent];
            strays = strays.max(held.strays);
        }
        Ok(Some(Self { skeleton, hung: skeleton.as_hung(), places, offsets, strays }))
    }

    /// Turns against the parents and places of the roots, given the transforms of a frame.
    pub fn pose(&self, transforms: &[DAffine3]) -> JointPose {
        let mut pose = self.skeleton.joint_pose(&self.places, transforms);
        pose.turns.iter_mut().for_each(|turn| *turn = turn.normalize());
        pose
    }

    /// The same against what joints hang on in files, in the axes of the world at rest: where those that slide are, and
    /// how they are turned.
    pub fn hung_pose(&self, transforms: &[DAffine3]) -> JointPose {
        let mut pose = self.pose(transforms);
        if self.skeleton.slides_on.is_empty() {
            return pose;
        }
        let mut worlds: Vec<(DQuat, DVec3)> = Vec::with_capacity(pose.turns.len());
        for joint in 0..pose.turns.len() {
            let (turn, place) = (pose.turns[joint], pose.places[joint]);
            worlds.push(match self.skeleton.parents[joint] {
                None => (turn, place),
                Some(parent) => {
                    let (above, at) = worlds[parent];
                    ((above * turn).normalize(), at + above * self.offsets[joint])
                }
            });
            if let Some((above, at)) = self.slides(joint).map(|on| worlds[on]) {
                pose.turns[joint] = (above.inverse() * turn).normalize();
                pose.places[joint] = above.inverse() * (place - at);
            }
        }
        pose
    }

    /// The joint that a joint slides on.
    pub fn slides(&self, joint: usize) -> Option<usize> {
        self.hung.parents[joint].filter(|_| self.skeleton.parents[joint].is_none())
    }
}

/// Where a parent holds a joint.
pub(crate) struct Held {
    /// The place in the parent's rest space, on average over all frames. That of the joint where the rest
    /// pose is one of the skeleton's; files of other software may be bound in another.
    pub place: DVec3,
    /// How far the joint is from it in any frame.
    pub strays: f64,
}

impl Held {
    /// Looks at all frames of `transforms`, one per bone and frame. Transforms must be rigid.
    pub fn new(transforms: &[DAffine3], bones: usize, joint: usize, parent: usize, at: DVec3) -> Self {
        let frames = transforms.len() / bones.max(1);
        if frames == 0 {
            return Self { place: at, strays: 0.0 };
        }
        let seen = || {
            transforms.chunks_exact(bones).map(|frame| {
                let off = frame[joint].transform_point3(at) - frame[parent].transform_point3(at);
                at + frame[parent].matrix3.transpose() * off
            })
        };
        // Sums of what is far from the origin would lose digits.
        let shift = seen().map(|p| p - at).sum::<DVec3>() / frames as f64;
        let place = at + shift;
        Self { place, strays: seen().map(|p| p.distance(place)).fold(0.0, f64::max) }
    }
}

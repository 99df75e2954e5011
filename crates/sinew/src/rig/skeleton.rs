//! The joint tree of a rig.

use glam::{DAffine3, DQuat, DVec3};

use super::{Rig, RigError};

/// Joints in a tree: joint `i` moves what bone `i` of the rig moves and sits at that bone's
/// [`center`](super::Bone::center). A joint turns about its place, which its parent carries along, so all
/// lengths hold; only a root moves about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Skeleton {
    /// Parent of each joint, none for a root. A parent comes before its children.
    pub parents: Vec<Option<usize>>,
    /// Of roots that slide on another joint, which comes before: that joint. Files hang them there; in all else they are
    /// roots. Empty where no joint does.
    pub slides_on: Vec<Option<usize>>,
}

/// A skeleton's pose: where the roots are and how every joint turns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JointPose {
    /// Turn of each joint against its parent, of a root against the world.
    pub turns: Vec<DQuat>,
    /// Place of each root, zero for other joints.
    pub places: Vec<DVec3>,
}

impl Skeleton {
    /// A skeleton in which only roots move about.
    pub fn new(parents: Vec<Option<usize>>) -> Self {
        Self { parents, slides_on: Vec::new() }
    }

    /// A skeleton in which some roots slide on other joints, if any does.
    pub fn sliding(parents: Vec<Option<usize>>, mut slides_on: Vec<Option<usize>>) -> Self {
        if slides_on.iter().all(Option::is_none) {
            slides_on.clear();
        }
        Self { parents, slides_on }
    }

    /// What a joint hangs on: its parent, or the joint that it slides on.
    pub fn above(&self, joint: usize) -> Option<usize> {
        self.parents[joint].or_else(|| self.slides_on.get(joint).copied().flatten())
    }

    /// The tree as files have it, in which joints hang on those that they slide on.
    pub fn as_hung(&self) -> Self {
        Self::new((0..self.len()).map(|joint| self.above(joint)).collect())
    }

    /// Number of joints.
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// Whether there is no joint.
    pub fn is_empty(&self) -> bool {
        self.parents.is_empty()
    }

    /// The joints without a parent.
    pub fn roots(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.len()).filter(|&joint| self.parents[joint].is_none())
    }

    /// Each joint that has a parent, and that; parents first.
    pub(crate) fn links(&self) -> impl DoubleEndedIterator<Item = (usize, usize)> + '_ {
        (0..self.len()).filter_map(|joint| Some((joint, self.parents[joint]?)))
    }

    /// Children of every joint, in ascending order.
    pub fn children(&self) -> Vec<Vec<usize>> {
        let mut children = vec![Vec::new(); self.len()];
        self.links().for_each(|(joint, parent)| children[parent].push(joint));
        children
    }

    /// Some joints in another order; what they hang on is among them.
    ///
    /// # Panics
    /// When it is not.
    pub fn reordered(&self, order: &[usize]) -> Self {
        let number = |old: usize| order.iter().position(|joint| *joint == old).expect("among them");
        let reordered = |of: &[Option<usize>]| match of.is_empty() {
            true => Vec::new(),
            false => order.iter().map(|&joint| of[joint].map(number)).collect(),
        };
        Self { parents: reordered(&self.parents), slides_on: reordered(&self.slides_on) }
    }

    /// Checks that there is a joint for each bone and that parents come first.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn validate(&self, bones: usize) -> Result<(), RigError> {
        if self.len() != bones {
            return Err(RigError::Length { what: "joints", found: self.len(), expected: bones });
        }
        if !self.slides_on.is_empty() && self.slides_on.len() != bones {
            return Err(RigError::Length { what: "joints", found: self.slides_on.len(), expected: bones });
        }
        match (0..bones).find(|&joint| self.above(joint).is_some_and(|above| above >= joint)) {
            None => Ok(()),
            Some(joint) => Err(RigError::JointOrder { joint }),
        }
    }

    /// How the joints turn in a frame of so many `transforms`, one per bone. The transforms must be rigid.
    pub fn joint_pose(&self, centers: &[DVec3], transforms: &[DAffine3]) -> JointPose {
        let world: Vec<DQuat> = transforms.iter().map(|t| DQuat::from_mat3(&t.matrix3)).collect();
        let turn = |joint: usize| match self.parents[joint] {
            None => world[joint],
            Some(parent) => (world[parent].inverse() * world[joint]).normalize(),
        };
        let place = |joint: usize| match self.parents[joint] {
            None => transforms[joint].transform_point3(centers[joint]),
            Some(_) => DVec3::ZERO,
        };
        JointPose { turns: (0..self.len()).map(turn).collect(), places: (0..self.len()).map(place).collect() }
    }

    /// The transforms, rest pose to posed, that a pose of the joints gives the bones.
    pub fn transforms(&self, centers: &[DVec3], pose: &JointPose) -> Vec<DAffine3> {
        let mut world: Vec<DQuat> = Vec::with_capacity(self.len());
        let mut out: Vec<DAffine3> = Vec::with_capacity(self.len());
        for joint in 0..self.len() {
            let (turn, place) = match self.parents[joint] {
                None => (pose.turns[joint], pose.places[joint]),
                Some(parent) => (
                    (world[parent] * pose.turns[joint]).normalize(),
                    out[parent].transform_point3(centers[joint]),
                ),
            };
            world.push(turn);
            out.push(DAffine3::from_rotation_translation(turn, place - turn * centers[joint]));
        }
        out
    }
}

impl Rig {
    /// Where the joints of the rest pose are: the centres of its bones.
    pub fn joint_places(&self) -> Vec<DVec3> {
        self.bones.iter().map(|bone| bone.center).collect()
    }

    /// The pose of the skeleton in one frame, if the rig has one.
    pub fn joint_pose(&self, frame: usize) -> Option<JointPose> {
        let skeleton = self.skeleton.as_ref()?;
        Some(skeleton.joint_pose(&self.joint_places(), self.frame_transforms(frame)))
    }

    /// Where the joints are in one frame.
    pub fn posed_joints(&self, frame: usize) -> Vec<DVec3> {
        self.moved_centers(self.frame_transforms(frame))
    }

    /// Where the centres of all bones are that have these transforms.
    pub(crate) fn moved_centers(&self, transforms: &[DAffine3]) -> Vec<DVec3> {
        transforms.iter().zip(&self.bones).map(|(t, bone)| t.transform_point3(bone.center)).collect()
    }
}

//! The skeleton of a shot: where its joints are.

use glam::Vec3;
use sinew::rig::Rig;

use crate::PictureError;

/// A skeleton as it stands in one shot. It is drawn inside of the body, which lets it show through.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PosedSkeleton {
    /// The joints, in any order.
    pub joints: Vec<PosedJoint>,
}

/// One joint, and the bone or bones that turn about it.
#[derive(Clone, Debug, PartialEq)]
pub struct PosedJoint {
    /// What a label says.
    pub name: String,
    /// Where it is, in the coordinates of the data. A joint at no finite place is not drawn.
    pub place: Vec3,
    /// The joint whose bone ends here.
    pub parent: Option<usize>,
    /// Where a bone of its own ends, for joints without children.
    pub end: Option<Vec3>,
    /// The linear colour of the joint and of the bones that turn about it.
    pub color: Vec3,
}

impl PosedSkeleton {
    /// The skeleton of a rig in one of its frames, `None` when it has none. `colors` has one entry per
    /// bone, as [`bone_palette`](crate::bone_palette) makes them. A joint without children gets a bone to
    /// the middle of what it moves.
    ///
    /// # Panics
    /// When `frame` is out of range or the rig contradicts itself; see [`Rig::validate`].
    pub fn of_rig(rig: &Rig, frame: usize, colors: &[Vec3]) -> Option<Self> {
        let skeleton = rig.skeleton.as_ref()?;
        let (middles, children) = (rig.bone_middles(), skeleton.as_hung().children());
        let (places, transforms) = (rig.posed_joints(frame), rig.frame_transforms(frame));
        let joint = |i: usize| PosedJoint {
            name: rig.bones[i].name.clone(),
            place: places[i].as_vec3(),
            parent: skeleton.above(i),
            end: middles[i]
                .filter(|_| children[i].is_empty())
                .map(|middle| transforms[i].transform_point3(middle).as_vec3()),
            color: colors.get(i).copied().unwrap_or(crate::NO_BONE),
        };
        Some(Self { joints: (0..skeleton.len()).map(joint).collect() })
    }

    pub(crate) fn check(&self, shot: usize) -> Result<(), PictureError> {
        let missing = |j: &PosedJoint| j.parent.is_some_and(|p| p >= self.joints.len());
        match self.joints.iter().position(missing) {
            Some(joint) => Err(PictureError::NoSuchJoint { shot, joint }),
            None => Ok(()),
        }
    }

    /// All places that belong into the picture.
    pub(crate) fn points(&self) -> impl Iterator<Item = Vec3> + '_ {
        self.joints.iter().map(|j| j.place).filter(|p| p.is_finite())
    }
}

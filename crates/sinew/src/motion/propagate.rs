//! How a change of the bones in one frame is carried to others.
//!
//! Equation 9 of "PPS: Pose-to-Pose Skinning of Animated Meshes" (Vasilakis, Fudos and Antonopoulos 2016)
//! puts the edited step between the steps before and after it: later poses come of the edited one by the
//! same transforms Q as before. Those transforms are of the world. If the edit takes a bone elsewhere they
//! turn it about a place where its joint no longer is, and bones come apart. So Q is taken as seen by what a
//! bone hangs on: a bone's change, over that of its parent, is carried along by the bone, and what has no
//! parent changes over the motion of the whole body, which stays as it is in the world. A rigid motion of a
//! pose then moves all later poses by the same, and without a tree or a motion of the body this is the
//! equation as it stands. Bones that nobody sculpted go with the body, whatever they hang on.

use glam::{DAffine3, DMat3, DQuat, DVec3};

use super::half_rotations::rotation;
use super::hierarchy::Hierarchy;
use super::sculpt_fit::Sculpted;
use crate::rig::Rig;

/// Changes of bones, as each sees its own.
pub(super) struct Propagated {
    /// The whole body's, about `middle`.
    body: DAffine3,
    middle: DVec3,
    /// Whether a bone does something other than the body.
    sculpted: Vec<bool>,
    /// Of each bone over that of its parent, or over the body's. Seen from its joint.
    own: Vec<DAffine3>,
    /// The rigid part of the same.
    rigid: Vec<DAffine3>,
}

impl Propagated {
    /// Of motions that lead from a frame of `rig` to a sculpted pose.
    pub fn new(rig: &Rig, tree: &Hierarchy, frame: usize, sculpted: &Sculpted, middle: DVec3) -> Self {
        let frames = frames(rig, frame);
        let rigid_parts: Vec<DAffine3> = sculpted
            .bones
            .iter()
            .zip(&frames)
            .map(|(motion, at)| rigid_part(motion, at.translation))
            .collect();
        let seen = |bone: usize, motion: &DAffine3| {
            let over = tree.parents[bone].map_or(sculpted.body, |parent| rigid_parts[parent]);
            frames[bone].inverse() * over.inverse() * *motion * frames[bone]
        };
        let all = |motions: &[DAffine3]| (0..tree.len()).map(|b| seen(b, &motions[b])).collect();
        Self {
            body: sculpted.body,
            middle,
            sculpted: sculpted.bones.iter().map(|motion| *motion != sculpted.body).collect(),
            own: all(&sculpted.bones),
            rigid: all(&rigid_parts),
        }
    }

    /// Moves the bones of another frame by a share of the change.
    pub fn apply(&self, rig: &mut Rig, tree: &Hierarchy, frame: usize, share: f64) {
        let frames = frames(rig, frame);
        let body = part_about(&self.body, self.middle, share);
        let mut rigid = vec![DAffine3::IDENTITY; tree.len()];
        let transforms = &mut rig.transforms[frame * tree.len()..(frame + 1) * tree.len()];
        for (bone, parent) in tree.downwards() {
            if !self.sculpted[bone] {
                rigid[bone] = body;
                transforms[bone] =
                    if body == DAffine3::IDENTITY { transforms[bone] } else { body * transforms[bone] };
                continue;
            }
            let over = parent.map_or(body, |parent| rigid[parent]);
            let back = frames[bone].inverse();
            rigid[bone] = over * frames[bone] * part(&self.rigid[bone], share) * back;
            let change = over * frames[bone] * part(&self.own[bone], share) * back;
            transforms[bone] = change * transforms[bone];
        }
    }
}

/// Where the joints are in a frame, and how their bones are turned.
fn frames(rig: &Rig, frame: usize) -> Vec<DAffine3> {
    let place = |(t, bone): (&DAffine3, &crate::rig::Bone)| DAffine3 {
        matrix3: rotation(&t.matrix3),
        translation: t.transform_point3(bone.center),
    };
    rig.frame_transforms(frame).iter().zip(&rig.bones).map(place).collect()
}

/// The rigid motion that is most like `motion` and takes a place to where that does.
fn rigid_part(motion: &DAffine3, place: DVec3) -> DAffine3 {
    let matrix3 = rotation(&motion.matrix3);
    DAffine3 { matrix3, translation: motion.transform_point3(place) - matrix3 * place }
}

/// A share of a motion that turns about `middle`.
pub(super) fn part_about(motion: &DAffine3, middle: DVec3, share: f64) -> DAffine3 {
    let shift = DAffine3::from_translation(middle);
    shift * part(&(shift.inverse() * *motion * shift), share) * shift.inverse()
}

/// A share of a motion, about the origin.
fn part(motion: &DAffine3, share: f64) -> DAffine3 {
    if share >= 1.0 {
        return *motion;
    }
    let turn = rotation(&motion.matrix3);
    let stretch = turn.transpose() * motion.matrix3;
    let some = DMat3::from_quat(DQuat::IDENTITY.slerp(DQuat::from_mat3(&turn), share));
    let matrix3 = some * (DMat3::IDENTITY * (1.0 - share) + stretch * share);
    DAffine3 { matrix3, translation: motion.translation * share }
}

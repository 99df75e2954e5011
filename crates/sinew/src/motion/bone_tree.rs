//! A rig as a tree of limbs: what hangs on what, and where.
//!
//! A rig without a skeleton has no joints, but its own motion shows where bones stay together (`shared_points`).
//! With those such a rig can be compared with the joints of a source as a skeleton can.

use glam::{DAffine3, DVec3};

use super::contacts::contacts;
use super::hierarchy::Hierarchy;
use super::poses::{RigPose, transforms};
use super::rig_motion::{RigMotion, areas};
use super::shared_points::{Joint, hanging_on_middle, joints};
use super::tuning::TUNING;
use crate::progress::{Cancelled, Progress};
use crate::rig::Rig;

/// What hangs on what, in the rest pose.
pub(super) struct BoneTree {
    /// The bone that each bone hangs on.
    pub parents: Vec<Option<usize>>,
    /// All bones, each after the one it hangs on.
    pub order: Vec<usize>,
    /// How much of the surface each bone moves most; all together are one.
    pub shares: Vec<f64>,
    /// Whether motion tells where a bone hangs on the one above.
    pub sure: Vec<bool>,
    /// Where each bone hangs on the one above; its middle where it hangs on none.
    pivots: Vec<DVec3>,
    /// The middle of what each bone moves most.
    middles: Vec<DVec3>,
}

/// BoneTree in a pose.
pub(super) struct Posed {
    pub pivots: Vec<DVec3>,
    pub middles: Vec<DVec3>,
}

impl BoneTree {
    pub fn new(rig: &Rig, progress: &dyn Progress) -> Result<Self, Cancelled> {
        let main = rig.weights.main_bones(rig.rest.len());
        let (middles, shares) = middles(rig, &main);
        let own = RigMotion::new(rig);
        let contacts = contacts(rig, &rig.edges(), &main, &progress.part(0.0, 0.6))?;
        let all = joints(&own, &contacts, &progress.part(0.6, 1.0))?;
        let parents = match &rig.skeleton {
            Some(skeleton) => skeleton.parents.clone(),
            None => hanging_on_middle(&own, &all).0,
        };
        let mut pivots = middles.clone();
        let mut sure = vec![rig.skeleton.is_some(); parents.len()];
        for (bone, parent) in parents.iter().enumerate() {
            if rig.skeleton.is_some() {
                pivots[bone] = rig.bones[bone].center;
            }
            let Some(parent) = *parent else { continue };
            let ends = [bone.min(parent), bone.max(parent)];
            let joint = all.iter().find(|joint| joint.bones == ends);
            if let Some(joint) = joint.filter(|_| rig.skeleton.is_none()) {
                pivots[bone] = joint.at + own.middle;
            }
            sure[bone] |= joint.is_some_and(|joint| is_told(&own, joint));
        }
        let Hierarchy { parents, order } = Hierarchy::new(parents);
        Ok(Self { parents, order, shares, sure, pivots, middles })
    }

    /// How far bones are from the middle of all in a pose, squared and on average by surface.
    pub fn spread(&self, posed: &Posed) -> f64 {
        let parts = || posed.middles.iter().zip(&self.shares);
        let middle: DVec3 = parts().map(|(at, share)| *at * *share).sum();
        parts().map(|(at, share)| at.distance_squared(middle) * share).sum()
    }

    /// The middle of some bones in a pose, and how much of the surface they move.
    pub fn middle_of(&self, posed: &Posed, is_one: impl Fn(usize) -> bool) -> Option<(DVec3, f64)> {
        let some = || (0..self.shares.len()).filter(|&bone| is_one(bone));
        let share: f64 = some().map(|bone| self.shares[bone]).sum();
        let sum: DVec3 = some().map(|bone| posed.middles[bone] * self.shares[bone]).sum();
        (share > 0.0).then(|| (sum / share, share))
    }

    /// The limbs in a pose of their rig.
    pub fn posed(&self, rig: &Rig, pose: RigPose) -> Posed {
        let moved = transforms(rig, pose);
        let pivot = |(bone, at): (usize, &DVec3)| {
            let above = self.parents[bone].filter(|_| rig.skeleton.is_none()).unwrap_or(bone);
            0.5 * (moved[bone].transform_point3(*at) + moved[above].transform_point3(*at))
        };
        let middle = |(t, at): (&DAffine3, &DVec3)| t.transform_point3(*at);
        Posed {
            pivots: self.pivots.iter().enumerate().map(pivot).collect(),
            middles: moved.iter().zip(&self.middles).map(middle).collect(),
        }
    }
}

/// Whether two bones turn about a point that stays.
fn is_told(own: &RigMotion, joint: &Joint) -> bool {
    let [a, b] = joint.bones;
    let turned = |pose: usize| {
        let apart = own.turns_of(pose)[a] - own.turns_of(pose)[b];
        apart.to_cols_array().iter().map(|x| x * x).sum::<f64>()
    };
    let mean = (0..own.len()).map(turned).sum::<f64>() / own.len() as f64;
    let slips = TUNING.matching.pivot_slips;
    mean > TUNING.matching.pivot_turned && joint.slip < slips * slips
}

/// Middles of what bones move most, and their shares of the surface. A bone that moves nothing most is where
/// its centre is.
fn middles(rig: &Rig, main: &[usize]) -> (Vec<DVec3>, Vec<f64>) {
    let mut sums = vec![(DVec3::ZERO, 0.0); rig.bones.len()];
    for ((at, &bone), area) in rig.rest.iter().zip(main).zip(areas(rig)) {
        sums[bone].0 += at.as_dvec3() * area;
        sums[bone].1 += area;
    }
    let all: f64 = sums.iter().map(|sum| sum.1).sum();
    let middle = |((sum, area), bone): (&(DVec3, f64), &crate::rig::Bone)| match *area > 0.0 {
        true => *sum / *area,
        false => bone.center,
    };
    let shares = sums.iter().map(|sum| if all > 0.0 { sum.1 / all } else { 1.0 / sums.len() as f64 });
    (sums.iter().zip(&rig.bones).map(middle).collect(), shares.collect())
}

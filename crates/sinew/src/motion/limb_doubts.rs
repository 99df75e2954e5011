//! Which matches of limbs are less sure than their places make them look.
//!
//! An arm of four bones fits on one of three joints in two ways that lie about as near: a map may be shifted by a joint
//! and every bone still be near its own. It shows where bones share a joint of a limb that has another which no bone
//! follows, and where all of a limb goes with one joint though a whole limb of the source is free.

use super::Motion;
use super::body_joints::body_joints;
use crate::rig::Skeleton;

/// Joints of a limb that is more than a flap.
const LIMB: usize = 3;

/// Bones of limbs that share a joint though another of the same limb, or a limb, is free, given what bones hang on and follow.
pub(super) fn doubtful(parents: &[Option<usize>], followed: &[Option<usize>], motion: &Motion) -> Vec<usize> {
    let mut body = vec![false; motion.joints.len()];
    body_joints(motion).into_iter().for_each(|joint| body[joint] = true);
    let theirs: Vec<Option<usize>> = motion.joints.iter().map(|joint| joint.parent).collect();
    let limbs = limbs(&theirs, &|joint| body[joint]);
    let mut out = Vec::new();
    let is_free =
        |limb: &Vec<usize>| limb.len() >= LIMB && !limb.iter().any(|&joint| followed.contains(&Some(joint)));
    let any_free = limbs.iter().any(is_free);
    for limb in self::limbs(parents, &|_| true) {
        let as_one = limb.iter().all(|&bone| followed[bone] == followed[limb[0]]);
        if any_free && as_one && limb.len() >= LIMB {
            out.extend(&limb);
        }
        for of_source in &limbs {
            let follows = |joint: usize| limb.iter().filter(move |&&bone| followed[bone] == Some(joint));
            let counts: Vec<usize> = of_source.iter().map(|&joint| follows(joint).count()).collect();
            let any = counts.iter().any(|&count| count > 0);
            if any && counts.contains(&0) && counts.iter().any(|&count| count > 1) {
                out.extend(of_source.iter().flat_map(|&joint| follows(joint)));
            }
        }
    }
    out.sort_unstable();
    out.dedup();
    out
}

/// Runs of joints that branch nowhere, each to its end.
fn limbs(parents: &[Option<usize>], is_one: &dyn Fn(usize) -> bool) -> Vec<Vec<usize>> {
    let children = Skeleton::new(parents.to_vec()).children();
    let count = |joint: usize| children[joint].iter().filter(|&&child| is_one(child)).count();
    let limb = |end: usize| {
        let above = |joint: &usize| parents[*joint].filter(|&parent| count(parent) == 1);
        std::iter::successors(Some(end), above).collect()
    };
    (0..parents.len()).filter(|&joint| is_one(joint) && count(joint) == 0).map(limb).collect()
}

#[cfg(test)]
#[path = "../../tests/unit/motion_limb_doubts.rs"]
mod tests;

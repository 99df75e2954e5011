//! Both sides of a body get the same joints.

use crate::common::bodies::{Body, biped};
use crate::common::skeletons::{find, nearest};

const FRAMES: usize = 24;
/// A joint is found when one is this near to it, in shares of the longest side.
const NEAR: f64 = 0.04;
/// The right foot of the biped, and its left.
const FEET: [usize; 2] = [7, 12];

#[test]
fn a_foot_that_turns_less_than_the_other_has_its_joint_all_the_same() {
    let mut limbs = biped(1.0, 1.0, 1.0).limbs;
    for swing in &mut limbs[FEET[0]].swings {
        swing.1 *= 0.6;
    }
    let body = Body::new(limbs, 0.04);
    let animation = body.animation(FRAMES);
    let found = find(&animation);
    let side = animation.rest_bounds().longest_side();
    for foot in FEET {
        let off = nearest(&found.rig, body.joints()[foot]).1 / side;
        assert!(off < NEAR, "joint {foot}: {} % off", 100.0 * off);
    }
}

#[test]
fn a_thigh_that_bends_on_one_side_alone_has_one_joint_as_the_other() {
    let body = biped(1.0, 1.0, 1.0);
    let found = find(&body.animation(FRAMES));
    let parents = &found.rig.skeleton.as_ref().expect("a skeleton").parents;
    // From foot to hips the same number of joints.
    let depth = |foot: usize| {
        let joint = nearest(&found.rig, body.joints()[foot]).0;
        std::iter::successors(Some(joint), |&k| parents[k]).count()
    };
    assert_eq!(depth(FEET[0]), depth(FEET[1]));
}

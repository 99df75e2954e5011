use super::*;
use crate::motion::SourceJoint;
use glam::{DAffine3, DVec3};

/// A root with two limbs of three joints.
const PARENTS: [Option<usize>; 7] = [None, Some(0), Some(1), Some(2), Some(0), Some(4), Some(5)];

fn motion() -> Motion {
    let place = |joint: usize| match joint {
        0 => DVec3::ZERO,
        1..4 => DVec3::new(joint as f64, 0.0, 0.0),
        _ => DVec3::new(0.0, 3.0 - joint as f64, 0.0),
    };
    let bind: Vec<DAffine3> = (0..7).map(|joint| DAffine3::from_translation(place(joint))).collect();
    let tip = |joint: usize| [3, 6].contains(&joint).then(|| place(joint) / 3.0);
    let joint =
        |joint: usize| SourceJoint { name: format!("node{joint}"), parent: PARENTS[joint], tip: tip(joint) };
    Motion {
        joints: (0..7).map(joint).collect(),
        worlds: bind.clone(),
        bind,
        fps: 30.0,
        clips: Vec::new(),
        metres_per_unit: None,
    }
}

#[test]
fn a_limb_that_goes_with_one_joint_while_another_is_free_is_doubtful() {
    let followed = |limb: [usize; 3]| -> Vec<Option<usize>> {
        [&[0, 1, 2, 3][..], &limb].concat().into_iter().map(Some).collect()
    };
    let doubtful = |limb| doubtful(&PARENTS, &followed(limb), &motion());
    assert!(doubtful([4, 5, 6]).is_empty());
    assert_eq!(doubtful([0, 0, 0]), [4, 5, 6]);
    assert_eq!(doubtful([4, 4, 5]), [4, 5, 6], "shifted by a joint");
}

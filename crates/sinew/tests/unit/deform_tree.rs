use super::*;
use crate::deform::bend::Bend;
use crate::deform::blends::Blends;
use crate::geometry::angle_between;
use crate::rig::JointPose;
use proptest::prelude::*;

/// A chain of three with a second child of the first, and a root of its own.
fn skeleton() -> Skeleton {
    Skeleton::new(vec![None, Some(0), Some(1), Some(0), None])
}

fn blended(pose: &Pose, influences: &[(u32, f32)]) -> (DQuat, Turned) {
    let mut turned = Turned::default();
    let tree = Tree::new(&skeleton(), &[DVec3::ZERO; 5]);
    let blends =
        Blends::new(&tree, [influences].into_iter(), 0.0, |_| MiddleLine::default(), |_, _| Bend::default());
    turned.set(&tree, &blends.pairs, &blends.lines, pose);
    (blends.of(0, &turned).0, turned)
}

fn pose(turns: &[[f64; 3]]) -> Pose {
    Pose { turns: turns.iter().map(|t| DVec3::from(*t)).collect(), places: vec![DVec3::ZERO; turns.len()] }
}

fn turns(most: f64) -> impl Strategy<Value = Vec<[f64; 3]>> {
    prop::collection::vec(prop::array::uniform3(-most..most), 5)
}

proptest! {
    // Turns add up along the tree, and slerp goes the short way: half a circle must not be reached.
    #[test]
    fn one_joint_is_followed_and_two_are_slerp(
        turns in turns(0.4), a in 0..5_u32, b in 0..5_u32, share in 0.0..1.0_f32,
    ) {
        prop_assume!(a != b);
        let pose = pose(&turns);
        let (one, turned) = blended(&pose, &[(a, 1.0)]);
        prop_assert!(angle_between(one, turned.world[a as usize]) < 1e-7);
        let (two, _) = blended(&pose, &[(a, 1.0 - share), (b, share)]);
        let slerp = turned.world[a as usize].slerp(turned.world[b as usize], f64::from(share));
        prop_assert!(angle_between(two, slerp) < 1e-5, "{} of {:?}", angle_between(two, slerp), pose);
    }

    #[test]
    fn the_blend_turns_with_the_skeleton(
        turns in turns(1.5), whole in prop::array::uniform4(-1.0..1.0_f64),
        shares in prop::array::uniform5(0.01..1.0_f32),
    ) {
        prop_assume!(whole.iter().map(|x| x * x).sum::<f64>() > 0.01);
        let whole = DQuat::from_array(whole).normalize();
        let sum: f32 = shares.iter().sum();
        let influences: Vec<(u32, f32)> = (0..).zip(shares.map(|s| s / sum)).collect();
        let first = pose(&turns);
        let mut turned = JointPose { turns: first.joint_pose().turns, places: first.places.clone() };
        for root in [0, 4] {
            turned.turns[root] = whole * turned.turns[root];
        }
        let (before, was) = blended(&first, &influences);
        let (after, is) = blended(&Pose::from(&turned), &influences);
        prop_assert!(angle_between(after, before) < 1e-6);
        prop_assert!(angle_between(is.whole.0, whole * was.whole.0) < 1e-6);
    }
}

#[test]
fn a_curled_finger_does_not_flip() {
    // Two joints by 120° each: the far end is 240° from the near one.
    let turn = [0.0, 0.0, 120_f64.to_radians()];
    let none = [0.0; 3];
    let pose = pose(&[none, turn, turn, none, none]);
    for influences in [[(0, 0.5), (2, 0.5)].as_slice(), &[(0, 0.25), (1, 0.5), (2, 0.25)]] {
        let (got, _) = blended(&pose, influences);
        let wanted = DQuat::from_rotation_z(120_f64.to_radians());
        assert!(angle_between(got, wanted) < 1e-6, "{influences:?}: {got}");
    }
}

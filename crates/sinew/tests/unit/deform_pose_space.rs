use super::*;
use crate::progress::Silent;
use crate::rig::Skeleton;
use proptest::prelude::*;

/// A root with two arms of two joints each.
fn tree() -> Tree {
    let skeleton = Skeleton::new(vec![None, Some(0), Some(1), Some(0), Some(3)]);
    Tree::new(&skeleton, &[DVec3::ZERO; 5])
}

fn weights(examples: &[DVec3], influences: &[(u32, f32)], turns: &[DVec3]) -> Vec<f32> {
    let lists = Lists::from_lists([influences.to_vec()].into_iter());
    let space = PoseSpace::new(&tree(), &lists, examples, &Silent).unwrap();
    let mut compared = Compared::default();
    compared.set(turns, examples);
    let mut out = vec![0.0; examples.len() / 5];
    space.weights(0, &mut compared, &mut out);
    out
}

fn turned(joint: usize, degrees: f64) -> Vec<DVec3> {
    (0..5).map(|j| if j == joint { DVec3::Z * degrees.to_radians() } else { DVec3::ZERO }).collect()
}

proptest! {
    #[test]
    fn every_example_is_met_in_its_own_pose(
        turns in prop::collection::vec(prop::array::uniform3(-1.5..1.5_f64), 20),
        joint in 0..5_u32, share in 0.0..1.0_f32,
    ) {
        let mut examples: Vec<DVec3> = turns.into_iter().map(DVec3::from).collect();
        (0..4).for_each(|e| examples[5 * e] = DVec3::ZERO);
        let influences = [(joint, share), ((joint + 1) % 5, 1.0 - share)];
        for (number, pose) in examples.chunks(5).enumerate() {
            let got = weights(&examples, &influences, pose);
            for (j, a) in got.iter().enumerate() {
                prop_assert!((a - f32::from(u8::from(j == number))).abs() < 1e-4, "{:?}", got);
            }
        }
        let rest = weights(&examples, &influences, &[DVec3::ZERO; 5]);
        prop_assert!(rest.iter().all(|a| a.abs() < 1e-4), "{:?}", rest);
    }
}

#[test]
fn weights_grow_on_and_stay_local() {
    let example = turned(2, 60.0);
    for influences in [[(2, 1.0)], [(1, 1.0)]] {
        for (degrees, wanted) in [(30.0, 0.5), (120.0, 2.0), (-60.0, -1.0)] {
            let got = weights(&example, &influences, &turned(2, degrees))[0];
            assert!((got - wanted).abs() < 0.01, "{got} at {degrees}");
        }
    }
    // Both elbows in one example, one of them in the pose.
    let mut both = turned(2, 60.0);
    both[4] = both[2];
    assert!((weights(&both, &[(2, 1.0)], &turned(2, 60.0))[0] - 1.0).abs() < 0.01);
    assert!(weights(&both, &[(4, 1.0)], &turned(2, 60.0))[0].abs() < 0.01);
}

#[test]
fn examples_in_one_line_are_interpolated_between() {
    let examples = [turned(2, 60.0), turned(2, 90.0)].concat();
    let got = weights(&examples, &[(2, 1.0)], &turned(2, 75.0));
    assert!((0.2..1.0).contains(&got[0]) && (0.2..1.0).contains(&got[1]), "{got:?}");
    // A joint that no example turns changes nothing much.
    let mut pose = turned(2, 60.0);
    pose[4] = DVec3::X;
    let got = weights(&examples, &[(2, 1.0)], &pose);
    assert!((got[0] - 1.0).abs() < 0.05 && got[1].abs() < 0.05, "{got:?}");
}

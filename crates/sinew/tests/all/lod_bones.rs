//! Levels of bones: rigs with fewer of them.

use glam::{DAffine3, DVec3};
use sinew::animation::{ErrorMeasure, compare};
use sinew::geometry::Bounds;
use sinew::lod::{BoneLevel, Detail, LodError, LodOptions, Measurer, fewer_bones, simplify};
use sinew::nodes::{Node, NodeKind, NodeMotion, Parent};
use sinew::progress::{Progress, Silent};
use sinew::rig::{Player, Rig};
use sinew_sample::CreatureOptions;

use crate::common::bodies::biped;
use crate::common::in_pool;
use crate::common::rigs::rig_of;

fn creature(rank: usize) -> Rig {
    let animation = sinew_sample::creature(&CreatureOptions { frames: 8, detail: 0.6, ..Default::default() });
    let options = sinew::skin::SkinOptions { bones: Some(16), rank, ..Default::default() };
    sinew::skin::skin(&animation, &options, &Silent).unwrap().rig
}

/// A person with a skeleton, who holds something in each of the last joints.
fn person() -> Rig {
    let mut rig = rig_of(&biped(1.0, 1.0, 1.0), 12, true);
    let socket = |bone: usize| Node {
        name: format!("socket{bone}"),
        parent: Parent::Bone(bone),
        kind: NodeKind::Empty,
        motion: NodeMotion::Still(DAffine3::from_translation(rig.bones[bone].center)),
    };
    rig.nodes = (0..rig.bones.len()).map(socket).collect();
    rig
}

fn levels(rig: &Rig, counts: &[usize]) -> Vec<BoneLevel> {
    fewer_bones(rig, counts, &Silent).unwrap()
}

fn off(rig: &Rig, level: &Rig) -> ErrorMeasure {
    compare(&Player::new(rig), &Player::new(level), Bounds::of(&rig.rest)).error
}

#[test]
fn free_bones_are_fitted_anew_to_what_the_rig_plays() {
    let rig = creature(2);
    let levels = levels(&rig, &[8, 4, 1]);
    assert_eq!(levels.iter().map(|level| level.rig.bones.len()).collect::<Vec<_>>(), [8, 4, 1]);
    for level in &levels {
        level.rig.validate().unwrap();
        assert_eq!((&level.rig.rest, &level.rig.mesh), (&rig.rest, &rig.mesh));
        assert_eq!((level.rig.frame_count(), level.rig.fps), (rig.frame_count(), rig.fps));
        assert!(level.rig.weights.most_influences() <= rig.weights.most_influences());
        assert!(level.rig.corrections.is_none());
        let again = off(&rig, &level.rig);
        assert!((level.error.percent - again.percent).abs() < 1e-6 * again.percent, "{again:?}");
    }
    let percent: Vec<f64> = levels.iter().map(|level| level.error.percent).collect();
    assert!(percent[0] < percent[1] && percent[1] < percent[2] && percent[0] < 12.0, "{percent:?}");
}

#[test]
fn rigid_bones_stay_rigid() {
    let animation = sinew_sample::creature(&CreatureOptions { frames: 6, detail: 0.6, ..Default::default() });
    let kind = sinew::skin::BoneKind::Rigid;
    let options = sinew::skin::SkinOptions { bones: Some(10), kind, ..Default::default() };
    let rig = sinew::skin::skin(&animation, &options, &Silent).unwrap().rig;
    let level = levels(&rig, &[5]).remove(0).rig;
    for transform in &level.transforms {
        let turn = transform.matrix3;
        assert!((turn.transpose() * turn).abs_diff_eq(glam::DMat3::IDENTITY, 1e-9), "{turn}");
    }
}

#[test]
fn joints_of_a_level_are_some_of_the_skeletons_and_move_as_they_did() {
    let rig = person();
    let joints = rig.bones.len();
    let counts: Vec<usize> = (1..joints).rev().collect();
    let levels = levels(&rig, &counts);
    let mut last = 0.0;
    for (level, count) in levels.iter().zip(counts) {
        let BoneLevel { rig: coarse, error } = level;
        coarse.validate().unwrap();
        assert_eq!(coarse.bones.len(), count);
        assert!(error.percent >= 0.999 * last, "{count} joints: {} after {last}", error.percent);
        last = error.percent;
        let skeleton = coarse.skeleton.as_ref().unwrap();
        let whole = |joint: usize| {
            let name = &coarse.bones[joint].name;
            rig.bones.iter().position(|bone| bone.name == *name).expect("a joint of the rig")
        };
        for joint in 0..count {
            let parent = rig.skeleton.as_ref().unwrap().parents[whole(joint)];
            assert_eq!(skeleton.parents[joint].map(whole), parent, "joints hang where they did");
            assert_eq!(coarse.bones[joint], rig.bones[whole(joint)]);
            for frame in 0..rig.frame_count() {
                let now = coarse.frame_transforms(frame)[joint];
                assert_eq!(now, rig.frame_transforms(frame)[whole(joint)]);
            }
        }
        // Weights that no joint took along are the same to the bit.
        for vertex in 0..rig.rest.len() {
            let mut was: Vec<(usize, f64)> = rig.weights.influences(vertex).collect();
            let now: Vec<(usize, f64)> =
                coarse.weights.influences(vertex).map(|(j, w)| (whole(j), w)).collect();
            let stays = |(joint, _): &(usize, f64)| (0..count).any(|k| whole(k) == *joint);
            if was.iter().all(stays) {
                was.sort_by(|a, b| b.1.total_cmp(&a.1));
                assert_eq!(now, was);
            }
            assert!((now.iter().map(|(_, w)| w).sum::<f64>() - 1.0).abs() < 1e-5);
        }
        // What was held in a hand is held by the arm.
        assert_eq!(coarse.nodes.len(), rig.nodes.len());
    }
    assert_eq!(levels.last().unwrap().rig.bones[0], rig.bones[0], "the root is what is left");
}

/// What goes first is what moves least on its own.
#[test]
fn still_joints_go_before_moving_ones() {
    let mut rig = person();
    let skeleton = rig.skeleton.clone().unwrap();
    let leaves: Vec<usize> = (0..skeleton.len()).filter(|&j| skeleton.children()[j].is_empty()).collect();
    let still = leaves[1];
    let above = skeleton.parents[still].unwrap();
    let joints = rig.bones.len();
    for frame in 0..rig.frame_count() {
        rig.transforms[frame * joints + still] = rig.transforms[frame * joints + above];
    }
    let level = levels(&rig, &[joints - 1]).remove(0);
    assert!(level.rig.bones.iter().all(|bone| bone.name != rig.bones[still].name));
    assert!(level.error.percent < 1e-4, "{}", level.error.percent);
}

#[test]
fn roots_stay() {
    let mut rig = person();
    let skeleton = rig.skeleton.as_mut().unwrap();
    let second = skeleton.parents.len() - 1;
    skeleton.parents[second] = None;
    assert_eq!(levels(&rig, &[1])[0].rig.bones.len(), 2);
}

#[test]
fn levels_may_be_asked_for_in_any_order() {
    let rig = person();
    let (rising, falling) = (levels(&rig, &[2, 5]), levels(&rig, &[5, 2]));
    assert_eq!(rising.into_iter().rev().collect::<Vec<_>>(), falling);
}

#[test]
fn the_same_for_any_number_of_threads() {
    for rig in [creature(0), person()] {
        let [one, four] = [1, 4].map(|threads| in_pool(threads, || levels(&rig, &[5, 2])));
        assert_eq!(one, four);
    }
}

#[test]
fn triangles_are_measured_on_fewer_bones() {
    let rig = creature(0);
    let BoneLevel { rig: coarse, error } = levels(&rig, &[4]).remove(0);
    let surface =
        simplify(&rig, &[Detail::Triangles(400)], &LodOptions::default(), &Silent).unwrap().remove(0);
    let measurer = Measurer::new(&rig).unwrap();
    let triangles = measurer.measure(&surface, &Silent).unwrap();
    let both = measurer.measure_on(&surface, &coarse, &Silent).unwrap();
    assert!(both.accu > triangles.accu && both.accu < triangles.accu + error.accu, "{both:?}, {triangles:?}");
    assert_eq!(measurer.measure_on(&surface, &rig, &Silent).unwrap(), triangles);
}

/// Bones of files in centimetres may carry the scale of their scene.
#[test]
fn bones_that_scale_are_fitted_to() {
    let mut rig = creature(0);
    rig.rest.iter_mut().for_each(|p| *p *= 100.0);
    rig.transforms.iter_mut().for_each(|t| *t *= DAffine3::from_scale(DVec3::splat(0.01)));
    let level = levels(&rig, &[8]).remove(0);
    assert!(off(&rig, &level.rig).percent < 12.0);
}

#[test]
fn what_cannot_be_is_refused() {
    let rig = person();
    let has = rig.bones.len();
    for asked in [0, has, has + 1] {
        assert_eq!(fewer_bones(&rig, &[2, asked], &Silent).unwrap_err(), LodError::Bones { asked, has });
    }
    let mut broken = person();
    broken.transforms.pop();
    assert!(matches!(fewer_bones(&broken, &[2], &Silent), Err(LodError::Rig(_))));
}

#[test]
fn it_can_be_cancelled() {
    struct Never;
    impl Progress for Never {
        fn cancelled(&self) -> bool {
            true
        }
    }
    for rig in [creature(0), person()] {
        assert_eq!(fewer_bones(&rig, &[2], &Never).unwrap_err(), LodError::Cancelled);
    }
}

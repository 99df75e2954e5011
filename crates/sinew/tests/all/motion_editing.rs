//! Bones that are turned by hand.

use crate::common::bodies::{quadruped, tube};
use crate::common::rigs::rig_of;
use glam::{DAffine3, DMat3, DQuat, DVec3};
use proptest::prelude::*;
use sinew::geometry::{Bounds, angle_between};
use sinew::motion::{BoneEditor, BoneTurn, EditError, Reach};
use sinew::progress::Silent;
use sinew::rig::Rig;

const FRAMES: usize = 12;

fn editor(rig: &Rig) -> BoneEditor {
    BoneEditor::new(rig, &Silent).expect("a rig to edit")
}

fn some_turn() -> DQuat {
    DQuat::from_axis_angle(DVec3::new(0.3, -0.5, 1.0).normalize(), 0.7)
}

fn bits(rig: &Rig, frames: std::ops::Range<usize>) -> Vec<u64> {
    let b = rig.bones.len();
    rig.transforms[frames.start * b..frames.end * b]
        .iter()
        .flat_map(|t| t.to_cols_array())
        .map(f64::to_bits)
        .collect()
}

#[test]
fn frames_outside_the_range_stay_bit_for_bit_and_undo_restores_the_rest() {
    for with_skeleton in [false, true] {
        let before = rig_of(&quadruped(), FRAMES, with_skeleton);
        let mut rig = before.clone();
        let turn = BoneTurn { through: 8, ..BoneTurn::new(6, some_turn(), 5) };
        let mut undo = editor(&rig).rotate(&mut rig, &turn).unwrap();
        assert_eq!(bits(&rig, 0..5), bits(&before, 0..5));
        assert_eq!(bits(&rig, 9..FRAMES), bits(&before, 9..FRAMES));
        for frame in 5..9 {
            assert_ne!(bits(&rig, frame..frame + 1), bits(&before, frame..frame + 1));
        }
        let edited = rig.clone();
        undo.swap(&mut rig);
        assert_eq!(bits(&rig, 0..FRAMES), bits(&before, 0..FRAMES));
        undo.swap(&mut rig);
        assert_eq!(rig, edited);
    }
}

#[test]
fn a_turn_by_nothing_changes_nothing() {
    for reach in [Reach::Alone, Reach::Hanging] {
        let before = rig_of(&quadruped(), FRAMES, false);
        let mut rig = before.clone();
        let still = DQuat::from_xyzw(0.0, 0.0, 0.0, 2.0);
        let turn = BoneTurn { through: FRAMES - 1, ease_in: 3, reach, ..BoneTurn::new(5, still, 2) };
        editor(&rig).rotate(&mut rig, &turn).unwrap();
        assert_eq!(rig, before);
    }
}

#[test]
fn a_joint_carries_what_hangs_on_it() {
    let before = rig_of(&quadruped(), FRAMES, true);
    let skeleton = before.skeleton.clone().unwrap();
    let mut rig = before.clone();
    // A thigh, which carries a shin.
    let (joint, parent) = (5, 0);
    let turn = BoneTurn { through: 9, reach: Reach::Hanging, ..BoneTurn::new(joint, some_turn(), 4) };
    editor(&rig).rotate(&mut rig, &turn).unwrap();
    let rotation =
        |frame: usize, bone: usize| DQuat::from_mat3(&before.frame_transforms(frame)[bone].matrix3);
    let own = rotation(4, joint);
    let seen = own.inverse() * some_turn() * own;
    for frame in 4..10 {
        let mut pose = before.joint_pose(frame).unwrap();
        pose.turns[joint] = rotation(frame, parent).inverse() * rotation(frame, joint) * seen;
        let expected = skeleton.transforms(&before.joint_places(), &pose);
        for (got, expected) in rig.frame_transforms(frame).iter().zip(&expected) {
            assert!(got.abs_diff_eq(*expected, 1e-9), "frame {frame}: {got:?} instead of {expected:?}");
        }
    }
    let first = rig.frame_transforms(4)[joint].matrix3;
    let expected = DMat3::from_quat(some_turn()) * before.frame_transforms(4)[joint].matrix3;
    assert!(first.abs_diff_eq(expected, 1e-12), "in the world's axes in the first frame");
}

/// Joint 5 slides on joint 0, and 6 hangs on 5: what moves joint 0 moves both as if they were one with it.
#[test]
fn what_slides_on_a_joint_is_carried_along() {
    let mut before = rig_of(&quadruped(), FRAMES, true);
    let (joint, on) = (5, 0);
    let skeleton = before.skeleton.as_mut().unwrap();
    assert_eq!(skeleton.parents[joint].take(), Some(on));
    skeleton.slides_on = vec![None; skeleton.len()];
    skeleton.slides_on[joint] = Some(on);
    let carried: Vec<usize> = (0..skeleton.len())
        .filter(|&j| std::iter::successors(Some(j), |&j| skeleton.parents[j]).any(|j| j == joint))
        .collect();
    assert!(carried.len() > 1);
    let bones = before.bones.len();
    for (frame, transforms) in before.transforms.chunks_exact_mut(bones).enumerate() {
        let by = DVec3::new(0.02, -0.01, 0.03) * frame as f64;
        carried.iter().for_each(|&j| transforms[j].translation += by);
    }
    before.validate().unwrap();
    for reach in [Reach::Hanging, Reach::Alone] {
        let mut rig = before.clone();
        let turn = BoneTurn { through: 9, reach, ..BoneTurn::new(on, some_turn(), 4) };
        editor(&rig).rotate(&mut rig, &turn).unwrap();
        for frame in 0..FRAMES {
            let (is, was) = (rig.frame_transforms(frame), before.frame_transforms(frame));
            let place = |of: &[DAffine3]| {
                of[on].inverse().transform_point3(of[joint].transform_point3(rig.bones[joint].center))
            };
            assert!(place(is).abs_diff_eq(place(was), 1e-9), "{reach:?}, frame {frame}");
            for &j in &carried {
                let seen = |of: &[DAffine3]| of[joint].inverse() * of[j];
                assert!(seen(is).abs_diff_eq(seen(was), 1e-9), "{reach:?}, frame {frame}, joint {j}");
            }
            let turned = !is[joint].matrix3.abs_diff_eq(was[joint].matrix3, 1e-3);
            assert_eq!(turned, reach == Reach::Hanging && (4..10).contains(&frame));
        }
    }
}

#[test]
fn easing_grows_and_fades_within_the_range() {
    let before = rig_of(&tube(), 20, false);
    let mut rig = before.clone();
    let turn = BoneTurn { through: 15, ease_in: 4, ease_out: 3, ..BoneTurn::new(3, some_turn(), 2) };
    editor(&rig).rotate(&mut rig, &turn).unwrap();
    let angle = |frame: usize| {
        let rotation = |rig: &Rig| DQuat::from_mat3(&rig.frame_transforms(frame)[3].matrix3);
        angle_between(rotation(&rig), rotation(&before))
    };
    let angles: Vec<f64> = (0..20).map(angle).collect();
    assert!(angles[2] > 0.0 && angles[2] < 0.2 * 0.7, "{angles:?}");
    assert!(angles[2..=6].is_sorted() && angles[12..=15].iter().rev().is_sorted(), "{angles:?}");
    assert!(angles[6..=12].iter().all(|a| (a - 0.7).abs() < 1e-6), "{angles:?}");
    assert!(angles[15] > 0.0 && angles[15] < 0.25 * 0.7, "{angles:?}");
}

#[test]
fn easing_that_is_too_long_still_reaches_the_whole_turn() {
    let before = rig_of(&tube(), 20, false);
    for ease in [5, 8, 500] {
        let mut rig = before.clone();
        let turn =
            BoneTurn { through: 12, ease_in: ease, ease_out: ease, ..BoneTurn::new(3, some_turn(), 4) };
        editor(&rig).rotate(&mut rig, &turn).unwrap();
        let rotation = |rig: &Rig| DQuat::from_mat3(&rig.frame_transforms(8)[3].matrix3);
        let angle = angle_between(rotation(&rig), rotation(&before));
        assert!((angle - 0.7).abs() < 1e-6, "eased over {ease} frames: {angle}");
    }
}

#[test]
fn bones_that_stretch_keep_their_stretch() {
    let mut rig = rig_of(&tube(), FRAMES, false);
    let stretch = DMat3::from_diagonal(DVec3::new(1.3, 0.8, 1.1));
    rig.transforms.iter_mut().for_each(|t| t.matrix3 *= stretch);
    let before = rig.clone();
    let turn = BoneTurn { reach: Reach::Hanging, ..BoneTurn::new(2, some_turn(), 5) };
    editor(&rig).rotate(&mut rig, &turn).unwrap();
    let squares = |rig: &Rig| -> Vec<DMat3> {
        rig.frame_transforms(5).iter().map(|t| t.matrix3.transpose() * t.matrix3).collect()
    };
    assert!(squares(&rig).iter().zip(squares(&before)).all(|(a, b)| a.abs_diff_eq(b, 1e-9)));
    assert!(!rig.frame_transforms(5)[2].abs_diff_eq(before.frame_transforms(5)[2], 0.1));
}

#[test]
fn the_bone_that_is_held_stays_and_turns_about_its_centre() {
    let before = rig_of(&tube(), FRAMES, false);
    let editor = editor(&before);
    for (bone, hold) in [(3, 1), (3, 4), (2, 2)] {
        let mut rig = before.clone();
        let turn = BoneTurn { hold: Some(hold), ..BoneTurn::new(bone, some_turn(), 6) };
        editor.rotate(&mut rig, &turn).unwrap();
        let center = before.bones[hold].center;
        let [was, is] = [&before, &rig].map(|rig| rig.frame_transforms(6)[hold].transform_point3(center));
        assert!(was.distance(is) < 1e-12, "bone {hold} goes from {was} to {is}");
    }
}

#[test]
fn a_frame_by_itself_is_turned_like_the_rig() {
    let before = rig_of(&quadruped(), FRAMES, false);
    let editor = editor(&before);
    let turn = BoneTurn::new(7, some_turn(), 3);
    let mut frame = before.frame_transforms(3).to_vec();
    editor.rotate_frame(&mut frame, &turn).unwrap();
    let mut rig = before.clone();
    editor.rotate(&mut rig, &turn).unwrap();
    assert!(rig.frame_transforms(3).iter().zip(&frame).all(|(a, b)| a.abs_diff_eq(*b, 1e-12)));
}

#[test]
fn what_is_not_there_cannot_be_turned() {
    let mut rig = rig_of(&tube(), FRAMES, false);
    let before = rig.clone();
    let editor = editor(&rig);
    let turn = BoneTurn::new(1, some_turn(), 3);
    let mut refused = |turn: BoneTurn| editor.rotate(&mut rig, &turn).unwrap_err();
    assert_eq!(refused(BoneTurn { bone: 5, ..turn.clone() }), EditError::NoSuchBone { bone: 5, count: 5 });
    assert_eq!(
        refused(BoneTurn { hold: Some(9), ..turn.clone() }),
        EditError::NoSuchBone { bone: 9, count: 5 }
    );
    let frames = |frame, through| EditError::NoSuchFrames { frame, through, count: FRAMES };
    assert_eq!(refused(BoneTurn { through: 2, ..turn.clone() }), frames(3, 2));
    assert_eq!(refused(BoneTurn { through: FRAMES, ..turn.clone() }), frames(3, FRAMES));
    let none = DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0);
    assert_eq!(refused(BoneTurn { rotation: none, ..turn.clone() }), EditError::Rotation);
    assert_eq!(rig, before, "a refused edit leaves the rig alone");
    let mut other = rig_of(&quadruped(), FRAMES, false);
    let expected = EditError::OtherRig { found: other.bones.len(), expected: 5 };
    assert_eq!(editor.rotate(&mut other, &turn), Err(expected));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn the_tube_holds_together_however_it_is_turned(
        bone in 0..5_usize,
        frame in 0..FRAMES,
        turn in prop::array::uniform3(-1.0..1.0_f64),
        hanging in any::<bool>(),
    ) {
        let body = tube();
        let mut rig = rig_of(&body, FRAMES, false);
        let reach = if hanging { Reach::Hanging } else { Reach::Alone };
        let rotation = DQuat::from_scaled_axis(DVec3::from_array(turn));
        let turn = BoneTurn { reach, ..BoneTurn::new(bone, rotation, frame) };
        editor(&rig).rotate(&mut rig, &turn).unwrap();
        let diagonal = Bounds::of(&rig.rest).diagonal();
        for joint in 1..5 {
            let at = body.joints()[joint];
            let [a, b] = [joint - 1, joint].map(|k| rig.frame_transforms(frame)[k].transform_point3(at));
            let open = a.distance(b) / diagonal;
            prop_assert!(open < 0.02, "joint {} opens by {}", joint, open);
        }
    }
}

//! Translations that are solved for rotations.

use crate::common::bodies::{arm, cut_arm, quadruped, tube};
use crate::common::in_pool;
use crate::common::rigs::{rig_of, turns};
use glam::{DAffine3, DMat3, DQuat, DVec3, Vec3};
use proptest::prelude::*;
use sinew::animation::compare;
use sinew::geometry::{Bounds, Mesh};
use sinew::motion::{TranslationError, TranslationSolver, Translations};
use sinew::progress::Silent;
use sinew::rig::{Bone, Player, Rig, RigError, SkinWeights};
use sinew::skin::{BoneKind, SkinOptions, skin};
use sinew::solve::polar;
use sinew_sample::{CreatureOptions, creature};

const WAYS: [Translations; 4] =
    [Translations::Edges, Translations::Joints, Translations::Learned, Translations::Skeleton];

fn solver(rig: &Rig, way: Translations) -> TranslationSolver {
    TranslationSolver::new(rig, way, &Silent).expect("a rig to solve for")
}

fn solved(solver: &TranslationSolver, turns: &[DMat3], fixed: (usize, DVec3)) -> Vec<DVec3> {
    let mut out = vec![DVec3::ZERO; turns.len()];
    solver.solve(turns, fixed, &mut out);
    out
}

/// How far a rig is from itself, in percent, if its rotations and the motion of one bone are all that is
/// known.
fn own_motion(rig: &Rig, solver: &TranslationSolver, fixed: usize) -> f64 {
    let mut again = rig.clone();
    for frame in 0..rig.frame_count() {
        let given = rig.frame_transforms(frame)[fixed].translation;
        let translations = solved(solver, &turns(rig, frame), (fixed, given));
        let slots = &mut again.transforms[frame * rig.bones.len()..];
        slots.iter_mut().zip(translations).for_each(|(t, translation)| t.translation = translation);
    }
    compare(&Player::new(rig), &Player::new(&again), Bounds::of(&rig.rest)).error.percent
}

#[test]
fn articulated_motion_comes_back_whichever_bone_is_given() {
    for body in [tube(), quadruped()] {
        let (soup, jointed) = (rig_of(&body, 24, false), rig_of(&body, 24, true));
        for fixed in [0, soup.bones.len() - 1] {
            let joints = own_motion(&soup, &solver(&soup, Translations::Joints), fixed);
            assert!(joints < 1.0, "joints learned: {joints} percent");
            let usual = TranslationSolver::new(&soup, Translations::Auto, &Silent).unwrap();
            let learned = own_motion(&soup, &usual, fixed);
            assert!(learned < 0.1, "learned: {learned} percent");
            let usual = TranslationSolver::new(&jointed, Translations::Auto, &Silent).unwrap();
            let exact = own_motion(&jointed, &usual, fixed);
            assert!(exact < 1e-3, "by the skeleton: {exact} percent");
        }
    }
}

#[test]
fn the_creature_s_own_motion_comes_back() {
    let animation = creature(&CreatureOptions { frames: 16, detail: 0.6, ..CreatureOptions::default() });
    for kind in [BoneKind::Rigid, BoneKind::Flexible] {
        let options = SkinOptions { bones: Some(14), kind, ..SkinOptions::default() };
        let rig = skin(&animation, &options, &Silent).expect("a rig").rig;
        let usual = TranslationSolver::new(&rig, Translations::Auto, &Silent).unwrap();
        let percent = own_motion(&rig, &usual, usual.held());
        assert!(percent <= 0.5, "{kind:?} bones: {percent} percent");
        let edges = own_motion(&rig, &solver(&rig, Translations::Edges), usual.held());
        assert!(percent < edges, "{percent} percent, but {edges} from edges alone");
    }
}

#[test]
fn the_rest_pose_stays_the_rest_pose() {
    let rig = rig_of(&quadruped(), 12, true);
    let along = DVec3::new(3.0, -1.0, 0.5);
    for way in WAYS {
        for t in solved(&solver(&rig, way), &vec![DMat3::IDENTITY; rig.bones.len()], (2, along)) {
            assert!(t.distance(along) < 1e-3, "{way:?}: {t}");
        }
    }
}

/// Two bones of two vertices each, one edge between them, and a frame in which they do not move.
fn two_sticks() -> Rig {
    let rest = vec![Vec3::ZERO, Vec3::X, Vec3::X * 2.0, Vec3::new(3.0, 1.0, 0.0)];
    let bone = |name: &str| Bone { name: name.into(), center: DVec3::ZERO, rigid: true, axes: None };
    Rig {
        mesh: Mesh::from_triangles(4, &[[0, 1, 1], [2, 3, 3], [1, 2, 2]]),
        rest,
        weights: SkinWeights { per_vertex: 1, bones: vec![0, 0, 1, 1], weights: vec![1.0; 4] },
        bones: vec![bone("a"), bone("b")],
        transforms: vec![DAffine3::IDENTITY; 2],
        skeleton: None,
        corrections: None,
        fps: 24.0,
        clips: Vec::new(),
        nodes: Vec::new(),
        armature: String::new(),
    }
}

#[test]
fn one_edge_gives_the_paper_s_equation() {
    let rig = two_sticks();
    let (p, q) = (DVec3::X, DVec3::X * 2.0);
    let [one, other] = [0.4, 1.7].map(|angle| DMat3::from_quat(DQuat::from_axis_angle(DVec3::Z, angle)));
    let half = polar((one + other) * 0.5).unwrap();
    let expected = half * (q - p) - other * q + one * p;
    let got = solved(&solver(&rig, Translations::Edges), &[one, other], (0, DVec3::ZERO));
    assert!(got[1].distance(expected) < 1e-4, "{} instead of {expected}", got[1]);
    let joined = solved(&solver(&rig, Translations::Joints), &[one, other], (0, DVec3::ZERO));
    let middle = (p + q) * 0.5;
    assert!((one * middle).distance(other * middle + joined[1]) < 1e-6, "bones share the middle of the edge");
}

#[test]
fn pieces_that_touch_nothing_stay_near() {
    // Upper arm and forearm share no edge. The forearm is half a metre long, and turned as it never was.
    const RADIUS: f64 = 0.1;
    let body = cut_arm(0.05);
    let rig = rig_of(&body, 16, false);
    let turn = DMat3::from_quat(DQuat::from_axis_angle(DVec3::new(0.2, 1.0, 0.4).normalize(), 1.2));
    let mut far = turns(&rig, 5);
    (2..4).for_each(|bone| far[bone] = turn * far[bone]);
    let elbow = body.joints()[2];
    for way in [Translations::Edges, Translations::Joints, Translations::Learned] {
        let t = solved(&solver(&rig, way), &far, (0, DVec3::ZERO));
        let gap = (far[1] * elbow + t[1]).distance(far[2] * elbow + t[2]);
        assert!(gap < RADIUS, "{way:?}: the elbow opens by {gap}");
    }
}

#[test]
fn bones_that_move_nothing_are_held_too() {
    let mut rig = two_sticks();
    rig.bones.push(Bone { name: "idle".into(), center: DVec3::new(3.0, 1.0, 0.5), rigid: true, axes: None });
    rig.transforms.push(DAffine3::IDENTITY);
    for way in [Translations::Edges, Translations::Joints, Translations::Learned] {
        let t = solved(&solver(&rig, way), &[DMat3::IDENTITY; 3], (0, DVec3::Y));
        assert!(t.iter().all(|t| t.distance(DVec3::Y) < 1e-6), "{way:?}: {t:?}");
    }
}

#[test]
fn the_bone_in_the_middle_is_held_and_the_others_hang_on_it() {
    let soup = solver(&rig_of(&tube(), 12, false), Translations::Joints);
    assert_eq!(soup.held(), 2);
    assert_eq!(soup.parents(), [Some(1), Some(2), None, Some(2), Some(3)]);
    let jointed = solver(&rig_of(&tube(), 12, true), Translations::Skeleton);
    assert_eq!(jointed.held(), 0);
    assert_eq!(jointed.parents(), [None, Some(0), Some(1), Some(2), Some(3)]);
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let rig = rig_of(&arm(), 12, false);
    for way in [Translations::Edges, Translations::Learned] {
        let at = |threads| in_pool(threads, || solved(&solver(&rig, way), &turns(&rig, 3), (0, DVec3::X)));
        assert_eq!(at(1), at(4), "{way:?}");
    }
}

#[test]
fn what_cannot_be_solved_is_refused() {
    let refused = |rig: &Rig, way| TranslationSolver::new(rig, way, &Silent).err();
    let rig = two_sticks();
    assert_eq!(refused(&rig, Translations::Skeleton), Some(TranslationError::NoSkeleton));
    let mut broken = two_sticks();
    broken.transforms[1].translation.y = f64::NAN;
    assert_eq!(refused(&broken, Translations::Auto), Some(RigError::NotFinite { what: "motion" }.into()));
    let mut short = two_sticks();
    short.rest.pop();
    assert!(matches!(refused(&short, Translations::Auto), Some(TranslationError::Rig(_))));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn turning_the_source_turns_the_result(
        whole in prop::array::uniform3(-2.0..2.0_f64),
        strange in prop::collection::vec(prop::array::uniform3(-1.5..1.5_f64), 4),
        way in 0..4_usize,
    ) {
        let rig = rig_of(&arm(), 6, true);
        let solver = solver(&rig, WAYS[way]);
        let whole = DMat3::from_quat(DQuat::from_scaled_axis(DVec3::from_array(whole)));
        let turns: Vec<DMat3> =
            strange.iter().map(|s| DMat3::from_quat(DQuat::from_scaled_axis(DVec3::from_array(*s)))).collect();
        let turned: Vec<DMat3> = turns.iter().map(|turn| whole * *turn).collect();
        let given = DVec3::new(0.3, 0.1, -2.0);
        let plain = solved(&solver, &turns, (1, given));
        let result = solved(&solver, &turned, (1, whole * given));
        for (plain, result) in plain.iter().zip(&result) {
            prop_assert!((whole * *plain).distance(*result) < 1e-6, "{} and {}", whole * *plain, result);
        }
    }
}

//! Deforming characters with examples.

use crate::common::limbs::{Limb, Sheet, tube};
use glam::{DQuat, DVec3, Vec3};
use sinew::deform::{DeformError, DeformOptions, Deformer, Example, Pose};
use sinew::progress::Silent;

/// Two elbows in a row, swollen where they bend.
fn limb() -> Limb {
    tube(18.0, 60, 16, &[0.0, 6.0, 12.0], 1.5)
}

/// The plain shape of a pose with bulges, also where the root holds it and at the far end.
fn swollen(limb: &Limb, pose: &Pose, by: f32) -> Vec<Vec3> {
    let plain =
        Deformer::new(&limb.character(), &limb.handles(), &[], &DeformOptions::default(), &Silent).unwrap();
    let bulge = |p: &Vec3| {
        let near = |x: f32| (-(p.x - x) * (p.x - x)).exp();
        by * (near(4.5) + 0.5 * near(13.0) + 0.2 * near(1.0) + 0.1 * near(17.5))
    };
    let posed = plain.pose(pose);
    let out = |(p, q): (&Vec3, &Vec3)| *q + bulge(p) * Vec3::new(0.1, 0.3 * p.y, 0.4 + p.z);
    limb.rest.iter().zip(&posed).map(out).collect()
}

fn example(limb: &Limb, pose: &Pose, by: f32) -> Example {
    Example { positions: swollen(limb, pose, by), pose: pose.clone() }
}

fn with(limb: &Limb, examples: &[Example]) -> Deformer {
    Deformer::new(&limb.character(), &limb.handles(), examples, &DeformOptions::default(), &Silent).unwrap()
}

fn farthest(a: &[Vec3], b: &[Vec3]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max)
}

#[test]
fn examples_are_met_and_so_is_the_rest_pose() {
    let limb = limb();
    let mut both = limb.bent(1, 60.0);
    both.turns[2] = DVec3::new(0.3, 0.2, -1.0);
    both.turns[0] = DVec3::new(0.5, -0.2, 1.1);
    both.places[0] = DVec3::new(3.0, 1.0, -2.0);
    let examples = [
        example(&limb, &limb.bent(1, 60.0), 1.0),
        example(&limb, &limb.bent(1, 110.0), 1.5),
        example(&limb, &both, 0.7),
    ];
    let deformer = with(&limb, &examples);
    let diagonal = 18.2;
    for example in &examples {
        let error = farthest(&deformer.pose(&example.pose), &example.positions);
        assert!(error <= 1e-4 * diagonal, "{error}");
    }
    let error = farthest(&deformer.pose(&limb.rest_pose()), &limb.rest);
    assert!(error <= 1e-5 * diagonal, "{error}");
    // Turned and moved as a whole they are still met.
    let turn = DQuat::from_rotation_y(1.0);
    let mut pose = examples[1].pose.joint_pose();
    pose.turns[0] = turn * pose.turns[0];
    let turned: Vec<Vec3> = examples[1].positions.iter().map(|p| (turn * p.as_dvec3()).as_vec3()).collect();
    let error = farthest(&deformer.pose(&Pose::from(&pose)), &turned);
    assert!(error <= 1e-4 * diagonal, "{error}");
}

/// How far vertices near x stand out from the plain result.
fn bulge(limb: &Limb, deformer: &Deformer, pose: &Pose, x: f32) -> f32 {
    let plain = with(limb, &[]).pose(pose);
    let posed = deformer.pose(pose);
    let near = (0..limb.rest.len()).filter(|&v| (limb.rest[v].x - x).abs() < 0.4);
    near.map(|v| posed[v].distance(plain[v])).fold(0.0, f32::max)
}

#[test]
fn bulges_grow_on_beyond_their_example() {
    let limb = limb();
    let deformer = with(&limb, &[example(&limb, &limb.bent(1, 60.0), 1.0)]);
    let heights = [30.0, 60.0, 90.0, 120.0].map(|angle| bulge(&limb, &deformer, &limb.bent(1, angle), 4.5));
    assert!(heights.windows(2).all(|w| w[1] > 1.15 * w[0]), "{heights:?}");
    assert!((heights[3] / heights[1] - 2.0).abs() < 0.5, "{heights:?}");
}

#[test]
fn only_the_joint_that_is_alike_takes_part() {
    let limb = limb();
    let mut both = limb.bent(1, 60.0);
    both.turns[2] = DVec3::Z;
    let deformer = with(&limb, &[example(&limb, &both, 1.0)]);
    let first = limb.bent(1, 60.0);
    // Far from the second elbow there is all of the bulge, near it none.
    let whole = bulge(&limb, &deformer, &both, 4.5);
    assert!(bulge(&limb, &deformer, &first, 4.5) > 0.7 * whole);
    let second = bulge(&limb, &deformer, &both, 13.0);
    let shifted = bulge(&limb, &deformer, &first, 16.0);
    assert!(bulge(&limb, &deformer, &first, 13.0) < 0.35 * second + shifted);
}

#[test]
fn two_examples_of_one_pose_are_their_mean() {
    let limb = limb();
    let pose = limb.bent(1, 60.0);
    let [low, high, middle] = [0.5, 1.5, 1.0].map(|by| example(&limb, &pose, by));
    let deformer = with(&limb, &[low, high]);
    assert_eq!(deformer.example_count(), 1);
    assert!(farthest(&deformer.pose(&pose), &middle.positions) < 2e-3);
    let further = deformer.pose(&limb.bent(1, 100.0));
    assert!(further.iter().all(|p| p.is_finite() && p.length() < 40.0));
}

#[test]
fn what_does_not_fit_is_said() {
    let limb = limb();
    let pose = limb.bent(1, 60.0);
    let try_with = |example: Example| {
        let made =
            Deformer::new(&limb.character(), &limb.handles(), &[example], &DeformOptions::default(), &Silent);
        made.map(|_| ()).unwrap_err()
    };
    let mut short = example(&limb, &pose, 1.0);
    short.positions.pop();
    assert!(matches!(try_with(short), DeformError::ExampleVertices { example: 0, .. }));
    let mut poseless = example(&limb, &pose, 1.0);
    poseless.pose = Pose::default();
    assert!(matches!(try_with(poseless), DeformError::ExamplePose { found: 0, expected: 3, .. }));
    let resting = Example { positions: swollen(&limb, &pose, 1.0), pose: limb.rest_pose() };
    assert_eq!(try_with(resting), DeformError::ExampleAtRest { example: 0 });
    let mut broken = example(&limb, &pose, 1.0);
    broken.positions[3].y = f32::NAN;
    assert!(matches!(try_with(broken), DeformError::NotFinite { index: 3, .. }));
    let error = sinew::deform::Handles::from_lists(5, &[Some(vec![0, 1]), Some(vec![1])]).unwrap_err();
    assert_eq!(error, DeformError::OverlappingHandles { vertex: 1, joints: [0, 1] });
    let error = sinew::deform::Handles::from_lists(5, &[Some(vec![0, 1]), Some(vec![])]).unwrap_err();
    assert_eq!(error, DeformError::JointWithoutHandle { joint: 1 });
    let error = sinew::deform::Handles::from_lists(2, &[Some(vec![0, 2])]).unwrap_err();
    assert_eq!(error, DeformError::NoSuchVertex { joint: 0, vertex: 2, count: 2 });
}

#[test]
fn a_sheet_that_was_shown_half_rolled_closes() {
    // Figure 6 of the paper: 24 000 triangles.
    let sheet = Sheet::new();
    assert_eq!(sheet.limb.mesh.face_count(), 24_000);
    let example = Example { positions: sheet.rolled(180.0), pose: sheet.pose(180.0) };
    let deformer = with(&sheet.limb, std::slice::from_ref(&example));
    assert!(farthest(&deformer.pose(&example.pose), &example.positions) < 1e-4 * 20.0);
    let (gap, height) = sheet.closed(&deformer.pose(&sheet.pose(360.0)));
    assert!(gap <= 0.02, "the ends are {gap} of the circumference apart");
    assert!((height - 1.0).abs() <= 0.05, "waves are {height} times as high");
    let (plain_gap, plain_height) = sheet.closed(&with(&sheet.limb, &[]).pose(&sheet.pose(360.0)));
    assert!(plain_gap > 0.02 || (plain_height - 1.0).abs() > 0.05, "{plain_gap}, {plain_height}");
}

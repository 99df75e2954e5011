//! Characters whose examples are kept at anchors.

use crate::common::limbs::{Limb, Sheet, tube};
use glam::{DVec3, Vec3};
use sinew::deform::anchors::{AnchorCount, AnchorOptions};
use sinew::deform::{DeformError, DeformOptions, Deformer, Example, Pose};
use sinew::geometry::Bounds;
use sinew::progress::Silent;

fn anchored(count: AnchorCount) -> DeformOptions {
    let anchors = Some(AnchorOptions { count, ..AnchorOptions::default() });
    DeformOptions { anchors, ..DeformOptions::default() }
}

fn deformer(limb: &Limb, examples: &[Example], options: &DeformOptions) -> Deformer {
    Deformer::new(&limb.character(), &limb.handles(), examples, options, &Silent).unwrap()
}

/// The plain shape of a pose with muscles and a rough skin.
fn swollen(limb: &Limb, pose: &Pose, by: f32) -> Example {
    let plain = deformer(limb, &[], &DeformOptions::default()).pose(pose);
    let out = |(p, q): (&Vec3, &Vec3)| {
        let muscle = by * (-(p.x - 6.0) * (p.x - 6.0) / 4.0).exp() * (1.0 + p.y);
        let rough = 0.01 * (7.0 * p.x).sin() * (5.0 * p.z).cos();
        *q + (muscle + rough) * Vec3::new(0.1, 0.3 * p.y, 0.4 + p.z)
    };
    Example { positions: limb.rest.iter().zip(&plain).map(out).collect(), pose: pose.clone() }
}

/// Mean distance in per cent of the rest pose's diagonal.
fn difference(limb: &Limb, a: &[Vec3], b: &[Vec3]) -> f64 {
    let sum: f64 = a.iter().zip(b).map(|(a, b)| f64::from(a.distance(*b))).sum();
    100.0 * sum / a.len() as f64 / Bounds::of(&limb.rest).diagonal()
}

#[test]
fn few_anchors_are_hard_to_tell_from_all_triangles() {
    let limb = tube(18.0, 120, 32, &[0.0, 6.0, 12.0], 1.5);
    let examples = [swollen(&limb, &limb.bent(1, 60.0), 1.0), swollen(&limb, &limb.bent(2, 80.0), 0.5)];
    let whole = deformer(&limb, &examples, &DeformOptions::default());
    let poses = [limb.bent(1, 60.0), limb.bent(2, 80.0), limb.bent(1, 30.0), limb.bent(1, 110.0)];
    let mut last = f64::INFINITY;
    for (percent, most) in [(0.5, 0.5), (1.0, 0.25), (2.0, 0.12), (5.0, 0.05)] {
        let few = deformer(&limb, &examples, &anchored(AnchorCount::Percent(percent)));
        let differences = poses.each_ref().map(|pose| difference(&limb, &few.pose(pose), &whole.pose(pose)));
        let worst = differences.iter().copied().fold(0.0, f64::max);
        assert!(worst < most && worst < last, "{percent} %: {differences:?}");
        last = worst;
        let rest = difference(&limb, &few.pose(&limb.rest_pose()), &limb.rest);
        assert!(rest < 1e-4, "{rest}");
    }
    for all in [AnchorCount::Percent(100.0), AnchorCount::Number(whole.triangles().len())] {
        let all = deformer(&limb, &examples, &anchored(all));
        poses.iter().for_each(|pose| assert_eq!(all.pose(pose), whole.pose(pose)));
    }
}

#[test]
fn a_twentieth_of_the_memory_at_five_percent() {
    let limb = tube(18.0, 100, 24, &[0.0, 6.0, 12.0], 2.9);
    let examples = [swollen(&limb, &limb.bent(1, 60.0), 1.0), swollen(&limb, &limb.bent(2, 80.0), 0.5)];
    for count in [1, 2] {
        let bytes = |options: &DeformOptions| deformer(&limb, &examples[..count], options).example_bytes();
        let (whole, few) = (bytes(&DeformOptions::default()), bytes(&anchored(AnchorCount::Percent(5.0))));
        assert!(20 * few <= whole, "{few} of {whole}");
    }
}

#[test]
fn fields_are_what_anchors_spread_to() {
    let limb = tube(18.0, 60, 16, &[0.0, 9.0], 2.0);
    let examples = [swollen(&limb, &limb.bent(1, 60.0), 1.0)];
    let of = |options: &DeformOptions| deformer(&limb, &examples, options).example_fields().remove(0);
    let (whole, few) = (of(&DeformOptions::default()), of(&anchored(AnchorCount::Percent(5.0))));
    let size = |a: &[DVec3], b: &[DVec3]| a.iter().zip(b).map(|(a, b)| a.distance_squared(*b)).sum::<f64>();
    let nothing = vec![DVec3::ZERO; whole.len()];
    assert!(size(&whole.turns, &few.turns) < 0.1 * size(&whole.turns, &nothing));
}

#[test]
fn anchors_that_cannot_be_had_are_said() {
    let limb = tube(18.0, 30, 8, &[0.0, 9.0], 2.0);
    let examples = [swollen(&limb, &limb.bent(1, 60.0), 1.0)];
    let none = anchored(AnchorCount::Number(0));
    let said = Deformer::new(&limb.character(), &limb.handles(), &examples, &none, &Silent).unwrap_err();
    assert!(matches!(said, DeformError::Anchors(_)) && said.to_string().starts_with("0 anchors"), "{said}");
    // Without examples there is nothing to keep.
    assert!(
        Deformer::new(&limb.character(), &limb.handles(), &[], &none, &Silent).unwrap().anchors().is_none()
    );
}

/// The paper's figure 6: an example rolled by half a turn and 30 of 24,000 triangles tell how the sheet closes.
#[test]
fn a_sheet_that_was_shown_half_rolled_closes() {
    let sheet = Sheet::new();
    let half = [Example { positions: sheet.rolled(180.0), pose: sheet.pose(180.0) }];
    let deformer = deformer(&sheet.limb, &half, &anchored(AnchorCount::Number(30)));
    assert_eq!(deformer.triangles().len(), 24_000);
    assert_eq!(deformer.anchors().unwrap().len(), 30);
    let (gap, height) = sheet.closed(&deformer.pose(&sheet.pose(360.0)));
    assert!(gap <= 0.02, "the ends are {gap} of the circumference apart");
    assert!((height - 1.0).abs() <= 0.05, "waves are {height} times as high");
}

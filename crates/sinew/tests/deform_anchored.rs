//! Characters whose examples are kept at anchors.

mod common {
    pub mod limbs;
}

use std::f64::consts::{PI, TAU};

use common::limbs::{Limb, tube};
use glam::{DVec3, Vec3};
use sinew::deform::anchors::{AnchorCount, AnchorOptions};
use sinew::deform::{DeformError, DeformOptions, Deformer, Example, Pose};
use sinew::geometry::{Bounds, Mesh};
use sinew::rig::Skeleton;

fn anchored(count: AnchorCount) -> DeformOptions {
    let anchors = Some(AnchorOptions { count, ..AnchorOptions::default() });
    DeformOptions { anchors, ..DeformOptions::default() }
}

fn deformer(limb: &Limb, examples: &[Example], options: &DeformOptions) -> Deformer {
    Deformer::new(&limb.character(), &limb.handles(), examples, options).unwrap()
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
    let said = Deformer::new(&limb.character(), &limb.handles(), &examples, &none).unwrap_err();
    assert!(matches!(said, DeformError::Anchors(_)) && said.to_string().starts_with("0 anchors"), "{said}");
    // Without examples there is nothing to keep.
    assert!(Deformer::new(&limb.character(), &limb.handles(), &[], &none).unwrap().anchors().is_none());
}

/// Squares along and across the sheet.
const ALONG: u32 = 150;
const ACROSS: u32 = 80;
/// Height of the sheet's waves.
const WAVES: f64 = 1.0;

/// A wavy sheet, rolled up evenly by an angle.
fn rolled(angle: f64) -> Vec<Vec3> {
    let place = |i: u32, j: u32| {
        let (x, y) = (f64::from(i), f64::from(j));
        let height = WAVES * (TAU * x / 15.0).sin() * (TAU * y / 20.0).cos();
        if angle == 0.0 {
            return DVec3::new(x, y, height).as_vec3();
        }
        let (radius, turned) = (f64::from(ALONG) / angle, angle * x / f64::from(ALONG));
        let (sin, cos) = turned.sin_cos();
        DVec3::new((radius - height) * sin, y, radius - (radius - height) * cos).as_vec3()
    };
    (0..=ALONG).flat_map(|i| (0..=ACROSS).map(move |j| place(i, j))).collect()
}

/// The sheet with a root at one end and a joint in its middle; from there on plain bending leaves it straight.
fn sheet() -> Limb {
    let squares = (0..ALONG).flat_map(|i| (0..ACROSS).map(move |j| i * (ACROSS + 1) + j));
    let cut = |v: u32| [[v, v + ACROSS + 1, v + ACROSS + 2], [v, v + ACROSS + 2, v + 1]];
    let triangles: Vec<[u32; 3]> = squares.flat_map(cut).collect();
    let rest = rolled(0.0);
    let columns = |from: u32, to: u32| Some((from * (ACROSS + 1)..to * (ACROSS + 1)).collect());
    Limb {
        mesh: Mesh::from_triangles(rest.len(), &triangles),
        rest,
        skeleton: Skeleton { parents: vec![None, Some(0)] },
        joints: vec![DVec3::ZERO, DVec3::X * f64::from(ALONG) / 2.0],
        lists: vec![columns(0, 2), columns(ALONG / 2 - 1, ALONG / 2 + 2)],
    }
}

/// The paper's figure 6: an example rolled by half a turn and 30 of 24,000 triangles tell how the sheet closes.
#[test]
fn a_sheet_rolled_by_half_a_turn_closes_at_a_whole_one() {
    let limb = sheet();
    assert_eq!(limb.mesh.face_count(), 24_000);
    let pose = |angle: f64| {
        let mut pose = limb.rest_pose();
        pose.turns[1] = -DVec3::Y * angle / 2.0;
        pose
    };
    let half = Example { positions: rolled(PI), pose: pose(PI) };
    let options = DeformOptions { follow: 0.0, ..anchored(AnchorCount::Number(30)) };
    let closed = deformer(&limb, &[half], &options).pose(&pose(TAU));

    let column = |i: u32| &closed[(i * (ACROSS + 1)) as usize..((i + 1) * (ACROSS + 1)) as usize];
    let gaps = column(0).iter().zip(column(ALONG)).map(|(a, b)| f64::from(a.distance(*b)));
    let gap = gaps.fold(0.0, f64::max) / f64::from(ALONG);
    assert!(gap <= 0.02, "a gap of {} % of the circumference", 100.0 * gap);

    // How far points are from the axis, and how far the waves go up and down along each line across the sheet.
    let measure = |shape: &[Vec3]| {
        let middle = shape.iter().map(|p| p.as_dvec3()).sum::<DVec3>() / shape.len() as f64;
        let radii: Vec<f64> = shape.iter().map(|p| (p.as_dvec3() - middle).with_y(0.0).length()).collect();
        let mean = |some: &[f64]| some.iter().sum::<f64>() / some.len() as f64;
        let of_line = |line: &[f64]| line.iter().map(|r| (r - mean(line)).powi(2)).sum::<f64>();
        let waves = radii.chunks((ACROSS + 1) as usize).map(of_line).sum::<f64>() / radii.len() as f64;
        (mean(&radii), waves.sqrt())
    };
    let ((radius, waves), (true_radius, true_waves)) = (measure(&closed), measure(&rolled(TAU)));
    assert!((radius / true_radius - 1.0).abs() < 0.02, "a radius of {radius}, not {true_radius}");
    assert!((waves / true_waves - 1.0).abs() < 0.05, "waves of {waves}, not {true_waves}");
}

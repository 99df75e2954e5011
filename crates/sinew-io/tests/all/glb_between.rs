//! What viewers show between the frames of a written rig.

use glam::{DAffine3, DMat3, DVec3, Vec3};
use sinew::geometry::{Bounds, Mesh};
use sinew::rig::{Bone, Rig, SkinWeights};
use sinew_io::formats::gltf::{WriteOptions, parse_alone, to_bytes};
use sinew_io::scene::SampleOptions;

/// Poses looked at from one frame to the next.
const FINE: usize = 10;

/// A box about the origin on one bone, long in x.
fn boxed(transforms: Vec<DAffine3>) -> Rig {
    let sign = |bit: usize| if bit == 0 { -1.0 } else { 1.0 };
    let corner = |i: usize| Vec3::new(2.0 * sign(i & 1), 0.7 * sign(i >> 1 & 1), 0.5 * sign(i >> 2));
    Rig {
        mesh: Mesh::from_triangles(8, &[[0, 1, 2], [1, 2, 3], [4, 5, 6], [5, 6, 7]]),
        rest: (0..8).map(corner).collect(),
        weights: SkinWeights::single(8),
        bones: vec![Bone { name: "bone".into(), center: DVec3::ZERO, rigid: false, axes: None }],
        transforms,
        skeleton: None,
        corrections: None,
        fps: 24.0,
        clips: Vec::new(),
        nodes: Vec::new(),
        armature: String::new(),
    }
}

/// What viewers show, at [`FINE`] poses to the frame.
fn shown(rig: &Rig) -> Rig {
    let bytes = to_bytes(rig, &WriteOptions::default()).unwrap().0;
    let options = SampleOptions { fps: Some(24.0 * FINE as f64), ..SampleOptions::default() };
    let shown = parse_alone(&bytes, "test.glb".as_ref()).unwrap().rig(&options).unwrap().rig;
    assert_eq!(shown.frame_count(), FINE * (rig.frame_count() - 1) + 1);
    shown
}

/// How far from `wanted` a vertex is shown at worst, in percent of the diagonal: at frames, and between.
fn deviation(rig: &Rig, wanted: impl Fn(usize, f64) -> Vec<Vec3>) -> (f64, f64) {
    let (shown, diagonal) = (shown(rig), Bounds::of(&rig.rest).diagonal());
    let mut worst = (0.0_f64, 0.0_f64);
    for pose in 0..shown.frame_count() {
        let expected = wanted(pose / FINE, (pose % FINE) as f64 / FINE as f64);
        let off = shown.pose(pose).iter().zip(&expected).map(|(p, q)| p.distance(*q)).fold(0.0, f32::max);
        let side = if pose % FINE == 0 { &mut worst.0 } else { &mut worst.1 };
        *side = side.max(100.0 * f64::from(off) / diagonal);
    }
    worst
}

#[test]
fn stretches_whose_axes_turn_fast_do_not_bulge() {
    // A stretch by different amounts along axes that turn by half a right angle and more from frame to
    // frame. No vertex turns about anything, so all go straight from one frame to the next.
    let stretch = |f: usize| {
        let f = f as f64;
        let axes = DMat3::from_rotation_z(0.9 * f) * DMat3::from_rotation_x(1.1 * f);
        axes * DMat3::from_diagonal(DVec3::new(1.3, 1.0, 0.8)) * axes.transpose()
    };
    let transforms = (0..12).map(|f| DAffine3 { matrix3: stretch(f), translation: DVec3::Y * f as f64 });
    let rig = boxed(transforms.collect());
    let (at, between) = deviation(&rig, |frame, t| {
        let next = rig.pose((frame + 1).min(11));
        rig.pose(frame).iter().zip(&next).map(|(a, b)| a.lerp(*b, t as f32)).collect()
    });
    assert!(at < 1e-3, "{at} % at frames");
    assert!(between < 0.15, "{between} % between frames");
}

#[test]
fn a_limb_that_turns_about_its_end_keeps_it_in_place() {
    // Forty degrees a frame, about one end of the box; stretched evenly, and not at all.
    for size in [1.02_f64, 1.0] {
        let end = DVec3::new(-2.0, 0.0, 0.0);
        let pose = |f: f64| {
            let matrix3 = DMat3::from_rotation_z(0.7 * f) * DMat3::from_diagonal(DVec3::new(size, 1.0, 1.0));
            DAffine3 { matrix3, translation: end - matrix3 * end }
        };
        let rig = boxed((0..8).map(|f| pose(f as f64)).collect());
        let turned = |frame: usize, t: f64| {
            let now = pose(frame as f64 + t);
            rig.rest.iter().map(|p| now.transform_point3(p.as_dvec3()).as_vec3()).collect()
        };
        let (at, between) = deviation(&rig, turned);
        assert!(at < 1e-3, "{at} % at frames");
        assert!(between < 0.3, "{between} % between frames");
    }
}

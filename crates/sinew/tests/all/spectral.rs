//! Patches from the distances that points keep: known parts are found, whatever turns, size and numbers.

use std::collections::{BTreeMap, BTreeSet};

use crate::common::{articulated_boxes, bent_tube, in_pool};
use glam::{EulerRot, Quat, Vec3};
use proptest::prelude::*;
use sinew::animation::Frames;
use sinew::progress::{Cancelled, Progress, Silent};
use sinew::segment::{Segmentation, SpectralOptions, SurfaceMotion, spectral};
use sinew_sample::{CreatureOptions, creature};

/// Triangles and frames, the first of which is the rest pose.
#[derive(Clone)]
pub struct Body {
    pub triangles: Vec<[u32; 3]>,
    pub poses: Vec<Vec<Vec3>>,
}

impl Body {
    pub fn motion<'a>(&'a self, frames: &'a Frames) -> SurfaceMotion<'a> {
        SurfaceMotion { frames, triangles: &self.triangles, rest: &self.poses[0] }
    }

    fn cut(&self, options: &SpectralOptions) -> Segmentation {
        let frames = Frames::from_poses(&self.poses);
        let found = spectral(self.motion(&frames), options, &Silent).expect("not cancelled");
        assert_eq!(found.bone_of_triangle.len(), self.triangles.len());
        let used: BTreeSet<u32> = found.bone_of_triangle.iter().copied().collect();
        assert_eq!(used, (0..found.bone_count as u32).collect(), "patches are numbered without a gap");
        found
    }

    fn patches(&self, count: Option<usize>) -> Segmentation {
        self.cut(&SpectralOptions { count, ..Default::default() })
    }
}

pub const AROUND: usize = 12;
pub const RINGS_PER_PART: usize = 15;

/// A tapered tube of rigid parts one after the other. Each bends against the one before, at the ring between
/// them, to an angle and at a rate of its own. `far` tears the parts from each other.
pub fn arm(parts: usize, frames: usize, far: bool) -> Body {
    let rings = parts * RINGS_PER_PART;
    let corner = |r: usize, a: usize| (r * AROUND + a % AROUND) as u32;
    let triangles = (0..rings - 1)
        .filter(|r| !far || !(r + 1).is_multiple_of(RINGS_PER_PART))
        .flat_map(|r| (0..AROUND).map(move |a| (r, a)))
        .flat_map(|(r, a)| {
            let [p, q, s, t] = [corner(r, a), corner(r, a + 1), corner(r + 1, a + 1), corner(r + 1, a)];
            [[p, q, s], [p, s, t]]
        });
    let pose = |time: f32| {
        let (mut turn, mut pivot, mut points) = (Quat::IDENTITY, Vec3::ZERO, Vec::new());
        for part in 0..parts {
            let phase = time * (1.0 + 0.37 * part as f32) + 0.9 * part as f32;
            let axis = Vec3::new((1.9 * part as f32).cos(), 0.0, (1.9 * part as f32).sin());
            turn *= Quat::from_axis_angle(axis, if part == 0 { 0.0 } else { 0.8 * phase.sin() });
            for ring in 0..RINGS_PER_PART {
                let along = 0.1 * ring as f32;
                let radius = 0.2 - 0.02 * part as f32 + 0.003 * ring as f32;
                for a in 0..AROUND {
                    let angle = a as f32 / AROUND as f32 * std::f32::consts::TAU;
                    let [x, z] = [1.3 * radius * angle.cos(), radius * angle.sin()];
                    points.push(pivot + turn * Vec3::new(x, along, z));
                }
            }
            pivot += turn * Vec3::Y * (0.1 * RINGS_PER_PART as f32 + if far { 0.4 } else { 0.0 });
        }
        points
    };
    Body { triangles: triangles.collect(), poses: (0..frames).map(|t| pose(0.35 * t as f32)).collect() }
}

/// The part of a triangle of [`arm`] and how many rings it is from the nearest joint.
fn place(triangle: &[u32; 3]) -> (usize, usize) {
    let ring = *triangle.iter().min().unwrap() as usize / AROUND;
    let within = ring % RINGS_PER_PART;
    (ring / RINGS_PER_PART, within.min(RINGS_PER_PART - 1 - within))
}

/// Each part has a patch of its own, but for `border` rings at the joints.
fn assert_parts_found(body: &Body, found: &Segmentation, parts: usize, border: usize) {
    assert_eq!(found.bone_count, parts);
    let mut patch_of = BTreeMap::new();
    for (triangle, &patch) in body.triangles.iter().zip(&found.bone_of_triangle) {
        let (part, rings) = place(triangle);
        if rings >= border {
            assert_eq!(*patch_of.entry(part).or_insert(patch), patch, "part {part}");
        }
    }
    assert_eq!(patch_of.values().collect::<BTreeSet<_>>().len(), parts);
}

/// Which triangles share a patch, whatever the patches are called.
fn partition(patches: impl Iterator<Item = u32>) -> Vec<usize> {
    let mut first = BTreeMap::new();
    patches.enumerate().map(|(i, patch)| *first.entry(patch).or_insert(i)).collect()
}

#[test]
fn rigid_parts_of_a_chain_are_found_with_and_without_their_number() {
    for parts in [2, 3, 4, 6] {
        let body = arm(parts, 24, false);
        for count in [None, Some(parts)] {
            let found = body.patches(count);
            assert_parts_found(&body, &found, parts, 1);
            assert!(found.near_rigid_fraction > 0.9, "{}", found.near_rigid_fraction);
        }
    }
}

#[test]
fn loose_parts_are_found_to_the_triangle() {
    let body = arm(4, 24, true);
    assert_parts_found(&body, &body.patches(None), 4, 0);
    assert_parts_found(&body, &body.patches(Some(4)), 4, 0);
    let boxes = articulated_boxes(5, 20);
    let poses = (0..20).map(|t| boxes.frames.frame(t).to_vec()).collect();
    let boxes = Body { triangles: boxes.mesh.triangles(boxes.frames.frame(0)), poses };
    let found = boxes.patches(None);
    assert_eq!(found.bone_count, 5);
    assert!(found.bone_of_triangle.chunks(12).all(|b| b.iter().all(|p| *p == b[0])), "{found:?}");
}

#[test]
fn loose_pieces_that_move_as_one_are_one() {
    let mut body = arm(3, 24, true);
    // The second part follows the first stiffly.
    let (first, second) = (RINGS_PER_PART * AROUND, 2 * RINGS_PER_PART * AROUND);
    for pose in &mut body.poses {
        for v in first..second {
            pose[v] = pose[v - first] + Vec3::Y * 2.0;
        }
    }
    let found = body.patches(None);
    let patches = partition(found.bone_of_triangle.iter().copied());
    let third = body.triangles.len() / 3;
    assert!(patches[..2 * third].iter().all(|p| *p == 0));
    assert!(patches[2 * third..].iter().all(|p| *p == 2 * third));
}

#[test]
fn one_rigid_body_is_one_patch_unless_more_are_asked_for() {
    let mut body = arm(3, 1, false);
    for t in 1..12 {
        let turn = Quat::from_euler(EulerRot::XYZ, 0.3 * t as f32, 0.5 * t as f32, -0.2 * t as f32);
        body.poses.push(body.poses[0].iter().map(|p| turn * *p + Vec3::X * t as f32).collect());
    }
    let found = body.patches(None);
    assert_eq!((found.bone_count, found.near_rigid_fraction), (1, 1.0));
    assert_eq!(body.patches(Some(3)).bone_count, 3);
    body.poses.truncate(1);
    assert_eq!(body.patches(None).bone_count, 1, "a single pose moves nothing");
}

#[test]
fn counts_are_honoured_and_patches_are_of_one_piece() {
    let tube = bent_tube(16);
    let poses = (0..16).map(|t| tube.frames.frame(t).to_vec()).collect();
    let body = Body { triangles: tube.mesh.triangles(tube.frames.frame(0)), poses };
    for count in [1, 2, 7, 20, 60] {
        let found = body.patches(Some(count));
        assert_eq!(found.bone_count, count);
        let pieces: usize = (0..count as u32).map(|patch| pieces_of(&body.triangles, &found, patch)).sum();
        // A patch one vertex wide may hang together by a corner that no two triangles of it share.
        assert!(pieces <= count + count / 20, "{pieces} pieces of {count} patches");
    }
}

/// How many pieces, connected over shared vertices, a patch has.
fn pieces_of(triangles: &[[u32; 3]], found: &Segmentation, patch: u32) -> usize {
    let mut open: Vec<&[u32; 3]> =
        triangles.iter().zip(&found.bone_of_triangle).filter(|(_, p)| **p == patch).map(|(t, _)| t).collect();
    let mut count = 0;
    while let Some(start) = open.pop() {
        let mut reached: BTreeSet<u32> = start.iter().copied().collect();
        loop {
            let (near, rest): (Vec<&[u32; 3]>, _) =
                open.iter().partition(|t| t.iter().any(|v| reached.contains(v)));
            open = rest;
            if near.is_empty() {
                break;
            }
            reached.extend(near.into_iter().flatten());
        }
        count += 1;
    }
    count
}

#[test]
fn more_variation_gives_no_fewer_patches_and_seeds_may_be_few() {
    let animation = creature(&CreatureOptions { frames: 20, detail: 0.5, ..Default::default() });
    let poses: Vec<_> = (0..20).map(|t| animation.frames.frame(t).to_vec()).collect();
    let body = Body { triangles: animation.mesh.triangles(&poses[0]), poses };
    let count = |variation: f64, seeds: Option<usize>| {
        body.cut(&SpectralOptions { count: None, seeds, variation }).bone_count
    };
    assert!(count(0.5, None) < count(0.99, None), "{} {}", count(0.5, None), count(0.99, None));
    assert!(count(0.99, None) <= count(1.0, None));
    assert_eq!(count(0.99, Some(1)), 1);
    assert!((2..=30).contains(&count(0.99, Some(30))));
    let boxes = articulated_boxes(3, 10);
    let poses = (0..10).map(|t| boxes.frames.frame(t).to_vec()).collect();
    let boxes = Body { triangles: boxes.mesh.triangles(boxes.frames.frame(0)), poses };
    let many = SpectralOptions { seeds: Some(usize::MAX), ..Default::default() };
    assert_eq!(boxes.cut(&many).bone_count, 3);
}

#[test]
fn poor_meshes_are_cut_too() {
    let flat = |poses: Vec<Vec<Vec3>>, triangles: &[[u32; 3]]| Body { triangles: triangles.to_vec(), poses };
    let one = flat(vec![vec![Vec3::ZERO, Vec3::X, Vec3::Y]; 3], &[[0, 1, 2]]);
    assert_eq!(one.patches(None).bone_count, 1);
    assert_eq!(one.patches(Some(usize::MAX)).bone_count, 1, "one triangle is one patch at most");
    let collapsed = flat(vec![vec![Vec3::ONE; 40]; 3], &[[0, 1, 2], [3, 4, 5], [20, 21, 39]]);
    assert_eq!(collapsed.patches(None).bone_count, 1);
    assert_eq!(flat(vec![vec![Vec3::ONE; 4]; 2], &[]).patches(None).bone_count, 0);
    // A piece that flies off, far beyond the rest.
    let mut torn = arm(2, 12, true);
    let half = torn.poses[0].len() / 2;
    for (t, pose) in torn.poses.iter_mut().enumerate() {
        pose[half..].iter_mut().for_each(|p| *p += Vec3::X * 1e6 * t as f32);
    }
    assert_parts_found(&torn, &torn.patches(None), 2, 0);
}

#[test]
fn threads_do_not_matter_and_work_can_be_stopped() {
    struct Stop;
    impl Progress for Stop {
        fn cancelled(&self) -> bool {
            true
        }
    }
    let body = arm(4, 24, false);
    assert_eq!(in_pool(1, || body.patches(None)), in_pool(3, || body.patches(None)));
    let frames = Frames::from_poses(&body.poses);
    let stopped = spectral(body.motion(&frames), &SpectralOptions::default(), &Stop);
    assert_eq!(stopped, Err(Cancelled));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..Default::default() })]

    #[test]
    fn the_cut_does_not_depend_on_place_size_or_numbers(
        parts in 2..5_usize,
        angles in prop::array::uniform3(-3.0..3.0_f32),
        shift in prop::array::uniform3(-2.0..2.0_f32),
        scale in prop::sample::select(vec![0.01_f32, 0.7, 30.0]),
        spin in -0.5..0.5_f32,
        seed in any::<u64>(),
        count in prop::option::of(2..8_usize),
    ) {
        let body = arm(parts, 16, false);
        let before = body.patches(count);
        let vertices = shuffled(body.poses[0].len(), seed);
        let triangles = shuffled(body.triangles.len(), seed ^ 0x9e37_79b9);
        let turn = Quat::from_euler(EulerRot::XYZ, angles[0], angles[1], angles[2]);
        let mut moved = body.clone();
        for (t, pose) in moved.poses.iter_mut().enumerate() {
            // Frames are turned each by something else: only what changes within a frame counts.
            let turn = turn * Quat::from_rotation_y(spin * t as f32);
            for (v, p) in body.poses[t].iter().enumerate() {
                pose[vertices[v]] = scale * (turn * *p + Vec3::from_array(shift));
            }
        }
        for (t, triangle) in body.triangles.iter().enumerate() {
            moved.triangles[triangles[t]] = triangle.map(|v| vertices[v as usize] as u32);
        }
        let after = moved.patches(count);
        let renumbered = triangles.iter().map(|&t| after.bone_of_triangle[t]);
        prop_assert_eq!(partition(before.bone_of_triangle.iter().copied()), partition(renumbered));
    }
}

/// The numbers below `count` in an order of their own.
fn shuffled(count: usize, seed: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    let mut state = seed | 1;
    for i in (1..count).rev() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        order.swap(i, (state >> 33) as usize % (i + 1));
    }
    order
}

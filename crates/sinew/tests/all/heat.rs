//! Heat weights on bodies whose weights are known, and on meshes as files bring them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};

use glam::{DAffine3, DQuat, DVec3, Vec3};
use proptest::prelude::*;
use sinew::animation::{Frames, MeshAnimation};
use sinew::geometry::Mesh;
use sinew::progress::{Progress, Silent};
use sinew::rig::{Skeleton, SkinWeights};
use sinew::skeleton::{BoneLines, HeatError, HeatOptions, heat_weights, leaf_ends};
use sinew_sample::{CreatureOptions, creature};

/// A closed tube along x from 0 to `length`, of radius 1: rings of `around` vertices, then the two tips.
fn tube(around: u32, rings: u32, length: f32) -> (Vec<[u32; 3]>, Vec<Vec3>) {
    let mut p = Vec::new();
    for ring in 0..rings {
        for k in 0..around {
            let angle = std::f32::consts::TAU * k as f32 / around as f32;
            p.push(Vec3::new(length * ring as f32 / (rings - 1) as f32, angle.cos(), angle.sin()));
        }
    }
    let mut triangles = Vec::new();
    for (ring, k) in (0..rings - 1).flat_map(|r| (0..around).map(move |k| (r, k))) {
        let [a, b] = [k, (k + 1) % around].map(|k| ring * around + k);
        triangles.extend([[a, b, b + around], [a, b + around, a + around]]);
    }
    let (left, last) = (p.len() as u32, (rings - 1) * around);
    p.extend([Vec3::ZERO, Vec3::new(length, 0.0, 0.0)]);
    for (a, b) in (0..around).map(|k| (k, (k + 1) % around)) {
        triangles.extend([[left, b, a], [left + 1, last + a, last + b]]);
    }
    (triangles, p)
}

/// The surface of unit cells.
fn cells(inside: impl Fn([i32; 3]) -> bool, size: [i32; 3]) -> (Vec<[u32; 3]>, Vec<Vec3>) {
    let mut numbers = BTreeMap::new();
    let mut p = Vec::new();
    let mut triangles = Vec::new();
    let all = (0..size[0]).flat_map(|x| (0..size[1]).flat_map(move |y| (0..size[2]).map(move |z| [x, y, z])));
    for cell in all.filter(|&cell| inside(cell)) {
        for (axis, side) in (0..3).flat_map(|axis| [(axis, 0), (axis, 1)]) {
            let mut beside = cell;
            beside[axis] += 2 * side - 1;
            if inside(beside) {
                continue;
            }
            let mut corner = |i: i32, j: i32| {
                let mut at = cell;
                at[axis] += side;
                at[(axis + 1) % 3] += i;
                at[(axis + 2) % 3] += j;
                *numbers.entry(at).or_insert_with(|| {
                    p.push(Vec3::from_array(at.map(|x| x as f32)));
                    p.len() as u32 - 1
                })
            };
            let [a, b, c, d] = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
            triangles.extend(if side == 1 { [[a, b, c], [a, c, d]] } else { [[a, c, b], [a, d, c]] });
        }
    }
    (triangles, p)
}

fn animation(triangles: &[[u32; 3]], poses: &[Vec<Vec3>]) -> MeshAnimation {
    MeshAnimation {
        mesh: Mesh::from_triangles(poses[0].len(), triangles),
        rest: None,
        frames: Frames::from_poses(poses),
        fps: 24.0,
        clips: Vec::new(),
        nodes: Vec::new(),
    }
}

fn lines(bones: &[u32], ends: &[[[f64; 3]; 2]]) -> BoneLines {
    let ends = ends.iter().map(|ends| ends.map(DVec3::from_array)).collect();
    BoneLines { bone_count: *bones.iter().max().unwrap() as usize + 1, bones: bones.to_vec(), ends }
}

/// Two bones along a tube of length 10.
fn two_bones() -> BoneLines {
    lines(&[0, 1], &[[[0.5, 0.0, 0.0], [5.0, 0.0, 0.0]], [[5.0, 0.0, 0.0], [9.5, 0.0, 0.0]]])
}

fn weights(triangles: &[[u32; 3]], pose: &[Vec3], lines: &BoneLines) -> SkinWeights {
    let animation = animation(triangles, &[pose.to_vec()]);
    checked(&animation, heat_weights(&animation, lines, &HeatOptions::default(), &Silent).unwrap(), lines)
}

/// The weights, if they are weights.
fn checked(animation: &MeshAnimation, weights: SkinWeights, lines: &BoneLines) -> SkinWeights {
    weights.validate(animation.mesh.vertex_count, lines.bone_count).unwrap();
    for v in 0..animation.mesh.vertex_count {
        let (bones, w) = weights.of(v);
        assert!(w.iter().all(|w| (0.0..=1.0).contains(w)), "{w:?}");
        assert!((w.iter().sum::<f32>() - 1.0).abs() < 1e-5, "{w:?}");
        assert!(w.is_sorted_by(|a, b| a >= b), "the largest first");
        assert!(bones.iter().zip(w).all(|(bone, w)| *w > 0.0 || *bone == 0));
        let used: BTreeSet<_> = bones.iter().zip(w).filter(|(_, w)| **w > 0.0).map(|(b, _)| b).collect();
        assert_eq!(used.len(), w.iter().filter(|w| **w > 0.0).count(), "no bone twice");
    }
    weights
}

fn weight(weights: &SkinWeights, v: usize, bone: u32) -> f32 {
    let (bones, w) = weights.of(v);
    bones.iter().zip(w).filter(|(b, _)| **b == bone).map(|(_, w)| w).sum()
}

fn difference(a: &SkinWeights, b: &SkinWeights, vertices: usize, bones: u32) -> f32 {
    let pairs = (0..vertices).flat_map(|v| (0..bones).map(move |bone| (v, bone)));
    pairs.map(|(v, bone)| (weight(a, v, bone) - weight(b, v, bone)).abs()).fold(0.0, f32::max)
}

#[test]
fn weights_fall_along_a_tube_and_are_half_at_the_joint() {
    let (around, rings) = (16, 41);
    let (triangles, p) = tube(around, rings, 10.0);
    let w = weights(&triangles, &p, &two_bones());
    let first = |ring: u32, k: u32| weight(&w, (ring * around + k) as usize, 0);
    for k in 0..around {
        assert!((first(rings / 2, k) - 0.5).abs() < 1e-3, "{}", first(rings / 2, k));
        for ring in 0..rings - 1 {
            // What is below a thousandth of the other weight is cut off.
            assert!(first(ring, k) >= first(ring + 1, k), "falls");
            let mirrored = 1.0 - first(rings - 1 - ring, k);
            assert!((first(ring, k) - mirrored).abs() < 2e-3, "symmetric");
            assert!((first(ring, k) - first(ring, 0)).abs() < 1e-3, "the same all around");
        }
        // The change is about as wide as the limb is thick, not a step, not the whole tube.
        assert!(first(16, k) < 0.98 && first(16, k) > 0.6, "one radius before: {}", first(16, k));
        assert!(first(8, k) > 0.9, "three radii before: {}", first(8, k));
    }
}

#[test]
fn less_heat_makes_wider_changes() {
    let (triangles, p) = tube(16, 41, 10.0);
    let animation = animation(&triangles, &[p]);
    let at = |heat: f64| {
        let options = HeatOptions { heat, ..Default::default() };
        weight(&heat_weights(&animation, &two_bones(), &options, &Silent).unwrap(), 16 * 16, 0)
    };
    assert!(at(0.22) + 0.03 < at(1.0) && at(1.0) + 0.03 < at(5.0), "{} {} {}", at(0.22), at(1.0), at(5.0));
}

/// A thick finger (0 ≤ x ≤ 6) beside a thin one (7 ≤ x ≤ 9) on a palm (y ≤ 4): cells.
fn comb([x, y, z]: [i32; 3]) -> bool {
    let palm = (0..9).contains(&x) && (0..4).contains(&y);
    let thick = (0..6).contains(&x) && (4..24).contains(&y);
    let thin = (7..9).contains(&x) && (4..24).contains(&y) && (2..4).contains(&z);
    (0..6).contains(&z) && (palm || thick) || thin
}

fn comb_lines() -> BoneLines {
    let (thick, thin) = ([3.0, 4.0, 3.0], [8.0, 4.0, 3.0]);
    let wrist = [4.5, 0.5, 3.0];
    let ends = [[wrist, thick], [wrist, thin], [thick, [3.0, 22.5, 3.0]], [thin, [8.0, 23.0, 3.0]]];
    lines(&[0, 0, 1, 2], &ends)
}

#[test]
fn the_next_finger_does_not_warm_this_one() {
    let (triangles, p) = cells(comb, [9, 24, 6]);
    let w = weights(&triangles, &p, &comb_lines());
    let mut misled = 0;
    for (v, p) in p.iter().enumerate().filter(|(_, p)| p.y > 12.0) {
        // In the air between the fingers the thin one's bone is nearer to much of the thick one's side.
        let [from_thick, from_thin] = [3.0, 8.0].map(|x| (p.x - x).hypot(p.z - 3.0));
        let thick = p.x <= 6.0;
        misled += usize::from(thick && from_thin < from_thick);
        let own = weight(&w, v, if thick { 1 } else { 2 });
        assert!(own > 0.9, "{own} at {p}");
    }
    assert!(misled >= 30, "{misled}");
}

#[test]
fn faces_turned_inside_out_do_not_matter() {
    let (mut triangles, p) = cells(comb, [9, 24, 6]);
    let right = weights(&triangles, &p, &comb_lines());
    triangles.iter_mut().for_each(|t| t.swap(1, 2));
    let turned = weights(&triangles, &p, &comb_lines());
    assert!(difference(&right, &turned, p.len(), 3) < 1e-4);
}

#[test]
fn loose_pieces_and_vertices_take_the_nearest_bone() {
    let (mut triangles, mut p) = tube(12, 31, 10.0);
    let body = p.len();
    // A small pyramid outside the left end, closed, so that no bone is inside; a vertex of no triangle.
    p.extend([[1., 3., 0.], [2., 3., 0.], [1.5, 3.5, 0.3], [1.5, 3.2, 1.]].map(Vec3::from));
    let n = body as u32;
    triangles.extend([[n, n + 2, n + 1], [n, n + 1, n + 3], [n + 1, n + 2, n + 3], [n + 2, n, n + 3]]);
    p.push(Vec3::new(9.0, -40.0, 2.0));
    let w = weights(&triangles, &p, &two_bones());
    assert!((body..body + 4).all(|v| weight(&w, v, 0) == 1.0));
    assert_eq!(weight(&w, body + 4, 1), 1.0);
    let (triangles, p) = tube(12, 31, 10.0);
    let alone = weights(&triangles, &p, &two_bones());
    assert!(difference(&w, &alone, body, 2) < 1e-3, "the body does not feel them");
}

#[test]
fn bones_that_hardly_warm_anything_are_still_followed() {
    // Points, one behind the other.
    let far = lines(&[0, 1], &[[[1e9, 3e8, 2e8]; 2], [[2e9, 6e8, 4e8]; 2]]);
    for around in 3..13 {
        let (triangles, p) = tube(around, 7, 2.0);
        let w = weights(&triangles, &p, &far);
        assert!((0..p.len()).all(|v| weight(&w, v, 0) == 1.0));
    }
}

#[test]
fn heat_crosses_seams() {
    let (triangles, p) = tube(12, 31, 10.0);
    let whole = weights(&triangles, &p, &two_bones());
    // Every triangle has its own three vertices, in a mirrored order.
    let soup: Vec<u32> = triangles.iter().rev().flatten().copied().collect();
    let torn: Vec<[u32; 3]> = (0..triangles.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    let places: Vec<Vec3> = soup.iter().map(|&v| p[v as usize]).collect();
    let w = weights(&torn, &places, &two_bones());
    for (i, &v) in soup.iter().enumerate() {
        assert!((weight(&w, i, 0) - weight(&whole, v as usize, 0)).abs() < 1e-5);
    }
}

#[test]
fn collapsed_and_doubled_triangles_do_no_harm() {
    let (mut triangles, mut p) = tube(12, 31, 10.0);
    let n = p.len();
    let plain = weights(&triangles, &p, &two_bones());
    // Slivers along edges, triangles of one vertex, a fin on an edge that two triangles share already, and
    // a vertex in the middle of an edge.
    p.push(0.5 * (p[100] + p[101]));
    p.push(p[200] * Vec3::new(1.0, 1.1, 1.1));
    triangles.extend([[100, 101, n as u32], [5, 5, 5], [7, 7, 8], [200, 201, n as u32 + 1]]);
    triangles.extend_from_within(300..310);
    let w = weights(&triangles, &p, &two_bones());
    assert!(difference(&w, &plain, n, 2) < 0.05, "{}", difference(&w, &plain, n, 2));
    // Nothing but collapsed triangles: all in one place, all on one line.
    weights(&triangles, &vec![Vec3::ONE; p.len()], &two_bones());
    let line: Vec<Vec3> = p.iter().map(|p| Vec3::new(p.x, 0.0, 0.0)).collect();
    weights(&triangles, &line, &two_bones());
}

/// The tube bent at its middle by an angle, and its bones.
fn bent(p: &[Vec3], angle: f32) -> (Vec<Vec3>, [[DVec3; 2]; 2]) {
    let joint = Vec3::new(5.0, 0.0, 0.0);
    let turn = |p: Vec3, share: f32| joint + glam::Quat::from_rotation_z(angle * share) * (p - joint);
    let pose = p.iter().map(|p| turn(*p, ((p.x - 4.0) / 2.0).clamp(0.0, 1.0))).collect();
    let ends = [[Vec3::new(0.5, 0.0, 0.0), joint], [joint, turn(Vec3::new(9.5, 0.0, 0.0), 1.0)]];
    (pose, ends.map(|ends| ends.map(|p| p.as_dvec3())))
}

#[test]
fn the_weights_of_all_frames_are_the_mean_of_those_of_each() {
    let (triangles, p) = tube(12, 31, 10.0);
    let angles = [0.0, 0.5, 1.0, 1.5];
    let options = |frames| HeatOptions { frames, ..Default::default() };
    let several: Vec<_> = angles.iter().map(|a| bent(&p, *a)).collect();
    let poses: Vec<Vec<Vec3>> = several.iter().map(|(pose, _)| pose.clone()).collect();
    let lines = BoneLines { ends: several.iter().flat_map(|(_, ends)| *ends).collect(), ..two_bones() };
    let together = animation(&triangles, &poses);
    let all = heat_weights(&together, &lines, &options(None), &Silent).unwrap();
    let singles: Vec<SkinWeights> = several
        .iter()
        .map(|(pose, ends)| weights(&triangles, pose, &BoneLines { ends: ends.to_vec(), ..two_bones() }))
        .collect();
    for v in 0..p.len() {
        let mean = singles.iter().map(|w| weight(w, v, 0)).sum::<f32>() / 4.0;
        assert!((weight(&all, v, 0) - mean).abs() < 2e-3, "{} {mean}", weight(&all, v, 0));
    }
    let one = heat_weights(&together, &lines, &options(Some(1)), &Silent).unwrap();
    assert_eq!(one, singles[0], "one frame is the first");
    assert!(difference(&one, &all, p.len(), 2) > 0.01, "poses matter");
    let many = heat_weights(&together, &lines, &options(Some(100)), &Silent).unwrap();
    assert_eq!(many, all);
}

#[test]
fn the_largest_influences_are_kept() {
    let (triangles, p) = tube(12, 61, 10.0);
    let ends: Vec<[[f64; 3]; 2]> =
        (0..10).map(|b| [[f64::from(b), 0.0, 0.0], [f64::from(b + 1), 0.0, 0.0]]).collect();
    let lines = lines(&(0..10).collect::<Vec<_>>(), &ends);
    let animation = animation(&triangles, std::slice::from_ref(&p));
    let of = |influences| {
        let options = HeatOptions { influences, ..Default::default() };
        checked(&animation, heat_weights(&animation, &lines, &options, &Silent).unwrap(), &lines)
    };
    let (two, all) = (of(2), of(16));
    assert_eq!((two.per_vertex, all.per_vertex), (2, 10));
    for v in 0..p.len() {
        let ((bones, w), (all_bones, all_w)) = (two.of(v), all.of(v));
        assert_eq!(bones, &all_bones[..2]);
        assert!((w[0] * all_w[1] - w[1] * all_w[0]).abs() < 1e-6, "the ratio stays");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn moving_turning_and_scaling_everything_changes_nothing(
        axis in (-1.0..1.0_f64, -1.0..1.0_f64, 0.1..1.0_f64),
        angle in 0.0..6.0_f64,
        scale in -3.0..3.0_f64,
        shift in (-5.0..5.0_f64, -5.0..5.0_f64, -5.0..5.0_f64),
    ) {
        let (triangles, p) = tube(11, 24, 10.0);
        let (p, ends) = bent(&p, 0.8);
        let lines = BoneLines { ends: ends.to_vec(), ..two_bones() };
        let turn = DQuat::from_axis_angle(DVec3::from(axis).normalize(), angle);
        let scale = 10.0_f64.powf(scale);
        let map = DAffine3::from_scale_rotation_translation(
            DVec3::splat(scale), turn, scale * DVec3::from(shift));
        let moved: Vec<Vec3> = p.iter().map(|p| map.transform_point3(p.as_dvec3()).as_vec3()).collect();
        let ends = ends.map(|ends| ends.map(|p| map.transform_point3(p)));
        let before = weights(&triangles, &p, &lines);
        let after = weights(&triangles, &moved, &BoneLines { ends: ends.to_vec(), ..two_bones() });
        prop_assert!(difference(&before, &after, p.len(), 2) < 2e-3);
    }
}

/// A skeleton for the creature: joints in a row from the tail to the head, with one frame's pose for all.
fn creature_lines(animation: &MeshAnimation) -> BoneLines {
    let count = 12;
    let rest = animation.rest.as_ref().unwrap();
    let centers: Vec<DVec3> = (0..count).map(|i| DVec3::new(0.0, 0.9, -1.2 + 0.2 * f64::from(i))).collect();
    let skeleton = Skeleton::new((0..count as usize).map(|i| i.checked_sub(1)).collect());
    let nearest = |p: &Vec3| {
        let distance = |j: &u32| centers[*j as usize].distance_squared(p.as_dvec3());
        (0..count as u32).min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap()
    };
    let joint_of: Vec<u32> = rest.iter().map(nearest).collect();
    let ends = leaf_ends(&skeleton, &centers, rest, &joint_of);
    assert!(ends.iter().enumerate().all(|(joint, end)| end.is_some() == (joint + 1 == centers.len())));
    let transforms = vec![DAffine3::IDENTITY; centers.len() * animation.frames.len()];
    BoneLines::of_skeleton(&skeleton, &centers, &transforms, &ends)
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let animation = creature(&CreatureOptions { frames: 5, detail: 0.6, ..Default::default() });
    let lines = creature_lines(&animation);
    let of = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| heat_weights(&animation, &lines, &HeatOptions::default(), &Silent).unwrap())
    };
    let one = checked(&animation, of(1), &lines);
    for threads in [2, 3, 7] {
        assert!(one == of(threads), "{threads} threads");
    }
}

struct Stop(AtomicUsize);

impl Progress for Stop {
    fn cancelled(&self) -> bool {
        self.0.fetch_add(1, Ordering::Relaxed) > 0
    }
}

#[test]
fn cancelling_is_heard() {
    let (triangles, p) = tube(8, 11, 10.0);
    let poses = vec![p; 100];
    let lines = BoneLines { ends: two_bones().ends.repeat(100), ..two_bones() };
    let options = HeatOptions { frames: None, ..Default::default() };
    let stopped = heat_weights(&animation(&triangles, &poses), &lines, &options, &Stop(AtomicUsize::new(0)));
    assert_eq!(stopped, Err(HeatError::Cancelled));
}

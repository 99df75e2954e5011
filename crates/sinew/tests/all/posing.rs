//! Skins of found skeletons under turns that their animations do not show.

use crate::common::bodies::{Body, arm, quadruped};
use crate::common::skeletons::{child_and_parent, find, find_with, strain, turned};
use glam::{DQuat, DVec3, Vec3};
use sinew::animation::{Frames, MeshAnimation};
use sinew::geometry::{Bounds, Mesh};
use sinew::rig::Rig;
use sinew::skeleton::{Skeletal, SkeletonOptions};

const FRAMES: usize = 24;

/// Turns by 40° about each axis, to either side.
fn turns() -> impl Iterator<Item = DQuat> {
    let axes = [DVec3::X, DVec3::Y, DVec3::Z];
    axes.into_iter().flat_map(|axis| [40_f64, -40.0].map(|a| DQuat::from_axis_angle(axis, a.to_radians())))
}

/// The first frame with each joint but the root turned, one at a time.
fn poses(rig: &Rig) -> impl Iterator<Item = Vec<Vec3>> + '_ {
    let joints = child_and_parent(rig.skeleton.as_ref().expect("a skeleton")).map(|(joint, _)| joint);
    joints.flat_map(move |joint| turns().map(move |turn| turned(rig, joint, 0, turn).pose(0)))
}

/// The most that any turn makes an edge grow and shrink.
fn worst(rig: &Rig) -> [f32; 2] {
    let was = rig.pose(0);
    let worse = |a: [f32; 2], b: [f32; 2]| [a[0].max(b[0]), a[1].max(b[1])];
    poses(rig).map(|is| strain(&rig.mesh, &was, &is)).fold([1.0; 2], worse)
}

/// The same of the true weights and joints.
fn true_worst(body: &Body, mesh: &Mesh) -> [f32; 2] {
    let was = body.posed(&body.pose(0.0));
    let mut worst = [1.0_f32; 2];
    for joint in (0..body.limbs.len()).filter(|&k| body.limbs[k].parent.is_some()) {
        for turn in turns() {
            let mut pose = body.pose(0.0);
            pose.turns[joint] *= turn;
            let [grown, shrunk] = strain(mesh, &was, &body.posed(&pose));
            worst = [worst[0].max(grown), worst[1].max(shrunk)];
        }
    }
    worst
}

/// The animation with every vertex of every frame off by up to this share of the longest side.
fn shaken(mut animation: MeshAnimation, share: f32) -> MeshAnimation {
    let most = share * animation.rest_bounds().longest_side() as f32;
    let mut state = 1_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1 << 23) as f32 - 1.0
    };
    let poses: Vec<Vec<Vec3>> = (0..animation.frames.len())
        .map(|t| {
            let pose = animation.frames.frame(t);
            pose.iter().map(|p| *p + most * Vec3::new(next(), next(), next())).collect()
        })
        .collect();
    animation.frames = Frames::from_poses(&poses);
    animation
}

/// The animation with every face cut loose.
fn cut_up(animation: &MeshAnimation) -> MeshAnimation {
    let corners: Vec<u32> =
        (0..animation.mesh.face_count()).flat_map(|f| animation.mesh.face(f).to_vec()).collect();
    let mut mesh = Mesh { vertex_count: corners.len(), ..Mesh::default() };
    let mut next = 0;
    for face in 0..animation.mesh.face_count() {
        let count = animation.mesh.face(face).len() as u32;
        mesh.push_face(&(next..next + count).collect::<Vec<u32>>());
        next += count;
    }
    let placed = |pose: &[Vec3]| -> Vec<Vec3> { corners.iter().map(|&v| pose[v as usize]).collect() };
    let poses: Vec<_> = (0..animation.frames.len()).map(|t| placed(animation.frames.frame(t))).collect();
    MeshAnimation {
        mesh,
        rest: animation.rest.as_deref().map(placed),
        frames: Frames::from_poses(&poses),
        fps: animation.fps,
        clips: Vec::new(),
        nodes: Vec::new(),
    }
}

fn with_smoothness(animation: &MeshAnimation, smoothness: f64) -> Skeletal {
    find_with(animation, &SkeletonOptions { smoothness, ..Default::default() })
}

#[test]
fn what_shakes_in_the_animation_does_not_crumple_poses() {
    for body in [arm(), quadruped()] {
        let animation = shaken(body.animation(FRAMES), 0.003);
        let truth = true_worst(&body, &animation.mesh);
        let (rough, smooth) = (with_smoothness(&animation, 0.0), with_smoothness(&animation, 1.0));
        let (without, with) = (worst(&rough.rig), worst(&smooth.rig));
        for k in 0..2 {
            assert!(with[k] < 1.2 * truth[k], "edges change {with:?}, in truth {truth:?}");
        }
        let less = with[0] < 0.85 * without[0] && with[1] < without[1];
        assert!(less, "edges change {with:?}, {without:?} without smoothing");
        assert!(smooth.error.accu < 1.2 * rough.error.accu, "{:?} after {:?}", smooth.error, rough.error);
    }
}

#[test]
fn smoother_weights_strain_less_and_cost_little() {
    let animation = quadruped().animation(FRAMES);
    let of = |smoothness: f64| {
        let found = with_smoothness(&animation, smoothness);
        (worst(&found.rig)[0], found.error.accu)
    };
    let found = [0.0, 1.0, 4.0].map(of);
    assert!(found.is_sorted_by(|a, b| a.0 > b.0 && a.1 < b.1), "{found:?}");
    assert!(found[1].1 < 0.1, "{found:?}");
}

#[test]
fn seams_stay_closed() {
    let animation = cut_up(&arm().animation(FRAMES));
    let rig = find(&animation).rig;
    let places = animation.rest.as_deref().expect("a rest pose");
    let key = |v: usize| places[v].to_array().map(f32::to_bits);
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by_key(|&v| (key(v), v));
    let seams: Vec<[usize; 2]> =
        order.windows(2).filter(|w| key(w[0]) == key(w[1])).map(|w| [w[0], w[1]]).collect();
    assert!(2 * seams.len() > places.len(), "most vertices are on a seam");
    let side = Bounds::of(places).longest_side() as f32;
    for pose in poses(&rig) {
        for &[a, b] in &seams {
            assert!(pose[a].distance(pose[b]) < 1e-6 * side, "vertices {a} and {b} come apart");
        }
    }
    // Cut or whole, it is the same surface.
    let [grown, shrunk] = worst(&find(&arm().animation(FRAMES)).rig);
    let cut = worst(&rig);
    assert!(cut[0] < 1.1 * grown && cut[1] < 1.1 * shrunk, "{cut:?} for {grown} and {shrunk}");
}

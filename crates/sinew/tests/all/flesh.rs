//! Flesh that is learnt from one motion and moves with another: a tail of masses and springs, simulated here by other means
//! than the library's.

use glam::{DQuat, DVec3, Vec3};
use proptest::prelude::*;
use sinew::animation::{Frames, MeshAnimation};
use sinew::flesh::{Flesh, FleshError, learn_flesh};
use sinew::geometry::Mesh;
use sinew::progress::{Progress, Silent};

/// Frames that are short beside swings: the longer steps are, the more of fast swings they lose.
const FPS: f64 = 72.0;
/// Vertices along the tail, and around it.
const LONG: usize = 9;
const ROUND: usize = 4;
/// Rings that the body carries.
const CARRIED: usize = 2;

/// A square tube along x.
fn tail() -> (Mesh, Vec<DVec3>) {
    let corner = [DVec3::Y, DVec3::Z, -DVec3::Y, -DVec3::Z];
    let rest =
        (0..LONG * ROUND).map(|v| DVec3::X * (v / ROUND) as f64 * 0.3 + 0.2 * corner[v % ROUND]).collect();
    let quad = |ring: usize, side: usize| {
        let at = |ring: usize, side: usize| (ring * ROUND + side % ROUND) as u32;
        [at(ring, side), at(ring + 1, side), at(ring + 1, side + 1), at(ring, side + 1)]
    };
    let faces: Vec<[u32; 4]> =
        (0..LONG - 1).flat_map(|ring| (0..ROUND).map(move |side| quad(ring, side))).collect();
    (Mesh::from_faces(LONG * ROUND, &faces), rest)
}

/// Where the body is at a time, as a turn and a place: a wave of several rates.
fn body(time: f64, kind: f64) -> (DQuat, DVec3) {
    // It begins at rest.
    let grown = 0.5 * (time * 1.5).min(1.0).powi(2);
    let wave = |rate: f64| (rate * time + kind).sin() - kind.sin();
    let turn = grown * (0.5 * wave(4.1 + kind) + 0.25 * wave(9.0));
    let place = grown * DVec3::new(0.2 * wave(6.0), 0.5 * wave(3.0 + kind), 0.3 * wave(7.3));
    (DQuat::from_axis_angle(DVec3::new(0.2, 0.4, 1.0).normalize(), turn), place)
}

fn moved(rest: &[DVec3], time: f64, kind: f64) -> Vec<DVec3> {
    let (turn, place) = body(time, kind);
    rest.iter().map(|p| turn * *p + place).collect()
}

/// The tail with flesh: springs between all points nearby, by small explicit steps with friction.
fn simulated(rest: &[DVec3], frames: usize, kind: f64) -> Vec<Vec<DVec3>> {
    const STEPS: usize = 20;
    let springs: Vec<(usize, usize, f64)> = (0..rest.len())
        .flat_map(|i| (0..i).map(move |j| (i, j)))
        .map(|(i, j)| (i, j, rest[i].distance(rest[j])))
        .filter(|spring| spring.2 < 0.8)
        .collect();
    let (mut at, mut speed) = (rest.to_vec(), vec![DVec3::ZERO; rest.len()]);
    let dt = 1.0 / (FPS * STEPS as f64);
    let mut out = vec![rest.to_vec()];
    for frame in 1..frames {
        for step in 1..=STEPS {
            let time = (frame as f64 - 1.0 + step as f64 / STEPS as f64) / FPS;
            let carried = moved(rest, time, kind);
            let mut force = vec![DVec3::ZERO; rest.len()];
            for &(i, j, length) in &springs {
                let apart = at[i] - at[j];
                let along = apart.normalize();
                let pull = 10000.0 * (apart.length() - length) + 90.0 * (speed[i] - speed[j]).dot(along);
                force[i] -= pull * along;
                force[j] += pull * along;
            }
            for v in 0..rest.len() {
                if v < CARRIED * ROUND {
                    at[v] = carried[v];
                    speed[v] = DVec3::ZERO;
                } else {
                    speed[v] += dt * force[v];
                    at[v] += dt * speed[v];
                }
            }
        }
        out.push(at.clone());
    }
    out
}

fn animation(mesh: &Mesh, rest: &[DVec3], poses: &[Vec<DVec3>]) -> MeshAnimation {
    let poses: Vec<Vec<Vec3>> = poses.iter().map(|pose| pose.iter().map(|p| p.as_vec3()).collect()).collect();
    MeshAnimation {
        mesh: mesh.clone(),
        rest: Some(rest.iter().map(|p| p.as_vec3()).collect()),
        frames: Frames::from_poses(&poses),
        fps: FPS,
        clips: Vec::new(),
        nodes: Vec::new(),
    }
}

/// Motion without flesh, and with it.
fn pair(frames: usize, kind: f64) -> (MeshAnimation, MeshAnimation) {
    let (mesh, rest) = tail();
    let without: Vec<Vec<DVec3>> = (0..frames).map(|f| moved(&rest, f as f64 / FPS, kind)).collect();
    (animation(&mesh, &rest, &without), animation(&mesh, &rest, &simulated(&rest, frames, kind)))
}

fn distance(a: &Frames, b: &Frames) -> f64 {
    let squares = a.flat().iter().zip(b.flat()).map(|(a, b)| f64::from(a - b).powi(2));
    squares.sum::<f64>().sqrt()
}

fn learnt(frames: usize, kind: f64) -> (Flesh, f64) {
    let (without, with) = pair(frames, kind);
    let learnt = learn_flesh(&without, &with, &Silent).unwrap();
    (learnt.flesh, learnt.errors.held_out)
}

#[test]
fn flesh_of_one_motion_moves_with_another() {
    for (teacher, other) in [(0.3, 1.1), (1.1, 0.3)] {
        let (flesh, held_out) = learnt(160, teacher);
        let (without, with) = pair(160, other);
        let predicted = flesh.moved(&without.frames, FPS, &Silent).unwrap();
        let left = distance(&predicted, &with.frames) / distance(&without.frames, &with.frames);
        assert!(left < 0.5, "{left} of the motion of the flesh is left");
        assert!((0.0..0.7).contains(&held_out), "{held_out} was expected");
        // What the body carries is where the body has it, to the bit.
        assert_eq!(flesh.free().len(), (LONG - CARRIED) * ROUND);
        for frame in 0..predicted.len() {
            let carried = CARRIED * ROUND;
            assert_eq!(predicted.frame(frame)[..carried], without.frames.frame(frame)[..carried]);
        }
    }
}

#[test]
fn what_stands_still_hangs_still() {
    let (flesh, _) = learnt(60, 0.3);
    let (_, rest) = tail();
    let rest: Vec<Vec3> = rest.iter().map(|p| p.as_vec3()).collect();
    let still = Frames::from_poses(&vec![rest.clone(); 30]);
    let moved = flesh.moved(&still, FPS, &Silent).unwrap();
    let farthest = moved.flat().iter().zip(still.flat()).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(farthest < 1e-6, "{farthest}");
}

#[test]
fn flesh_swings_alike_at_any_frame_rate_and_never_flies_off() {
    let (flesh, _) = learnt(120, 0.3);
    let (mesh, rest) = tail();
    let at = |fps: f64| {
        let frames = (2.0 * fps) as usize + 1;
        let poses: Vec<Vec<DVec3>> = (0..frames).map(|f| moved(&rest, f as f64 / fps, 1.1)).collect();
        let without = animation(&mesh, &rest, &poses);
        let with = flesh.moved(&without.frames, fps, &Silent).unwrap();
        (without, with)
    };
    let (without, usual) = at(72.0);
    let swings = distance(&usual, &without.frames);
    for fps in [36.0, 144.0, 216.0] {
        let (_, other) = at(fps);
        let times = fps / 72.0;
        let apart: f64 = (0..usual.len())
            .filter(|frame| (*frame as f64 * times).fract() == 0.0)
            .map(|frame| {
                let pairs = usual.frame(frame).iter().zip(other.frame((frame as f64 * times) as usize));
                pairs.map(|(a, b)| f64::from(a.distance_squared(*b))).sum::<f64>()
            })
            .sum();
        assert!(apart.sqrt() < 0.15 * swings, "at {fps}: {} of {swings}", apart.sqrt());
    }
    // A body thrown about wildly: frames that have nothing to do with each other.
    let wild: Vec<Vec<DVec3>> = (0..60).map(|f| moved(&rest, f as f64 * 7.7, 2.0)).collect();
    let wild = animation(&mesh, &rest, &wild);
    let thrown = flesh.moved(&wild.frames, FPS, &Silent).unwrap();
    let farthest = thrown.flat().iter().map(|x| x.abs()).fold(0.0, f32::max);
    assert!(farthest < 30.0, "{farthest}");
}

#[test]
fn flesh_goes_through_numbers_and_any_number_of_threads_learns_the_same() {
    let (without, with) = pair(60, 0.3);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| learn_flesh(&without, &with, &Silent).unwrap().flesh)
    };
    let (one, three) = (on(1), on(3));
    assert_eq!(one.stored(), three.stored());
    let rest = without.rest.clone().unwrap();
    let again = Flesh::from_stored(&without.mesh, &rest, one.stored()).unwrap();
    let play = |flesh: &Flesh| flesh.moved(&without.frames, FPS, &Silent).unwrap().flat().to_vec();
    assert_eq!(play(&one), play(&again));
    let mut wrong = one.stored();
    wrong.knots[0] = 10_000;
    assert_eq!(Flesh::from_stored(&without.mesh, &rest, wrong).err(), Some(FleshError::Stored));
    let mut wrong = one.stored();
    wrong.stiffness.pop();
    assert_eq!(Flesh::from_stored(&without.mesh, &rest, wrong).err(), Some(FleshError::Stored));
}

#[test]
fn motions_that_do_not_go_together_are_refused() {
    let (without, with) = pair(24, 0.3);
    let refused = |a: &MeshAnimation, b: &MeshAnimation| learn_flesh(a, b, &Silent).err();
    assert_eq!(refused(&without, &without), Some(FleshError::NothingFree));
    let (short, _) = pair(20, 0.3);
    assert_eq!(refused(&short, &with), Some(FleshError::Frames { without: 20, with: 24 }));
    let (a, b) = pair(8, 0.3);
    assert_eq!(refused(&a, &b), Some(FleshError::TooShort { found: 8, needed: 16 }));
    let flat: Vec<f32> =
        without.frames.flat().iter().enumerate().map(|(i, x)| if i == 400 { f32::NAN } else { *x }).collect();
    let broken = MeshAnimation { frames: Frames::new(flat, 24, LONG * ROUND), ..pair(24, 0.3).0 };
    assert_eq!(refused(&broken, &with), Some(FleshError::NotFinite { frame: 3, vertex: 25 }));
    struct Stopped;
    impl Progress for Stopped {
        fn cancelled(&self) -> bool {
            true
        }
    }
    assert_eq!(learn_flesh(&without, &with, &Stopped).err(), Some(FleshError::Cancelled));
    let (flesh, _) = learnt(24, 0.3);
    let other = Frames::from_poses(&[vec![Vec3::ZERO; 5]]);
    let found = flesh.moved(&other, FPS, &Silent).err();
    assert_eq!(found, Some(FleshError::Vertices { found: 5, expected: LONG * ROUND }));
    assert_eq!(flesh.moved(&without.frames, 0.0, &Silent).err(), Some(FleshError::FrameRate { found: 0.0 }));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4, failure_persistence: None, ..ProptestConfig::default() })]

    /// Where the whole motion takes place, and along which axes, says nothing about flesh.
    #[test]
    fn flesh_is_the_same_wherever_the_body_is(turn in 0.0..6.0_f64, x in -3.0..3.0_f64) {
        let (flesh, _) = learnt(60, 0.3);
        let (without, _) = pair(60, 1.1);
        let turn = DQuat::from_axis_angle(DVec3::new(x, 1.0, 0.5).normalize(), turn);
        let elsewhere = |frames: &Frames| {
            let pose = |f: usize| frames.frame(f).iter().map(|p| (turn * p.as_dvec3() + DVec3::new(x, 2.0, -1.0)).as_vec3()).collect();
            Frames::from_poses(&(0..frames.len()).map(pose).collect::<Vec<Vec<Vec3>>>())
        };
        let here = elsewhere(&flesh.moved(&without.frames, FPS, &Silent).unwrap());
        let there = flesh.moved(&elsewhere(&without.frames), FPS, &Silent).unwrap();
        let size = distance(&here, &elsewhere(&without.frames));
        prop_assert!(distance(&here, &there) < 1e-2 * size, "{} of {size}", distance(&here, &there));
    }
}

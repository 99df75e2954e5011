//! Skeletons of animations that have none, and every way to ask for one.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::common::bodies::{arm, quadruped};
use crate::common::skeletons::{find, find_with};
use glam::{Quat, Vec3};
use sinew::animation::{Frames, MeshAnimation};
use sinew::geometry::Mesh;
use sinew::progress::{Progress, Silent};
use sinew::segment::{MeanShift, SkeletonSegmenter, Spectral};
use sinew::skeleton::{Angles, JointWeights, SkeletonError, SkeletonOptions, SkeletonWarning, find_skeleton};
use sinew_sample::{CreatureOptions, creature};

/// An animation of one rest pose.
fn moved(animation: &MeshAnimation, poses: &[Vec<Vec3>]) -> MeshAnimation {
    MeshAnimation {
        mesh: animation.mesh.clone(),
        rest: animation.rest.clone(),
        frames: Frames::from_poses(poses),
        fps: 30.0,
        clips: Vec::new(),
        nodes: Vec::new(),
    }
}

/// A sheet with waves that run over it.
fn cloth(frames: usize) -> MeshAnimation {
    const SIDE: usize = 24;
    let mut mesh = Mesh { vertex_count: SIDE * SIDE, ..Mesh::default() };
    for y in 0..SIDE - 1 {
        for x in 0..SIDE - 1 {
            let at = |x: usize, y: usize| (y * SIDE + x) as u32;
            mesh.push_face(&[at(x, y), at(x + 1, y), at(x + 1, y + 1), at(x, y + 1)]);
        }
    }
    let pose = |time: f32, high: f32| -> Vec<Vec3> {
        let point = |i: usize| {
            let (x, y) = ((i % SIDE) as f32 / SIDE as f32, (i / SIDE) as f32 / SIDE as f32);
            let wave = (9.0 * x + 4.0 * y - time).sin() + 0.7 * (7.0 * y - 5.0 * x + 2.0 * time).sin();
            Vec3::new(x, y, high * wave)
        };
        (0..SIDE * SIDE).map(point).collect()
    };
    let poses: Vec<_> =
        (0..frames).map(|t| pose(std::f32::consts::TAU * t as f32 / frames as f32, 0.1)).collect();
    MeshAnimation {
        mesh,
        rest: Some(pose(0.0, 0.0)),
        frames: Frames::from_poses(&poses),
        fps: 30.0,
        clips: Vec::new(),
        nodes: Vec::new(),
    }
}

fn says(warnings: &[SkeletonWarning], what: &str) -> bool {
    warnings.iter().any(|w| w.to_string().contains(what))
}

#[test]
fn what_moves_rigidly_has_one_joint() {
    let still = arm().animation(1);
    let rest = still.rest.clone().expect("a rest pose");
    let turned = |t: usize| -> Vec<Vec3> {
        let turn = Quat::from_axis_angle(Vec3::new(0.6, 0.0, 0.8), 0.3 * t as f32);
        rest.iter().map(|p| turn * *p + Vec3::new(0.2 * t as f32, 0.0, 1.0)).collect()
    };
    let tumbling: Vec<_> = (0..12).map(turned).collect();
    let cases = [tumbling, vec![rest.clone(); 5], vec![rest.clone()], vec![turned(3)]];
    for (case, poses) in cases.iter().enumerate() {
        let found = find(&moved(&still, poses));
        assert_eq!(found.rig.bones.len(), 1, "case {case}");
        assert!(says(&found.warnings, "one rigid body"), "case {case}: {:?}", found.warnings);
        assert!(!says(&found.warnings, "candidate"), "case {case}: {:?}", found.warnings);
        assert!(found.error.max < 0.01 && found.near_rigid_fraction == 1.0, "case {case}: {:?}", found.error);
    }
    // The same when the only frame is all there is.
    let found = find(&MeshAnimation { rest: None, ..moved(&still, &[rest]) });
    assert_eq!(found.rig.bones.len(), 1);
}

#[test]
fn one_bent_frame_is_enough_for_a_skeleton() {
    let body = arm();
    let bent = body.posed(&body.pose(0.4));
    let found = find(&moved(&body.animation(1), &[bent]));
    assert!((2..=5).contains(&found.rig.bones.len()), "{}", found.rig.bones.len());
    assert!(!says(&found.warnings, "one rigid body") && found.error.accu < 0.3, "{:?}", found.error);
}

#[test]
fn cloth_gives_a_rig_and_a_warning() {
    let found = find(&cloth(16));
    assert!(says(&found.warnings, "not a good candidate"), "{:?}", found.warnings);
    assert!(found.rig.bones.len() > 1 && found.error.accu < 5.0, "{:?}", found.error);
}

#[test]
fn the_creature_walks_on() {
    let animation = creature(&CreatureOptions { frames: 16, detail: 0.6, ..Default::default() });
    let found = find(&animation);
    // Twenty-four bones of its own move it.
    assert!((12..=33).contains(&found.rig.bones.len()), "{}", found.rig.bones.len());
    assert!(found.error.accu < 0.5, "{:?}", found.error);
    assert!(!says(&found.warnings, "candidate"), "{:?}", found.warnings);
}

#[test]
fn as_many_joints_as_asked_for() {
    let animation = quadruped().animation(16);
    let mut last = f64::INFINITY;
    for joints in [1, 2, 5, 13, 20] {
        let options = SkeletonOptions { joints: Some(joints), ..Default::default() };
        let found = find_with(&animation, &options);
        assert_eq!(found.rig.bones.len(), joints);
        // Joints that nothing needs do little harm.
        assert!(found.error.accu < 1.5 * last, "{joints} joints: {} after {last}", found.error.accu);
        last = found.error.accu;
    }
}

#[test]
fn fewer_joints_than_asked_for_are_told() {
    // Mean shift has as many segments as there are motions, far fewer than are asked for.
    let options =
        SkeletonOptions { joints: Some(40), segmenter: SkeletonSegmenter(&MeanShift), ..Default::default() };
    let found = find_with(&arm().animation(12), &options);
    assert!(found.rig.bones.len() < 40, "{}", found.rig.bones.len());
    assert!(says(&found.warnings, "40 joints were asked for"), "{:?}", found.warnings);
}

#[test]
fn every_method_gives_a_skeleton() {
    let animation = quadruped().animation(16);
    let usual = find(&animation);
    let base = SkeletonOptions::default();
    // With weights made for it this body is replayed nearly exactly; how much further off others may be.
    let ways = [
        (SkeletonOptions { segmenter: SkeletonSegmenter(&Spectral), ..base.clone() }, 2.0),
        (SkeletonOptions { segmenter: SkeletonSegmenter(&MeanShift), ..base.clone() }, 2.0),
        (SkeletonOptions { weights: JointWeights::Heat, ..base.clone() }, 40.0),
        (SkeletonOptions { angles: Angles::Ccd, ..base.clone() }, 15.0),
        (SkeletonOptions { angles: Angles::Ccd, weights: JointWeights::Heat, ..base.clone() }, 40.0),
        (SkeletonOptions { influences: 1, ..base.clone() }, 20.0),
        (SkeletonOptions { smoothness: 0.0, ..base.clone() }, 1.1),
    ];
    for (options, factor) in ways {
        let found = find_with(&animation, &options);
        assert!(found.error.accu < factor * usual.error.accu, "{options:?}: {:?}", found.error);
        assert!((7..=18).contains(&found.rig.bones.len()), "{options:?}: {}", found.rig.bones.len());
    }
}

#[test]
fn impossible_wishes_are_refused() {
    let animation = arm().animation(2);
    let base = SkeletonOptions::default();
    let refused = |options: SkeletonOptions| find_skeleton(&animation, &options, &Silent).unwrap_err();
    for asked in [0, 100_000, usize::MAX] {
        let error = refused(SkeletonOptions { joints: Some(asked), ..base.clone() });
        let SkeletonError::JointCount { asked: told, most } = error else { panic!("{error}") };
        assert!(told == asked && most > 20, "{told} of {most}");
    }
    // The most that there can be is asked for in vain, but no mistake.
    let SkeletonError::JointCount { most, .. } = refused(SkeletonOptions { joints: Some(0), ..base.clone() })
    else {
        panic!("no joints are too few")
    };
    let found = find_with(&animation, &SkeletonOptions { joints: Some(most), ..base.clone() });
    assert!((20..=most).contains(&found.rig.bones.len()), "{} of {most}", found.rig.bones.len());
    for asked in [0, 17, usize::MAX] {
        let error = refused(SkeletonOptions { influences: asked, ..base.clone() });
        assert_eq!(error, SkeletonError::InfluenceCount { asked });
    }
    for smoothness in [-1.0, f64::NAN, f64::INFINITY] {
        let error = refused(SkeletonOptions { smoothness, ..base.clone() });
        assert!(matches!(error, SkeletonError::Smoothness(_)), "{error}");
    }
}

#[test]
fn unusable_meshes_are_refused() {
    let good = arm().animation(2);
    let flat = moved(&good, &[vec![Vec3::X; good.mesh.vertex_count]]);
    let refused = |a: &MeshAnimation| find_skeleton(a, &SkeletonOptions::default(), &Silent).unwrap_err();
    assert!(matches!(refused(&flat), SkeletonError::Animation(_)));
    let mut far = good.frames.frame(1).to_vec();
    far[7].y = 1e30;
    let broken = refused(&moved(&good, &[good.frames.frame(0).to_vec(), far]));
    assert!(broken.to_string().contains("frame 1, vertex 7"), "{broken}");
    let line = |v: usize| Vec3::X * v as f32;
    let thin =
        MeshAnimation { rest: None, ..moved(&good, &[(0..good.mesh.vertex_count).map(line).collect()]) };
    assert!(matches!(refused(&thin), SkeletonError::AllDegenerate { .. }));
}

/// Cancels when a stage begins, or when it was asked so many times.
struct Stopping {
    stage: &'static str,
    after: usize,
    asked: AtomicUsize,
    stages: Mutex<Vec<&'static str>>,
}

impl Stopping {
    fn new(stage: &'static str, after: usize) -> Self {
        Self { stage, after, asked: AtomicUsize::new(0), stages: Mutex::new(Vec::new()) }
    }

    fn seen(&self, stage: &str) -> bool {
        self.stages.lock().expect("no panic").contains(&stage)
    }
}

impl Progress for Stopping {
    fn stage(&self, name: &'static str) {
        self.stages.lock().expect("no panic").push(name);
    }

    fn cancelled(&self) -> bool {
        self.asked.fetch_add(1, Ordering::Relaxed) >= self.after || self.seen(self.stage)
    }
}

#[test]
fn cancelling_ends_every_stage() {
    let animation = arm().animation(6);
    for options in [
        SkeletonOptions::default(),
        SkeletonOptions { angles: Angles::Ccd, weights: JointWeights::Heat, ..Default::default() },
        SkeletonOptions {
            segmenter: SkeletonSegmenter(&Spectral),
            weights: JointWeights::Heat,
            ..Default::default()
        },
    ] {
        let all = Stopping::new("never", usize::MAX);
        find_skeleton(&animation, &options, &all).expect("a skeleton");
        let stages = all.stages.into_inner().expect("no panic");
        for stage in ["parts", "joints", "weights", "angles"] {
            assert!(stages.contains(&stage), "{stage} of {stages:?}");
        }
        for stage in stages.into_iter().filter(|s| *s != "measuring") {
            let ended = find_skeleton(&animation, &options, &Stopping::new(stage, usize::MAX));
            assert_eq!(ended.err(), Some(SkeletonError::Cancelled), "{stage}");
        }
        // Whenever the answer is yes, the call ends so.
        let asked = all.asked.into_inner();
        for after in (0..10).map(|i| i * (asked - 1) / 9) {
            let ended = find_skeleton(&animation, &options, &Stopping::new("never", after));
            assert_eq!(ended.err(), Some(SkeletonError::Cancelled), "after {after} of {asked}");
        }
    }
}

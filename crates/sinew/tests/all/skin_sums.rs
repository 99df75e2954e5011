//! Weights and rest pose from sums over frames that are not kept.

use glam::Vec3;
use sinew::animation::{Frames, MeshAnimation};
use sinew::progress::Silent;
use sinew::rig::Rig;
use sinew::skin::{BoneKind, FrameSolver, SkinOptions, SkinSums, SumsOptions, skin};
use sinew::stream::Follower;
use sinew_sample::{CreatureOptions, creature};

const FREE: SumsOptions = SumsOptions { smoothness: 0.0, keep_rest: false };

fn walk() -> MeshAnimation {
    creature(&CreatureOptions { frames: 40, detail: 0.5, ..Default::default() })
}

fn some(animation: &MeshAnimation, chosen: impl Iterator<Item = usize>) -> Frames {
    let poses: Vec<Vec<Vec3>> = chosen.map(|t| animation.frames.frame(t).to_vec()).collect();
    Frames::from_poses(&poses)
}

/// A rig of the first few frames.
fn learnt(animation: &MeshAnimation, kind: BoneKind) -> Rig {
    let few = MeshAnimation {
        mesh: animation.mesh.clone(),
        rest: animation.rest.clone(),
        frames: some(animation, 0..8),
        fps: animation.fps,
        clips: Vec::new(),
        nodes: Vec::new(),
    };
    skin(&few, &SkinOptions { bones: Some(10), kind, ..SkinOptions::default() }, &Silent).unwrap().rig
}

fn percent(rig: &Rig, animation: &MeshAnimation) -> f64 {
    let mut follower = Follower::new(rig.clone(), Vec::new(), animation.rest_bounds());
    follower.follow(&animation.frames);
    follower.finish().measured.error.percent
}

/// Sums of all frames, of so many parts.
fn sums(rig: &Rig, animation: &MeshAnimation, parts: usize) -> SkinSums {
    let solver = FrameSolver::of(rig);
    let mut all = SkinSums::new(rig);
    for part in 0..parts {
        let mut own = SkinSums::new(rig);
        own.add(rig, &solver, &some(animation, (0..40).filter(|t| t % parts == part)));
        assert!(all.add_values(&own.values()));
    }
    all
}

#[test]
fn all_frames_have_their_say() {
    let animation = walk();
    for kind in [BoneKind::Flexible, BoneKind::Rigid] {
        let mut rig = learnt(&animation, kind);
        let before = percent(&rig, &animation);
        sums(&rig, &animation, 1).solve(&mut rig, FREE);
        let after = percent(&rig, &animation);
        assert!(after < 0.97 * before, "{kind:?}: {before} to {after}");
        assert!((0..rig.rest.len()).all(|v| {
            let (_, weights) = rig.weights.of(v);
            (weights.iter().sum::<f32>() - 1.0).abs() < 1e-4 && weights.iter().all(|w| *w >= 0.0)
        }));
    }
}

#[test]
fn parts_come_to_the_whole() {
    let animation = walk();
    let rig = learnt(&animation, BoneKind::Flexible);
    let [mut whole, mut parts] = [1, 5].map(|parts| sums(&rig, &animation, parts));
    for (a, b) in whole.values().iter().zip(parts.values()) {
        assert!((a - b).abs() <= 1e-9 * a.abs().max(1.0), "{a} {b}");
    }
    let [mut a, mut b] = [rig.clone(), rig.clone()];
    whole.solve(&mut a, FREE);
    parts.solve(&mut b, FREE);
    let far = a.rest.iter().zip(&b.rest).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
    assert!(far < 1e-5, "{far}");
}

#[test]
fn smoothness_and_a_held_rest_pose_are_kept_to() {
    let animation = walk();
    let rig = learnt(&animation, BoneKind::Flexible);
    let all = sums(&rig, &animation, 1);
    let solved = |smoothness: f64, keep_rest: bool| {
        let mut rig = rig.clone();
        all.solve(&mut rig, SumsOptions { smoothness, keep_rest });
        rig
    };
    assert_eq!(solved(1.0, true).rest, rig.rest);
    // How much weights differ along edges.
    let roughness = |of: &Rig| -> f64 {
        let edges = of.mesh.triangles(&of.rest).into_iter().map(|[a, b, _]| [a as usize, b as usize]);
        let weight =
            |v: usize, bone: usize| of.weights.influences(v).find(|(b, _)| *b == bone).map_or(0.0, |i| i.1);
        edges.map(|[a, b]| (0..10).map(|bone| (weight(a, bone) - weight(b, bone)).powi(2)).sum::<f64>()).sum()
    };
    assert!(roughness(&solved(100.0, false)) < roughness(&solved(0.0, false)));
}

#[test]
fn sums_of_another_rig_are_not_taken() {
    let animation = walk();
    let rig = learnt(&animation, BoneKind::Flexible);
    let mut all = sums(&rig, &animation, 1);
    let before = all.values();
    assert!(!all.add_values(&before[1..]));
    assert!(!all.add_values(&vec![f64::NAN; before.len()]));
    assert_eq!(all.values(), before);
}

//! Who stands where and which way they run; no GPU is needed for that.

use crate::common::{ball, swaying_rig};
use glam::{DAffine3, DMat3, DQuat, DVec3, Vec2};
use sinew::rig::{Bone, Rig, SkinWeights};
use sinew_gpu::{Herd, HerdOptions, Model, ModelOptions};

fn scattered(models: &[Model], count: usize, seed: u64) -> Herd {
    Herd::scatter(models, &HerdOptions { count, seed, ..HerdOptions::default() })
}

#[test]
fn herds_are_as_many_as_asked_for_and_apart() {
    let models = [Model::new(&swaying_rig(8, [1.0; 4]), &[], &ModelOptions::default()).unwrap()];
    let size = models[0].highest - models[0].lowest;
    for count in [1, 2, 7, 400] {
        let herd = scattered(&models, count, 3);
        assert_eq!(herd.members.len(), count);
        assert_eq!(herd, scattered(&models, count, 3));
        let places: Vec<Vec2> = herd.members.iter().map(|m| Vec2::new(m.place.x, m.place.z)).collect();
        for (i, p) in places.iter().enumerate() {
            assert!(p.abs().cmple(herd.half).all(), "{p} outside of {}", herd.half);
            for q in &places[..i] {
                assert!(p.distance(*q) > 0.6 * size.x, "{p} and {q} are in each other's way");
            }
        }
    }
    assert_ne!(scattered(&models, 7, 3), scattered(&models, 7, 4));
}

#[test]
fn shares_are_kept() {
    let model = Model::new(&swaying_rig(8, [1.0; 4]), &[], &ModelOptions::default()).unwrap();
    let models = [model.clone(), model.clone(), model];
    let count = |shares: Vec<f32>| {
        let herd = Herd::scatter(&models, &HerdOptions { count: 3000, seed: 1, shares });
        [0, 1, 2].map(|model| herd.members.iter().filter(|m| m.model == model).count())
    };
    assert!(count(Vec::new()).iter().all(|n| n.abs_diff(1000) < 150));
    let [none, many, few] = count(vec![0.0, 5.0, 1.0]);
    assert_eq!(none, 0);
    assert!(many.abs_diff(2500) < 150 && few.abs_diff(500) < 150, "{many} {few}");
}

/// A ball that rolls on the spot towards `heading`, once in `frames` frames, and goes along if it `travels`.
fn rolling(heading: f64, frames: usize, travels: bool) -> Rig {
    let (mesh, rest) = ball(20);
    let round = DMat3::from_diagonal(DVec3::new(2.5, 2.0, 1.0));
    let turn = DQuat::from_rotation_y(heading);
    let transform = |frame: usize| {
        let angle = std::f64::consts::TAU * frame as f64 / frames as f64;
        let matrix3 = DMat3::from_quat(turn * DQuat::from_rotation_x(angle)) * round;
        let way = if travels { turn * DVec3::Z * angle } else { DVec3::ZERO };
        DAffine3 { matrix3, translation: way + DVec3::new(40.0, 7.0, -3.0) }
    };
    Rig {
        weights: SkinWeights::single(rest.len()),
        mesh,
        rest,
        bones: vec![Bone { name: "b".into(), center: DVec3::ZERO, rigid: false, axes: None }],
        transforms: (0..frames).map(transform).collect(),
        skeleton: None,
        corrections: None,
        fps: 24.0,
        clips: Vec::new(),
        nodes: Vec::new(),
        armature: String::new(),
    }
}

#[test]
fn whoever_runs_runs_ahead() {
    for heading in [0.0, 1.1, -2.5] {
        for travels in [false, true] {
            let model = Model::new(&rolling(heading, 48, travels), &[], &ModelOptions::default()).unwrap();
            let gait = &model.gait;
            assert_eq!((gait.period, gait.returns), (48, false));
            assert!((gait.heading - heading).abs() < 0.1, "{} for {heading}", gait.heading);
            // Half a turn of a ball of radius one a second; its nose makes it roll unevenly.
            let speed = std::f64::consts::PI;
            assert!((gait.speed / speed - 1.0).abs() < 0.25, "{} for {speed}", gait.speed);
            // It stands on the ground, in the middle, wherever it came from and went.
            assert!(model.lowest.y.abs() < 1e-4 && (model.lowest + model.highest).abs().x < 1e-3);
            assert!(
                (model.highest - model.lowest).max_element() < 4.0,
                "{} to {}",
                model.lowest,
                model.highest
            );
        }
    }
}

#[test]
fn whoever_stays_stays() {
    let model = Model::new(&swaying_rig(8, [1.0; 4]), &[], &ModelOptions::default()).unwrap();
    assert_eq!((model.gait.speed, model.gait.heading), (0.0, 0.0));
    assert_eq!(scattered(&[model], 5, 1).speed, 0.0);
}

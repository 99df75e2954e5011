//! SAD and FESAM, from the rest pose and from pose to pose, on animations whose answer is known.

use crate::common::rigs::vertex_transform;
use crate::common::{articulated_boxes, bent_tube, error_percent, in_pool};
use glam::{EulerRot, Mat3, Quat, Vec3};
use sinew::animation::{Frames, MeshAnimation, PoseSource, compare};
use sinew::geometry::Mesh;
use sinew::progress::{Progress, Silent};
use sinew::rig::{ChainPlayer, PoseChain, Rig};
use sinew::skin::*;
use sinew_sample::{CreatureOptions, creature};

/// A pipeline in one of the schemes.
#[derive(Clone, Debug)]
enum Pipeline {
    FromRest(Method),
    Chain(PoseToPoseOptions),
}
use Pipeline::{Chain, FromRest};

/// What the schemes have in common.
#[derive(Debug, PartialEq)]
struct Fitted {
    rig: Option<Rig>,
    chain: Option<PoseChain>,
    percent: f64,
    per_frame: Vec<f64>,
    rounds: Vec<f64>,
}

impl Pipeline {
    fn rounds(&self) -> usize {
        match self {
            FromRest(Method::Fesam { rounds }) => *rounds,
            FromRest(_) => 0,
            Chain(options) => options.rounds,
        }
    }

    fn fit(
        &self,
        animation: &MeshAnimation,
        bones: usize,
        influences: usize,
        progress: &dyn Progress,
    ) -> Result<Fitted, SkinError> {
        let percents = |rounds: &[Round]| rounds.iter().map(|r| r.percent).collect();
        Ok(match self.clone() {
            FromRest(method) => {
                let options = SkinOptions { bones: Some(bones), influences, ..SkinOptions::of(method) };
                let skin = skin(animation, &options, progress)?;
                skin.rig.validate().expect("a sound rig");
                assert_eq!(skin.rig.bones.len(), bones);
                assert_eq!(error_percent(animation, &skin.rig), skin.error.percent);
                let (percent, rounds) = (skin.error.percent, percents(&skin.rounds));
                Fitted { rig: Some(skin.rig), chain: None, percent, per_frame: skin.error_per_frame, rounds }
            }
            Chain(options) => {
                let options = PoseToPoseOptions { bones, influences, ..options };
                let skin = pose_to_pose(animation, &options, progress)?;
                skin.rig.validate().expect("a sound chain");
                assert_eq!(skin.rig.bones.len(), bones);
                let measured = compare(animation, &skin.rig.bake(), animation.rest_bounds());
                assert_eq!(measured.error.percent, skin.error.percent);
                let (percent, rounds) = (skin.error.percent, percents(&skin.rounds));
                Fitted { rig: None, chain: Some(skin.rig), percent, per_frame: skin.error_per_frame, rounds }
            }
        })
    }
}

fn run(animation: &MeshAnimation, bones: usize, pipeline: &Pipeline) -> Fitted {
    let fitted = pipeline.fit(animation, bones, 4, &Silent).expect("a usable animation");
    let (last, percent) = (fitted.rounds[fitted.rounds.len() - 1], fitted.percent);
    assert!((last - percent).abs() < 1e-3 * percent + 1e-4, "{last} in the rounds, {percent} in the end");
    fitted
}

/// Every pipeline in both schemes, and looking ahead.
fn all(rounds: usize) -> Vec<Pipeline> {
    let (sad, ahead) = (PoseToPoseOptions::sad(), PoseToPoseOptions { rounds, ..Default::default() });
    vec![
        FromRest(Method::Sad),
        Chain(sad.clone()),
        Chain(PoseToPoseOptions { look_ahead: true, hold_poses: true, rounds, ..sad }),
        FromRest(Method::Fesam { rounds }),
        Chain(PoseToPoseOptions { look_ahead: false, ..ahead.clone() }),
        Chain(ahead),
    ]
}

fn solves_weights(pipeline: &Pipeline) -> bool {
    match pipeline {
        FromRest(method) => *method != Method::Sad,
        Chain(options) => options.solve_weights,
    }
}

/// A square cloth that is blown about and folds: no part of it moves rigidly.
fn cloth(side: usize, frames: usize) -> MeshAnimation {
    let mut mesh = Mesh { vertex_count: side * side, ..Mesh::default() };
    for y in 0..side - 1 {
        for x in 0..side - 1 {
            let a = (y * side + x) as u32;
            mesh.push_face(&[a, a + 1, a + 1 + side as u32, a + side as u32]);
        }
    }
    let pose = |time: f32| -> Vec<Vec3> {
        (0..side * side)
            .map(|i| {
                let (u, v) = (
                    (i % side) as f32 / (side - 1) as f32 - 0.5,
                    (i / side) as f32 / (side - 1) as f32 - 0.5,
                );
                let reach = (u * u + v * v).sqrt();
                let fall = 1.6 * time * (reach * 1.2).powi(2);
                let pull = 1.0 - 0.5 * time * reach;
                let wave = 0.12 * time * (5.0 * v.atan2(u) + 2.0 * time).sin() * reach;
                Vec3::new(u * pull - wave * v, v * pull + wave * u, -fall + wave)
            })
            .collect()
    };
    let poses: Vec<_> = (0..frames).map(|t| pose(t as f32 / (frames - 1) as f32)).collect();
    MeshAnimation {
        mesh,
        rest: None,
        frames: Frames::from_poses(&poses),
        fps: 24.0,
        clips: Vec::new(),
        nodes: Vec::new(),
    }
}

#[test]
fn boxes_that_turn_by_themselves_are_replayed_by_rounds() {
    let animation = articulated_boxes(5, 12);
    for pipeline in all(8).into_iter().filter(solves_weights) {
        let percent = run(&animation, 5, &pipeline).percent;
        assert!(percent < 1e-2, "{percent} percent with {pipeline:?}");
    }
}

#[test]
fn every_round_lowers_the_error() {
    for animation in [bent_tube(12), cloth(16, 8)] {
        for pipeline in all(6) {
            let errors = run(&animation, 7, &pipeline).rounds;
            assert!(errors.windows(2).all(|w| w[1] < w[0]), "{errors:?} with {pipeline:?}");
            assert!(errors.len() <= 1 + pipeline.rounds());
        }
    }
}

#[test]
fn threads_change_nothing() {
    let animation = bent_tube(8);
    for pipeline in all(3) {
        let one = in_pool(1, || run(&animation, 6, &pipeline));
        let three = in_pool(3, || run(&animation, 6, &pipeline));
        assert_eq!(one, three, "{pipeline:?}");
    }
}

#[test]
fn moving_and_turning_the_scene_changes_little() {
    let animation = bent_tube(8);
    let turn = Mat3::from_quat(Quat::from_euler(EulerRot::XYZ, 0.3, -1.1, 2.0));
    let moved = |p: &[Vec3]| p.iter().map(|p| turn * *p + Vec3::new(40.0, -7.0, 3.0)).collect::<Vec<_>>();
    let poses: Vec<_> = (0..animation.frames.len()).map(|t| moved(animation.frames.frame(t))).collect();
    let other = MeshAnimation {
        mesh: animation.mesh.clone(),
        rest: animation.rest.as_deref().map(moved),
        frames: Frames::from_poses(&poses),
        fps: animation.fps,
        clips: Vec::new(),
        nodes: Vec::new(),
    };
    for pipeline in all(4) {
        let (a, b) = (run(&animation, 6, &pipeline).percent, run(&other, 6, &pipeline).percent);
        // The tube is round: which of several equal seeds is taken changes with the axes.
        assert!((a / b - 1.0).abs() < 0.2, "{a} against {b} with {pipeline:?}");
    }
}

/// Figure 7 of PPS: over the first frames, from the first as rest pose, with evenly spread bones.
#[test]
fn from_pose_to_pose_no_pose_is_worse_than_from_the_rest_pose() {
    let animals = creature(&CreatureOptions { frames: 24, detail: 0.6, ..Default::default() });
    let few: Vec<Vec<Vec3>> = (0..8).map(|t| animals.frames.frame(t).to_vec()).collect();
    let walk = MeshAnimation { frames: Frames::from_poses(&few), rest: None, ..animals };
    for (name, animation, bones) in [("cloth", cloth(24, 8), 16), ("walk", walk, 40)] {
        let from_rest = run(&animation, bones, &FromRest(Method::Sad));
        let sad = PoseToPoseOptions::sad();
        let ahead = PoseToPoseOptions { look_ahead: true, hold_poses: true, rounds: 6, ..sad };
        let stepwise = run(&animation, bones, &Chain(ahead));
        let pairs = stepwise.per_frame.iter().zip(&from_rest.per_frame);
        for (pose, (a, b)) in pairs.enumerate() {
            assert!(*a < 1.005 * b + 1e-3, "{name}, pose {pose}: {a} against {b}");
        }
        assert!(
            stepwise.percent < 0.99 * from_rest.percent,
            "{name}: {} against {}",
            stepwise.percent,
            from_rest.percent
        );
    }
}

/// Figure 8 of PPS: rounds help, more slowly from pose to pose; looking ahead helps them.
#[test]
fn rounds_converge_more_slowly_from_pose_to_pose() {
    let animation = cloth(20, 10);
    let from_rest = run(&animation, 12, &FromRest(Method::Fesam { rounds: 6 }));
    let ahead = PoseToPoseOptions { rounds: 6, ..Default::default() };
    let both = run(&animation, 12, &Chain(ahead.clone()));
    let greedy = run(&animation, 12, &Chain(PoseToPoseOptions { look_ahead: false, ..ahead }));
    let pairs = both.rounds[1..].iter().zip(&from_rest.rounds[1..]);
    assert!(pairs.clone().count() == 6 && pairs.clone().all(|(a, b)| a > b));
    assert!(both.percent < greedy.percent);
}

#[test]
fn a_chain_plays_the_same_in_any_order_and_by_its_products() {
    let animation = bent_tube(6);
    let chain = run(&animation, 5, &Chain(PoseToPoseOptions::sad())).chain.expect("a chain");
    let baked = chain.bake();
    let player = ChainPlayer::new(&chain);
    let mut pose = vec![Vec3::ZERO; chain.rest.len()];
    for frame in [4, 1, 1, 5, 0] {
        player.pose_into(frame, &mut pose);
        assert_eq!(pose, baked.frame(frame));
        let by_product = vertex_transform(&chain, 77, frame).transform_point3(chain.rest[77].as_dvec3());
        assert!(by_product.distance(pose[77].as_dvec3()) < 1e-5);
    }
    // Many at once must neither wait for each other nor mix poses up.
    assert_eq!(compare(&baked, &player, animation.rest_bounds()).error.max, 0.0);
}

#[test]
fn corrections_come_after_the_rounds() {
    let animation = bent_tube(10);
    let plain = run(&animation, 4, &FromRest(Method::Sad));
    let options = SkinOptions { bones: Some(4), rank: 4, ..SkinOptions::of(Method::Sad) };
    let corrected = skin(&animation, &options, &Silent).expect("a rig");
    assert!(corrected.error.percent < 0.5 * plain.percent);
}

#[test]
fn what_cannot_be_done_is_refused() {
    let animation = bent_tube(3);
    let refused = |pipeline: &Pipeline, bones, influences| {
        pipeline.fit(&animation, bones, influences, &Silent).unwrap_err()
    };
    assert_eq!(refused(&FromRest(Method::Sad), 0, 4), SkinError::PointCount { asked: 0, most: 300 });
    assert_eq!(refused(&FromRest(Method::fesam()), 301, 4), SkinError::PointCount { asked: 301, most: 300 });
    for pipeline in all(3) {
        assert_eq!(refused(&pipeline, 5, 17), SkinError::InfluenceCount { asked: 17 });
    }
    struct Stop;
    impl Progress for Stop {
        fn cancelled(&self) -> bool {
            true
        }
    }
    for pipeline in all(3) {
        assert_eq!(pipeline.fit(&animation, 5, 4, &Stop).unwrap_err(), SkinError::Cancelled);
    }
}

#[test]
fn meshes_of_every_kind_are_served() {
    let tube = bent_tube(4);
    let still = vec![tube.frames.frame(0).to_vec(); 3];
    let still = MeshAnimation { frames: Frames::from_poses(&still), ..bent_tube(4) };
    let single = MeshAnimation { frames: Frames::from_poses(&still_poses(&tube)), ..bent_tube(4) };
    // A loose vertex far away, and a triangle without an area.
    let mut odd = bent_tube(4);
    odd.mesh.vertex_count += 1;
    odd.mesh.push_face(&[3, 3, 4]);
    let with_loose = |p: &[Vec3]| p.iter().copied().chain([Vec3::splat(30.0)]).collect::<Vec<_>>();
    let poses: Vec<_> = (0..4).map(|t| with_loose(odd.frames.frame(t))).collect();
    odd = MeshAnimation { rest: None, frames: Frames::from_poses(&poses), ..odd };
    for (name, animation) in [("still", still), ("single", single), ("odd", odd)] {
        for pipeline in all(2) {
            for influences in [1, 4, 16] {
                let percent = pipeline.fit(&animation, 6, influences, &Silent).expect(name).percent;
                assert!(percent.is_finite() && percent < 100.0, "{name}: {percent} with {pipeline:?}");
            }
        }
    }
}

fn still_poses(animation: &MeshAnimation) -> Vec<Vec<Vec3>> {
    vec![animation.frames.frame(1).to_vec()]
}

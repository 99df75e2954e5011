//! SAD and FESAM, from the rest pose and from pose to pose, on animations whose answer is known.

use crate::common::{articulated_boxes, bent_tube, error_percent, in_pool};
use glam::{EulerRot, Mat3, Quat, Vec3};
use sinew::animation::{Frames, MeshAnimation, PoseSource, compare};
use sinew::geometry::Mesh;
use sinew::progress::{Progress, Silent};
use sinew::rig::{ChainPlayer, PoseChain};
use sinew::skin::*;
use sinew_sample::{CreatureOptions, creature};

fn run(animation: &MeshAnimation, options: &MethodOptions) -> MethodSkin {
    let skin = skin_with(animation, options, &Silent).expect("a usable animation");
    let percent = match &skin.fitted {
        Fitted::Rig(rig) => {
            rig.validate().expect("a sound rig");
            assert_eq!(rig.bones.len(), options.bones);
            error_percent(animation, rig)
        }
        Fitted::Chain(chain) => {
            chain.validate().expect("a sound chain");
            assert_eq!(chain.bones.len(), options.bones);
            compare(animation, &chain.bake(), animation.rest_bounds()).error.percent
        }
    };
    assert_eq!(percent, skin.error.percent);
    let last = skin.error_per_round[skin.error_per_round.len() - 1];
    if options.rank == 0 {
        assert!((last - percent).abs() < 1e-3 * percent + 1e-4, "{last} in the rounds, {percent} in the end");
    }
    skin
}

fn chain_of(skin: MethodSkin) -> PoseChain {
    match skin.fitted {
        Fitted::Chain(chain) => chain,
        Fitted::Rig(_) => panic!("from pose to pose there is a chain"),
    }
}

/// Every pipeline in both schemes, and looking ahead.
fn all(bones: usize, rounds: usize) -> Vec<MethodOptions> {
    let fesam = MethodOptions { rounds, ..MethodOptions::fesam(bones) };
    let sad = MethodOptions::sad(bones);
    let ahead = |o: &MethodOptions| MethodOptions { look_ahead: true, rounds, ..o.clone().pose_to_pose() };
    vec![
        sad.clone(),
        sad.clone().pose_to_pose(),
        MethodOptions { hold_poses: true, ..ahead(&sad) },
        fesam.clone(),
        fesam.clone().pose_to_pose(),
        ahead(&fesam),
    ]
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
    MeshAnimation { mesh, rest: None, frames: Frames::from_poses(&poses), fps: 24.0, clips: Vec::new() }
}

#[test]
fn boxes_that_turn_by_themselves_are_replayed_by_rounds() {
    let animation = articulated_boxes(5, 12);
    for options in all(5, 8).into_iter().filter(|o| o.solve_weights) {
        let skin = run(&animation, &options);
        assert!(skin.error.percent < 1e-2, "{} percent with {options:?}", skin.error.percent);
    }
}

#[test]
fn every_round_lowers_the_error() {
    for animation in [bent_tube(12), cloth(16, 8)] {
        for options in all(7, 6) {
            let skin = run(&animation, &options);
            let errors = &skin.error_per_round;
            assert!(errors.windows(2).all(|w| w[1] < w[0]), "{errors:?} with {options:?}");
            assert!(errors.len() <= 1 + options.rounds);
        }
    }
}

#[test]
fn threads_change_nothing() {
    let animation = bent_tube(8);
    for options in all(6, 3) {
        let one = in_pool(1, || run(&animation, &options));
        let three = in_pool(3, || run(&animation, &options));
        assert_eq!((one.fitted, one.error_per_round), (three.fitted, three.error_per_round), "{options:?}");
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
    };
    for options in all(6, 4) {
        let (a, b) = (run(&animation, &options).error.percent, run(&other, &options).error.percent);
        // The tube is round: which of several equal seeds is taken changes with the axes.
        assert!((a / b - 1.0).abs() < 0.2, "{a} against {b} with {options:?}");
    }
}

/// Figure 7 of PPS: over the first frames, from the first as rest pose, with evenly spread bones.
#[test]
fn from_pose_to_pose_no_pose_is_worse_than_from_the_rest_pose() {
    let animals = creature(&CreatureOptions { frames: 24, detail: 0.6, ..Default::default() });
    let few: Vec<Vec<Vec3>> = (0..8).map(|t| animals.frames.frame(t).to_vec()).collect();
    let walk = MeshAnimation { frames: Frames::from_poses(&few), rest: None, ..animals };
    for (name, animation, bones) in [("cloth", cloth(24, 8), 16), ("walk", walk, 40)] {
        let sad = MethodOptions::sad(bones);
        let from_rest = run(&animation, &sad);
        let ahead = MethodOptions { look_ahead: true, hold_poses: true, rounds: 6, ..sad.pose_to_pose() };
        let stepwise = run(&animation, &ahead);
        let pairs = stepwise.error_per_frame.iter().zip(&from_rest.error_per_frame);
        for (pose, (a, b)) in pairs.enumerate() {
            assert!(*a < 1.005 * b + 1e-3, "{name}, pose {pose}: {a} against {b}");
        }
        assert!(
            stepwise.error.percent < 0.99 * from_rest.error.percent,
            "{name}: {} against {}",
            stepwise.error.percent,
            from_rest.error.percent
        );
    }
}

/// Figure 8 of PPS: rounds help, more slowly from pose to pose; looking ahead helps them.
#[test]
fn rounds_converge_more_slowly_from_pose_to_pose() {
    let animation = cloth(20, 10);
    let fesam = MethodOptions { rounds: 6, ..MethodOptions::fesam(12) };
    let from_rest = run(&animation, &fesam);
    let ahead = MethodOptions { look_ahead: true, ..fesam.pose_to_pose() };
    let both = run(&animation, &ahead);
    let greedy = run(&animation, &MethodOptions { look_ahead: false, ..ahead });
    let pairs = both.error_per_round[1..].iter().zip(&from_rest.error_per_round[1..]);
    assert!(pairs.clone().count() == 6 && pairs.clone().all(|(a, b)| a > b));
    assert!(both.error.percent < greedy.error.percent);
}

#[test]
fn a_chain_plays_the_same_in_any_order_and_by_its_products() {
    let animation = bent_tube(6);
    let chain = chain_of(run(&animation, &MethodOptions::sad(5).pose_to_pose()));
    let baked = chain.bake();
    let player = ChainPlayer::new(&chain);
    let mut pose = vec![Vec3::ZERO; chain.rest.len()];
    for frame in [4, 1, 1, 5, 0] {
        player.pose_into(frame, &mut pose);
        assert_eq!(pose, baked.frame(frame));
        let by_product = chain.vertex_transform(77, frame).transform_point3(chain.rest[77].as_dvec3());
        assert!(by_product.distance(pose[77].as_dvec3()) < 1e-5);
    }
    // Many at once must neither wait for each other nor mix poses up.
    assert_eq!(compare(&baked, &player, animation.rest_bounds()).error.max, 0.0);
}

#[test]
fn corrections_come_after_the_rounds_and_only_from_the_rest_pose() {
    let animation = bent_tube(10);
    let plain = run(&animation, &MethodOptions::sad(4));
    let corrected = run(&animation, &MethodOptions { rank: 4, ..MethodOptions::sad(4) });
    assert!(corrected.error.percent < 0.5 * plain.error.percent);
    let chain = run(&animation, &MethodOptions { rank: 4, ..MethodOptions::sad(4).pose_to_pose() });
    assert_eq!(chain.warnings.len(), 1);
}

#[test]
fn what_cannot_be_done_is_refused() {
    let animation = bent_tube(3);
    let refused = |options: &MethodOptions| skin_with(&animation, options, &Silent).unwrap_err();
    assert_eq!(refused(&MethodOptions::sad(0)), SkinError::PointCount { asked: 0, most: 300 });
    assert_eq!(refused(&MethodOptions::fesam(301)), SkinError::PointCount { asked: 301, most: 300 });
    let many = MethodOptions { influences: 17, ..MethodOptions::fesam(5) };
    assert_eq!(refused(&many), SkinError::InfluenceCount { asked: 17 });
    struct Stop;
    impl Progress for Stop {
        fn cancelled(&self) -> bool {
            true
        }
    }
    for options in all(5, 3).iter().filter(|o| o.rounds > 0) {
        assert_eq!(skin_with(&animation, options, &Stop).unwrap_err(), SkinError::Cancelled);
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
        for options in all(6, 2) {
            for influences in [1, 4, 16] {
                let skin = skin_with(&animation, &MethodOptions { influences, ..options.clone() }, &Silent);
                let percent = skin.expect(name).error.percent;
                assert!(percent.is_finite() && percent < 100.0, "{name}: {percent} with {options:?}");
            }
        }
    }
}

fn still_poses(animation: &MeshAnimation) -> Vec<Vec<Vec3>> {
    vec![animation.frames.frame(1).to_vec()]
}

//! The whole way from animation to rig, on animations whose answer is known.

use crate::common::{articulated_boxes, bent_tube, error_percent, in_pool};
use glam::{EulerRot, Mat3, Quat, Vec3};
use sinew::animation::{AnimationError, AnimationWarning, Clip, Frames, MeshAnimation};
use sinew::geometry::Mesh;
use sinew::progress::{Progress, Silent};
use sinew::skin::*;

fn sma(options: SmaOptions) -> SkinOptions {
    SkinOptions::of(Method::Sma(options))
}

fn run(animation: &MeshAnimation, options: &SkinOptions) -> Skinned {
    let skinned = skin(animation, options, &Silent).expect("a usable animation");
    skinned.rig.validate().expect("a sound rig");
    skinned
}

#[test]
fn boxes_that_turn_by_themselves_each_get_a_bone() {
    let animation = articulated_boxes(5, 12);
    for kind in [BoneKind::Rigid, BoneKind::Flexible] {
        let skinned = run(&animation, &SkinOptions { kind, ..SkinOptions::sma() });
        assert_eq!(skinned.rig.bones.len(), 5, "{kind:?}");
        assert!(skinned.error.percent < 1e-3, "{kind:?}: {} percent", skinned.error.percent);
        assert_eq!(skinned.near_rigid_fraction, Some(1.0));
        // Every vertex of a box follows one bone alone, and all boxes have different ones.
        let owner = |vertex: usize| {
            let (bones, weights) = skinned.rig.weights.of(vertex);
            assert!(weights[0] > 0.999, "{weights:?}");
            bones[0]
        };
        let owners: Vec<u32> = (0..5).map(|b| owner(8 * b)).collect();
        for vertex in 0..40 {
            assert_eq!(owner(vertex), owners[vertex / 8]);
        }
        assert_eq!(owners.iter().collect::<std::collections::BTreeSet<_>>().len(), 5);
    }
}

#[test]
fn the_papers_own_sets_find_the_boxes_too() {
    let animation = articulated_boxes(4, 10);
    let skinned = run(&animation, &sma(SmaOptions { core: CoreSets::Modes, ..Default::default() }));
    assert_eq!(skinned.rig.bones.len(), 4);
    assert!(skinned.error.percent < 1e-3);
}

#[test]
fn weights_sum_to_one_and_come_largest_first() {
    let skinned = run(&bent_tube(10), &SkinOptions { bones: Some(6), ..SkinOptions::sma() });
    for vertex in 0..skinned.rig.rest.len() {
        let (_, weights) = skinned.rig.weights.of(vertex);
        assert!((weights.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        assert!(weights.windows(2).all(|w| w[0] >= w[1] && w[1] >= 0.0), "{weights:?}");
    }
}

#[test]
fn exactly_as_many_bones_as_asked_for() {
    let animation = bent_tube(8);
    for bones in [1, 2, 3, 7, 20, 60] {
        let skinned = run(&animation, &SkinOptions { bones: Some(bones), ..SkinOptions::sma() });
        assert_eq!(skinned.rig.bones.len(), bones);
    }
    // Also where nothing tells them apart.
    let still = MeshAnimation {
        frames: Frames::from_poses(&vec![animation.frames.frame(0).to_vec(); 3]),
        ..animation
    };
    let skinned = run(&still, &SkinOptions { bones: Some(9), ..SkinOptions::sma() });
    assert_eq!(skinned.rig.bones.len(), 9);
}

#[test]
fn more_bones_influences_and_rank_never_hurt_much() {
    let animation = bent_tube(16);
    let percent = |options: SkinOptions| run(&animation, &options).error.percent;
    let with = |bones| SkinOptions { bones: Some(bones), ..SkinOptions::sma() };
    let coarse = percent(with(3));
    let fine = percent(with(12));
    assert!(fine < 0.5 * coarse, "{fine} against {coarse}");
    let single = percent(SkinOptions { influences: 1, ..with(6) });
    assert!(percent(with(6)) < single);
    let six = |options| SkinOptions { bones: Some(6), ..sma(options) };
    let free = six(SmaOptions { weights: WeightMethod::Tsvd, ..Default::default() });
    let (bounded, free) = (percent(with(6)), percent(free));
    assert!(free <= bounded * 1.0001, "{free} against {bounded}");
    let slack = run(&animation, &six(SmaOptions { negative_bound: 0.2, ..Default::default() }));
    assert!(slack.error.percent <= bounded * 1.0001 && slack.rig.weights.smallest() >= -0.2 - 1e-5);
}

#[test]
fn corrections_converge_and_a_prefix_is_a_coarser_rig() {
    let animation = bent_tube(12);
    let options = SkinOptions { bones: Some(3), rank: 11, ..SkinOptions::sma() };
    let full = run(&animation, &options);
    assert!(full.error.percent < 0.05, "rank 11 of 12 frames leaves {} percent", full.error.percent);
    let mut last = f64::INFINITY;
    for rank in 0..=8 {
        let mut rig = full.rig.clone();
        rig.corrections.as_mut().unwrap().truncate(rank);
        let percent = error_percent(&animation, &rig);
        assert!(percent < last, "rank {rank}: {percent} after {last}");
        last = percent;
    }
}

#[test]
fn corrected_normals_follow_the_surface() {
    let animation = bent_tube(12);
    let skinned = run(&animation, &SkinOptions { bones: Some(2), rank: 8, ..SkinOptions::sma() });
    let corrections = skinned.rig.corrections.as_ref().unwrap();
    assert_eq!(corrections.normals.len(), corrections.basis.len());
    assert!(corrections.normals.iter().any(|n| n.length() > 1e-3), "normals change somewhere");
}

#[test]
fn moving_turning_and_scaling_the_scene_changes_nothing() {
    let animation = bent_tube(10);
    let options = SkinOptions { bones: Some(5), ..SkinOptions::sma() };
    let plain = run(&animation, &options).error;
    let turn = Mat3::from_quat(Quat::from_euler(EulerRot::XYZ, 0.3, -1.1, 2.0));
    for (scale, shift) in
        [(1.0, Vec3::new(40.0, -7.0, 3.0)), (1000.0, Vec3::ZERO), (0.001, Vec3::splat(0.01))]
    {
        let moved = |p: &[Vec3]| p.iter().map(|p| scale * (turn * *p) + shift).collect::<Vec<_>>();
        let poses: Vec<_> = (0..animation.frames.len()).map(|t| moved(animation.frames.frame(t))).collect();
        let other = MeshAnimation {
            mesh: animation.mesh.clone(),
            rest: animation.rest.as_deref().map(moved),
            frames: Frames::from_poses(&poses),
            fps: animation.fps,
            clips: Vec::new(),
            nodes: Vec::new(),
        };
        let error = run(&other, &options).error;
        assert!(
            (error.percent / plain.percent - 1.0).abs() < 0.1,
            "{} against {}",
            error.percent,
            plain.percent
        );
    }
}

#[test]
fn far_from_the_origin_precision_is_kept() {
    let animation = articulated_boxes(3, 6);
    let far = |p: &[Vec3]| p.iter().map(|p| *p + Vec3::new(2000.0, 0.0, -3000.0)).collect::<Vec<_>>();
    let poses: Vec<_> = (0..animation.frames.len()).map(|t| far(animation.frames.frame(t))).collect();
    let animation = MeshAnimation {
        rest: animation.rest.as_deref().map(far),
        frames: Frames::from_poses(&poses),
        ..animation
    };
    let skinned = run(&animation, &SkinOptions::sma());
    // Single precision at 3000 units rounds to about 0.0002; the boxes are one unit wide.
    assert!(skinned.error.max < 0.05, "{} % of the diagonal", skinned.error.max);
}

#[test]
fn the_same_bits_for_any_number_of_threads() {
    let animation = bent_tube(9);
    for options in [
        SkinOptions { rank: 3, ..SkinOptions::sma() },
        SkinOptions { bones: Some(7), kind: BoneKind::Rigid, ..SkinOptions::sma() },
    ] {
        let alone = in_pool(1, || run(&animation, &options));
        for threads in [2, 5] {
            let many = in_pool(threads, || run(&animation, &options));
            assert_eq!(alone.rig, many.rig, "{threads} threads");
            assert_eq!(alone.error, many.error);
        }
    }
}

#[test]
fn a_mesh_that_stands_still_and_a_single_frame_need_one_bone() {
    let animation = bent_tube(1);
    let single = run(&animation, &SkinOptions::sma());
    assert_eq!((single.rig.bones.len(), single.error.percent), (1, 0.0));
    let pose = animation.frames.frame(0).to_vec();
    let still = MeshAnimation { frames: Frames::from_poses(&vec![pose; 6]), ..animation };
    let still = run(&still, &SkinOptions { rank: 2, ..SkinOptions::sma() });
    assert_eq!((still.rig.bones.len(), still.error.percent), (1, 0.0));
    assert!(still.error.max < 1e-4);
}

#[test]
fn untidy_meshes_are_served() {
    // A box with a collapsed triangle, a doubled one and a vertex that no face uses.
    let mut animation = articulated_boxes(2, 6);
    let n = animation.mesh.vertex_count;
    animation.mesh.push_face(&[0, 0, 1]);
    animation.mesh.push_face(&[0, 1, 2]);
    animation.mesh.vertex_count = n + 1;
    let extend = |p: &[Vec3]| p.iter().copied().chain([Vec3::ONE]).collect::<Vec<_>>();
    let poses: Vec<_> = (0..6).map(|t| extend(animation.frames.frame(t))).collect();
    let animation = MeshAnimation { rest: None, frames: Frames::from_poses(&poses), ..animation };
    let skinned = run(&animation, &SkinOptions::sma());
    assert_eq!(skinned.rig.bones.len(), 2);
    assert!(
        skinned.warnings.iter().any(|w| w.to_string().contains("1 of 26 triangles")),
        "{:?}",
        skinned.warnings
    );
    assert_eq!(skinned.rig.rest.len(), n + 1);
}

#[test]
fn given_bones_are_used_as_they_are() {
    let animation = articulated_boxes(4, 8);
    let found = run(&animation, &SkinOptions { kind: BoneKind::Rigid, ..SkinOptions::sma() }).rig;
    let given = Skin::from(found.clone());
    let with = |given: Skin| SkinOptions {
        given_bones: Some(found.bones.clone()),
        ..sma(SmaOptions { bones_from: Some(given), ..Default::default() })
    };
    let again = run(&animation, &with(given.clone()));
    assert_eq!((&again.rig.bones, &again.rig.transforms), (&found.bones, &found.transforms));
    assert!(again.error.percent < 1e-3);
    let short = Skin { transforms: given.transforms[4..].to_vec(), ..given };
    let error = skin(&animation, &with(short), &Silent);
    assert_eq!(error.unwrap_err(), SkinError::Given { what: GivenPart::Frames, found: 7, expected: 8 });
}

#[test]
fn the_rest_pose_asked_for_is_taken() {
    let animation = bent_tube(10);
    let frame = run(&animation, &SkinOptions { rest_pose: RestPose::Frame(4), ..SkinOptions::sma() });
    assert_eq!((frame.rest_pose, &frame.rig.rest[..]), (RestPose::Frame(4), animation.frames.frame(4)));
    let given = run(&animation, &SkinOptions { rest_pose: RestPose::Given, ..SkinOptions::sma() });
    assert_eq!(Some(&given.rig.rest), animation.rest.as_ref());
    let auto = run(&animation, &SkinOptions::sma());
    assert!(auto.error.percent <= 1.1 * given.error.percent.min(frame.error.percent));
    let missing =
        skin(&animation, &SkinOptions { rest_pose: RestPose::Frame(10), ..SkinOptions::sma() }, &Silent);
    assert_eq!(missing.unwrap_err(), SkinError::NoSuchFrame { frame: 10, last: 9 });
}

#[test]
fn what_cannot_be_skinned_is_refused_with_the_reason() {
    let sound = || articulated_boxes(2, 3);
    let refuse =
        |animation: &MeshAnimation, options: SkinOptions| skin(animation, &options, &Silent).unwrap_err();
    let options = SkinOptions::sma;
    let error = refuse(&sound(), SkinOptions { bones: Some(0), ..options() });
    assert_eq!(error, SkinError::BoneCount { asked: 0, most: 24 });
    let error = refuse(&sound(), SkinOptions { bones: Some(25), ..options() });
    assert_eq!(error, SkinError::BoneCount { asked: 25, most: 24 });
    let error = refuse(&sound(), SkinOptions { influences: 0, ..options() });
    assert_eq!(error, SkinError::InfluenceCount { asked: 0 });
    let epsilon = sma(SmaOptions { epsilon: 0.0, ..Default::default() });
    assert_eq!(refuse(&sound(), epsilon), SkinError::Epsilon(0.0));
    let rigid = SkinOptions { kind: BoneKind::Rigid, ..SkinOptions::of(Method::Sad) };
    assert_eq!(refuse(&sound(), rigid), SkinError::NoRigidBones { method: MethodName::Sad });

    let line = vec![Vec3::ZERO, Vec3::X, Vec3::X * 2.0];
    let flat = MeshAnimation {
        mesh: Mesh::from_triangles(3, &[[0, 1, 2]]),
        rest: None,
        frames: Frames::from_poses(&[line]),
        fps: 24.0,
        clips: Vec::new(),
        nodes: Vec::new(),
    };
    assert_eq!(refuse(&flat, options()), SkinError::AllDegenerate { count: 1 });

    let mut poses: Vec<Vec<Vec3>> = (0..3).map(|t| sound().frames.frame(t).to_vec()).collect();
    poses[2][5].y = f32::NAN;
    let broken = MeshAnimation { frames: Frames::from_poses(&poses), ..sound() };
    assert_eq!(refuse(&broken, options()), AnimationError::NotFinite { frame: 2, vertex: 5 }.into());
    let small = sound().rest.unwrap().iter().map(|p| *p * 0.01).collect();
    let units = refuse(&MeshAnimation { rest: Some(small), ..sound() }, options());
    assert!(
        matches!(units, SkinError::Animation(AnimationError::Units { ratio }) if (ratio - 100.0).abs() < 1.0)
    );
}

#[test]
fn cancelling_is_heard_in_every_stage() {
    struct StopAt(&'static str, std::sync::atomic::AtomicBool);
    impl Progress for StopAt {
        fn stage(&self, name: &'static str) {
            if name == self.0 {
                self.1.store(true, std::sync::atomic::Ordering::Relaxed);
            }
        }
        fn cancelled(&self) -> bool {
            self.1.load(std::sync::atomic::Ordering::Relaxed)
        }
    }
    let animation = bent_tube(6);
    let options = SkinOptions { rank: 2, ..SkinOptions::sma() };
    for stage in ["rest pose", "segments", "weights", "corrections"] {
        let stop = StopAt(stage, false.into());
        assert_eq!(skin(&animation, &options, &stop).unwrap_err(), SkinError::Cancelled, "{stage}");
    }
}

#[test]
fn clips_are_kept_and_checked_one_by_one() {
    let clip = |name: &str, frames, fps| Clip { name: name.into(), frames, fps };
    let clips = vec![clip("bend", 0..2, 24.0), clip("stretch", 2..6, 30.0)];
    let animation = MeshAnimation { clips: clips.clone(), ..articulated_boxes(3, 6) };
    assert_eq!(run(&animation, &SkinOptions::sma()).rig.clips, clips);

    let refuse = |poses: &[Vec<Vec3>], clips: &[Clip]| {
        let frames = Frames::from_poses(poses);
        let animation = MeshAnimation { clips: clips.into(), frames, ..articulated_boxes(3, 6) };
        skin(&animation, &SkinOptions::sma(), &Silent).unwrap_err().to_string()
    };
    let poses: Vec<Vec<Vec3>> = (0..6).map(|t| animation.frames.frame(t).to_vec()).collect();
    let mut broken = poses.clone();
    broken[3][5].y = f32::INFINITY;
    assert!(refuse(&broken, &clips).starts_with("clip stretch: frame 1, vertex 5:"));
    let mut empty = poses.clone();
    empty[2..].fill(vec![Vec3::ZERO; poses[0].len()]);
    assert!(refuse(&empty, &clips).starts_with("clip stretch: all vertices are in one place"));
    assert_eq!(refuse(&poses, &clips[..1]), "the clips hold 2 of 6 frames");
}

#[test]
fn vertices_out_of_order_are_told() {
    let sound = bent_tube(6);
    // Shuffles runs of so many vertices.
    let shuffled = |p: &[Vec3], run: usize| -> Vec<Vec3> {
        let mut order: Vec<usize> = (0..p.len()).collect();
        let mixed = |i: usize| (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
        let mixed = |i: usize| mixed(i).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 20;
        order.sort_by_key(|&i| (i / run, mixed(i)));
        order.into_iter().map(|i| p[i]).collect()
    };
    let clip = |name: &str, frames| Clip { name: name.into(), frames, fps: 24.0 };
    let mixed = |run: usize| {
        let pose = |t: usize| shuffled(sound.frames.frame(t), if t < 3 { 1 } else { run });
        MeshAnimation {
            mesh: sound.mesh.clone(),
            rest: sound.rest.clone(),
            frames: Frames::from_poses(&(0..6).map(pose).collect::<Vec<_>>()),
            fps: 24.0,
            clips: vec![clip("sound", 0..3), clip("mixed", 3..6)],
            nodes: Vec::new(),
        }
    };
    assert_eq!(mixed(1).warnings(), []);
    let told = mixed(150).warnings();
    assert_eq!(told, [AnimationWarning::VertexOrder { clip: Some("mixed".into()) }]);
    assert!(told[0].to_string().contains("clip mixed"));
    assert!(
        run(&mixed(150), &SkinOptions::sma()).warnings.contains(&SkinWarning::Animation(told[0].clone()))
    );
    // Edges that are many times as long as they should be are not for their units.
    let mut wide = mixed(usize::MAX);
    let poses: Vec<Vec<Vec3>> = (0..6)
        .map(|t| wide.frames.frame(t).iter().map(|p| if t < 3 { *p } else { *p * 4.0 }).collect())
        .collect();
    wide.frames = Frames::from_poses(&poses);
    let error = wide.validate().unwrap_err().to_string();
    assert!(error.starts_with("clip mixed: ") && error.contains("order"), "{error}");
}

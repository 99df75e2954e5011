//! The descent over bones, weights and rest pose, from outside.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::common::{articulated_boxes, bent_tube, error_percent, in_pool};
use glam::{DAffine3, DMat3, Quat, Vec3};
use sinew::animation::{Frames, MeshAnimation};
use sinew::geometry::Mesh;
use sinew::progress::{Progress, Silent};
use sinew::rig::{Rig, SkinWeights};
use sinew::segment::{MeanShift, Points, Regions, StartSegmenter};
use sinew::skin::{
    BoneKind, DescentOptions, Effort, Initialisation, Method, Norm, RoundPart, Skin, SkinError, SkinOptions,
    Skinned, Solve, skin,
};
use sinew_sample::{CreatureOptions, creature};

fn run(animation: &MeshAnimation, bones: usize, options: SkinOptions) -> Skinned {
    let options = SkinOptions { bones: Some(bones), ..options };
    let skinned = skin(animation, &options, &Silent).expect("a rig");
    skinned.rig.validate().expect("a sound rig");
    skinned
}

fn of_kind(kind: BoneKind) -> SkinOptions {
    SkinOptions { kind, ..SkinOptions::default() }
}

fn rigid() -> SkinOptions {
    of_kind(BoneKind::Rigid)
}

/// The same options with another descent.
fn with(options: SkinOptions, descent: DescentOptions) -> SkinOptions {
    SkinOptions { method: Method::Best(descent), ..options }
}

fn flexible(descent: DescentOptions) -> SkinOptions {
    with(SkinOptions::default(), descent)
}

/// A rig's motion as an animation.
fn played(rig: &Rig) -> MeshAnimation {
    let poses: Vec<_> = (0..rig.frame_count()).map(|t| rig.pose(t)).collect();
    let frames = Frames::from_poses(&poses);
    MeshAnimation {
        mesh: rig.mesh.clone(),
        rest: Some(rig.rest.clone()),
        frames,
        fps: rig.fps,
        clips: Vec::new(),
        nodes: Vec::new(),
    }
}

fn rotation_error(m: DMat3) -> f64 {
    (m * m.transpose() - DMat3::IDENTITY).to_cols_array().iter().fold(0.0, |e, x| x.abs().max(e))
}

#[test]
fn boxes_that_turn_by_themselves_are_replayed_exactly() {
    let animation = articulated_boxes(6, 20);
    for kind in [BoneKind::Rigid, BoneKind::Flexible] {
        let skinned = run(&animation, 6, of_kind(kind));
        assert!(skinned.error.percent < 0.01, "{kind:?}: {}", skinned.error.percent);
    }
}

#[test]
fn a_blended_rig_is_found_again() {
    let first = run(&bent_tube(24), 5, rigid());
    let animation = played(&first.rig);
    let again = run(&animation, 5, with(rigid(), DescentOptions { smoothness: 0.0, ..Default::default() }));
    assert!(again.error.percent < 0.7, "{}", again.error.percent);
}

#[test]
fn it_beats_fitting_once() {
    let animation = bent_tube(24);
    for kind in [BoneKind::Rigid, BoneKind::Flexible] {
        let once = SkinOptions { bones: Some(6), kind, ..SkinOptions::sma() };
        let once = skin(&animation, &once, &Silent).expect("a rig").error.percent;
        let best = run(&animation, 6, of_kind(kind)).error.percent;
        assert!(best < 0.7 * once, "{kind:?}: {best} after {once}");
    }
}

#[test]
fn the_error_never_rises_within_a_part_of_the_work() {
    let animation = bent_tube(40);
    for kind in [BoneKind::Rigid, BoneKind::Flexible] {
        let rounds = run(&animation, 6, of_kind(kind)).rounds;
        assert!(rounds.len() > 10);
        for pair in rounds.windows(2).filter(|p| p[0].part == p[1].part) {
            let smoothing = pair[0].part == RoundPart::Smoothing;
            assert!(smoothing || pair[1].percent <= pair[0].percent, "{pair:?}");
        }
    }
}

#[test]
fn weights_are_few_positive_and_sum_to_one() {
    let animation = bent_tube(24);
    for influences in [1, 2, 4, 7, 16] {
        let skinned = run(&animation, 9, SkinOptions { influences, ..SkinOptions::default() });
        let weights = &skinned.rig.weights;
        assert!(weights.most_influences() <= influences);
        assert!(weights.smallest() >= 0.0);
        for w in weights.weights.chunks_exact(weights.per_vertex) {
            assert!((w.iter().sum::<f32>() - 1.0).abs() < 1e-5);
            assert!(w.is_sorted_by(|a, b| a >= b));
        }
    }
}

#[test]
fn rigid_bones_only_turn_and_shift() {
    let skinned = run(&bent_tube(150), 5, rigid());
    assert!(skinned.rig.transforms.iter().all(|t| rotation_error(t.matrix3) < 1e-9));
    assert!(skinned.rig.bones.iter().all(|b| b.rigid));
}

#[test]
fn more_influences_and_bones_lower_the_error() {
    let animation = bent_tube(24);
    let percent = |bones, influences| {
        run(&animation, bones, SkinOptions { influences, ..SkinOptions::default() }).error.percent
    };
    assert!(percent(6, 1) > 1.5 * percent(6, 2));
    assert!(percent(3, 4) > 1.5 * percent(9, 4));
}

/// Small shifts, the same in every run.
fn jitter(i: usize) -> Vec3 {
    let wave = |k: usize| ((i * k) as f32 * 12.9898).sin();
    Vec3::new(wave(1), wave(2), wave(3)) * 0.01
}

#[test]
fn a_kept_rest_pose_keeps_its_bits_and_a_free_one_is_mended() {
    let mut animation = bent_tube(24);
    for (i, p) in animation.rest.iter_mut().flatten().enumerate() {
        *p += jitter(i);
    }
    let kept = run(&animation, 6, flexible(DescentOptions { keep_rest: true, ..Default::default() }));
    assert_eq!(Some(&kept.rig.rest), animation.rest.as_ref());
    let free = run(&animation, 6, SkinOptions::default());
    assert!(free.error.percent < 0.5 * kept.error.percent);
}

#[test]
fn moving_turning_and_scaling_the_scene_changes_nothing() {
    let animation = bent_tube(24);
    let turn = Quat::from_euler(glam::EulerRot::XYZ, 0.4, -1.1, 2.0);
    let moved = |p: &Vec3| turn * (*p * 40.0) + Vec3::new(900.0, -200.0, 50.0);
    let poses: Vec<Vec<Vec3>> =
        (0..animation.frames.len()).map(|t| animation.frames.frame(t).iter().map(moved).collect()).collect();
    let other = MeshAnimation {
        mesh: animation.mesh.clone(),
        rest: animation.rest.as_ref().map(|r| r.iter().map(moved).collect()),
        frames: Frames::from_poses(&poses),
        fps: 24.0,
        clips: Vec::new(),
        nodes: Vec::new(),
    };
    for kind in [BoneKind::Rigid, BoneKind::Flexible] {
        let options = of_kind(kind);
        let a = run(&animation, 6, options.clone()).error.percent;
        let b = run(&other, 6, options).error.percent;
        // Rounding sends the search another way; it should arrive at something as good.
        assert!((a / b - 1.0).abs() < 0.15, "{kind:?}: {a} and {b}");
    }
}

#[test]
fn the_same_bits_for_any_number_of_threads() {
    let animation = bent_tube(110);
    for kind in [BoneKind::Rigid, BoneKind::Flexible] {
        let options = || of_kind(kind);
        let one = in_pool(1, || run(&animation, 7, options()).rig);
        let three = in_pool(3, || run(&animation, 7, options()).rig);
        assert!(one == three, "{kind:?}");
    }
}

#[test]
fn never_fewer_bones_than_asked_for() {
    let animation = articulated_boxes(2, 10);
    let skinned = run(&animation, 20, SkinOptions::default());
    assert_eq!(skinned.rig.bones.len(), 20);
    assert!(skinned.error.percent < 0.01);
}

#[test]
fn without_a_number_there_are_as_many_bones_as_the_motion_needs() {
    let options = SkinOptions::default();
    let boxes = skin(&articulated_boxes(6, 20), &options, &Silent).expect("a rig");
    assert!((5..=10).contains(&boxes.rig.bones.len()), "{}", boxes.rig.bones.len());
    let still = MeshAnimation {
        frames: Frames::from_poses(&vec![articulated_boxes(3, 2).frames.frame(0).to_vec(); 5]),
        ..articulated_boxes(3, 2)
    };
    assert_eq!(skin(&still, &options, &Silent).expect("a rig").rig.bones.len(), 1);
}

#[test]
fn pieces_without_edges_between_them_are_served_as_well() {
    // The tube cut into loose quads must be as good as the whole one.
    let whole = bent_tube(24);
    let mut mesh = Mesh::default();
    let mut from = Vec::new();
    for f in 0..whole.mesh.face_count() {
        let face = whole.mesh.face(f);
        let first = from.len() as u32;
        from.extend_from_slice(face);
        mesh.vertex_count = from.len();
        mesh.push_face(&(first..first + face.len() as u32).collect::<Vec<_>>());
    }
    let pick = |pose: &[Vec3]| -> Vec<Vec3> { from.iter().map(|&v| pose[v as usize]).collect() };
    let poses: Vec<_> = (0..whole.frames.len()).map(|t| pick(whole.frames.frame(t))).collect();
    let loose = MeshAnimation {
        mesh,
        rest: whole.rest.as_deref().map(pick),
        frames: Frames::from_poses(&poses),
        fps: 24.0,
        clips: Vec::new(),
        nodes: Vec::new(),
    };
    let a = run(&whole, 3, SkinOptions::default());
    let b = run(&loose, 3, SkinOptions::default());
    assert!(b.error.percent < 1.25 * a.error.percent, "{} and {}", a.error.percent, b.error.percent);
    // Vertices that coincide all the time stay together.
    for (i, &v) in from.iter().enumerate() {
        let twin = from.iter().position(|&w| w == v).expect("itself");
        assert_eq!(b.rig.weights.of(i), b.rig.weights.of(twin));
        assert_eq!(b.rig.rest[i], b.rig.rest[twin]);
    }
}

/// Mean squared difference of weights along edges.
fn roughness(rig: &Rig) -> f64 {
    let dense = |v: usize| {
        let mut all = vec![0.0_f64; rig.bones.len()];
        let (bones, weights) = rig.weights.of(v);
        bones.iter().zip(weights).for_each(|(&b, &w)| all[b as usize] += f64::from(w));
        all
    };
    let mut sum = 0.0;
    let mut count = 0.0;
    for f in 0..rig.mesh.face_count() {
        let face = rig.mesh.face(f);
        for i in 0..face.len() {
            let (a, b) = (dense(face[i] as usize), dense(face[(i + 1) % face.len()] as usize));
            sum += a.iter().zip(&b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
            count += 1.0;
        }
    }
    sum / count
}

#[test]
fn smoothness_makes_weights_smoother_at_a_stated_price() {
    let clean = bent_tube(24);
    let noisy = |t: usize| clean.frames.frame(t).iter().enumerate().map(move |(i, p)| *p + jitter(i + 7 * t));
    let poses: Vec<Vec<Vec3>> = (0..clean.frames.len()).map(|t| noisy(t).collect()).collect();
    let animation = MeshAnimation { frames: Frames::from_poses(&poses), ..clean };
    let at =
        |smoothness| run(&animation, 6, with(rigid(), DescentOptions { smoothness, ..Default::default() }));
    let (rough, smooth) = (at(0.0), at(30.0));
    assert!(roughness(&smooth.rig) < 0.8 * roughness(&rough.rig));
    let last = smooth.rounds.last().expect("rounds");
    assert_eq!(last.part, RoundPart::Smoothing);
    assert!((last.percent / smooth.error.percent - 1.0).abs() < 0.1);
}

/// A rig to start from.
fn tube_rig() -> (MeshAnimation, Rig) {
    let animation = bent_tube(24);
    let rig = run(&animation, 5, with(rigid(), DescentOptions { keep_rest: true, ..Default::default() })).rig;
    (animation, rig)
}

/// The skin of a rig with other weights.
fn with_weights(rig: &Rig, weights: Option<SkinWeights>) -> Skin {
    Skin { weights: weights.unwrap_or_default(), ..Skin::from(rig.clone()) }
}

fn from_skin(skin: Skin) -> DescentOptions {
    DescentOptions {
        initialisation: Initialisation::Skin(skin),
        keep_rest: true,
        smoothness: 0.0,
        ..Default::default()
    }
}

#[test]
fn weights_alone_are_solved_for_given_bones() {
    let (animation, rig) = tube_rig();
    let options = DescentOptions { solve: Solve::Weights, ..from_skin(with_weights(&rig, None)) };
    let skinned = run(&animation, 5, with(rigid(), options));
    assert_eq!(skinned.rig.transforms, rig.transforms);
    assert!(skinned.error.percent < 1.1 * error_percent(&animation, &rig));
}

#[test]
fn transforms_alone_are_solved_for_given_weights() {
    let (animation, rig) = tube_rig();
    let given = Skin { transforms: Vec::new(), ..Skin::from(rig.clone()) };
    let options = DescentOptions { solve: Solve::Transforms, ..from_skin(given) };
    let skinned = run(&animation, 5, with(rigid(), options));
    assert_eq!(skinned.rig.weights.bones, rig.weights.bones);
    assert!(skinned.rig.weights.weights.iter().zip(&rig.weights.weights).all(|(a, b)| (a - b).abs() < 1e-6));
    assert!(skinned.error.percent < 1.05 * error_percent(&animation, &rig), "{}", skinned.error.percent);
}

#[test]
fn a_bone_that_moves_nothing_gets_work() {
    let (animation, rig) = tube_rig();
    let four = DescentOptions { keep_rest: true, smoothness: 0.0, ..Default::default() };
    let four = run(&animation, 4, with(rigid(), four));
    let mut transforms = Vec::new();
    for frame in four.rig.transforms.chunks_exact(4) {
        transforms.extend_from_slice(frame);
        transforms.push(DAffine3::IDENTITY);
    }
    let weights = four.rig.weights.clone();
    let given = Skin { bones: 5, rest: rig.rest.clone(), transforms, weights };
    let after = run(&animation, 5, with(rigid(), from_skin(given)));
    assert!(after.rig.weights.bones.contains(&4));
    assert!(after.error.percent < 0.85 * four.error.percent, "{}", after.error.percent);
    let monotone = |p: &[sinew::skin::Round]| p[1].percent <= p[0].percent;
    assert!(after.rounds.windows(2).all(monotone));
}

#[test]
fn locked_bones_and_vertices_stay_as_they_are() {
    let (animation, rig) = tube_rig();
    let spoiled = SkinWeights::single(rig.rest.len());
    let locked: Vec<bool> = (0..rig.rest.len()).map(|v| v % 3 == 0).collect();
    for kind in [BoneKind::Rigid, BoneKind::Flexible] {
        let options = DescentOptions {
            locked_bones: vec![1, 3],
            locked_vertices: locked.clone(),
            ..from_skin(with_weights(&rig, Some(spoiled.clone())))
        };
        let after = run(&animation, 5, with(of_kind(kind), options)).rig;
        for (i, (a, b)) in after.transforms.iter().zip(&rig.transforms).enumerate() {
            assert_eq!(a == b, [1, 3].contains(&(i % 5)), "{kind:?} bone {}", i % 5);
        }
        for v in (0..rig.rest.len()).step_by(3) {
            assert_eq!((after.weights.of(v).0[0], after.weights.of(v).1[0]), (0, 1.0));
        }
        assert!((0..rig.rest.len()).any(|v| after.weights.of(v).1[0] < 1.0));
    }
}

#[test]
fn every_initialisation_leads_to_a_good_rig() {
    let animation = bent_tube(24);
    let best = run(&animation, 5, rigid()).error.percent;
    let halves = (0..animation.mesh.vertex_count).map(|v| (v * 5 / animation.mesh.vertex_count) as u32);
    let all = [
        Initialisation::Segments(StartSegmenter(&MeanShift)),
        Initialisation::Segments(StartSegmenter(&Regions)),
        Initialisation::Segments(StartSegmenter(&Points)),
        Initialisation::Groups(halves.collect()),
    ];
    for initialisation in all {
        let options = DescentOptions { initialisation: initialisation.clone(), ..Default::default() };
        let skinned = run(&animation, 5, with(rigid(), options));
        assert_eq!(skinned.rig.bones.len(), 5);
        assert!(
            skinned.error.percent < 1.5 * best,
            "{initialisation:?}: {} and {best}",
            skinned.error.percent
        );
    }
}

#[test]
fn hopeless_input_ends_with_a_reason() {
    let animation = bent_tube(4);
    let refused = |options: SkinOptions| skin(&animation, &options, &Silent).expect_err("a reason");
    assert!(matches!(
        refused(SkinOptions { bones: Some(0), ..SkinOptions::default() }),
        SkinError::BoneCount { asked: 0, .. }
    ));
    assert!(matches!(
        refused(SkinOptions { influences: 17, ..SkinOptions::default() }),
        SkinError::InfluenceCount { asked: 17 }
    ));
    assert!(matches!(
        refused(flexible(DescentOptions { smoothness: f64::NAN, ..Default::default() })),
        SkinError::Smoothness(_)
    ));
    let rest = animation.rest.clone().expect("a rest pose");
    let given = Skin { bones: 2, rest, transforms: vec![DAffine3::IDENTITY; 7], ..Default::default() };
    assert!(matches!(refused(flexible(from_skin(given))), SkinError::Given { .. }));
}

/// Counts how often it is asked and cancels from some time on; takes down how far each stage is said to be.
#[derive(Default)]
struct Listener {
    cancel_at: Option<usize>,
    asked: AtomicUsize,
    told: Mutex<Vec<(&'static str, Vec<f64>)>>,
}

impl Progress for Listener {
    fn stage(&self, name: &'static str) {
        self.told.lock().unwrap().push((name, Vec::new()));
    }

    fn advance(&self, share: f64) {
        self.told.lock().unwrap().last_mut().expect("a stage").1.push(share);
    }

    fn cancelled(&self) -> bool {
        let asked = self.asked.fetch_add(1, Ordering::Relaxed) + 1;
        self.cancel_at.is_some_and(|at| asked >= at)
    }
}

#[test]
fn cancelling_is_heard_at_any_time_however_many_bones_there_are() {
    let animation = bent_tube(110);
    for kind in [BoneKind::Rigid, BoneKind::Flexible] {
        let options = SkinOptions { bones: Some(90), rank: 2, ..of_kind(kind) };
        let run = |listener: &Listener| in_pool(2, || skin(&animation, &options, listener).map(|_| ()));
        let whole = Listener::default();
        assert_eq!(run(&whole), Ok(()));
        let all = whole.asked.into_inner();
        for share in [0.0, 0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99] {
            let at = 1 + (share * all as f64) as usize;
            let listener = Listener { cancel_at: Some(at), ..Listener::default() };
            assert_eq!(run(&listener), Err(SkinError::Cancelled), "{kind:?} at {share}");
            // What runs at the same time may ask once more each.
            let after = listener.asked.into_inner() - at;
            assert!(after < 12, "{kind:?} at {share}: asked {after} times after that");
        }
        // Nothing goes on for long unasked: a fit of so many bones asks thousands of times, in every stage.
        assert!(all > 5000, "asked {all} times");
        let told = whole.told.into_inner().unwrap();
        for (stage, shares) in &told {
            assert!(
                shares.is_sorted() && shares.iter().all(|s| (0.0..=1.0).contains(s)),
                "{stage}: {shares:?}"
            );
        }
        for stage in ["starts", "rounds", "smoothing", "corrections"] {
            let shares = &told.iter().find(|(name, _)| *name == stage).expect("a stage").1;
            assert!(shares.len() > 3, "{kind:?} {stage}: {shares:?}");
        }
    }
}

#[test]
fn many_bones_look_near_only_and_are_closer_than_fewer() {
    let animation = creature(&CreatureOptions { frames: 6, detail: 0.4, ..Default::default() });
    for kind in [BoneKind::Rigid, BoneKind::Flexible] {
        // All bones are looked at, or those near; of so many flexible ones the equations leave out zeros.
        let few = run(&animation, 60, of_kind(kind)).error.percent;
        let fit = || run(&animation, 132, of_kind(kind));
        let many = in_pool(1, fit);
        assert!(many.error.percent < few, "{kind:?}: {} after {few}", many.error.percent);
        assert!(many.rig == in_pool(3, fit).rig, "{kind:?}");
    }
}

#[test]
fn a_norm_lowers_the_largest_error_and_keeps_the_mean() {
    let animation = bent_tube(16);
    for kind in [BoneKind::Rigid, BoneKind::Flexible] {
        let with_norm = |norm: Norm| {
            run(&animation, 5, with(of_kind(kind), DescentOptions { norm, ..Default::default() }))
        };
        let (usual, max) = (with_norm(Norm::default()), with_norm(Norm::MAX));
        assert!(max.error.max < 0.8 * usual.error.max, "{kind:?}: {} of {}", max.error.max, usual.error.max);
        assert!(max.error.percent <= 1.31 * usual.error.percent, "{kind:?}");
        let some = with_norm(Norm::of(4.0).expect("a norm"));
        assert!(some.error.max < usual.error.max && some.error.percent < max.error.percent, "{kind:?}");
        if kind == BoneKind::Rigid {
            assert!(max.rig.transforms.iter().all(|t| rotation_error(t.matrix3) < 1e-9));
        }
        let alone = in_pool(1, || with_norm(Norm::MAX));
        assert!(alone.rig == in_pool(3, || with_norm(Norm::MAX)).rig);
    }
}

#[test]
fn norms_are_numbers_from_two_to_twelve_or_max() {
    assert_eq!("max".parse(), Ok(Norm::MAX));
    assert_eq!("2".parse(), Ok(Norm::default()));
    assert_eq!("12".parse::<Norm>().map(|norm| norm.to_string()), Ok("12".into()));
    for word in ["", "1", "1.9", "13", "inf", "nan", "most"] {
        assert!(word.parse::<Norm>().is_err(), "{word}");
    }
}

#[test]
fn more_effort_is_closer() {
    let animation = bent_tube(24);
    let error = |effort| {
        run(&animation, 7, with(rigid(), DescentOptions { effort, ..Default::default() })).error.percent
    };
    let [quick, normal, best] = [Effort::Quick, Effort::Normal, Effort::Best].map(error);
    assert!(best <= normal && normal <= quick && quick < 2.0 * normal, "{quick} {normal} {best}");
}

#[test]
fn the_most_effort_gives_the_same_for_any_number_of_threads() {
    let animation = bent_tube(16);
    let options = with(rigid(), DescentOptions { effort: Effort::Best, ..Default::default() });
    let fit = || run(&animation, 6, options.clone()).rig;
    assert!(in_pool(1, fit) == in_pool(3, fit));
}
